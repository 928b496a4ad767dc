#include "report/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/page.h"
#include "report/sides.h"

/* ---- lines that may concern several runs ---- */

size_t output_stem(const char *text)
{
    const char *bracket = strstr(text, " (");
    return bracket ? (size_t)(bracket - text) : strlen(text);
}

static bool is_alike(const char *a, const char *b)
{
    return output_stem(a) == output_stem(b) && strncmp(a, b, output_stem(a)) == 0;
}

void grouped_add(struct grouped *grouped, const char *run, const char *format, ...)
{
    char text[600];
    size_t i = 0;
    TEXT_PRINT(text, sizeof text, format);
    if (!run)
        i = grouped->count;
    while (i < grouped->count && (!grouped->line[i].names || !is_alike(grouped->line[i].text, text)))
        i++;
    if (i == grouped->count) {
        array_grow(&grouped->line, i, sizeof *grouped->line);
        grouped->line[grouped->count++] = (struct grouped_line){.text = memory_text(text)};
    }
    struct grouped_line *line = &grouped->line[i];
    if (strcmp(line->text, text) != 0)
        line->text[output_stem(text)] = 0;
    if (run && (line->runs < GROUPED_NAMES || grouped->all)) {
        char *before = line->names;
        line->names = text_format("%s%s%s", before ? before : "", before ? ", " : "", run);
        free(before);
        line->named++;
    }
    line->runs++;
}

char *grouped_text(const struct grouped_line *line)
{
    char more[40] = "";
    if (line->runs > line->named)
        snprintf(more, sizeof more, " and %zu more (--all)", line->runs - line->named);
    char *text =
        line->runs > 1
            ? text_format("%zu runs (%s%s): %s", line->runs, line->names, more, line->text)
            : text_format("%s%s%s", line->names ? line->names : "", line->names ? ": " : "", line->text);
    text_clean(text);
    return text;
}

void grouped_texts(const struct grouped *grouped, struct texts *texts)
{
    for (size_t i = 0; i < grouped->count; i++) {
        char *text = grouped_text(&grouped->line[i]);
        texts_add(texts, "%s", text);
        free(text);
    }
}

void grouped_free(struct grouped *grouped)
{
    for (size_t i = 0; i < grouped->count; i++) {
        free(grouped->line[i].text);
        free(grouped->line[i].names);
    }
    free(grouped->line);
    *grouped = (struct grouped){0};
}

/* ---- CSV ---- */

static bool is_number(const char *text)
{
    char *rest;
    strtod(text, &rest);
    return rest != text && !*rest;
}

static void put_field(const char *field, bool last, FILE *out)
{
    bool formula = *field && strchr("=+-@", *field) && field[1] && !is_number(field);
    bool plain = !strpbrk(field, ",\"\r\n");
    fprintf(out, "%s%s", plain ? "" : "\"", formula ? "'" : "");
    for (; *field; field++) {
        if (*field == '"')
            fputc('"', out);
        fputc(*field, out);
    }
    fprintf(out, "%s%c", plain ? "" : "\"", last ? '\n' : ',');
}

void csv_table(const struct table *table, FILE *out)
{
    int count = table->column_count;
    for (int i = 0; i < count; i++)
        put_field(table->columns[i].name, i + 1 == count, out);
    for (int r = 0; r < table->rows; r++) {
        union table_row room;
        const void *row = table_row(table, r, &room);
        for (int i = 0; i < count; i++) {
            char text[40];
            const struct column *column = &table->columns[i];
            double number = column_number(column, row);
            snprintf(text, sizeof text, column->kind == COLUMN_REAL ? "%.12g" : "%.17g", number);
            put_field(isnan(number) ? column_text(column, row) : text, i + 1 == count, out);
        }
    }
}

/* ---- JUnit ---- */

void junit_suite(const char *name, const struct junit_case *cases, size_t count, FILE *out)
{
    static const char *const elements[] = {"system-out", "failure", "skipped", "error"};
    size_t counts[JUNIT_OUTCOMES] = {0};
    for (size_t i = 0; i < count; i++)
        counts[cases[i].outcome]++;
    page_put(out, "<testsuite name=\"%s\"", name);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", count,
            counts[JUNIT_FAILED], counts[JUNIT_ERROR], counts[JUNIT_SKIPPED]);
    for (size_t i = 0; i < count; i++) {
        char *label = text_format("%.*s", (int)cases[i].name, cases[i].text);
        const char *rest = cases[i].text + (cases[i].text[cases[i].name] == '\n' ? cases[i].name + 1 : 0);
        char *body = text_format("%s", rest);
        for (char *end; (end = strchr(body, '\n'));)
            *end = ' ';
        page_put(out, "<testcase name=\"%s\"><%s>%s</%s></testcase>\n", label, elements[cases[i].outcome],
                 body, elements[cases[i].outcome]);
        free(body);
        free(label);
    }
    page_put(out, "</testsuite>\n");
}

