/* The files of a run against what they have to be: each is written again, and compared line by line. Uses
 * report. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "protocols/verify.h"

/* A file that is compared: what there is, and what it has to be. */
struct comparer {
    struct report *report;
    FILE *file, *expected;
    struct finding where; /* the line that was read */
    bool strict;          /* words count, too: the program is the same one */
};

/* ---- one line ---- */

enum likeness { LINE_SAME, LINE_OTHER_NUMBERS, LINE_OTHER_WORDS };

static bool starts_number(const char *c)
{
    return isdigit((unsigned char)*c) || (*c == '-' && isdigit((unsigned char)c[1]));
}

/* Numbers may differ in their last binary digits, and blanks in how many they are. `at`: where the lines
 * part. */
static enum likeness compare_lines(const char *found, const char *expected, const char **at)
{
    enum likeness likeness = LINE_SAME;
    while (*found || *expected) {
        if (starts_number(found) && starts_number(expected)) {
            char *found_end, *expected_end;
            bool equal = report_equal(strtod(found, &found_end), strtod(expected, &expected_end));
            if (!equal && likeness == LINE_SAME) {
                likeness = LINE_OTHER_NUMBERS;
                *at = found;
            }
            found = found_end;
            expected = expected_end;
        } else if (*found != *expected) {
            *at = found;
            return LINE_OTHER_WORDS;
        } else if (*found == ' ') {
            found += strspn(found, " ");
            expected += strspn(expected, " ");
        } else {
            found++;
            expected++;
        }
    }
    return likeness;
}

/* Where it makes sense to start quoting a line that differs at `at`: at a key of JSON, or not far before. */
static size_t quote_from(const char *line, const char *at)
{
    size_t place = (size_t)(at - line), from = strspn(line, " ");
    while (place > from && line[place - 1] != ',' && (size_t)(at - line) - place < 40)
        place--;
    return place + strspn(line + place, " ");
}

static void stop(struct comparer *c)
{
    report_unchecked(c->report, "%s from line %zu on", c->where.file, c->where.line);
}

/* Whether to go on. */
static bool compare_line(struct comparer *c, const char *found, const char *expected)
{
    const char *at = "";
    enum likeness likeness = compare_lines(found, expected, &at);
    if (likeness == LINE_OTHER_NUMBERS || (likeness == LINE_OTHER_WORDS && c->strict)) {
        size_t from = quote_from(found, at);
        finding_add(&c->report->findings, &c->where, "\"%.70s\" instead of \"%.70s\"", found + from,
                    from < strlen(expected) ? expected + from : expected);
    }
    if (likeness == LINE_OTHER_WORDS)
        stop(c);
    else if (*expected == '#')
        c->strict = true; /* the heading of a table is the same, so the rest has to be */
    return likeness != LINE_OTHER_WORDS;
}

static bool next_line(FILE *file, char **line, size_t *room)
{
    ssize_t length = getline(line, room, file);
    if (length > 0 && (*line)[length - 1] == '\n')
        (*line)[length - 1] = 0;
    return length > 0;
}

static void compare_lines_of(struct comparer *c)
{
    char *found = NULL, *expected = NULL;
    size_t found_room = 0, expected_room = 0;
    bool more = true;
    while (more && next_line(c->expected, &expected, &expected_room)) {
        more = next_line(c->file, &found, &found_room);
        c->where.line += more;
        if (more)
            more = compare_line(c, found, expected);
        else
            finding_add(&c->report->findings, &c->where, "ends here, before \"%.60s\"", expected);
    }
    if (more && next_line(c->file, &found, &found_room))
        finding_add(&c->report->findings, &c->where, "goes on after its last line: \"%.60s\"", found);
    free(found);
    free(expected);
}

/* ---- one file ---- */

/* Opens a file of the run's directory; NULL with errno if it can't be, or is no regular file. */
static FILE *open_file(const struct report *report, const char *name)
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

static off_t size_of(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) ? 0 : status.st_size;
}

typedef void write_function(const struct report *report, int i, FILE *out);

static void compare_file(struct report *report, const char *name, write_function *write, int i)
{
    struct comparer c = {.report = report, .strict = verify_same_program(report), .expected = tmpfile()};
    snprintf(c.where.file, sizeof c.where.file, "%s", name);
    c.file = open_file(report, name);
    if (!c.file)
        finding_add(&report->findings, &c.where, "can't be read: %s", strerror(errno));
    if (c.file && c.expected) {
        write(report, i, c.expected);
        rewind(c.expected);
        if (size_of(c.file) > 2 * size_of(c.expected) + 4096)
            finding_add(&report->findings, &c.where, "is far larger than the %lld bytes that it has to be",
                        (long long)size_of(c.expected));
        else
            compare_lines_of(&c);
    } else if (c.file) {
        stop(&c); /* no temporary file */
    }
    if (c.file)
        fclose(c.file);
    if (c.expected)
        fclose(c.expected);
}

/* ---- the files ---- */

static void write_summary(const struct report *report, int i, FILE *out)
{
    (void)i;
    sheet_text(report->sheet, out);
}

static void write_json(const struct report *report, int i, FILE *out)
{
    (void)i;
    bool complete = report->protocol.end && strcmp(report->protocol.end, "complete") == 0;
    sheet_json(report->sheet, complete || !report->row->has_directory, out);
}

static void write_table(const struct report *report, int i, FILE *out)
{
    struct table table;
    report->engine->table(report->sheet, i, &table);
    table_text(&table, "# ", out);
}

/* Whatever else another program's summary says: its verdict and its last line have to be these. */
static void verify_verdict(struct report *report)
{
    static const char *const words[] = {"VALID for comparison:", "NOT VALID for comparison:"};
    struct finding where = {.file = "summary.txt"};
    bool valid = sheet_valid(report->sheet), last_is_right = false;
    const char *at;
    char *line = NULL;
    size_t room = 0;
    FILE *file = open_file(report, where.file);
    if (!file)
        return;
    while (next_line(file, &line, &room)) {
        where.line++;
        if (strcmp(line, words[valid]) == 0)
            finding_add(&report->findings, &where, "says \"%s\" instead of \"%s\"", line, words[!valid]);
        if (*line)
            last_is_right = compare_lines(line, report->sheet->headline, &at) == LINE_SAME;
    }
    if (!last_is_right)
        finding_add(&report->findings, &where, "does not end with \"%.100s\"", report->sheet->headline);
    free(line);
    fclose(file);
}

static void verify_json(struct report *report)
{
    FILE *file = open_file(report, "run.json");
    if (file) {
        fclose(file);
        compare_file(report, "run.json", write_json, 0);
    } else if (report->row->has_directory) {
        report_unchecked(report, "run.json (%s)", strerror(errno));
    }
}

static void verify_tables(struct report *report)
{
    for (int i = 0; i < report->engine->table_count(report->sheet); i++) {
        struct table table;
        char name[96];
        report->engine->table(report->sheet, i, &table);
        snprintf(name, sizeof name, "patterns/%s.dat", table.name);
        compare_file(report, name, write_table, i);
    }
}

void verify_files(struct report *report)
{
    if (report_is_older(report))
        report_unchecked(report, "definition %s: all but %s", report->row->older,
                         report->sheet->headline_name);
    if (!report->directory || report_is_older(report))
        return;
    verify_json(report);
    if (!report->row->has_directory)
        return;
    compare_file(report, "summary.txt", write_summary, 0);
    if (!verify_same_program(report))
        verify_verdict(report);
    verify_tables(report);
}
