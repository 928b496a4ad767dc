/* The checks that all engines share. They find records and metadata that are impossible or contradict one
 * another. */
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/memory.h"
#include "report/report.h"

/* ---- a record ---- */

void check_fail(const struct check *check, bool fatal, const char *format, ...)
{
    char text[256];
    TEXT_PRINT(text, sizeof text, format);
    finding_add(&check->report->findings,
                &(struct finding){.line = check->report->protocol.record_lines[check->i], .fatal = fatal},
                "%s", text);
}

bool check_columns(const struct check *check, const struct check_range *ranges)
{
    const struct protocol *p = &check->report->protocol;
    const char *record = protocol_at(p, check->i);
    bool whole = true, real = true;
    for (size_t i = 0; i < p->type->column_count; i++) {
        const struct column *column = &p->type->columns[i];
        const void *field = record + column->offset;
        struct check_range range = {NULL, 0, CHECK_MAX};
        for (const struct check_range *own = ranges; own->column; own++)
            if (strcmp(own->column, column->name) == 0)
                range = *own;
        if (column->kind == COLUMN_INTEGER && whole) {
            int64_t value = *(const int64_t *)field;
            whole = value >= range.min && value <= range.max;
            if (!whole)
                check_fail(check, true, "%s = %" PRId64 " is not from %" PRId64 " to %" PRId64, column->name,
                           value, range.min, range.max);
        } else if (column->kind == COLUMN_REAL && range.min == 0) {
            double value = *(const double *)field;
            if (!(value >= 0 && value <= CHECK_REAL_MAX)) { /* true for NaN */
                check_fail(check, true, "%s = %g is not from 0 to %g", column->name, value, CHECK_REAL_MAX);
                real = false;
            }
        }
    }
    return whole && real;
}

void check_order(const struct check *check, double t_min, double t_avg, double t_max)
{
    double slack = 1e-9 * t_max;
    if (!(t_min <= t_avg + slack && t_avg <= t_max + slack && t_min <= t_max))
        check_fail(check, false, "t_min %.9g, t_avg %.9g, t_max %.9g are not in increasing order", t_min,
                   t_avg, t_max);
}

void check_follows(const struct check *check, const char *name, double stated, double computed)
{
    if (!report_equal(stated, computed))
        check_fail(check, false, "%s = %.17g, but %.17g follows from the record", name, stated, computed);
}

/* ---- all records ---- */

struct place {
    const char *record;
    size_t number;
};

/* Columns by which records are sorted. */
struct order {
    const struct column *column[8];
    size_t count;
};

static struct order order_by(const struct record_type *type, const char *const *columns)
{
    struct order order = {.count = 0};
    for (; *columns; columns++)
        for (size_t i = 0; i < type->column_count; i++)
            if (strcmp(type->columns[i].name, *columns) == 0)
                order.column[order.count++] = &type->columns[i];
    return order;
}

static int compare_records(const char *a, const char *b, const struct order *by)
{
    int order = 0;
    for (size_t i = 0; i < by->count && !order; i++) {
        const void *x = a + by->column[i]->offset, *y = b + by->column[i]->offset;
        const int64_t *m = x, *n = y;
        const double *u = x, *v = y;
        order = by->column[i]->kind == COLUMN_TEXT      ? strcmp(x, y)
                : by->column[i]->kind == COLUMN_INTEGER ? (*m > *n) - (*m < *n)
                                                        : (*u > *v) - (*u < *v);
    }
    return order;
}

static int compare_places(const void *a, const void *b, void *by)
{
    const struct place *left = a, *right = b;
    int order = compare_records(left->record, right->record, by);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

void check_repeated(struct report *report, const char *const *columns, bool fatal, const char *what,
                    const char *remark)
{
    struct order by = order_by(report->protocol.type, columns);
    const struct protocol *p = &report->protocol;
    size_t n = p->record_count;
    struct place *places = memory_new(n, sizeof *places, "the records");
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){protocol_at(p, i), i};
    qsort_r(places, n, sizeof *places, compare_places, &by);
    for (size_t i = 1; i < n; i++)
        if (compare_records(places[i - 1].record, places[i].record, &by) == 0)
            check_fail(&(struct check){report, places[i].number}, fatal, "the same %s as in line %zu%s", what,
                       p->record_lines[places[i - 1].number], remark);
    free(places);
}

