/* Tests the findings in protocols of real runs after one change. The checksum is recomputed after the
 * change. */
#include "report/command.h"

#include <inttypes.h>
#include <string.h>

#include "beff/record.h"
#include "report/edit_test.h"

static int set_up(void **state)
{
    *state = unit_directory();
    return 0;
}

static int tear_down(void **state)
{
    unit_remove(*state);
    return 0;
}

/* Saves, reads and checks an edited protocol. Writes all findings as lines `LINE: TEXT` to `found`. */
static void find(const char *directory, const struct edit *edit, char *found, size_t size)
{
    char *path = unit_path(directory, "run.prot");
    struct report report;
    struct message error = {""};
    edit_save(edit, path);
    *found = 0;
    report_open(&report, path, &error);
    assert_string_equal(report.damage.text, "");
    for (size_t i = 0; i < report.findings.count; i++)
        snprintf(found + strlen(found), size - strlen(found), "%zu: %s\n", report.findings.list[i].line,
                 report.findings.list[i].text);
    snprintf(found + strlen(found), size - strlen(found), "%s", error.text);
    report_free(&report);
    free(path);
}

static int line_of(const struct edit *edit, const char *place)
{
    int line = 1;
    for (const char *c = edit->text; c < place; c++)
        line += *c == '\n';
    return line;
}

static const char *const samples[] = {"beff-n2", "beff_io-n2", "imb-mpi1-n2", "imb-nbc-n2", "beff-n2-valid"};

static void nothing_is_wrong_with_the_samples(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        char found[4096];
        struct edit edit = edit_open(samples[i]);
        find(*state, &edit, found, sizeof found);
        assert_string_equal(found, "");
        free(edit.text);
    }
}

/* Changes to record 7, and the finding that each of them must cause. */
static const struct {
    const char *sample, *column, *value, *expected;
} records[] = {
    {"beff-n2", "pass", "0", "pass = 0 is not from 1"},
    {"beff-n2", "rep", "0", "rep = 0 is not from 1 to 3"},
    {"beff-n2", "rep", "4", "rep = 4 is not from 1 to 3"},
    {"beff-n2", "pattern", "ring-7", "no such pattern"},
    {"beff-n2", "method", "Sendrev", "no such method"},
    {"beff-n2", "bytes", "3", "no such message size"},
    {"beff-n2", "messages", "7", "messages = 7, but"},
    {"beff-n2", "messages", "-2", "messages = -2 is not from 1"},
    {"beff-n2", "loops", "0", "loops = 0 is not from 1"},
    {"beff-n2", "loops", "1", "follows from the record"},
    {"beff-n2", "t_min", "1e9", "not in increasing order"},
    {"beff-n2", "t_avg", "1e9", "not in increasing order"},
    {"beff-n2", "t_max", "0", "t_max = 0 and bandwidth = "},
    {"beff-n2", "t_max", "nan", "t_max = nan is not from 0 to 1e+15"},
    {"beff-n2", "bandwidth", "1.1e15", "bandwidth = 1.1e+15 is not from 0 to 1e+15"},
    {"beff-n2", "t_max", "-1", "t_max = -1 is not from 0 to 1e+15"},
    {"beff-n2", "t_max", "inf", "t_max = inf is not from 0 to 1e+15"},
    {"beff-n2", "bandwidth", "1", "bandwidth = 1, but"},
    {"beff-n2", "bandwidth", "0", "and bandwidth = 0 are not both positive"},
    {"beff-n2", "errors", "-1", "errors = -1 is not from 0"},
    {"beff_io-n2", "processes", "7", "no such partition"},
    {"beff_io-n2", "access", "append", "no such access method"},
    {"beff_io-n2", "type", "5", "type = 5 is not from 0 to 4"},
    {"beff_io-n2", "pattern", "9", "no such pattern of this type"},
    {"beff_io-n2", "pattern", "7x", "no such pattern of this type"},
    {"beff_io-n2", "chunk_disk", "1024", "pattern 7 has l = 1032"},
    {"beff_io-n2", "units", "3", "pattern 7 has l = 1032"},
    {"beff_io-n2", "calls", "1", "total: calls"},
    {"beff_io-n2", "calls", "-1", "calls = -1 is not from 0"},
    {"beff_io-n2", "bytes", "1056769", ", but the pattern made "},
    {"beff_io-n2", "t_sync", "1000", "total: t_sync"},
    {"beff_io-n2", "t_total", "1000", "total: t_total"},
    {"beff_io-n2", "t_total", "1", "follows from the record"},
    {"beff_io-n2", "bandwidth", "1", "bandwidth = 1, but"},
    {"beff_io-n2", "errors", "5", "total: errors = 0, but the sum of its patterns is 5"},
    {"beff_io-n2", "t_open", "-1", "t_open = -1 is not from 0 to 1e+15"},
    {"beff_io-n2", "ended_by", "fatigue", "ended_by = fatigue is impossible"},
    {"imb-mpi1-n2", "benchmark", "PingPung", "unknown benchmark of MPI1: PingPung"},
    {"imb-mpi1-n2", "processes", "3", "processes = 3 is not from 1 to 2"},
    {"imb-mpi1-n2", "groups", "2", "groups = 2 is not from 1 to 1"},
    {"imb-mpi1-n2", "group", "1", "group = 1 is not from -1 to 0"},
    {"imb-mpi1-n2", "bytes", "-1", "bytes = -1"},
    {"imb-mpi1-n2", "repetitions", "0", "repetitions = 0"},
    {"imb-mpi1-n2", "bandwidth", "1", "bandwidth = 1, but"},
    {"imb-mpi1-n2", "msg_rate", "1", "msg_rate = 1, but"},
    {"imb-mpi1-n2", "t_min", "10", "not in increasing order"},
    {"imb-mpi1-n2", "t_max", "10", "follows from the record"},
    {"imb-mpi1-n2", "overlap", "50", "overlap = 50, but"},
    {"imb-nbc-n2", "overlap", "12.5", "overlap = 12.5, but"},
    {"imb-nbc-n2", "t_pure", "-1", "t_pure = -1 is not from 0 to 1e+15"},
};

