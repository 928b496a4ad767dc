/* verify: a run's files against its records. Uses report, engine. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/command.h"

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

/* The rating has to be stated; other figures may be new. */
static void verify_protocol(struct report *report)
{
    const struct protocol *p = &report->protocol;
    const struct finding last = {.line = p->lines};
    const struct sheet_value *rating = sheet_find(report->sheet, report->sheet->headline_name);
    verify_end(report, &last);
    for (size_t i = 0; i < p->result_count; i++)
        verify_result(report, &p->results[i]);
    if (p->end && rating && isfinite(rating->value) && !find_result(p, rating->name))
        finding_add(&report->findings, &last, "result %s = %.17g follows from the records, but is not stated",
                    rating->name, rating->value);
}

/* ---- the other files, made again from the records ---- */

/* A file that is compared: what there is, and what it has to be. */
struct comparer {
    struct report *report;
    FILE *file, *expected;
    char *found, *line; /* of both, the line that is compared */
    size_t found_room, line_room;
    struct finding where; /* the line that was read */
    bool has_verdict;
};

static bool starts_number(const char *c)
{
    return isdigit((unsigned char)*c) || (*c == '-' && isdigit((unsigned char)c[1]));
}

enum likeness { LINE_SAME, LINE_OTHER_NUMBERS, LINE_OTHER_WORDS };

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

/* Whether there is one; zero bytes, behind which text could hide, become '?'. */
static bool next_line(FILE *file, char **line, size_t *room)
{
    ssize_t length = getline(line, room, file);
    if (length > 0 && (*line)[length - 1] == '\n')
        (*line)[--length] = 0;
    else if (length <= 0)
        return false;
    for (char *zero; (zero = memchr(*line, 0, (size_t)length));)
        *zero = '?';
    return true;
}

/* ---- headline, verdict and figures, in whatever words ---- */

/* A line `"KEY": VALUE` of run.json that has a figure or the verdict, as it stands in the object of results.
 */
static void check_json(struct comparer *c, const char *line)
{
    const struct sheet *sheet = c->report->sheet;
    char key[64];
    int length = 0;
    if (strncmp(line, "  \"", 3) != 0 || sscanf(line, " \"%63[^\"]\": %n", key, &length) != 1 || !length)
        return;
    const struct sheet_value *figure = sheet_find(sheet, key);
    const char *truth = sheet_valid(sheet) ? "true" : "false", *text = line + length;
    if (strcmp(key, "valid") == 0) {
        c->has_verdict = true;
        if (strncmp(text, truth, strlen(truth)) != 0)
            finding_add(&c->report->findings, &c->where, "says valid: %.5s, but it is %s", text, truth);
    } else if (figure && isfinite(figure->value) && !report_equal(strtod(text, NULL), figure->value)) {
        finding_add(&c->report->findings, &c->where, "%s = %.17g, but %.17g follows from the records", key,
                    strtod(text, NULL), figure->value);
    }
}

/* A line of summary.txt that has the verdict. */
static void check_summary(struct comparer *c, const char *line)
{
    const char *verdict = sheet_verdict(c->report->sheet), *at = strstr(line, "VALID for comparison");
    if (!at)
        return;
    c->has_verdict = true;
    bool negated = at - line >= 4 && strncmp(at - 4, "NOT ", 4) == 0;
    if (negated == sheet_valid(c->report->sheet))
        finding_add(&c->report->findings, &c->where, "says \"%.60s\", but it is %s", line, verdict);
}

/* ---- file by file ---- */

/* Reports a line that differs; whether its words are the same. */
static bool compare_line(struct comparer *c)
{
    const char *at = "";
    enum likeness likeness = compare_lines(c->found, c->line, &at);
    if (likeness == LINE_SAME)
        return true;
    size_t from = at - c->found > 30 ? (size_t)(at - c->found) - 30 : 0;
    finding_add(&c->report->findings, &c->where, "\"%.70s\" instead of \"%.70s\"%s", c->found + from,
                from < strlen(c->line) ? c->line + from : c->line,
                likeness == LINE_OTHER_WORDS ? "; the tables after this line were not compared" : "");
    return likeness == LINE_OTHER_NUMBERS;
}