/* ---- metadata ---- */

bool check_metadata(struct report *report, const char *key, int64_t min, int64_t max, int64_t *value)
{
    if (protocol_integer(&report->protocol, key, min, max, value))
        return true;
    const char *text = protocol_get(&report->protocol, key);
    struct finding where = {.fatal = true};
    for (size_t i = 0; i < report->protocol.meta_count; i++)
        if (report->protocol.meta[i].value == text)
            where.line = report->protocol.meta[i].line;
    if (text)
        finding_add(&report->findings, &where, "%s = %.60s is not from %" PRId64 " to %" PRId64, key, text,
                    min, max);
    else
        finding_add(&report->findings, &where, "%s is missing", key);
    return false;
}

void check_definition(struct report *report)
{
    const char *definition = report_meta(report, "definition");
    if (strcmp(definition, report->engine->definition) != 0)
        REPORT_FATAL(report, "unsupported definition \"%.40s\": expected %s", definition,
                     report->engine->definition);
}

void check_lmax(struct report *report, int64_t lmax, int64_t memory, int64_t computed)
{
    if (lmax != computed)
        REPORT_FAULT(report, "lmax = %" PRId64 ", but %" PRId64 " MiB per process give %" PRId64, lmax,
                     memory, computed);
}

double report_time(const struct report *report, const char *key)
{
    struct tm tm = {0};
    const char *rest = strptime(report_meta(report, key), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return rest && !*rest ? (double)timegm(&tm) : NAN;
}

/* Checks that the keys that every run writes at its start are present. Other checks depend on these keys. */
static void check_required(struct report *report)
{
    for (const struct metadata_row *row = metadata_common.rows;
         row < metadata_common.rows + metadata_common.count; row++)
        if (row->uses & METADATA_REQUIRED && !*report_meta(report, row->key))
            REPORT_FAULT(report, "%s is missing", row->key);
    if (strstr(report_meta(report, "commit"), "-dirty"))
        texts_add(&report->unchecked, "the program (commit %.40s, with modified sources)",
                  report_meta(report, "commit"));
}

/* Checks that each value has the kind that its key requires, and that a key that must not repeat has only one
 * value. */
static void check_values(struct report *report)
{
    const struct protocol *p = &report->protocol;
    for (size_t i = 0; i < p->meta_count; i++) {
        const struct protocol_pair *pair = &p->meta[i], *next = &p->meta[pair->next];
        const struct metadata_row row = metadata_find(p->type->metadata, pair->key);
        const char *expected = row.key ? metadata_expected(row.kind, pair->value) : NULL;
        if (!row.key && protocol_is_first(p, i))
            texts_add(&report->unchecked, "%.60s (an unknown key)", pair->key);
        if (expected)
            finding_add(&report->findings, &(struct finding){.line = pair->line},
                        "%.60s = %.60s, but expected %s", pair->key, pair->value, expected);
        if (row.key && pair->next && !(row.uses & METADATA_REPEATS) && strcmp(pair->value, next->value) != 0)
            finding_add(&report->findings, &(struct finding){.line = next->line},
                        "%.60s = %.60s, but %.60s in line %zu", pair->key, next->value, pair->value,
                        pair->line);
    }
}

/* Checks that every stated option has a value that the command line accepts. */
static void check_options(struct report *report)
{
    const struct engine *engine = report->engine;
    const struct option_table *options = engine->options;
    char program[] = "run", *part = memory_text(report_meta(report, "component")), *words[] = {program, part};
    struct message error = {""};
    void *settings = memory_new(1, engine->settings_size, "the settings");
    bool possible = true;
    engine_parse(engine, settings, options->parts ? 2 : 1, words, &error); /* the defaults */
    for (size_t i = 0; i < options->count; i++) {
        const struct option_row *row = &options->rows[i];
        char *key = text_format(OPTION_KEY "%s", row->name), *otherwise = option_value(row, settings);
        const char *stated = protocol_get(&report->protocol, key);
        bool flag = row->kind == OPTION_FLAG && stated && strcmp(stated, "yes") != 0;
        bool given = stated && *stated && option_is_kept(options, row, settings) &&
                     row->kind != OPTION_HELP && strcmp(stated, otherwise) != 0;
        if (given && (flag || option_set(options, row, stated, settings, &error))) {
            REPORT_FAULT(report, "%s = %.60s is impossible%s%s", key, stated, flag ? "" : ": ",
                         flag ? "" : error.text);
            possible = false;
        }
        free(key);
        free(otherwise);
    }
    if (possible && report->row->has_directory && engine->check(settings, &error))
        REPORT_FAULT(report, "no run can have these options: %s", error.text);
    free(part);
    options_free(options, settings);
    free(settings);
}

/* Checks that the stated options match the stated command line. */
static void check_command(struct report *report)
{
    const struct engine *engine = report->engine;
    const struct option_table *options = engine->options;
    struct message error;
    int count;
    char **words = text_command_words(report_meta(report, "command"), &count);
    void *settings = memory_new(1, engine->settings_size, "the settings");
    bool parsed = count && !engine_parse(engine, settings, count, words, &error);
    for (size_t i = 0; parsed && i < options->count; i++) {
        const struct option_row *row = &options->rows[i];
        char *asked = option_value(row, settings), *key = text_format(OPTION_KEY "%s", row->name);
        const char *stated = protocol_get(&report->protocol, key);
        bool drawn = row->kind == OPTION_SEED && strstr(report_meta(report, "command"), "random");
        if (stated && !drawn && option_is_kept(options, row, settings) && strcmp(asked, stated) != 0)
            REPORT_FAULT(report, "%s = %.60s, but the command line says %.60s", key, stated, asked);
        free(asked);
        free(key);
    }
    if (!parsed)
        texts_add(&report->unchecked, "whether command line and options agree");
    else if (report->row->replay)
        report->row->replay(report, settings);
    options_free(options, settings);
    free(settings);
    free(words[0]);
    free(words);
}

static int compare_hosts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Checks that all nodes have different names. Two nodes of the same name are one node, whose memory and links
 * were counted twice. */
static void check_hosts(struct report *report)
{
    void *known = NULL;
    const char *line;
    char *host;
    bool simulated = protocol_is(&report->protocol, "option_clock", "simulated");
    for (size_t i = 0; !simulated && (line = protocol_next(&report->protocol, "node", &i));) {
        char **found = sscanf(line, "%*s %ms", &host) == 1 ? tsearch(host, &known, compare_hosts) : NULL;
        if (!found || *found == host)
            continue;
        REPORT_FAULT(report, "node %.60s is listed twice", host);
        free(host);
    }
    tdestroy(known, free);
}

/* Checks that the numbers of processes and nodes agree. All processes of a node run under the same kernel, as
 * shown by the boot_id of Linux. If several nodes are containers on one machine, they share a kernel too. */
static void check_nodes(struct report *report)
{
    long long processes, nodes, sharing, min = 0, max = 0;
    const char *per_node = report_meta(report, "ranks_per_node");
    processes = strtoll(report_meta(report, "processes"), NULL, 10);
    nodes = strtoll(report_meta(report, "nodes"), NULL, 10);
    sharing = strtoll(report_meta(report, "memory_ranks"), NULL, 10);
    if (sscanf(per_node, "%lld-%lld", &min, &max) == 1)
        max = min;
    if (min < 1 || max < min || nodes < 1 || (double)nodes * (double)min > (double)processes ||
        (double)nodes * (double)max < (double)processes)
        REPORT_FAULT(report, "%lld process%s cannot be on %lld node%s with %.40s on each", processes,
                     TEXT_ES(processes), nodes, PLURAL(nodes), per_node);
    else if (sharing < max || sharing > processes)
        REPORT_FAULT(
            report,
            "memory_ranks = %lld, but nodes have up to %lld processes: node names are duplicated or missing",
            sharing, max);
    else if (sharing > max)
        texts_add(&report->unchecked,
                  "whether each node is a machine: up to %lld processes shared the memory of one kernel",
                  sharing);
    check_hosts(report);
}

/* Checks the memory per process. If it was detected, it is the memory of a node divided by the number of
 * processes on the node, and the smallest value of all nodes is used. */
static void check_memory(struct report *report)
{
    const char *source = report_meta(report, "memory_source");
    double memory = protocol_number(&report->protocol, "memory_mib"),
           limit = protocol_number(&report->protocol, "memory_limit_mib"),
           ranks = protocol_number(&report->protocol, "memory_ranks"),
           stated = protocol_number(&report->protocol, "memory_per_process_mib"),
           given = protocol_number(&report->protocol, "option_memory");
    double share = fmax(1, floor(fmin(memory, isnan(limit) ? memory : limit) / ranks));
    bool alone = protocol_is(&report->protocol, "nodes", "1");
    if (strcmp(source, "detected") == 0 && (given > 0 || stated > share || (alone && stated < share)))
        REPORT_FAULT(report,
                     "memory_per_process_mib = %.0f is not the detected value: %.0f MiB per node give %.0f "
                     "MiB per process",
                     stated, memory, share);
    if (strcmp(source, "given") == 0 && given != stated)
        REPORT_FAULT(report, "memory_per_process_mib = %.0f, but option_memory = %.0f", stated, given);
}

/* Returns the duration of the run in seconds by the system clock, or INFINITY if the run is incomplete or
 * simulated. Adds a finding if a complete run does not state the duration. */
static double check_clocks(struct report *report)
{
    double mpi, system;
    if (!protocol_is_complete(&report->protocol) ||
        protocol_is(&report->protocol, "option_clock", "simulated"))
        return INFINITY;
    if (sscanf(report_meta(report, "clocks"), "%lf %lf", &mpi, &system) == 2 && mpi > 0 && system > 0)
        return system;
    REPORT_FAULT(report,
                 "clocks is missing: a complete run states the seconds of MPI_Wtime and of the system clock");
    return INFINITY;
}

/* Checks that the run ended soon after its time limit, and that its dates are not in the future. A run with
 * wrong dates could seem to overlap other runs. */
static void check_dates(struct report *report, double span)
{
    static const char *const keys[] = {"started", "finished"};
    enum { FUTURE = 3600 }; /* seconds by which clocks may differ */
    const double limit = 1.2 * protocol_number(&report->protocol, "time_s") + 120,
                 elapsed = protocol_number(&report->protocol, "elapsed_s");
    if (elapsed > limit || span > limit)
        REPORT_FAULT(report, "the run took %.0f s, but its time limit was %s s", fmax(elapsed, span),
                     report_meta(report, "time_s"));
    for (int i = 0; i < 2; i++)
        if (report_time(report, keys[i]) > (double)time(NULL) + FUTURE)
            REPORT_FAULT(report, "%s = %s is in the future", keys[i], report_meta(report, keys[i]));
}

void check_run(struct report *report, double busy)
{
    check_required(report);
    check_values(report);
    check_options(report);
    check_command(report);
    check_nodes(report);
    check_memory(report);
    double span =
        report_time(report, "finished") - report_time(report, "started"); /* NaN if the run was cut short */
    double elapsed = fmin(fmin(span, protocol_number(&report->protocol, "elapsed_s")), check_clocks(report));
    int64_t processes, threads, nodes;
    if (protocol_is_complete(&report->protocol) && isnan(span))
        texts_add(&report->unchecked,
                  "whether the run was as long as its measurements: start or end time is missing");
    check_dates(report, span);
    if (span < 0)
        REPORT_FAULT(report, "finished at %s, before it started at %s", report_meta(report, "finished"),
                     report_meta(report, "started"));
    else if (busy > 1.05 * elapsed + 2)
        REPORT_FAULT(report, "the measurements took %.0f s, but the run took only %.0f s", busy, elapsed);
    if (protocol_integer(&report->protocol, "processes", 1, INT32_MAX, &processes) &&
        protocol_integer(&report->protocol, "hardware_threads", 1, INT32_MAX, &threads) &&
        protocol_integer(&report->protocol, "nodes", 1, 1, &nodes) && processes > threads &&
        strcmp(report_meta(report, "oversubscribed"), "yes") != 0)
        REPORT_FAULT(report,
                     "oversubscribed = %.20s, but %" PRId64 " processes share %" PRId64 " hardware thread%s",
                     report_meta(report, "oversubscribed"), processes, threads, PLURAL(threads));
}