static void a_changed_record_is_reported_with_its_line(void **state)
{
    enum { RECORD = 7 };
    for (size_t i = 0; i < COUNT(records); i++) {
        char found[16384], expected[200];
        struct edit edit = edit_open(records[i].sample);
        edit_field(&edit, RECORD, records[i].column, records[i].value);
        find(*state, &edit, found, sizeof found);
        assert_contains(found, records[i].expected);
        if (strncmp(records[i].expected, "total", 5) != 0) {
            snprintf(expected, sizeof expected, "%d: ", line_of(&edit, edit_record(&edit, RECORD)));
            assert_true(strncmp(found, expected, strlen(expected)) == 0 || strstr(found, expected));
        }
        free(edit.text);
    }
}

static const struct {
    const char *sample, *key, *value, *expected;
} values[] = {
    {"beff-n2", "processes", "1", "processes = 1 is not from 2"},
    {"beff-n2", "option_yrange", "0", "--yrange \"0\""},
    {"beff-n2", "option_yrange", "1:0", "--yrange \"1:0\""},
    {"beff-n2", "option_yrange", "e", "--yrange \"e\""},
    {"beff-n2", "option_yrange", "1e400", "--yrange \"1e400\""},
    {"beff-n2", "option_quiet", "perhaps", "option_quiet = perhaps is impossible"},
    {"beff-n2", "option_progress", "often", "option_progress = often is impossible: "},
    {"beff_io-n2", "option_max-bytes", "many", "invalid --max-bytes \"many\""},
    {"imb-mpi1-n2", "option_npmin", "few", "option_npmin = few is impossible: "},
    {"beff-n2", "elapsed_s", "169200", "the run took 169200 s, but its time limit was 26 s"},
    {"beff-n2", "started", "2001-01-01T00:00:00Z", " s, but its time limit was 26 s"},
    {"beff-n2", "finished", "2999-11-23T08:55:26Z", "finished = 2999-11-23T08:55:26Z is in the future"},
    {"beff-n2", "processes", "4", "but ring-1 has 4"},
    {"beff-n2", "processes", "two", "processes = two is not from 2"},
    {"beff-n2", "option_polygons", "0", "option_polygons = 0 is not from 1"},
    {"beff-n2", "seed", "-1", "seed = -1"},
    {"beff-n2", "lmax", "0", "lmax = 0"},
    {"beff-n2", "lmax", "262144", "no such message size"},
    {"beff-n2", "memory_per_process_mib", "1000", "MiB per process give"},
    {"beff-n2", "definition", "beff-0", "definition \"beff-0\""},
    {"beff-n2", "discarded_errors", "x", "discarded_errors = x"},
    {"beff-n2", "result b_eff", "5000 MB/s", "result b_eff = 5000, but"},
    {"beff-n2", "result b_eff_rings", "1 GB/s", "result b_eff_rings = 1, but"},
    {"beff-n2", "result b_eff_lmax", "nan MB/s", "result b_eff_lmax = nan, but"},
    {"beff-n2", "end", "partial", "neither complete nor partial"},
    {"beff-n2", "finished", "2026-11-21T16:03:40Z", "before it started"},
    {"beff-n2", "hardware_threads", "1", "2 processes share 1 hardware thread"},
    {"beff-n2", "hardware_threads", "", "hardware_threads is missing"},
    {"beff-n2", "hardware_threads", "2 of 4", "hardware_threads = 2 of 4, but expected a whole number"},
    {"beff-n2", "elapsed_s", "1 h", "elapsed_s = 1 h, but expected a number"},
    {"beff-n2", "more_ranks_than_cores", "maybe", "more_ranks_than_cores = maybe, but expected yes or no"},
    {"beff-n2", "ranks_per_node", "1", "2 processes cannot be on 1 node with 1 on each"},
    {"beff-n2", "ranks_per_node", "3-4", "2 processes cannot be on 1 node with 3-4 on each"},
    {"beff-n2", "nodes", "2", "2 processes cannot be on 2 nodes with 2 on each"},
    {"beff-n2", "option_max-loops", "0\n#: max = 1\n#: option_max-loops = 300",
     "option_max-loops = 300, but 0 in line"},
    {"beff-n2", "option_memory", "32", "option_memory = 32, but the command line says 16"},
    {"beff-n2", "option_memory", "32", "memory_per_process_mib = 16, but option_memory = 32"},
    {"beff-n2", "memory_source", "detected",
     "memory_per_process_mib = 16 is not the detected value: 24105 MiB"},
    {"beff_io-n2-valid", "memory_mib", "48000",
     "memory_per_process_mib = 12052 is not the detected value: 48000 MiB"},
    {"beff_io-n2-valid", "memory_limit_mib", "16000", "give 8000 MiB per process"},
    {"beff_io-n2-valid", "option_path", "elsewhere",
     "option_path = elsewhere, but the command line says disk"},
    {"beff-n2", "discarded_errors", "0\n#: node = 0 a 1 1\n#: node = 1 b 1 1\n#: node = 2 a 1 1",
     "node a is listed twice"},
    {"beff-n2", "memory_ranks", "1", "node names are duplicated or missing"},
    {"beff-n2", "clocks", "", "clocks is missing"},
    {"beff-n2", "clocks", "0 0", "clocks is missing"},
    {"beff-n2", "clocks", "5 5", "but the run took only 5 s"},
    {"imb-mpi1-n2", "clocks", "nan nan", "clocks is missing"},
    {"beff_io-n2", "elapsed_s", "5", "but the run took only 5 s"},
    {"beff_io-n2", "finished", "2026-11-23T10:26:43Z", "but the run took only 5 s"},
    {"imb-mpi1-n2", "finished", "2026-11-23T10:25:04Z", "but the run took only 1 s"},
    {"beff_io-n2", "partitions", "1,2,x", "is not a list of numbers"},
    {"beff_io-n2", "partitions", "1", "no such partition"},
    {"beff_io-n2", "lmax", "4194304", "pattern 1 has l = 4194304"},
    {"beff_io-n2", "option_rewrite", "yes", "no record of 1 process, rewrite, pattern 9"},
    {"beff_io-n2", "time_s", "0", "missing or invalid metadata"},
    {"beff_io-n2", "result files_mb", "1 MB", "result files_mb = 1, but"},
    {"imb-mpi1-n2", "component", "MPI9", "unknown component"},
    {"imb-mpi1-n2", "option_window_size", "128", "follows from the record"},
    {"imb-mpi1-n2", "result rows", "3 rows", "result rows = 3, but"},
    {"imb-mpi1-n2", "result errors", "1 B", "result errors = 1, but"},
};

