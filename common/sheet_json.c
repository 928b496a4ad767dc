/* The result of a run as JSON, by jansson; without it only the refusal is built. Uses sheet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sheet.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

bool sheet_has_json(void)
{
    return true;
}

/* JSON knows neither NaN nor infinity. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* jansson refuses text that is not UTF-8: such bytes become '?'. */
static json_t *text(const char *value)
{
    json_t *string = json_string(value);
    if (string)
        return string;
    char *copy = strdup(value);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c > 126)
            *c = '?';
    string = copy ? json_string(copy) : NULL;
    free(copy);
    return string;
}

/* A key that is repeated becomes a list. */
static void add_pair(json_t *object, const char *key, json_t *value)
{
    json_t *before = json_object_get(object, key);
    if (!before) {
        json_object_set_new(object, key, value);
    } else if (json_is_array(before)) {
        json_array_append_new(before, value);
    } else {
        json_t *list = json_array();
        json_array_append(list, before);
        json_array_append_new(list, value);
        json_object_set_new(object, key, list);
    }
}

static json_t *pairs(const struct sheet *sheet, bool settings)
{
    const char *prefix = "option_";
    json_t *object = json_object();
    for (size_t i = 0; i < sheet->protocol->meta_count; i++) {
        const struct protocol_pair *pair = &sheet->protocol->meta[i];
        bool is_setting = strncmp(pair->key, prefix, strlen(prefix)) == 0;
        if (is_setting == settings)
            add_pair(object, pair->key + (settings ? strlen(prefix) : 0), text(pair->value));
    }
    return object;
}

static json_t *result(const struct sheet *sheet)
{
    json_t *object = json_object(), *reasons = json_array(), *passes = json_array(), *notes = json_array();
    json_t *shares = json_object();
    for (int i = 0; i < sheet->value_count; i++) {
        json_object_set_new(object, sheet->values[i].name, number(sheet->values[i].value));
        if (strcmp(sheet->values[i].name, sheet->headline_name) == 0)
            json_object_set_new(object, "unit", text(sheet->values[i].unit));
    }
    for (int i = 0; i < sheet->value_count; i++)
        if (isfinite(sheet->values[i].share))
            json_object_set_new(shares, sheet->values[i].name, number(sheet->values[i].share));
    json_object_set_new(object, "shares_of_limit", shares);
    json_object_set_new(object, "valid", json_boolean(sheet_valid(sheet)));
    for (int i = 0; i < sheet->criterion_count; i++)
        if (!sheet->criteria[i].reached)
            json_array_append_new(reasons, text(sheet->criteria[i].text));
    json_object_set_new(object, "reasons", reasons);
    for (int i = 0; i < sheet->note_count; i++)
        json_array_append_new(notes, text(sheet->notes[i]));
    json_object_set_new(object, "notes", notes);
    for (int i = 0; i < sheet->pass_count; i++)
        json_array_append_new(passes, number(sheet->passes[i]));
    json_object_set_new(object, "passes", passes);
    bool known = isfinite(sheet->interval[0]);
    json_object_set_new(object, "interval",
                        known ? json_pack("[f, f]", sheet->interval[0], sheet->interval[1]) : json_null());
    json_object_set_new(object, "line", text(sheet->headline));
    json_object_set_new(object, "end", sheet->protocol->end ? text(sheet->protocol->end) : json_null());
    return object;
}

static json_t *table_rows(const struct table *table)
{
    json_t *rows = json_array();
    for (int r = 0; r < table->rows; r++) {
        json_t *row = json_object();
        for (int c = 0; c < table->column_count; c++) {
            const struct cell *cell = &table->cells[r * table->column_count + c];
            const struct table_column *column = &table->columns[c];
            json_object_set_new(row, column->name,
                                column->kind == CELL_TEXT ? text(cell->text)
                                : column->kind == CELL_INTEGER && !isnan(cell->number)
                                    ? json_integer((json_int_t)cell->number)
                                    : number(cell->number));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *record_object(const struct record_type *type, const char *record)
{
    json_t *object = json_object();
    for (size_t i = 0; i < type->column_count; i++) {
        const void *field = record + type->columns[i].offset;
        json_object_set_new(object, type->columns[i].name,
                            type->columns[i].kind == COLUMN_TEXT      ? text(field)
                            : type->columns[i].kind == COLUMN_INTEGER ? json_integer(*(const int64_t *)field)
                                                                      : number(*(const double *)field));
    }
    return object;
}

int sheet_json(const struct sheet *sheet, FILE *out)
{
    const struct protocol *p = sheet->protocol;
    json_t *root = json_object(), *tables = json_object(), *records = json_array();
    static const char *const first[] = {"format", "program", "version", "command"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (protocol_get(p, first[i]))
            json_object_set_new(root, first[i], text(protocol_get(p, first[i])));
    json_object_set_new(root, "system", pairs(sheet, false));
    json_object_set_new(root, "settings", pairs(sheet, true));
    json_object_set_new(root, "result", result(sheet));
    for (int i = 0; i < sheet->table_count; i++)
        json_object_set_new(tables, sheet->tables[i].name, table_rows(&sheet->tables[i]));
    json_object_set_new(root, "tables", tables);
    for (size_t i = 0; i < p->record_count; i++)
        json_array_append_new(records, record_object(p->type, protocol_at(p, i)));
    json_object_set_new(root, "records", records);
    int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return failed || fputc('\n', out) == EOF ? -1 : 0;
}

#else

bool sheet_has_json(void)
{
    return false;
}

int sheet_json(const struct sheet *sheet, FILE *out)
{
    (void)sheet, (void)out;
    return -1;
}

#endif
