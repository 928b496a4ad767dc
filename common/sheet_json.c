/* The result of a run as JSON. Uses sheet, json. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/sheet.h"

/* ---- metadata ---- */

static const char setting[] = "option_";

static int compare_pairs(const void *a, const void *b)
{
    const struct protocol_pair *left = *(const struct protocol_pair *const *)a,
                               *right = *(const struct protocol_pair *const *)b;
    int order = strcmp(left->key, right->key);
    return order ? order : (left > right) - (left < right);
}

/* A key that is repeated has a list, at the place of its first one. `sorted`: the pairs by key. */
static void put_pair(const struct protocol_pair *pair, const struct protocol_pair *const *sorted,
                     size_t count, const char *key, struct json *json)
{
    const struct protocol_pair *const *at = bsearch(&pair, sorted, count, sizeof *sorted, compare_pairs);
    size_t i = (size_t)(at - sorted);
    bool first = i == 0 || strcmp(sorted[i - 1]->key, pair->key) != 0;
    bool alone = i + 1 == count || strcmp(sorted[i + 1]->key, pair->key) != 0;
    if (!first)
        return;
    if (alone) {
        json_text(json, key, pair->value);
        return;
    }
    json_array(json, key);
    for (; i < count && strcmp(sorted[i]->key, pair->key) == 0; i++)
        json_text(json, NULL, sorted[i]->value);
    json_end_array(json);
}

/* The settings, or everything else. */
static void put_pairs(const struct protocol *p, const struct protocol_pair *const *sorted, bool settings,
                      struct json *json)
{
    json_object(json, settings ? "settings" : "system");
    for (size_t i = 0; i < p->meta_count; i++) {
        const char *key = p->meta[i].key;
        bool is_setting = strncmp(key, setting, strlen(setting)) == 0;
        if (is_setting == settings)
            put_pair(&p->meta[i], sorted, p->meta_count, key + (settings ? strlen(setting) : 0), json);
    }
    json_end_object(json);
}

static int put_metadata(const struct protocol *p, struct json *json)
{
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
    put_pairs(p, sorted, false, json);
    put_pairs(p, sorted, true, json);
    free(sorted);
    return 0;
}

/* ---- result ---- */

static void put_values(const struct sheet *sheet, struct json *json)
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
    put_values(sheet, json);
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
    if (isfinite(sheet->interval[0])) {
        json_flat_array(json, "interval");
        json_real(json, NULL, sheet->interval[0]);
        json_real(json, NULL, sheet->interval[1]);
        json_end_array(json);
    } else {
        json_null(json, "interval");
    }
    json_text(json, "line", sheet->headline);
    json_text(json, "end", sheet->protocol->end);
    json_end_object(json);
}

/* ---- records ---- */

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
    int failed = put_metadata(sheet->protocol, &json);
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