static void a_changed_value_is_found(void **state)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        char found[16384];
        struct edit edit = edit_open(values[i].sample);
        edit_value(&edit, values[i].key, values[i].value);
        find(*state, &edit, found, sizeof found);
        if (!strstr(found, values[i].expected))
            fail_msg("%s = %s: %.300s", values[i].key, values[i].value, found);
        free(edit.text);
    }
}

static void repeatable_keys_may_have_several_values(void **state)
{
    static const char *const keys[] = {"between_nodes", "environment", "hints_in_force", "note", "sweep"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        char found[16384], lines[120];
        struct edit edit = edit_open("beff-n2");
        snprintf(lines, sizeof lines, "0\n#: %s = ring-1=0\n#: %s = ring-2=2", keys[i], keys[i]);
        edit_value(&edit, "discarded_errors", lines);
        find(*state, &edit, found, sizeof found);
        assert_string_equal(found, "");
        free(edit.text);
    }
}

/* Two processes share a hardware thread, but the run states that it is not oversubscribed. */
static void a_run_with_faults_is_not_valid(void **state)
{
    struct edit edit = edit_open("beff_io-n2-valid");
    struct report report;
    struct message error;
    char *path = unit_path(*state, "run.prot");
    edit_value(&edit, "hardware_threads", "1");
    edit_save(&edit, path);
    assert_int_equal(report_open(&report, path, &error), 0);
    assert_false(sheet_valid(report.sheet));
    assert_null(strstr(report.sheet->headline, ", VALID"));
    report_free(&report);
    free(path);
    free(edit.text);
}

