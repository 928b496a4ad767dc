/* The files beside run.prot, written again and compared line by line. Uses report, finish. */
#include "report/verify_files.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/finish.h"
#include "common/version.h"

/* A file that is compared: what there is, and what it has to be. */
struct comparer {
    struct report *report;
    FILE *file, *expected;
    struct finding where; /* the line that was read */
    bool strict;          /* words count, too: the program is the same one */
    bool sheet;           /* it is the summary */
    bool page;            /* it is the page, of which some parts are compared */
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
    texts_add(&c->report->unchecked, "%s from line %zu on", c->where.file, c->where.line);
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

/* ---- one file ---- */

/* Opens a file of the run's directory; NULL with errno if it can't be, or is no regular file. */
static FILE *open_file(const struct report *report, const char *name)
{
    char *path = text_format("%s/%s", report->directory, name);
    struct stat status;
    FILE *file = NULL;
    errno = ENOMEM;
    if (path && stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        errno = EINVAL; /* a pipe would be waited for */
    else if (path)
        file = fopen(path, "r");
    free(path);
    return file;
}

static off_t size_of(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) ? 0 : status.st_size;
}

/* ---- what another program says in other words ---- */

/* A line that has a figure of the sheet, by its label and unit: it has to have the value of one of those that
 * are called that, unless none is known. */
static void check_figure(struct comparer *c, const char *line)
{
    const struct sheet *sheet = c->report->sheet;
    const struct sheet_value *other = NULL;
    char shown[64];
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *value = &sheet->values[i];
        size_t length = strlen(value->label);
        if (isnan(value->value) || strncmp(line, "  ", 2) != 0 ||
            strncmp(line + 2, value->label, length) != 0 || strncmp(line + 2 + length, "  ", 2) != 0)
            continue;
        char *rest;
        double stated = strtod(line + 2 + length, &rest);
        snprintf(shown, sizeof shown, "%.3f", value->value);
        if (strncmp(rest + strspn(rest, " "), value->unit, strlen(value->unit)) != 0)
            continue;
        if (report_equal(stated, strtod(shown, NULL)))
            return;
        other = value;
    }
    if (other)
        finding_add(&c->report->findings, &c->where, "\"%.100s\", but %s is %.3f %s", line, other->name,
                    other->value, other->unit);
}

/* From the line on where another program's summary has other words: its figures, its verdict and its last
 * line have to be these all the same. */
static void check_summary(struct comparer *c, char **line, size_t *room)
{
    static const char *const words[] = {"VALID for comparison:", "NOT VALID for comparison:"};
    const struct sheet *sheet = c->report->sheet;
    bool valid = sheet_valid(sheet), last_is_right = false;
    do {
        const char *at;
        if (strcmp(*line, words[valid]) == 0)
            finding_add(&c->report->findings, &c->where, "says \"%s\" instead of \"%s\"", *line,
                        words[!valid]);
        check_figure(c, *line);
        if (**line)
            last_is_right = compare_lines(*line, sheet->headline, &at) == LINE_SAME;
    } while (next_line(c->file, line, room) && ++c->where.line);
    if (!last_is_right)
        finding_add(&c->report->findings, &c->where, "does not end with \"%.100s\"", sheet->headline);
}

/* ---- the page ---- */

/* Reads on to the line that starts a part; false: there is none. */
static bool find_part(struct comparer *c, const char *start, char **line, size_t *room)
{
    while (next_line(c->file, line, room)) {
        c->where.line++;
        if (strncmp(*line, "<meta name=\"generator\"", 22) == 0)
            c->strict = strstr(*line, version_commit) != NULL;
        if (strcmp(*line, start) == 0)
            return true;
    }
    c->where.line = 0;
    finding_add(&c->report->findings, &c->where, "is of another run.prot, or older: it has no \"%.110s\"",
                start);
    return false;
}

/* ---- line by line ---- */

/* Of a page each part that the run alone decides; what stands between, as other runs' parts, is passed over.
 */
