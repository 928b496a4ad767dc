/* Tables of figures and their text. Uses the C library alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sheet.h"

void table_start(struct table *table, const char *name, const char *title, const struct table_column *columns,
                 int column_count)
{
    *table = (struct table){.column_count = column_count};
    snprintf(table->name, sizeof table->name, "%s", name);
    snprintf(table->title, sizeof table->title, "%s", title);
    memcpy(table->columns, columns, (size_t)column_count * sizeof *columns);
}

struct cell *table_row(struct table *table)
{
    size_t columns = (size_t)table->column_count;
    struct cell *cells = realloc(table->cells, (size_t)(table->rows + 1) * columns * sizeof *cells);
    if (!cells)
        return NULL;
    table->cells = cells;
    struct cell *row = cells + (size_t)table->rows++ * columns;
    for (size_t i = 0; i < columns; i++)
        row[i] = (struct cell){.number = NAN};
    return row;
}

void table_free(struct table *table)
{
    free(table->cells);
    table->cells = NULL;
    table->rows = 0;
}

enum { CELL_WIDTH = 72 };

static void format_cell(const struct table_column *column, const struct cell *cell, char text[CELL_WIDTH])
{
    if (column->kind == CELL_TEXT)
        snprintf(text, CELL_WIDTH, "%s", *cell->text ? cell->text : "-");
    else if (isnan(cell->number))
        snprintf(text, CELL_WIDTH, "-");
    else
        snprintf(text, CELL_WIDTH, "%.*f", column->kind == CELL_REAL ? column->digits : 0, cell->number);
}

static int column_width(const struct table *table, int column)
{
    size_t width = strlen(table->columns[column].name), unit = strlen(table->columns[column].unit);
    char text[CELL_WIDTH];
    if (unit > width)
        width = unit;
    for (int row = 0; row < table->rows; row++) {
        format_cell(&table->columns[column], &table->cells[row * table->column_count + column], text);
        if (strlen(text) > width)
            width = strlen(text);
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
    int widths[TABLE_MOST_COLUMNS], last = table->column_count - 1;
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
            char text[CELL_WIDTH];
            format_cell(&table->columns[i], &table->cells[row * table->column_count + i], text);
            put_aligned(&table->columns[i], text, widths[i], i == last, out);
        }
        fputc('\n', out);
    }
}