static void a_repeated_measurement_is_found(void **state)
{
    for (int i = 0; i < 2; i++) {
        char found[4096], expected[80];
        struct edit edit = edit_open(samples[i]);
        char *first = edit_record(&edit, 3), *line = strndup(first, strcspn(first, "\n") + 1);
        edit_replace(&edit, edit_record(&edit, 9), 0, line);
        find(*state, &edit, found, sizeof found);
        snprintf(expected, sizeof expected, "%d: the same measurement as in line %d\n",
                 line_of(&edit, edit_record(&edit, 9)), line_of(&edit, edit_record(&edit, 3)));
        assert_contains(found, expected);
        free(line);
        free(edit.text);
    }
}

static void a_missing_record_is_found(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        static const char *const expected[] = {"result ", "no record of 1 process, write, pattern 7",
                                               "result rows", "result rows", "the seed's order requires"};
        char found[16384];
        struct edit edit = edit_open(samples[i]);
        char *line = edit_record(&edit, i == 3 ? 0 : 7);
        edit_replace(&edit, line, strcspn(line, "\n") + 1, "");
        find(*state, &edit, found, sizeof found);
        assert_contains(found, expected[i]);
        free(edit.text);
    }
}

static void missing_unknown_and_repeated_results_are_found(void **state)
{
    char found[4096];
    struct edit edit = edit_open("beff-n2");
    char *line = strstr(edit.text, "#: result latency_us ");
    edit_replace(&edit, line, strcspn(line, "\n") + 1, "#: result speed = 1 MB/s\n");
    line = strstr(edit.text, "#: result b_eff ");
    char *twice = strndup(line, strcspn(line, "\n") + 1);
    edit_replace(&edit, line, 0, twice);
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "result speed = 1 does not follow from the records");
    assert_null(strstr(found, "result latency_us = ")); /* only the rating must be stated */
    assert_contains(found, "result b_eff appears twice");
    for (int i = 0; i < 2; i++) {
        line = strstr(edit.text, "#: result b_eff ");
        edit_replace(&edit, line, strcspn(line, "\n") + 1, "");
    }
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "result b_eff = ");
    assert_contains(found, "but is not stated");
    free(twice);
    free(edit.text);
}

