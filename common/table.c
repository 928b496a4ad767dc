#include "common/table.h"

#include "common/memory.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { QUOTED_SIZE = CELL_TEXT_SIZE + 3, DATA_DIGITS = 6 };

const void *table_row(const struct table *table, int row, union table_row *room)
{
    if (!table->fill)
        return table->array + (size_t)row * table->step;
    table->fill(table, row, room);
    return room;
}

const char *table_cell(const struct column *column, const void *row, char text[CELL_TEXT_SIZE])
{
    double number = column_number(column, row);
    const char *words = column_text(column, row);
    if (isnan(number))
        return *words ? words : "-";
    snprintf(text, CELL_TEXT_SIZE, "%.*f", column->digits, number);
    return text;
}

/* Returns the text of a cell. In a data file, a text with spaces is quoted, so that it stays one column, and
 * reals have at least six decimals. */
static const char *text_of(const struct column *column, const void *row, bool data, char text[QUOTED_SIZE])
{
    struct column c = *column;
    if (data && c.kind == COLUMN_REAL && c.digits < DATA_DIGITS)
        c.digits = DATA_DIGITS;
    const char *cell = table_cell(&c, row, text);
    if (!data || !column_is_text(&c) || !cell[strcspn(cell, " \t\"#")])
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
        union table_row room;
        const void *row = table_row(table, r, &room);
        for (int i = 0; i < table->column_count; i++) {
            char text[QUOTED_SIZE];
            size_t length = strlen(text_of(&table->columns[i], row, data, text));
            widths[i] = length > widths[i] ? length : widths[i];
        }
    }
}

static void put_aligned(const struct table *table, int column, const char *text, size_t width, FILE *out)
{
    if (column + 1 == table->column_count && column_is_text(&table->columns[column]))
        width = 0;
    fprintf(out, column_is_text(&table->columns[column]) ? "  %-*s" : "  %*s", (int)width, text);
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
        union table_row room;
        const void *row = table_row(table, r, &room);
        fprintf(out, "%*s", (int)strlen(prefix), "");
        for (int i = 0; i < table->column_count; i++) {
            char text[QUOTED_SIZE];
            put_aligned(table, i, text_of(&table->columns[i], row, *prefix, text), widths[i], out);
        }
        fputc('\n', out);
    }
}

int table_write(const struct table *table, const char *folder, struct message *error)
{
    char *path = text_format("%s/%s.dat", folder, table->name);
    mkdir(folder, 0777); /* if this fails and the folder does not exist, fopen() reports it */
    remove(path);
    struct stream stream;
    table_text(table, "# ", stream_start(&stream));
    int failed = text_save(path, false, &stream);
    if (failed)
        message_set(error, "%.400s cannot be written: %s", path, strerror(errno));
    free(path);
    return failed;
}

void row_json(const struct column *columns, size_t count, const void *row, struct json *json)
{
    json_begin(json, NULL, JSON_FLAT_OBJECT);
    for (const struct column *column = columns; column < columns + count; column++)
        if (column_is_text(column))
            json_text(json, column->name, column_text(column, row));
        else
            json_real(json, column->name, column_number(column, row));
    json_end(json);
}

void table_json(const struct table *table, struct json *json, const char *key)
{
    json_begin(json, key, JSON_ARRAY);
    for (int r = 0; r < table->rows; r++) {
        union table_row room;
        row_json(table->columns, (size_t)table->column_count, table_row(table, r, &room), json);
    }
    json_end(json);
}
