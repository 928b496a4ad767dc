/* The files of a run against what they have to be: each is written again, and every line is compared as it
 * comes, so that none is kept in memory. Uses report. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "protocols/verify.h"

/* A file that is compared. */
struct comparer {
    struct report *report;
    FILE *file;
    struct finding where; /* the line that was read */
    bool strict;          /* words count, too: the program is the same one */
    bool stopped;         /* nothing is compared any more */
    char *expected, *found;
    size_t used, expected_room, found_room;
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

/* The next line of the file without its end, of at most `most` bytes; NULL at its end. */
static const char *next_line(struct comparer *c, size_t most)
{
    size_t length = 0;
    int character = 0;
    while ((character = getc_unlocked(c->file)) != EOF && character != '\n') {
        if (length + 1 >= c->found_room) {
            char *grown = length < most ? realloc(c->found, 2 * c->found_room + 256) : NULL;
            if (!grown)
                break;
            c->found = grown;
            c->found_room = 2 * c->found_room + 256;
        }
        c->found[length++] = (char)character;
    }
    if (!c->found || (character == EOF && !length))
        return character == '\n' ? "" : NULL;
    c->found[length] = 0;
    c->where.line++;
    return c->found;
}

static void stop(struct comparer *c)
{
    c->stopped = true;
    report_unchecked(c->report, "%s from line %zu on", c->where.file, c->where.line);
}

static void compare_line(struct comparer *c, const char *expected)
{
    const char *found = next_line(c, 2 * strlen(expected) + 4096), *at = "";
    if (!found) {
        finding_add(&c->report->findings, &c->where, "ends here, before \"%.60s\"", expected);
        c->stopped = true;
        return;
    }
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
}

/* What is written to the stream: fopencookie's write. */
static ssize_t take(void *cookie, const char *data, size_t size)
{
    struct comparer *c = cookie;
    for (size_t i = 0; i < size && !c->stopped; i++) {
        if (c->used + 1 >= c->expected_room) {
            char *grown = realloc(c->expected, 2 * c->expected_room + 256);
            if (!grown) {
                stop(c);
                break;
            }
            c->expected = grown;
            c->expected_room = 2 * c->expected_room + 256;
        }
        c->expected[c->used++] = data[i];
        if (data[i] == '\n') {
            c->expected[c->used - 1] = 0;
            compare_line(c, c->expected);
            c->used = 0;
        }
    }
    return (ssize_t)size;
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

typedef void write_function(const struct report *report, int i, FILE *out);

static void compare_file(struct report *report, const char *name, write_function *write, int i)
{
    struct comparer c = {.report = report, .strict = verify_same_program(report)};
    snprintf(c.where.file, sizeof c.where.file, "%s", name);
    c.file = open_file(report, name);
    if (!c.file) {
        finding_add(&report->findings, &c.where, "can't be read: %s", strerror(errno));
        return;
    }
    FILE *out = fopencookie(&c, "w", (cookie_io_functions_t){.write = take});
    if (out) {
        write(report, i, out);
        fclose(out);
    }
    if (!out)
        stop(&c);
    else if (!c.stopped && next_line(&c, 4096))
        finding_add(&report->findings, &c.where, "goes on after its last line: \"%.60s\"", c.found);
    fclose(c.file);
    free(c.expected);
    free(c.found);
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
    struct comparer c = {.report = report, .where = {.file = "summary.txt"}};
    bool valid = sheet_valid(report->sheet), last_is_right = false;
    const char *at;
    c.file = open_file(report, c.where.file);
    for (const char *line; c.file && (line = next_line(&c, 4096));) {
        if (strcmp(line, words[valid]) == 0)
            finding_add(&report->findings, &c.where, "says \"%s\" instead of \"%s\"", line, words[!valid]);
        if (*line)
            last_is_right = compare_lines(line, report->sheet->headline, &at) == LINE_SAME;
    }
    if (c.file && !last_is_right)
        finding_add(&report->findings, &c.where, "does not end with \"%.100s\"", report->sheet->headline);
    if (c.file)
        fclose(c.file);
    free(c.found);
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
    if (!report->directory)
        return;
    verify_json(report);
    if (!report->row->has_directory)
        return;
    compare_file(report, "summary.txt", write_summary, 0);
    if (!verify_same_program(report))
        verify_verdict(report);
    verify_tables(report);
}