/* A record was copied from another repetition, and fewer polygons were measured than requested. */
static void a_copied_record_is_found(void **state)
{
    char found[16384], expected[80];
    struct edit edit = edit_open("beff-n2");
    char *line = edit_record(&edit, 3), *copy = strndup(line, strcspn(line, "\n") + 1);
    assert_memory_equal(copy, "1\t1\t", 4);
    copy[2] = '2';
    edit_replace(&edit, edit_record(&edit, 9), 0, copy);
    edit_value(&edit, "option_polygons", "999");
    edit_value(&edit, "clock_resolution_s", "1"); /* with such a clock, equal times prove nothing */
    find(*state, &edit, found, sizeof found);
    snprintf(expected, sizeof expected,
             "%d: the same times as in line %d, to the last digit, so this record is a copy",
             line_of(&edit, edit_record(&edit, 9)), line_of(&edit, edit_record(&edit, 3)));
    assert_contains(found, expected);
    assert_contains(found, "the seed's order requires");
    free(copy);
    free(edit.text);
}

/* ---- forged sequences of records ---- */

/* Changes a record. Returns false to remove it. */
typedef bool forge_record(struct beff_record *record);

static void forge_records(struct edit *edit, forge_record *forge)
{
    char *text = NULL, *line = edit->text, *next;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (; *line; line = next) {
        struct beff_record r = {.pass = 0};
        next = line + strcspn(line, "\n") + 1;
        next[-1] = 0; /* otherwise each sscanf would search for the end of the whole text */
        int count = sscanf(line,
                           "%" SCNd64 "\t%" SCNd64 "\t%31[^\t]\t%31[^\t]\t%" SCNd64 "\t%" SCNd64 "\t%" SCNd64
                           "\t%lf\t%lf\t%lf",
                           &r.pass, &r.rep, r.pattern, r.method, &r.bytes, &r.messages, &r.loops, &r.t_min,
                           &r.t_avg, &r.t_max);
        if (count != 10)
            fprintf(out, "%s\n", line);
        else if (forge(&r))
            fprintf(out,
                    "%" PRId64 "\t%" PRId64 "\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64
                    "\t%.17g\t%.17g\t%.17g\t%.17g\t0\n",
                    r.pass, r.rep, r.pattern, r.method, r.bytes, r.messages, r.loops, r.t_min, r.t_avg,
                    r.t_max, (double)(r.bytes * r.messages * r.loops) / r.t_max / 1e6);
    }
    fclose(out);
    free(edit->text);
    edit->text = text;
}

static bool as_it_is(struct beff_record *r)
{
    return r->loops > 0;
}

static bool is_alltoallv(const struct beff_record *r)
{
    return strcmp(r->method, "Alltoallv") == 0;
}

static bool without_a_cell_of_alltoallv(struct beff_record *r)
{
    return !(is_alltoallv(r) && r->rep == 2 && r->bytes == 64 && strcmp(r->pattern, "ring-3") == 0);
}

static bool slower(struct beff_record *r)
{
    double factor = is_alltoallv(r) ? 1000 : 1;
    r->t_min *= factor;
    r->t_avg *= factor;
    r->t_max *= factor;
    return true;
}

/* Slows Alltoallv down until only 12 of its measurements remain, all with messages of one byte. */
static bool slower_and_left_out(struct beff_record *r)
{
    bool later = r->bytes > 1 || r->rep > 1 || r->pass > 1 ||
                 (strncmp(r->pattern, "random-", 7) == 0 && atoi(r->pattern + 7) > 6);
    return slower(r) && (!is_alltoallv(r) || (!later && r->messages == 2 && strchr("r", *r->pattern)));
}

