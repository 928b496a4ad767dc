/* From a protocol in memory to the sheet: headline, figures, verdict, tables. */
#include "beff_io/results.h"

#include "beff_io/settings.h"
#include "tests/unit.h"

static const char *const metadata[][2] = {
    {"format", PROTOCOL_FORMAT},
    {"program", "beff_io"},
    {"definition", IO_DEFINITION},
    {"processes", "4"},
    {"nodes", "1"},
    {"partitions", "1,2,4"},
    {"lmax", "2097152"},
    {"time_s", "1800"},
    {"memory_per_process_mib", "128"},
    {"node_memory_mib", "512"},
    {"uname", "Linux host 6.1 x86_64"},
    {"elapsed_s", "1799.5"},
};

/* Without the metadata `left_out`; NULL: with all of it. */
static void make_protocol(struct protocol *p, const char *left_out)
{
    struct message error;
    *p = (struct protocol){.type = &io_record_type};
    for (size_t i = 0; i < COUNT(metadata); i++)
        if (!left_out || strcmp(metadata[i][0], left_out))
            assert_int_equal(protocol_meta(p, metadata[i][0], metadata[i][1], &error), 0);
}

static void add_meta(struct protocol *p, const char *key, const char *value)
{
    struct message error;
    assert_int_equal(protocol_meta(p, key, value, &error), 0);
}

static void add(struct protocol *p, int64_t processes, enum io_access access, int type, const char *pattern,
                double seconds, double bandwidth)
{
    struct io_record r = {.processes = processes,
                          .type = type,
                          .calls = 10,
                          .bytes = (int64_t)(bandwidth * 1e6 * seconds),
                          .t_total = seconds,
                          .bandwidth = bandwidth,
                          .planned = -1};
    snprintf(r.access, sizeof r.access, "%s", io_access_name(access));
    snprintf(r.pattern, sizeof r.pattern, "%s", pattern);
    snprintf(r.ended_by, sizeof r.ended_by, "%s", strcmp(pattern, RECORD_TOTAL) ? "time" : "");
    assert_int_equal(protocol_keep_record(p, &r), 0);
}

/* Each type wrote for 52 s (5 * 52 = 260 of 256 s that are scheduled), at 10 MB/s per process. */
static void add_partition(struct protocol *p, int64_t processes)
{
    double b = 10 * (double)processes;
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int t = 0; t < IO_TYPES; t++)
            if (io_runs((enum io_type)t, (enum io_access)a, false))
                add(p, processes, (enum io_access)a, t, RECORD_TOTAL, 52, (a + 1) * b);
    add(p, processes, ACCESS_WRITE, TYPE_SCATTER, "2", 4, 123);
}

static void add_partitions(struct protocol *p)
{
    add_partition(p, 1);
    add_partition(p, 2);
    add_partition(p, 4);
}

static double figure(const struct io_results *r, const char *name)
{
    for (int i = 0; i < r->sheet.value_count; i++)
        if (strcmp(r->sheet.values[i].name, name) == 0)
            return r->sheet.values[i].value;
    fail_msg("no figure %s", name);
    return 0;
}

static bool reached(const struct io_results *r, const char *start)
{
    for (int i = 0; i < r->sheet.criterion_count; i++)
        if (strncmp(r->sheet.criteria[i].text, start, strlen(start)) == 0)
            return r->sheet.criteria[i].reached;
    fail_msg("no criterion \"%s\"", start);
    return false;
}

/* 40 MB/s writes, 80 rewrites, 120 reads on 4 processes: 10 + 20 + 60; release 2.1: sqrt((5 * 40 + 80) / 6 *
 * 120). */
