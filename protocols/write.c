/* CSV, Markdown, JSON. Uses table. */
#include "protocols/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *write_number(double value, char text[WRITE_NUMBER_SIZE])
{
    snprintf(text, WRITE_NUMBER_SIZE, isnan(value) ? "" : "%.12g", value);
    return text;
}

static bool is_number(const char *text)
{
    char *rest;
    strtod(text, &rest);
    return rest != text && !*rest;
}

void write_csv_row(const char *const *fields, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        const char *field = fields[i];
        bool formula = *field && strchr("=+-@", *field) && field[1] && !is_number(field);
        bool plain = !strpbrk(field, ",\"\r\n");
        fprintf(out, "%s%s%s", i ? "," : "", plain ? "" : "\"", formula ? "'" : "");
        for (; *field; field++) {
            if (*field == '"')
                fputc('"', out);
            fputc(*field, out);
        }
        fputs(plain ? "" : "\"", out);
    }
    fputc('\n', out);
}

void write_md_text(const char *text, FILE *out)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if ((unsigned char)*text < ' ')
            fputc(' ', out);
        else
            fprintf(out, strchr("\\`*_[]|#~>!", *text) ? "\\%c" : "%c", *text);
}

void write_md_row(const char *const *fields, int count, FILE *out)
{
    fputc('|', out);
    for (int i = 0; i < count; i++) {
        fputc(' ', out);
        write_md_text(fields[i], out);
        fputs(" |", out);
    }
    fputc('\n', out);
}

void write_md_rule(const bool *right, int count, FILE *out)
{
    fputc('|', out);
    for (int i = 0; i < count; i++)
        fputs(right && right[i] ? " ---: |" : " --- |", out);
    fputc('\n', out);
}

void write_json_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = text_utf8_length((const char *)c);
        if (*c < ' ' || *c == '"' || *c == '\\')
            fprintf(out, *c < ' ' ? "\\u%04x" : "\\%c", *c);
        else if (length)
            fwrite(c, 1, (size_t)length, out);
        else
            fputc('?', out);
        c += length ? length : 1;
    }
    fputc('"', out);
}

/* ---- tables ---- */

/* The texts of one row: of the heading for row -1. Numbers are written into `numbers`. */
static void row_texts(const struct table *table, int row, const char *texts[TABLE_MOST_COLUMNS],
                      char numbers[TABLE_MOST_COLUMNS][WRITE_NUMBER_SIZE])
{
    for (int i = 0; i < table->column_count; i++) {
        const struct cell *cell = row < 0 ? NULL : &table->cells[row * table->column_count + i];
        if (!cell)
            texts[i] = table->columns[i].name;
        else if (table->columns[i].kind == CELL_TEXT)
            texts[i] = cell->text;
        else
            texts[i] = write_number(cell->number, numbers[i]);
    }
}

void write_csv_table(const struct table *table, FILE *out)
{
    const char *texts[TABLE_MOST_COLUMNS];
    char numbers[TABLE_MOST_COLUMNS][WRITE_NUMBER_SIZE];
    for (int row = -1; row < table->rows; row++) {
        row_texts(table, row, texts, numbers);
        write_csv_row(texts, table->column_count, out);
    }
}

/* Headings with units; numbers rounded as in text. */
void write_md_table(const struct table *table, FILE *out)
{
    char texts[TABLE_MOST_COLUMNS][64];
    const char *fields[TABLE_MOST_COLUMNS];
    bool right[TABLE_MOST_COLUMNS];
    for (int row = -1; row < table->rows; row++) {
        for (int i = 0; i < table->column_count; i++) {
            const struct table_column *column = &table->columns[i];
            const struct cell *cell = row < 0 ? NULL : &table->cells[row * table->column_count + i];
            right[i] = column->kind != CELL_TEXT;
            fields[i] = texts[i];
            if (!cell)
                snprintf(texts[i], sizeof texts[i], *column->unit ? "%s, %s" : "%s", column->name,
                         column->unit);
            else if (column->kind == CELL_TEXT)
                snprintf(texts[i], sizeof texts[i], "%s", cell->text);
            else if (isnan(cell->number))
                snprintf(texts[i], sizeof texts[i], "-");
            else
                snprintf(texts[i], sizeof texts[i], "%.*f", column->kind == CELL_REAL ? column->digits : 0,
                         cell->number);
        }
        write_md_row(fields, table->column_count, out);
        if (row < 0)
            write_md_rule(right, table->column_count, out);
    }
}

void write_json_table(const struct table *table, FILE *out)
{
    fputs("[", out);
    for (int row = 0; row < table->rows; row++) {
        fputs(row ? ",\n  {" : "\n  {", out);
        for (int i = 0; i < table->column_count; i++) {
            const struct cell *cell = &table->cells[row * table->column_count + i];
            char number[WRITE_NUMBER_SIZE];
            fputs(i ? ", " : "", out);
            write_json_text(table->columns[i].name, out);
            fputs(": ", out);
            if (table->columns[i].kind == CELL_TEXT)
                write_json_text(cell->text, out);
            else
                fputs(isfinite(cell->number) ? write_number(cell->number, number) : "null", out);
        }
        fputs("}", out);
    }
    fputs("]", out);
}
