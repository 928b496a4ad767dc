/* The result of a run, and its text. Uses table, protocol. */
#include "common/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void sheet_value(struct sheet *sheet, const char *name, const char *label, const char *unit, double value,
                 double share)
{
    if (sheet->value_count < SHEET_MOST_VALUES)
        sheet->values[sheet->value_count++] = (struct sheet_value){name, label, unit, value, share};
}

void sheet_criterion(struct sheet *sheet, bool reached, const char *format, ...)
{
    if (sheet->criterion_count == SHEET_MOST_CRITERIA)
        return;
    struct sheet_criterion *criterion = &sheet->criteria[sheet->criterion_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(criterion->text, sizeof criterion->text, format, arguments);
    va_end(arguments);
    criterion->reached = reached;
}

void sheet_note(struct sheet *sheet, const char *format, ...)
{
    if (sheet->note_count == SHEET_MOST_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sheet->notes[sheet->note_count++], SHEET_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

bool sheet_valid(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->criterion_count; i++)
        if (!sheet->criteria[i].reached)
            return false;
    return true;
}

static void put_environment(const struct sheet *sheet, FILE *out)
{
    static const char *const keys[] = {"version",
                                       "started",
                                       "host",
                                       "nodes",
                                       "processes",
                                       "ranks_per_node",
                                       "cpu",
                                       "cores",
                                       "hardware_threads",
                                       "memory_mib",
                                       "memory_limit_mib",
                                       "memory_per_process_mib",
                                       "mpi",
                                       "mpi_version",
                                       "compiler",
                                       "binding",
                                       "oversubscribed",
                                       "clock_resolution_s",
                                       "seed",
                                       "time_s",
                                       "command"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = protocol_get(sheet->protocol, keys[i]);
        if (value)
            fprintf(out, "  %-24s%s\n", keys[i], value);
    }
}

static void put_values(const struct sheet *sheet, FILE *out)
{
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *v = &sheet->values[i];
        if (isnan(v->value))
            fprintf(out, "  %-52s%14s\n", v->label, "-");
        else if (isnan(v->share))
            fprintf(out, "  %-52s%14.3f %s\n", v->label, v->value, v->unit);
        else
            fprintf(out, "  %-52s%14.3f %-8s  %5.1f %% of the limit\n", v->label, v->value, v->unit,
                    100 * v->share);
    }
}

static void put_verdict(const struct sheet *sheet, FILE *out)
{
    fprintf(out, "%s for comparison:\n", sheet_valid(sheet) ? "VALID" : "NOT VALID");
    for (int i = 0; i < sheet->criterion_count; i++)
        fprintf(out, "  %-12s %s\n", sheet->criteria[i].reached ? "reached" : "NOT reached",
                sheet->criteria[i].text);
    for (int i = 0; i < sheet->note_count; i++)
        fprintf(out, "  note: %s\n", sheet->notes[i]);
}

void sheet_text(const struct sheet *sheet, FILE *out)
{
    const char *started = protocol_get(sheet->protocol, "started");
    fprintf(out, "%s %s\n\n", sheet->protocol->type->program, started ? started : "at an unknown time");
    put_environment(sheet, out);
    for (int i = 0; i < sheet->table_count; i++) {
        fputc('\n', out);
        table_text(&sheet->tables[i], "", out);
    }
    fputc('\n', out);
    put_values(sheet, out);
    fprintf(out, "  %s\n\n", sheet->interval_note);
    put_verdict(sheet, out);
    fprintf(out, "\n%s\n", sheet->headline);
}

void sheet_free(struct sheet *sheet)
{
    for (int i = 0; i < sheet->table_count; i++)
        table_free(&sheet->tables[i]);
    free(sheet->passes);
    *sheet = (struct sheet){0};
}
