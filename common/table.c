/* Tables as text and JSON. Uses json. */
#include "common/table.h"

#include <math.h>
#include <string.h>

static const void *place(const struct table *table, const union table_row *row, int column)
{
    return row->bytes + table->columns[column].offset;
}

double table_number(const struct table *table, const union table_row *row, int column)
{
    const void *cell = place(table, row, column);
    if (table->columns[column].kind == CELL_TEXT)
        return NAN;
    if (table->columns[column].kind == CELL_COUNT)
        return *(const int64_t *)cell < 0 ? NAN : (double)*(const int64_t *)cell;
    return *(const double *)cell;
}

const char *table_words(const struct table *table, const union table_row *row, int column)
{
    return table->columns[column].kind == CELL_TEXT ? *(const char *const *)place(table, row, column) : "";
}

const char *table_cell(const struct table *table, const union table_row *row, int column,
                       char text[CELL_TEXT_SIZE])
{
    double number = table_number(table, row, column);
    const char *words = table_words(table, row, column);
    if (isnan(number))
        return *words ? words : "-";
    int digits = table->columns[column].kind == CELL_REAL ? table->columns[column].digits : 0;
    snprintf(text, CELL_TEXT_SIZE, "%.*f", digits, number);
    return text;
}

static void find_widths(const struct table *table, size_t *widths)
{
    for (int i = 0; i < table->column_count; i++) {
        size_t name = strlen(table->columns[i].name), unit = strlen(table->columns[i].unit);
        widths[i] = name > unit ? name : unit;
    }
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        for (int i = 0; i < table->column_count; i++) {
            char text[CELL_TEXT_SIZE];
            size_t length = strlen(table_cell(table, &row, i, text));
            widths[i] = length > widths[i] ? length : widths[i];
        }
    }
}

/* Texts stand to the left, numbers to the right. */
static void put_aligned(const struct table *table, int column, const char *text, size_t width, FILE *out)
{
    if (column + 1 == table->column_count && table->columns[column].kind == CELL_TEXT)
        width = 0;
    fprintf(out, table->columns[column].kind == CELL_TEXT ? "  %-*s" : "  %*s", (int)width, text);
}

void table_text(const struct table *table, const char *prefix, FILE *out)
{
    size_t widths[table->column_count];
    find_widths(table, widths);
    fprintf(out, "%s%s\n%s", prefix, table->title, prefix);
    for (int i = 0; i < table->column_count; i++)
        put_aligned(table, i, table->columns[i].name, widths[i], out);
    fprintf(out, "\n%s", prefix);
    for (int i = 0; i < table->column_count; i++)
        put_aligned(table, i, table->columns[i].unit, widths[i], out);
    fputc('\n', out);
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        fprintf(out, "%*s", (int)strlen(prefix), "");
        for (int i = 0; i < table->column_count; i++) {
            char text[CELL_TEXT_SIZE];
            put_aligned(table, i, table_cell(table, &row, i, text), widths[i], out);
        }
        fputc('\n', out);
    }
}

void table_json(const struct table *table, struct json *json, const char *key)
{
    json_array(json, key);
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        json_flat_object(json, NULL);
        for (int i = 0; i < table->column_count; i++)
            if (table->columns[i].kind == CELL_TEXT)
                json_text(json, table->columns[i].name, table_words(table, &row, i));
            else
                json_real(json, table->columns[i].name, table_number(table, &row, i));
        json_end_object(json);
    }
    json_end_array(json);
}
