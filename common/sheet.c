/* The result of a run, as text and JSON. Uses table, protocol, metadata, json. */
#include "common/sheet.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/metadata.h"

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

const struct sheet_value *sheet_find(const struct sheet *sheet, const char *name)
{
    for (int i = 0; i < sheet->value_count; i++)
        if (strcmp(sheet->values[i].name, name) == 0)
            return &sheet->values[i];
    return NULL;
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

/* In lines of `width` columns. Returns how many lines it takes; without `out` it prints none. */
static int put_wrapped(const char *lead, const char *text, size_t width, FILE *out)
{
    int lines = 0, indent = (int)strlen(lead);
    do {
        size_t length = line_length(text, width - (size_t)indent);
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
static void put_notes(const struct sheet *sheet, int room, size_t width, FILE *out)
{
    static const char lead[] = "  note: ";
    int i = 0;
    for (; i < sheet->notes.count; i++) {
        int lines = put_wrapped(lead, sheet->notes.text[i], width, NULL);
        if (lines > room - (i + 1 < sheet->notes.count))
            break;
        room -= put_wrapped(lead, sheet->notes.text[i], width, out);
    }
    if (i < sheet->notes.count)
        fprintf(out, "  %d more notes: summary.txt has them\n", sheet->notes.count - i);
}

/* What is below machine and tables, which took `lines`. */
static void put_sheet(const struct sheet *sheet, bool brief, int lines, FILE *out)
{
    size_t width = brief ? SHEET_COLUMNS : SIZE_MAX;
    fputc('\n', out);
    for (int i = 0; i < sheet->value_count; i++)
        if (!brief || !sheet->values[i].detail) {
            put_value(&sheet->values[i], out);
            lines++;
        }
    lines += put_wrapped("  ", sheet->spread_note, width, out);
    fprintf(out, "\n%s for comparison:\n", sheet_verdict(sheet));
    for (int i = 0; i < sheet->criterion_count; i++) {
        const struct sheet_criterion *criterion = &sheet->criteria[i];
        lines += put_wrapped(criterion->reached ? "  reached      " : "  NOT reached  ", criterion->text,
                             width, out);
    }
    put_notes(sheet, brief ? SHEET_LINES - lines : INT_MAX, width, out);
    fprintf(out, "\n%.*s\n", (int)line_length(sheet->headline, width), sheet->headline);
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
    put_sheet(sheet, false, 0, out);
}

void sheet_brief(const struct sheet *sheet, FILE *out)
{
    const char *started = protocol_get(sheet->protocol, "started");
    fprintf(out, "%s %.80s\n", sheet->protocol->type->program, started ? started : "at an unknown time");
    /* heading, three blank lines, verdict, headline */
    put_sheet(sheet, true, put_machine(sheet, out) + 6, out);
}

/* ---- as JSON: metadata ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct protocol_pair *left = *(const struct protocol_pair *const *)a,
                               *right = *(const struct protocol_pair *const *)b;
    int order = strcmp(left->key, right->key);
    return order ? order : (left > right) - (left < right);
}

static void put_metadatum(const struct protocol_pair *pair, const char *key, bool number, struct json *json)
{
    if (number)
        json_number(json, key, pair->value);
    else
        json_text(json, key, pair->value);
}

/* A key that is repeated has a list, at the place of its first one. `sorted`: the pairs by key. */
static void put_pair(const struct protocol_pair *pair, bool number, const struct protocol_pair *const *sorted,
                     size_t count, const char *key, struct json *json)
{
    const struct protocol_pair *const *at = bsearch(&pair, sorted, count, sizeof *sorted, compare_pairs);
    size_t i = (size_t)(at - sorted);
    bool first = i == 0 || strcmp(sorted[i - 1]->key, pair->key) != 0;
    bool alone = i + 1 == count || strcmp(sorted[i + 1]->key, pair->key) != 0;
    if (!first)
        return;
    if (alone) {
        put_metadatum(pair, key, number, json);
        return;
    }
    json_array(json, key);
    for (; i < count && strcmp(sorted[i]->key, pair->key) == 0; i++)
        put_metadatum(sorted[i], NULL, number, json);
    json_end_array(json);
}

/* The settings, or everything else. */
static void put_pairs(const struct sheet *sheet, const struct protocol_pair *const *sorted, bool settings,
                      struct json *json)
{
    const struct protocol *p = sheet->protocol;
    size_t lead = strlen(METADATA_OPTION);
    json_object(json, settings ? "settings" : "system");
    for (size_t i = 0; i < p->meta_count; i++) {
        const char *key = p->meta[i].key;
        bool is_setting = strncmp(key, METADATA_OPTION, lead) == 0;
        if (is_setting == settings)
            put_pair(&p->meta[i], metadata_is_number(key, sheet->options), sorted, p->meta_count,
                     key + (settings ? lead : 0), json);
    }
    json_end_object(json);
}

static int put_metadata(const struct sheet *sheet, struct json *json)
{
    const struct protocol *p = sheet->protocol;
    static const char *const first[] = {"format", "program", "version", "command"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (protocol_get(p, first[i]))
            json_text(json, first[i], protocol_get(p, first[i]));
    const struct protocol_pair **sorted = calloc(p->meta_count + 1, sizeof(const struct protocol_pair *));
    if (!sorted)
        return -1;
    for (size_t i = 0; i < p->meta_count; i++)
        sorted[i] = &p->meta[i];
    qsort(sorted, p->meta_count, sizeof *sorted, compare_pairs);
    put_pairs(sheet, sorted, false, json);
    put_pairs(sheet, sorted, true, json);
    free(sorted);
    return 0;
}

/* ---- as JSON: result ---- */

static void json_values(const struct sheet *sheet, struct json *json)
{
    for (int i = 0; i < sheet->value_count; i++) {
        json_real(json, sheet->values[i].name, sheet->values[i].value);
        if (sheet_rates(sheet, sheet->values[i].name))
            json_text(json, "unit", sheet->values[i].unit);
    }
    json_object(json, "shares_of_limit");
    for (int i = 0; i < sheet->value_count; i++)
        if (isfinite(sheet->values[i].share))
            json_real(json, sheet->values[i].name, sheet->values[i].share);
    json_end_object(json);
}

static void put_result(const struct sheet *sheet, struct json *json)
{
    json_object(json, "result");
    json_values(sheet, json);
    json_boolean(json, "valid", sheet_valid(sheet));
    json_array(json, "reasons");
    for (int i = 0; i < sheet->criterion_count; i++)
        if (!sheet->criteria[i].reached)
            json_text(json, NULL, sheet->criteria[i].text);
    json_end_array(json);
    json_array(json, "notes");
    for (int i = 0; i < sheet->notes.count; i++)
        json_text(json, NULL, sheet->notes.text[i]);
    json_end_array(json);
    json_flat_array(json, "passes");
    for (int i = 0; i < sheet->pass_count; i++)
        json_real(json, NULL, sheet->passes[i]);
    json_end_array(json);
    if (isfinite(sheet->spread[0])) {
        json_flat_array(json, "spread");
        json_real(json, NULL, sheet->spread[0]);
        json_real(json, NULL, sheet->spread[1]);
        json_end_array(json);
    } else {
        json_null(json, "spread");
    }
    json_text(json, "line", sheet->headline);
    json_text(json, "end", sheet->protocol->end);
    json_end_object(json);
}

/* ---- as JSON: records, and all ---- */

static void put_record(const struct record_type *type, const char *record, struct json *json)
{
    json_flat_object(json, NULL);
    for (size_t i = 0; i < type->column_count; i++) {
        const struct column *column = &type->columns[i];
        const void *field = record + column->offset;
        if (column->kind == COLUMN_TEXT)
            json_text(json, column->name, field);
        else if (column->kind == COLUMN_INTEGER)
            json_integer(json, column->name, *(const int64_t *)field);
        else
            json_real(json, column->name, *(const double *)field);
    }
    json_end_object(json);
}

static void put_records(const struct protocol *p, struct json *json)
{
    json_array(json, "records");
    for (size_t i = 0; i < p->record_count; i++)
        put_record(p->type, protocol_at(p, i), json);
    json_end_array(json);
}

int sheet_json(const struct sheet *sheet, bool records, FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_object(&json, NULL);
    int failed = put_metadata(sheet, &json);
    put_result(sheet, &json);
    json_object(&json, "tables");
    for (int i = 0; i < sheet->table_count; i++)
        table_json(&sheet->tables[i], &json, sheet->tables[i].name);
    json_end_object(&json);
    if (records) {
        put_records(sheet->protocol, &json);
    } else {
        json_null(&json, "records");
        json_text(&json, "records_in", "run.prot");
    }
    json_end_object(&json);
    return json_finish(&json) || failed ? -1 : 0;
}
