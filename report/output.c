/* Writing the results of several runs. Uses table, runs. */
#include "report/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/runs.h"

/* ---- lines of which each may be said of several runs ---- */

/* Bytes before what is in brackets at the end: figures of one run. */
static size_t stem(const char *text)
{
    const char *bracket = strrchr(text, '(');
    return bracket && bracket > text && bracket[-1] == ' ' && bracket[strlen(bracket) - 1] == ')'
               ? (size_t)(bracket - 1 - text)
               : strlen(text);
}

static bool is_alike(const char *a, const char *b)
{
    return stem(a) == stem(b) && strncmp(a, b, stem(a)) == 0;
}

void grouped_add(struct grouped *grouped, const char *run, const char *format, ...)
{
    char text[600];
    size_t i = 0;
    TEXT_PRINT(text, sizeof text, format);
    while (i < grouped->count && (!run || !grouped->line[i].first || !is_alike(grouped->line[i].text, text)))
        i++;
    if (i == grouped->count) {
        struct grouped_line new = {strdup(text), run ? strdup(run) : NULL, 0};
        if (!new.text || (run && !new.first) || !array_room(&grouped->line, i, sizeof *grouped->line)) {
            free(new.text);
            free(new.first);
            grouped->incomplete = true;
            return;
        }
        grouped->line[grouped->count++] = new;
    }
    if (strcmp(grouped->line[i].text, text) != 0)
        grouped->line[i].text[stem(text)] = 0;
    grouped->line[i].runs++;
}

char *grouped_text(const struct grouped_line *line)
{
    char *text = line->runs > 1 ? text_format("%zu runs (%s ...): %s", line->runs, line->first, line->text)
                 : line->first  ? text_format("%s: %s", line->first, line->text)
                                : strdup(line->text);
    if (text)
        finding_clean(text);
    return text;
}

void grouped_free(struct grouped *grouped)
{
    for (size_t i = 0; i < grouped->count; i++) {
        free(grouped->line[i].text);
        free(grouped->line[i].first);
    }
    free(grouped->line);
    *grouped = (struct grouped){0};
}

/* ---- CSV ---- */

enum { NUMBER_SIZE = 352 };

static bool is_number(const char *text)
{
    char *rest;
    strtod(text, &rest);
    return rest != text && !*rest;
}

static void put_field(const char *field, FILE *out)
{
    bool formula = *field && strchr("=+-@", *field) && field[1] && !is_number(field);
    bool plain = !strpbrk(field, ",\"\r\n");
    fprintf(out, "%s%s", plain ? "" : "\"", formula ? "'" : "");
    for (; *field; field++) {
        if (*field == '"')
            fputc('"', out);
        fputc(*field, out);
    }
    fputs(plain ? "" : "\"", out);
}

static void end_field(int i, int count, FILE *out)
{
    fputc(i + 1 < count ? ',' : '\n', out);
}

static const char *cell_text(const struct table *table, const union table_row *row, int column,
                             char text[NUMBER_SIZE])
{
    const struct table_column *c = &table->columns[column];
    double number = table_number(table, row, column);
    if (table_is_text(c))
        return table_words(table, row, column);
    bool real = c->kind == CELL_REAL;
    snprintf(text, NUMBER_SIZE,
             isnan(number)    ? ""
             : !real          ? "%.0f"
             : c->digits < 17 ? "%.12g"
                              : "%.17g",
             number);
    return text;
}

void csv_table(const struct table *table, FILE *out)
{
    for (int i = 0; i < table->column_count; i++) {
        put_field(table->columns[i].name, out);
        end_field(i, table->column_count, out);
    }
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        for (int i = 0; i < table->column_count; i++) {
            char number[NUMBER_SIZE];
            put_field(cell_text(table, &row, i, number), out);
            end_field(i, table->column_count, out);
        }
    }
}

/* ---- the whole ---- */

/* What was left out, noted, refused, and the data errors; each with its name in JSON and in text. */
enum { LEFT_OUT, NOTES, REFUSED, ERRORS, LISTS };
static const char *const keys[] = {"left_out", "notes", "refused", "errors"};
static const char *const leads[] = {"left out", "note", "refused", "wrong"};

static int make_lists(const struct runs *runs, struct texts lists[LISTS])
{
    const struct grouped *grouped[] = {&runs->left_out, &runs->notes};
    const struct texts *texts[] = {&runs->reasons, &runs->errors};
    bool incomplete = false;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < grouped[k]->count; i++) {
            char *text = grouped_text(&grouped[k]->line[i]);
            texts_add(&lists[k], "%s", text ? text : "");
            incomplete |= !text;
            free(text);
        }
        for (int i = 0; i < texts[k]->count; i++) {
            finding_clean(texts[k]->text[i]);
            texts_add(&lists[REFUSED + k], "%s", texts[k]->text[i]);
        }
        incomplete |= grouped[k]->incomplete || texts[k]->incomplete || lists[k].incomplete ||
                      lists[REFUSED + k].incomplete;
    }
    return incomplete ? -1 : 0;
}

static void put_text(const struct output *o, const struct texts lists[LISTS], FILE *out)
{
    for (int i = 0; i < o->table_count; i++)
        if (o->tables[i].rows) {
            table_text(&o->tables[i], "", out);
            fputc('\n', out);
        }
    for (int k = 0; k < LISTS; k++)
        for (int i = 0; i < lists[k].count; i++)
            fprintf(out, "%s: %s\n", leads[k], lists[k].text[i]);
    if (o->decision && *o->decision)
        fprintf(out, "%s\n", o->decision);
    if (o->verdict)
        fprintf(out, "%s\n", o->verdict);
}

static int put_json(const struct output *o, const struct texts lists[LISTS], FILE *out)
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
    for (int k = 0; k < LISTS; k++)
        json_texts(&json, keys[k], &lists[k]);
    if (o->decision)
        json_text(&json, "threshold", *o->decision ? o->decision : NULL);
    if (o->json)
        o->json(o->context, &json);
    json_integer(&json, "status", o->status);
    json_end(&json);
    return json_finish(&json);
}

enum report_status output_put(const struct output *o, int format)
{
    struct texts lists[LISTS] = {{0}};
    int failed = make_lists(o->runs, lists);
    if (!failed && format == FORMAT_TEXT)
        put_text(o, lists, stdout);
    else if (!failed && format == FORMAT_JSON)
        failed = put_json(o, lists, stdout);
    else if (!failed)
        csv_table(o->csv ? o->csv : o->tables, stdout);
    for (int k = 0; k < LISTS; k++) {
        for (int i = 0; i < lists[k].count && format != FORMAT_TEXT && k != NOTES; i++)
            report_say("%s: %s", leads[k], lists[k].text[i]);
        texts_free(&lists[k]);
    }
    if (failed)
        report_say("out of memory, or JSON can't be written");
    return failed ? REPORT_REFUSED : o->status;
}
