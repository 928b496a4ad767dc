/* verify: a run's files against its records. Uses load. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/finish.h"
#include "common/version.h"
#include "protocols/command.h"
#include "protocols/load.h"

/* Programs of another commit may have other figures and other words: of their runs only the figures that both
 * have are compared, but every record. */
static bool is_same_program(const struct report *report)
{
    return strcmp(report_meta(report, "commit"), version_commit) == 0;
}

/* ---- run.prot ---- */

static const struct protocol_result *find_result(const struct protocol *p, const char *name)
{
    for (size_t i = 0; i < p->result_count; i++)
        if (strcmp(p->results[i].name, name) == 0)
            return &p->results[i];
    return NULL;
}

static void verify_result(struct report *report, const struct protocol_result *stated)
{
    struct findings *findings = &report->findings;
    const struct finding where = {.line = stated->line};
    const struct sheet_value *value = sheet_find(report->sheet, stated->name);
    if (!value || isnan(value->value))
        finding_add(findings, &where, "result %.60s = %.17g does not follow from the records", stated->name,
                    stated->value);
    else if (!report_equal(stated->value, value->value))
        finding_add(findings, &where, "result %.60s = %.17g, but %.17g follows from the records",
                    stated->name, stated->value, value->value);
    else if (strcmp(stated->unit, value->unit) != 0)
        finding_add(findings, &where, "result %.60s is in %s, not in %.40s", stated->name, value->unit,
                    stated->unit);
    if (find_result(&report->protocol, stated->name) != stated)
        finding_add(findings, &where, "result %.60s is there twice", stated->name);
}

/* Of another program's run only the rating has to be stated, and only the figures that both have are
 * compared. */
static void verify_stated(struct report *report, const struct finding *last)
{
    const struct sheet *sheet = report->sheet;
    int unstated = 0;
    for (int i = 0; i < sheet->value_count; i++) {
        const struct sheet_value *value = &sheet->values[i];
        if (!isfinite(value->value) || find_result(&report->protocol, value->name))
            continue;
        if (sheet_rates(sheet, value->name) || (is_same_program(report) && !report_is_older(report)))
            finding_add(&report->findings, last,
                        "result %s = %.17g follows from the records, but is not stated", value->name,
                        value->value);
        else
            unstated++;
    }
    if (unstated && !report_is_older(report))
        texts_add(&report->unchecked, "%d figures without a result line", unstated);
}

static void verify_end(struct report *report, const struct finding *last)
{
    const char *end = report->protocol.end;
    if (!end)
        finding_add(&report->findings, last, "cut short: no end and no checksum after this line");
    else if (strncmp(end, "partial (", 9) == 0)
        finding_add(&report->findings, last, "not complete: %.150s", end);
    else if (strcmp(end, "complete") != 0)
        finding_add(&report->findings, last, "end = %.100s is neither complete nor partial (with a reason)",
                    end);
}

static void verify_protocol(struct report *report)
{
    const struct protocol *p = &report->protocol;
    const struct finding last = {.line = p->lines};
    verify_end(report, &last);
    for (size_t i = 0; i < p->result_count; i++) /* of an older definition the rating alone */
        if (!report_is_older(report) || sheet_rates(report->sheet, p->results[i].name))
            verify_result(report, &p->results[i]);
    if (p->end)
        verify_stated(report, &last);
}

/* ---- the other files: each is written again, and compared line by line ---- */

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

/* Number `i` of the run's files. */
static void compare_file(struct report *report, int i)
{
    struct comparer c = {.report = report,
                         .strict = is_same_program(report),
                         .sheet = i == FINISH_SUMMARY,
                         .expected = tmpfile()};
    finish_file_name(report->engine, report->sheet, i, c.where.file);
    c.file = open_file(report, c.where.file);
    if (!c.file)
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

static void verify_files(struct report *report)
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
    } else if (report->row->has_directory) {
        texts_add(&report->unchecked, "run.json (%s)", strerror(errno));
    }
    if (!report->row->has_directory)
        return;
    compare_file(report, FINISH_SUMMARY);
    for (int i = FINISH_TABLES; i < finish_file_count(report->sheet); i++)
        compare_file(report, i);
}

/* page.html, where the run's directory has one. */
static void verify_page(struct report *report, void (*put)(const struct report *report, FILE *out))
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

/* ---- all of a run ---- */

void verify_run(struct report *report)
{
    verify_protocol(report);
    verify_files(report);
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    int order = strcmp(left->file, right->file);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

static void put_findings(const char *name, struct report *report)
{
    struct findings *findings = &report->findings;
    for (size_t i = 0; i < findings->count; i++)
        if (report->directory && !*findings->kept[i].file)
            snprintf(findings->kept[i].file, sizeof findings->kept[i].file, "run.prot");
    qsort(findings->kept, findings->count, sizeof *findings->kept, compare_findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->kept[i];
        printf("%s%s%s:", name, *f->file ? "/" : "", f->file);
        if (f->line)
            printf("%zu:", f->line);
        printf(" %s\n", f->text);
    }
    if (findings->more)
        printf("%s: %zu more\n", name, findings->more);
}

static void put_result(const char *name, const struct report *report)
{
    char headline[512];
    snprintf(headline, sizeof headline, "%s", report->sheet->headline);
    finding_clean(headline);
    bool differs = report->findings.count || *report->damage.text;
    printf("%s: %s, %zu records, %s\n  %s\n", name, report->engine->program, report->protocol.record_count,
           differs ? "but something differs: see above" : "everything follows from them", headline);
    printf("  %s for comparison\n", differs ? "NOT VALID" : sheet_verdict(report->sheet));
    for (int i = 0; i < report->unchecked.count; i++)
        printf("%s%s", i ? ", " : "  not checked: ", report->unchecked.text[i]);
    fputs(report->unchecked.count ? "\n" : "", stdout);
}

static bool verify(const char *path, const struct report_settings *settings)
{
    struct report report;
    struct message error;
    char name[400];
    snprintf(name, sizeof name, "%.390s", path);
    finding_clean(name);
    bool read = !report_read(&report, path, &error), made = read && !report_make(&report, &error);
    if (made) {
        verify_run(&report);
        verify_page(&report, settings->pictures->page);
    }
    if (*report.damage.text)
        printf("%s\n", report.damage.text);
    if (read)
        put_findings(name, &report);
    if (!made && !finding_fatal(&report.findings))
        printf("%s\n", error.text);
    if (made && !settings->quiet)
        put_result(name, &report);
    bool good = made && report.findings.count == 0 && !*report.damage.text;
    report_free(&report);
    return good;
}

static enum report_status verify_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++)
        if (!verify(settings->runs.word[i], settings))
            status = REPORT_DIFFERS;
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_FLAG("quiet", quiet, "print only what is wrong"),
                                         REPORT_HELP};

static const char notes[] =
    "Checks format, checksum, completeness, every record by itself, against its pattern and against the "
    "run;\n"
    "computes every figure again from the records alone and compares the result lines of run.prot and every\n"
    "line of run.json, summary.txt, patterns/*.dat, and page.html but for plots and environment. What can't "
    "be\n"
    "compared, such as the words of a program of another commit, is listed as not checked.\n\n"
    "Exit status: 0 nothing differs; 1 something does, and is named with file and line; 2 usage.\n";

REPORT_COMMAND(verify, "[--quiet] RUN...", "compute everything again from the records, and say what differs");