static void compare_lines_of(struct comparer *c)
{
    char *found = NULL, *expected = NULL;
    size_t found_room = 0, expected_room = 0;
    bool on = !c->page, more = true;
    while (more && next_line(c->expected, &expected, &expected_room)) {
        if (c->page && strncmp(expected, REPORT_PAGE_PART, strlen(REPORT_PAGE_PART)) == 0) {
            more = on = find_part(c, expected, &found, &found_room);
            continue;
        }
        if (!on)
            continue;
        on = next_line(c->file, &found, &found_room);
        c->where.line += on || c->page;
        if (!on)
            finding_add(&c->report->findings, &c->where,
                        c->page ? "ends before \"%.60s\"" : "ends here, before \"%.60s\"", expected);
        else if (!(on = compare_line(c, found, expected)) && c->sheet)
            check_summary(c, &found, &found_room);
    }
    if (on && !c->page && next_line(c->file, &found, &found_room))
        finding_add(&c->report->findings, &c->where, "goes on after its last line: \"%.60s\"", found);
    free(found);
    free(expected);
}

/* Number `i` of the run's files; where the run did not come to its end it may be missing. */
static void compare_file(struct report *report, int i)
{
    struct comparer c = {.report = report,
                         .strict = report_is_same_program(report),
                         .sheet = i == FINISH_SUMMARY,
                         .expected = tmpfile()};
    finish_file_name(report->engine, report->sheet, i, c.where.file);
    c.file = open_file(report, c.where.file);
    if (!c.file && (report->protocol.end || errno != ENOENT))
        finding_add(&report->findings, &c.where, "can't be read: %s", strerror(errno));
    if (c.file && c.expected) {
        finish_write_file(report->engine, report->sheet, i,
                          report_is_complete(report) || !report->row->has_directory, c.expected);
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

/* What a run that did not come to its end has not written, in one line. */
static void tell_unwritten(struct report *report)
{
    char name[FINISH_NAME_SIZE], names[80] = "";
    int tables = 0, count = finish_file_count(report->sheet);
    for (int i = 0; i < count; i++) {
        FILE *file = open_file(report, finish_file_name(report->engine, report->sheet, i, name));
        if (file)
            fclose(file);
        else if (errno == ENOENT && i < FINISH_TABLES)
            snprintf(names + strlen(names), sizeof names - strlen(names), ", %.20s", name);
        else
            tables += errno == ENOENT;
    }
    if (tables || *names)
        finding_add(&report->findings, &(struct finding){""},
                    "the run did not come to its end, so these were not written: %d of patterns/%s", tables,
                    names);
}

void verify_files(struct report *report)
{
    if (report_is_older(report))
        texts_add(&report->unchecked, "definition %s: all but %s", report->row->older,
                  report->sheet->headline_name);
    if (!report->directory && report->row->has_directory)
        texts_add(&report->unchecked, "the files beside run.prot");
    if (!report->directory || report_is_older(report))
        return;
    FILE *json = open_file(report, "run.json");
    if (json) {
        fclose(json);
        compare_file(report, FINISH_JSON);
    } else if (report->row->has_directory && report->protocol.end) {
        texts_add(&report->unchecked, "run.json (%s)", strerror(errno));
    }
    if (!report->row->has_directory)
        return;
    if (!report->protocol.end)
        tell_unwritten(report);
    compare_file(report, FINISH_SUMMARY);
    for (int i = FINISH_TABLES; i < finish_file_count(report->sheet); i++)
        compare_file(report, i);
}

/* ---- the page, where the run's directory has one ---- */

void verify_page(struct report *report, void (*put)(const struct report *report, FILE *out))
{
    struct comparer c = {.report = report, .page = true, .where.file = "page.html"};
    c.file = report->directory ? open_file(report, c.where.file) : NULL;
    c.expected = c.file ? tmpfile() : NULL;
    if (c.expected) {
        put(report, c.expected);
        rewind(c.expected);
        compare_lines_of(&c);
        fclose(c.expected);
    }
    if (c.file) {
        texts_add(&report->unchecked, "plots and environment of page.html");
        fclose(c.file);
    }
}