static bool in_another_order(struct beff_record *r)
{
    if (strcmp(r->pattern, "random-01") == 0)
        strcpy(r->pattern, "random-02");
    else if (strcmp(r->pattern, "random-02") == 0)
        strcpy(r->pattern, "random-01");
    return true;
}

static bool without_lmax_in_repetition_3(struct beff_record *r)
{
    return r->pass > 1 || r->rep < 3 || r->bytes < 131072;
}

static bool without_a_repetition(struct beff_record *r)
{
    return r->pass > 1 || r->rep != 2;
}

static bool without_a_repetition_renumbered(struct beff_record *r)
{
    bool stays = without_a_repetition(r);
    r->rep -= r->pass == 1 && r->rep == 3;
    return stays;
}

static bool without_a_pass_renumbered(struct beff_record *r)
{
    return r->pass > 1 && r->pass--;
}

static bool faster(struct beff_record *r)
{
    r->t_min *= 0.9;
    r->t_avg *= 0.9;
    r->t_max *= 0.9;
    return true;
}

static bool alltoallv_faster(struct beff_record *r)
{
    return !is_alltoallv(r) || faster(r);
}

static bool a_third_more_loops(struct beff_record *r)
{
    r->loops += r->bytes == 64 ? r->loops / 3 : 0;
    return true;
}

static void skipped_measurements_are_found(void **state)
{
    static const struct {
        forge_record *forge;
        const char *key, *value, *expected; /* expected NULL: no finding */
    } rows[] = {
        {as_it_is, NULL, NULL, NULL},
        {as_it_is, "largest_sizes", "1 3", "the seed's order requires"},
        {without_a_cell_of_alltoallv, NULL, NULL, "the seed's order requires"},
        {slower, NULL, NULL, "the seed's order requires"},
        {slower_and_left_out, NULL, NULL, "slow_left_out = 0, but "},
        {in_another_order, NULL, NULL, "the seed's order requires"},
        {without_lmax_in_repetition_3, NULL, NULL, "the seed's order requires"},
        {without_a_repetition, NULL, NULL, "a sweep is missing"},
        {without_a_repetition_renumbered, NULL, NULL, "the seed's order requires"},
        {without_a_pass_renumbered, NULL, NULL, "a sweep is missing"},
        {faster, NULL, NULL, "follow from the earlier times"},
        {alltoallv_faster, NULL, NULL, "follow from the earlier times"},
        {a_third_more_loops, NULL, NULL, "follow from the earlier times"},
        {as_it_is, "discarded", "1 1 ring-1 Sendrecv 1 7 1e-6 short",
         "1 attempt does not follow from the earlier attempts"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char found[16384], value[80];
        struct edit edit = edit_open("beff-n2-valid");
        forge_records(&edit, rows[i].forge);
        snprintf(value, sizeof value, "0\n#: %s = %s", rows[i].key ? rows[i].key : "", rows[i].value);
        if (rows[i].key)
            edit_value(&edit, "discarded_errors", value);
        find(*state, &edit, found, sizeof found);
        if (!rows[i].expected)
            assert_string_equal(found, "");
        else if (!strstr(found, rows[i].expected))
            fail_msg("row %zu: %.300s", i, found);
        free(edit.text);
    }
}

/* The time of a complete run of beff_io is the time of its types plus the excluded times. */
static void unexplained_time_is_found(void **state)
{
    enum { TOTAL = 9 }; /* index of the record with the total of type 0 */
    char found[16384];
    struct edit edit = edit_open("beff_io-n2-valid");
    edit_value(&edit, "elapsed_s", "1790");
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "but the run took 1790 s");
    edit_value(&edit, "elapsed_s", "1680.449");
    edit_field(&edit, TOTAL, "t_excluded", "300");
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "too much time is excluded");
    free(edit.text);
}