/* Line by line up to one that has other words; behind it headline, verdict and figures all the same. */
static void compare_content(struct comparer *c, int file)
{
    struct findings *findings = &c->report->findings;
    bool apart = false, last_is_right = false;
    const char *at;
    while (next_line(c->file, &c->found, &c->found_room)) {
        c->where.line++;
        if (!apart && !next_line(c->expected, &c->line, &c->line_room)) {
            finding_add(findings, &c->where, "goes on after its last line: \"%.60s\"", c->found);
            return;
        }
        apart = apart || !compare_line(c);
        if (apart && file >= ENGINE_TABLES)
            return;
        c->has_verdict |=
            !apart && (strstr(c->found, "VALID for comparison") || strstr(c->found, "\"valid\": "));
        if (apart && file == ENGINE_JSON)
            check_json(c, c->found);
        else if (apart)
            check_summary(c, c->found);
        if (apart && *c->found)
            last_is_right = compare_lines(c->found, c->report->sheet->headline, &at) == LINE_SAME;
    }
    if (!apart && next_line(c->expected, &c->line, &c->line_room))
        finding_add(findings, &c->where, "ends here, before \"%.60s\"", c->line);
    if (apart && !c->has_verdict)
        finding_add(findings, &c->where, "has no verdict");
    if (apart && file == ENGINE_SUMMARY && !last_is_right)
        finding_add(findings, &c->where, "does not end with \"%.100s\"", c->report->sheet->headline);
}

/* Compares number `i` of the run's files; false: it is absent. */
static bool compare_file(struct report *report, int i)
{
    struct comparer c = {.report = report, .expected = tmpfile()};
    struct message error = {"there is no temporary file"};
    engine_file_name(report->engine, report->sheet, i, c.where.file);
    char *path = text_format("%s/%s", report->directory, c.where.file);
    bool absent = false;
    if (path && c.expected) {
        engine_write_file(report->engine, report->sheet, i,
                          report_is_complete(report) || !report->row->has_directory, c.expected);
        c.file = protocol_open(path, 2 * ftell(c.expected) + 4096, &error);
        absent = !c.file && errno == ENOENT;
        rewind(c.expected);
    }
    if (c.file)
        compare_content(&c, i);
    else if (!absent)
        finding_add(&report->findings, &c.where, "could not be compared: %s", error.text);
    if (c.file)
        fclose(c.file);
    if (c.expected)
        fclose(c.expected);
    free(path);
    free(c.found);
    free(c.line);
    return !absent;
}

/* Pictures and pages are not verified, but made again. */
static void list_pictures(struct report *report)
{
    static const char *const names[] = {"plots", "page.html"};
    for (int i = 0; i < 2; i++) {
        char *path = text_format("%s/%s", report->directory, names[i]);
        if (path && access(path, F_OK) == 0)
            texts_add(&report->unchecked, "%s (not verified: `beff_report %s` makes it again)", names[i],
                      i ? "html" : "plot");
        free(path);
    }
}

static void verify_files(struct report *report)
{
    int tables = 0;
    if (!report->directory && report->row->has_directory)
        texts_add(&report->unchecked, "the other files of the run");
    if (!report->directory)
        return;
    for (int i = 0; i < engine_file_count(report->sheet); i++) {
        bool there = compare_file(report, i);
        tables += !there && i >= ENGINE_TABLES;
        if (!there && i < ENGINE_TABLES && report->row->has_directory)
            texts_add(&report->unchecked, "%s (absent)", i == ENGINE_JSON ? "run.json" : "summary.txt");
    }
    if (tables && report->row->has_directory)
        texts_add(&report->unchecked, "%d files of patterns/ (absent)", tables);
    list_pictures(report);
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
        if (report->directory && !*findings->list[i].file)
            snprintf(findings->list[i].file, sizeof findings->list[i].file, "run.prot");
    qsort(findings->list, findings->count, sizeof *findings->list, compare_findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->list[i];
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
           differs ? "with the faults above" : "all figures match the raw records", headline);
    printf("  %s%s\n", sheet_verdict(report->sheet), report->sheet->rates_nothing ? "" : " for comparison");
    for (int i = 0; i < report->unchecked.count; i++)
        printf("%s%s", i ? ", " : "  not checked: ", report->unchecked.text[i]);
    fputs(report->unchecked.count ? "\n" : "", stdout);
}

/* What the run itself did not look at. */
static void add_unchecked(struct report *report)
{
    for (int i = 0; i < report->sheet->criterion_count; i++)
        if (report->sheet->criteria[i].state == CRITERION_UNCHECKED)
            texts_add(&report->unchecked, "%s", report->sheet->criteria[i].text);
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
        add_unchecked(&report);
        report_hold_faults(&report);
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
    "Checks format, checksum, completeness, and every record: by itself, against its pattern, and against\n"
    "the run. Computes every figure again from the records alone, and compares the result lines of run.prot\n"
    "and, as far as they are there, run.json, summary.txt and patterns/*.dat line by line; headline, "
    "verdict\n"
    "and figures also in the words of another version. A lone run.prot is enough. Pictures and pages are "
    "not\n"
    "verified: beff_report plot and html make them again from run.prot. Whether the records were measured "
    "at\n"
    "all no file tells: a protocol can be invented.\n\n"
    "Exit status: 0 all figures match; 1 something does not, or could not be compared, and is named with\n"
    "file and line; 2 usage.\n";

REPORT_COMMAND(verify, "[--quiet] RUN...", "compute everything again from the records, and say what differs");
