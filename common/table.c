/* Tables as text and JSON. Uses json. */
#include "common/table.h"

#include <math.h>
#include <string.h>

double table_number(const struct table *table, int row, int column)
{
    const struct table_column *c = &table->columns[column];
    return c->kind == CELL_TEXT ? NAN : c->number(table, row, c->which);
}

const char *table_cell(const struct table *table, int row, int column, char text[CELL_TEXT_SIZE])
{
    const struct table_column *c = &table->columns[column];
    if (c->kind == CELL_TEXT) {
        *text = 0;
        const char *found = c->text(table, row, c->which, text);
        return *found ? found : "-";
    }
    double number = c->number(table, row, c->which);
    if (isnan(number))
        return "-";
    snprintf(text, CELL_TEXT_SIZE, "%.*f", c->kind == CELL_REAL ? c->digits : 0, number);
    return text;
}

static int column_width(const struct table *table, int column)
{
    size_t width = strlen(table->columns[column].name), unit = strlen(table->columns[column].unit);
    if (unit > width)
        width = unit;
    for (int row = 0; row < table->rows; row++) {
        char text[CELL_TEXT_SIZE];
        size_t length = strlen(table_cell(table, row, column, text));
        if (length > width)
            width = length;
    }
    return (int)width;
}

/* Texts stand to the left, numbers to the right. */
static void put_aligned(const struct table_column *column, const char *text, int width, bool last, FILE *out)
{
    if (column->kind == CELL_TEXT)
        fprintf(out, "  %-*s", last ? 0 : width, text);
    else
        fprintf(out, "  %*s", width, text);
}

void table_text(const struct table *table, const char *prefix, FILE *out)
{
    int widths[table->column_count], last = table->column_count - 1;
    for (int i = 0; i <= last; i++)
        widths[i] = column_width(table, i);
    fprintf(out, "%s%s\n%s", prefix, table->title, prefix);
    for (int i = 0; i <= last; i++)
        put_aligned(&table->columns[i], table->columns[i].name, widths[i], i == last, out);
    fprintf(out, "\n%s", prefix);
    for (int i = 0; i <= last; i++)
        put_aligned(&table->columns[i], table->columns[i].unit, widths[i], i == last, out);
    fputc('\n', out);
    for (int row = 0; row < table->rows; row++) {
        fprintf(out, "%*s", (int)strlen(prefix), "");
        for (int i = 0; i <= last; i++) {
            char text[CELL_TEXT_SIZE];
            put_aligned(&table->columns[i], table_cell(table, row, i, text), widths[i], i == last, out);
        }
        fputc('\n', out);
    }
}

static void put_json_cell(const struct table *table, int row, int column, struct json *json)
{
    const struct table_column *c = &table->columns[column];
    char text[CELL_TEXT_SIZE] = "";
    if (c->kind == CELL_TEXT)
        json_text(json, c->name, c->text(table, row, c->which, text));
    else
        json_real(json, c->name, c->number(table, row, c->which));
}

void table_json(const struct table *table, struct json *json, const char *key)
{
    json_array(json, key);
    for (int row = 0; row < table->rows; row++) {
        json_flat_object(json, NULL);
        for (int i = 0; i < table->column_count; i++)
            put_json_cell(table, row, i, json);
        json_end_object(json);
    }
    json_end_array(json);
}

double table_real_at(const void *structure, size_t which)
{
    return *(const double *)(const void *)((const char *)structure + which);
}
