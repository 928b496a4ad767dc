/* Writing CSV. Uses table. */
#include "report/csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *csv_number(double value, char text[CSV_NUMBER_SIZE])
{
    snprintf(text, CSV_NUMBER_SIZE, isnan(value) ? "" : "%.12g", value);
    return text;
}

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

void csv_row(const char *const *fields, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        put_field(fields[i], out);
        end_field(i, count, out);
    }
}

static const char *cell_text(const struct table *table, const union table_row *row, int column,
                             char text[CSV_NUMBER_SIZE])
{
    const struct table_column *c = &table->columns[column];
    double number = table_number(table, row, column);
    if (table_is_text(c))
        return table_words(table, row, column);
    if (isnan(number) || (c->kind == CELL_REAL && c->digits < 17))
        return csv_number(number, text);
    snprintf(text, CSV_NUMBER_SIZE, c->kind == CELL_REAL ? "%.17g" : "%.0f", number);
    return text;
}

void csv_table(const struct table *table, bool heading, FILE *out)
{
    for (int i = 0; heading && i < table->column_count; i++) {
        put_field(table->columns[i].name, out);
        end_field(i, table->column_count, out);
    }
    for (int r = 0; r < table->rows; r++) {
        union table_row row;
        table->fill(table, r, &row);
        for (int i = 0; i < table->column_count; i++) {
            char number[CSV_NUMBER_SIZE];
            put_field(cell_text(table, &row, i, number), out);
            end_field(i, table->column_count, out);
        }
    }
}