/* The iterations of a sweep must fit into its time, and the sweeps into the run. */
static void a_sweep_that_was_too_short_is_found(void **state)
{
    static const struct {
        const char *value, *expected;
    } rows[] = {{"0 0.000 0.100", "sweep 0 took 0.100 s, but its timed iterations took "},
                {"0 0.000 1e5", "the sweeps took 1000"},
                {"7 0.000 1.000", "the time of sweep 0 is not stated"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char found[16384];
        struct edit edit = edit_open("beff-n2-valid");
        char *line = strstr(edit.text, "#: sweep = 0") + strlen("#: sweep = ");
        edit_replace(&edit, line, strcspn(line, "\n"), rows[i].value);
        find(*state, &edit, found, sizeof found);
        assert_contains(found, rows[i].expected);
        free(edit.text);
    }
}

/* The timed iterations may fill a sweep: untimed iterations can be faster than the timed ones. */
static void a_sweep_may_consist_of_its_timed_iterations(void **state)
{
    for (int late = 0; late < 2; late++) {
        char found[16384], value[40];
        struct edit edit = edit_open("beff-n2-valid");
        char *sweep = strstr(edit.text, "#: sweep = 0");
        double seconds = 0, one;
        for (char *line = edit.text; line < sweep; line = strchr(line, '\n') + 1)
            if ((*line != '#' && sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %lf", &one) == 1) ||
                sscanf(line, "#: discarded = %*s %*s %*s %*s %*s %*s %lf", &one) == 1)
                seconds += one;
        sweep += strlen("#: sweep = ");
        snprintf(value, sizeof value, "0 0.000 %.3f", seconds - (late ? 0.003 : 0));
        edit_replace(&edit, sweep, strcspn(sweep, "\n"), value);
        find(*state, &edit, found, sizeof found);
        assert_int_equal(strstr(found, "but its timed iterations took ") != NULL, late);
        free(edit.text);
    }
}

/* Without its end time, the duration of a run cannot be compared with its measurements. */
static void unchecked_things_are_listed(void **state)
{
    struct edit edit = edit_open("beff_io-n2");
    struct report report;
    struct message error;
    char *path = unit_path(*state, "run.prot"), *line = strstr(edit.text, "#: finished");
    edit_replace(&edit, line, strcspn(line, "\n") + 1, "#: colour = blue\n");
    edit_save(&edit, path);
    assert_int_equal(report_open(&report, path, &error), 0);
    assert_int_equal(report.findings.count, 0);
    static const char *const listed[] = {"colour (an unknown key)",
                                         "whether the run was as long as its measurements"};
    for (size_t k = 0; k < COUNT(listed); k++) {
        size_t i = 0;
        while (i < report.unchecked.count && !strstr(report.unchecked.text[i], listed[k]))
            i++;
        assert_true(i < report.unchecked.count);
    }
    report_free(&report);
    free(path);
    free(edit.text);
}

/* The results of repetitions with one record each would need 500 times as much memory as the file. */
static void memory_is_bounded_by_the_size_of_the_file(void **state)
{
    char found[4096];
    struct edit edit = edit_open("beff-n2");
    edit_value(&edit, "option_polygons", "999");
    char *line = edit_record(&edit, 0), *tail = strchr(line, '\t'), *many = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&many, &size);
    for (int pass = 2; pass < 3000; pass++)
        fprintf(out, "%d%.*s\n", pass, (int)strcspn(tail, "\n"), tail);
    fclose(out);
    edit_replace(&edit, line, 0, many);
    find(*state, &edit, found, sizeof found);
    assert_contains(found, "repetitions of 999 polygons");
    free(many);
    free(edit.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_wrong_with_the_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_record_is_reported_with_its_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_value_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(repeatable_keys_may_have_several_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_with_faults_is_not_valid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_repeated_measurement_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_record_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_unknown_and_repeated_results_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_copied_record_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unchecked_things_are_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(skipped_measurements_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unexplained_time_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sweep_that_was_too_short_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sweep_may_consist_of_its_timed_iterations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_is_bounded_by_the_size_of_the_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
