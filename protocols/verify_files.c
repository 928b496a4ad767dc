/* summary.txt and patterns/NAME.dat against what follows from the records. Uses report. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "protocols/verify.h"

/* A line that is longer is none of ours. */
enum { LINE_SIZE = 4096, MOST_LINES = 100000 };

FILE *verify_open(const struct report *report, const char *name)
{
    char *path = text_format("%s/%s", report->directory, name);
    struct stat status;
    errno = ENOMEM;
    bool regular = path && stat(path, &status) == 0;
    if (regular && !S_ISREG(status.st_mode)) {
        errno = EINVAL; /* a pipe would be waited for */
        regular = false;
    }
    FILE *file = regular ? fopen(path, "r") : NULL;
    free(path);
    return file;
}

static struct finding in_file(const char *name, size_t line)
{
    struct finding where = {.line = line};
    snprintf(where.file, sizeof where.file, "%s", name);
    return where;
}

/* Opens a file that has to be there. */
static FILE *open_required(const struct report *report, const char *name, struct findings *findings)
{
    FILE *file = verify_open(report, name);
    struct finding where = in_file(name, 0);
    if (!file)
        finding_add(findings, &where, "can't be read: %s", strerror(errno));
    return file;
}

/* The next line without its end; false at the file's end. */
static bool next_line(FILE *file, char line[LINE_SIZE], size_t *number)
{
    if (*number >= MOST_LINES || !fgets(line, LINE_SIZE, file))
        return false;
    line[strcspn(line, "\n")] = 0;
    ++*number;
    return true;
}

void verify_summary(const struct report *report, struct findings *findings)
{
    static const char name[] = "summary.txt";
    char line[LINE_SIZE], last[LINE_SIZE] = "", verdict[LINE_SIZE] = "";
    const char *valid = sheet_valid(report->sheet) ? "VALID for comparison:" : "NOT VALID for comparison:";
    size_t number = 0, verdict_line = 0;
    FILE *file = open_required(report, name, findings);
    if (!file)
        return;
    while (next_line(file, line, &number)) {
        if (*line)
            strcpy(last, line);
        if (strncmp(line, "VALID", 5) == 0 || strncmp(line, "NOT VALID", 9) == 0) {
            strcpy(verdict, line);
            verdict_line = number;
        }
    }
    fclose(file);
    struct finding at_last = in_file(name, number), at_verdict = in_file(name, verdict_line);
    if (strcmp(last, report->sheet->headline) != 0)
        finding_add(findings, &at_last, "ends with \"%.100s\" instead of \"%.100s\"", last,
                    report->sheet->headline);
    if (strcmp(verdict, valid) != 0)
        finding_add(findings, &at_verdict, "says \"%.40s\" instead of \"%s\"", verdict, valid);
}

/* ---- tables ---- */

/* Whether a field of the file is the cell, as rounded as it is printed. */
static bool is_cell(const char *field, const struct table_column *column, const struct cell *cell)
{
    if (column->kind == CELL_TEXT)
        return strcmp(field, *cell->text ? cell->text : "-") == 0;
    if (isnan(cell->number))
        return strcmp(field, "-") == 0;
    char *rest;
    double value = strtod(field, &rest), unit = pow(10, column->kind == CELL_REAL ? -column->digits : 0);
    return rest != field && !*rest && fabs(value - cell->number) <= 0.51 * unit + 1e-12 * fabs(cell->number);
}

static void verify_row(const struct table *table, int row, char *line, const struct finding *where,
                       struct findings *findings)
{
    char *save, *field = strtok_r(line, " ", &save);
    for (int i = 0; i < table->column_count; i++) {
        const struct cell *cell = &table->cells[row * table->column_count + i];
        const struct table_column *column = &table->columns[i];
        if (!field || !is_cell(field, column, cell)) {
            if (column->kind == CELL_TEXT)
                finding_add(findings, where, "%s is %.60s instead of %s", column->name,
                            field ? field : "missing", cell->text);
            else
                finding_add(findings, where, "%s is %.60s instead of %.*f", column->name,
                            field ? field : "missing", column->digits, cell->number);
            return;
        }
        field = strtok_r(NULL, " ", &save);
    }
    if (field)
        finding_add(findings, where, "more than %d columns", table->column_count);
}

static void verify_table(const struct report *report, const struct table *table, struct findings *findings)
{
    char name[96], line[LINE_SIZE];
    snprintf(name, sizeof name, "patterns/%s.dat", table->name);
    FILE *file = open_required(report, name, findings);
    size_t number = 0;
    int row = 0;
    while (file && next_line(file, line, &number)) {
        if (*line == '#' || !*line)
            continue;
        struct finding where = in_file(name, number);
        if (row < table->rows)
            verify_row(table, row, line, &where, findings);
        row++;
    }
    struct finding where = in_file(name, number);
    if (file && row != table->rows)
        finding_add(findings, &where, "%d rows instead of %d", row, table->rows);
    if (file)
        fclose(file);
}

void verify_tables(const struct report *report, struct findings *findings)
{
    int count = report->engine->table_count(report);
    for (int i = 0; i < count; i++) {
        struct table table;
        report->engine->table(report, i, &table);
        verify_table(report, &table, findings);
        table_free(&table);
    }
}