/* ---- all output ---- */

/* The lists of struct sides, with their names in JSON and in text. */
enum { FACTORS, SKIPPED, NOTES, REFUSED, ERRORS, CHANGES, LISTS };
static const char *const keys[] = {"factors", "skipped", "notes", "refused", "errors", "changes"};
static const char *const leads[] = {"changed on purpose", "skipped", "note", "refused", "error", "changed"};

static void put_list(const struct texts *list, const char *lead, FILE *out)
{
    for (size_t i = 0; i < list->count; i++)
        fprintf(out, "%s%s%s%s", i ? "; " : lead, i ? "" : ": ", list->text[i],
                i + 1 < list->count ? "" : "\n");
}

static void put_tables(const struct table *tables, int count, FILE *out)
{
    for (int i = 0; i < count; i++)
        if (tables[i].rows) {
            table_text(&tables[i], "", out);
            fputc('\n', out);
        }
}

static void put_text(const struct output *o, const struct texts lists[LISTS], FILE *out)
{
    put_list(&lists[FACTORS], leads[FACTORS], out);
    put_tables(o->tables, o->table_count, out);
    for (int k = SKIPPED; k < CHANGES; k++)
        for (size_t i = 0; i < lists[k].count; i++)
            fprintf(out, "%s: %s\n", leads[k], lists[k].text[i]);
    put_list(&lists[CHANGES], leads[CHANGES], out);
    if (o->decision && *o->decision)
        fprintf(out, "%s\n", o->decision);
    if (o->verdict)
        fprintf(out, "%s\n", o->verdict);
    if (o->last && o->last->rows) {
        fputc('\n', out);
        table_text(o->last, "", out);
    }
}

static void put_json(const struct output *o, const struct texts lists[LISTS], FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_begin(&json, NULL, JSON_OBJECT);
    for (int i = 0; i < o->table_count; i++) {
        if (i && i == o->first_figures)
            json_begin(&json, "figures", JSON_OBJECT);
        table_json(&o->tables[i], &json, o->tables[i].name);
    }
    if (o->first_figures)
        json_end(&json);
    if (o->last)
        table_json(o->last, &json, o->last->name);
    for (int k = 0; k < LISTS; k++)
        json_texts(&json, keys[k], &lists[k]);
    if (o->decision)
        json_text(&json, "threshold", *o->decision ? o->decision : NULL);
    if (o->json)
        o->json(o->context, &json);
    json_integer(&json, "status", o->status);
    json_end(&json);
    json_finish(&json);
}

/* Writes one test case, whose outcome follows from the exit status. */
static void put_junit(const struct output *o, const struct texts lists[LISTS], FILE *out)
{
    static const enum junit_outcome outcomes[] = {[REPORT_FINE] = JUNIT_PASSED,
                                                  [REPORT_DIFFERS] = JUNIT_FAILED,
                                                  [REPORT_USAGE] = JUNIT_ERROR,
                                                  [REPORT_REFUSED] = JUNIT_ERROR,
                                                  [REPORT_UNDECIDED] = JUNIT_SKIPPED};
    const char *name = o->verdict ? "compare" : "rank";
    struct stream stream;
    FILE *lines = stream_start(&stream);
    fprintf(lines, "%s\n%s\n%s\n", name, o->decision ? o->decision : "", o->verdict ? o->verdict : "");
    for (int k = 0; k < LISTS; k++)
        for (size_t i = 0; i < lists[k].count; i++)
            fprintf(lines, "%s: %s\n", leads[k], lists[k].text[i]);
    char *text = stream_end(&stream);
    junit_suite("beff_report", &(struct junit_case){text, strlen(name), outcomes[o->status]}, 1, out);
    free(text);
}

enum report_status output_put(const struct output *o, int format)
{
    const struct sides *sides = o->sides;
    const struct grouped *grouped[LISTS] = {&sides->factors, &sides->skipped, &sides->notes,
                                            &sides->reasons, &sides->errors,  &sides->changes};
    struct texts lists[LISTS] = {{0}};
    for (int k = 0; k < LISTS; k++)
        grouped_texts(grouped[k], &lists[k]);
    if (format == FORMAT_TEXT)
        put_text(o, lists, stdout);
    else if (format == FORMAT_JSON)
        put_json(o, lists, stdout);
    else if (format == FORMAT_CSV)
        csv_table(o->csv ? o->csv : o->tables, stdout);
    else
        put_junit(o, lists, stdout);
    for (int k = 0; k < LISTS; k++) {
        if (format != FORMAT_TEXT && (k == SKIPPED || k == REFUSED || k == ERRORS))
            for (size_t i = 0; i < lists[k].count; i++)
                report_say("%s: %s", leads[k], lists[k].text[i]);
        texts_free(&lists[k]);
    }
    return o->status;
}
