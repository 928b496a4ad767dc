/* The result of a run, and its text. Uses table, protocol. */
#include "common/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Room for one more element: `array` is grown at each power of two. NULL and an incomplete sheet when out of
 * memory. */
static void *grow(struct sheet *sheet, void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    void *grown = realloc(array, (count ? 2 * (size_t)count : 1) * size);
    sheet->incomplete = sheet->incomplete || !grown;
    return grown;
}

void sheet_value(struct sheet *sheet, const char *name, const char *label, const char *unit, double value,
                 double share)
{
    struct sheet_value *values = grow(sheet, sheet->values, sheet->value_count, sizeof *values);
    if (!values)
        return;
    sheet->values = values;
    values[sheet->value_count++] = (struct sheet_value){name, label, unit, value, share, false};
}

void sheet_detail(struct sheet *sheet)
{
    if (sheet->value_count)
        sheet->values[sheet->value_count - 1].detail = true;
}

void sheet_criterion(struct sheet *sheet, bool reached, const char *format, ...)
{
    struct sheet_criterion *criteria = grow(sheet, sheet->criteria, sheet->criterion_count, sizeof *criteria);
    if (!criteria)
        return;
    sheet->criteria = criteria;
    struct sheet_criterion *criterion = &criteria[sheet->criterion_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(criterion->text, sizeof criterion->text, format, arguments);
    va_end(arguments);
    criterion->reached = reached;
    criterion->of_time = false;
}

void sheet_of_time(struct sheet *sheet)
{
    if (sheet->criterion_count)
        sheet->criteria[sheet->criterion_count - 1].of_time = true;
}

void sheet_note(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    texts_add_arguments(&sheet->notes, format, arguments);
    va_end(arguments);
    sheet->incomplete = sheet->incomplete || sheet->notes.incomplete;
}

void sheet_table(struct sheet *sheet, const struct table *table, const void *context)
{
    struct table *tables = grow(sheet, sheet->tables, sheet->table_count, sizeof *tables);
    if (!tables)
        return;
    sheet->tables = tables;
    tables[sheet->table_count] = *table;
    tables[sheet->table_count++].context = context;
}

bool sheet_valid(const struct sheet *sheet)
{
    bool valid = !sheet->incomplete;
    for (int i = 0; i < sheet->criterion_count; i++)
        valid = valid && sheet->criteria[i].reached;
    return valid;
}

const char *sheet_verdict(const struct sheet *sheet)
{
    return sheet_valid(sheet) ? "VALID" : "NOT VALID";
}

bool sheet_rates(const struct sheet *sheet, const char *name)
{
    return strcmp(name, sheet->headline_name) == 0;
}

int sheet_check(const struct sheet *sheet, struct message *error)
{
    return sheet->incomplete ? message_set(error, "out of memory for the results") : 0;
}

void sheet_free(struct sheet *sheet)
{
    texts_free(&sheet->notes);
    free(sheet->values);
    free(sheet->criteria);
    free(sheet->tables);
    free(sheet->passes);
    *sheet = (struct sheet){0};
}

/* ---- text ---- */

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

static void put_value(const struct sheet_value *v, FILE *out)
{
    if (isnan(v->value))
        fprintf(out, "  %-52s%14s\n", v->label, "-");
    else if (isnan(v->share))
        fprintf(out, "  %-52s%14.3f %s\n", v->label, v->value, v->unit);
    else
        fprintf(out, "  %-52s%14.3f %-8s  %5.1f %% of the limit\n", v->label, v->value, v->unit,
                100 * v->share);
}

static const char *reached_word(const struct sheet_criterion *criterion)
{
    return criterion->reached ? "reached" : "NOT reached";
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
    for (int i = 0; i < sheet->value_count; i++)
        put_value(&sheet->values[i], out);
    fprintf(out, "  %s\n\n%s for comparison:\n", sheet->interval_note, sheet_verdict(sheet));
    for (int i = 0; i < sheet->criterion_count; i++)
        fprintf(out, "  %-12s %s\n", reached_word(&sheet->criteria[i]), sheet->criteria[i].text);
    for (int i = 0; i < sheet->notes.count; i++)
        fprintf(out, "  note: %s\n", sheet->notes.text[i]);
    fprintf(out, "\n%s\n", sheet->headline);
}

/* ---- on a screen ---- */

/* Bytes of `text` that go on one line of `width` columns: up to a blank, if there is one. */
static size_t line_length(const char *text, size_t width)
{
    size_t length = strlen(text), at = width;
    if (length <= width)
        return length;
    while (at > width / 2 && text[at] != ' ')
        at--;
    if (at <= width / 2)
        for (at = width; at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80;)
            at--; /* not in the middle of a character */
    return at;
}

/* Returns how many lines it takes; without `out` it prints none. */
static int put_wrapped(const char *lead, const char *text, FILE *out)
{
    int lines = 0, indent = (int)strlen(lead);
    do {
        size_t length = line_length(text, SHEET_COLUMNS - (size_t)indent);
        if (out)
            fprintf(out, "%*s%.*s\n", indent, lines ? "" : lead, (int)length, text);
        text += length;
        text += strspn(text, " ");
        lines++;
    } while (*text);
    return lines;
}

static int put_machine(const struct sheet *sheet, FILE *out)
{
    static const char *const rows[][3] = {{"storage", "storage", ""},
                                          {"host", "host", ""},
                                          {"cpu", "processor", ""},
                                          {"processes", "processes", ""},
                                          {"ranks_per_node", "  per node", ""},
                                          {"memory_per_process_mib", "memory per process", " MiB"},
                                          {"mpi", "MPI", ""}};
    int lines = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *value = protocol_get(sheet->protocol, rows[i][0]);
        if (value)
            lines += fprintf(out, "  %-20s%.70s%s\n", rows[i][1], value, rows[i][2]) > 0;
    }
    return lines;
}

/* The notes, as far as there is room. */
static void put_notes(const struct sheet *sheet, int room, FILE *out)
{
    static const char lead[] = "  note: ";
    int i = 0;
    for (; i < sheet->notes.count; i++) {
        int lines = put_wrapped(lead, sheet->notes.text[i], NULL);
        if (lines > room - (i + 1 < sheet->notes.count))
            break;
        room -= put_wrapped(lead, sheet->notes.text[i], out);
    }
    if (i < sheet->notes.count)
        fprintf(out, "  %d more notes: summary.txt has them\n", sheet->notes.count - i);
}

void sheet_brief(const struct sheet *sheet, FILE *out)
{
    const char *started = protocol_get(sheet->protocol, "started");
    fprintf(out, "%s %.80s\n", sheet->protocol->type->program, started ? started : "at an unknown time");
    int lines = put_machine(sheet, out) + 6; /* heading, three blank lines, verdict, headline */
    fputc('\n', out);
    for (int i = 0; i < sheet->value_count; i++)
        if (!sheet->values[i].detail) {
            put_value(&sheet->values[i], out);
            lines++;
        }
    lines += put_wrapped("  ", sheet->interval_note, out);
    fprintf(out, "\n%s for comparison:\n", sheet_verdict(sheet));
    for (int i = 0; i < sheet->criterion_count; i++) {
        char lead[16];
        snprintf(lead, sizeof lead, "  %-12s ", reached_word(&sheet->criteria[i]));
        lines += put_wrapped(lead, sheet->criteria[i].text, out);
    }
    put_notes(sheet, SHEET_LINES - lines, out);
    fprintf(out, "\n%.*s\n", (int)line_length(sheet->headline, SHEET_COLUMNS), sheet->headline);
}