static void a_valid_run(void **state)
{
    (void)state;
    struct protocol p;
    struct io_results r;
    struct message error;
    make_protocol(&p, NULL);
    add_partitions(&p);
    assert_int_equal(io_results_make(&r, &p, &error), 0);
    assert_near(figure(&r, "b_eff_io"), 90, 1e-12);
    assert_near(figure(&r, "b_eff_io_processes"), 4, 1e-12);
    assert_near(figure(&r, "b_eff_io_release_2_1"), 74.833147735478827, 1e-12);
    assert_near(figure(&r, "minutes_to_read_memory"), 4 * 128 * 1.048576 / 120 / 60, 1e-12);
    assert_true(sheet_valid(&r.sheet));
    assert_string_equal(r.sheet.headline,
                        "b_eff_io = 90.000 MB/s on 4 processes with 128 MByte/PE, scheduled "
                        "time=30.0 Min, on Linux host 6.1 x86_64, VALID");
    struct table table;
    io_type_table(&r, TYPE_SCATTER, &table);
    assert_int_equal(table.rows, 3 * 9);
    io_results_free(&r);
    protocol_free(&p);
}

/* Each reason by itself makes the same run not valid. */
static void reasons_against_validity(void **state)
{
    (void)state;
    static const struct {
        const char *left_out, *key, *value, *criterion;
    } rows[] = {{"time_s", "time_s", "1799", "scheduled time of each partition"},
                {"partitions", "partitions", "1,2,4,4", "wrote for 95 %"},
                {NULL, "option_noshared", "yes", "shared file pointers"},
                {"node_memory_mib", "node_memory_mib", "1000000", "files larger than memory"},
                {NULL, "interrupted", "partial (stopped by signal 15)", "the run came to its end"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p;
        struct io_results r;
        struct message error;
        make_protocol(&p, rows[i].left_out);
        add_meta(&p, rows[i].key, rows[i].value);
        add_partitions(&p);
        assert_int_equal(io_results_make(&r, &p, &error), 0);
        assert_false(reached(&r, rows[i].criterion));
        assert_false(sheet_valid(&r.sheet));
        assert_contains(r.sheet.headline, "NOT VALID (see above)");
        io_results_free(&r);
        protocol_free(&p);
    }
}

/* Dropping the caches stands for files larger than memory, where it worked for every file. */
static void dropped_caches(void **state)
{
    (void)state;
    static const char *const left[] = {"0.0000", "0.0099", "0.5000", "-1.0000"};
    for (int i = 0; i < 4; i++) {
        struct protocol p;
        struct io_results r;
        struct message error;
        char text[100];
        make_protocol(&p, "node_memory_mib");
        add_meta(&p, "node_memory_mib", "1000000");
        add_meta(&p, "caches_dropped", "write scatter, 4 processes: 0.0000 of the file still in memory");
        snprintf(text, sizeof text, "write shared, 4 processes: %s of the file still in memory", left[i]);
        add_meta(&p, "caches_dropped", text);
        add_partitions(&p);
        assert_int_equal(io_results_make(&r, &p, &error), 0);
        assert_true(reached(&r, "files larger than memory") == (i < 2));
        io_results_free(&r);
        protocol_free(&p);
    }
}

static void without_reads_there_is_no_number(void **state)
{
    (void)state;
    struct protocol p;
    struct io_results r;
    struct message error;
    make_protocol(&p, NULL);
    add(&p, 4, ACCESS_WRITE, 0, RECORD_TOTAL, 260, 10);
    assert_int_equal(io_results_make(&r, &p, &error), 0);
    assert_nan(figure(&r, "b_eff_io"));
    assert_contains(r.sheet.headline, "no b_eff_io");
    assert_false(sheet_valid(&r.sheet));
    io_results_free(&r);
    protocol_free(&p);
}

static void protocols_that_lack_something(void **state)
{
    (void)state;
    static const char *const needed[] = {"processes", "lmax", "time_s", "memory_per_process_mib"};
    for (size_t i = 0; i < COUNT(needed); i++) {
        struct protocol p;
        struct io_results r;
        struct message error;
        make_protocol(&p, needed[i]);
        add_partitions(&p);
        assert_int_equal(io_results_make(&r, &p, &error), -1);
        assert_contains(error.text, needed[i]);
        io_results_free(&r);
        protocol_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valid_run),
        cmocka_unit_test(reasons_against_validity),
        cmocka_unit_test(dropped_caches),
        cmocka_unit_test(without_reads_there_is_no_number),
        cmocka_unit_test(protocols_that_lack_something),
    };
    return cmocka_run_group_tests_name("beff_io results", tests, NULL, NULL);
}
