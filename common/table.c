#include "common/table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { QUOTED_SIZE = CELL_TEXT_SIZE + 3, DATA_DIGITS = 6 };

static const void *cell_at(const struct table *table, const union table_row *row, int column)
{
    return row->bytes + table->columns[column].offset;
}

double table_number(const struct table *table, const union table_row *row, int column)
{
    const struct table_column *c = &table->columns[column];
    const void *cell = cell_at(table, row, column);
    if (table_is_text(c))
        return NAN;
    if (c->kind == CELL_COUNT)
        return *(const int64_t *)cell < 0 ? NAN : (double)*(const int64_t *)cell;
    double number = *(const double *)cell * (c->factor > 0 ? c->factor : 1);
    return c->positive && number == 0 ? NAN : number;
}

const char *table_words(const struct table *table, const union table_row *row, int column)
{
    const void *cell = cell_at(table, row, column);
    enum cell_kind kind = table->columns[column].kind;
    return kind == CELL_TEXT ? *(const char *const *)cell : kind == CELL_NAME ? cell : "";
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

/* Returns the text of a cell. In a data file, a text with spaces is quoted, so that it stays one column, and
 * reals have at least six decimals. */
static const char *text_of(const struct table *table, const union table_row *row, int column, bool data,
                           char text[QUOTED_SIZE])
{
    const struct table_column *c = &table->columns[column];
    const char *cell = table_cell(table, row, column, text);
    if (data && c->kind == CELL_REAL && cell == text && c->digits < DATA_DIGITS)
        snprintf(text, CELL_TEXT_SIZE, "%.*f", DATA_DIGITS, table_number(table, row, column));
    if (!data || !table_is_text(c) || !cell[strcspn(cell, " \t\"#")])
        return cell;
    snprintf(text, QUOTED_SIZE, "\"%.*s\"", CELL_TEXT_SIZE, cell);
    for (char *quote = text + 1; (quote = strchr(quote, '"')) && quote[1];)
        *quote = '\'';
    return text;
}

static void find_widths(const struct table *table, bool data, size_t *widths)
{
    for (int i = 0; i < table->column_count; i++) {
        size_t name = strlen(table->columns[i].name), unit = strlen(table->columns[i].unit);
        widths[i] = name > unit ? name : unit;
    }
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        for (int i = 0; i < table->column_count; i++) {
            char text[QUOTED_SIZE];
            size_t length = strlen(text_of(table, &row, i, data, text));
            widths[i] = length > widths[i] ? length : widths[i];
        }
    }
}

/* Writes a cell; texts are aligned left, numbers right. */
static void put_aligned(const struct table *table, int column, const char *text, size_t width, FILE *out)
{
    if (column + 1 == table->column_count && table_is_text(&table->columns[column]))
        width = 0;
    fprintf(out, table_is_text(&table->columns[column]) ? "  %-*s" : "  %*s", (int)width, text);
}

void table_text(const struct table *table, const char *prefix, FILE *out)
{
    size_t widths[table->column_count];
    find_widths(table, *prefix, widths);
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
            char text[QUOTED_SIZE];
            put_aligned(table, i, text_of(table, &row, i, *prefix, text), widths[i], out);
        }
        fputc('\n', out);
    }
}

void table_json(const struct table *table, struct json *json, const char *key)
{
    json_begin(json, key, JSON_ARRAY);
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        json_begin(json, NULL, JSON_FLAT_OBJECT);
        for (int i = 0; i < table->column_count; i++)
            if (table_is_text(&table->columns[i]))
                json_text(json, table->columns[i].name, table_words(table, &row, i));
            else
                json_real(json, table->columns[i].name, table_number(table, &row, i));
        json_end(json);
    }
    json_end(json);
}
