/* Tests the sheet made from a protocol in memory: headline, figures, verdict and tables. */
#include "beff_io/results.h"

#include <math.h>

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

/* The protocol of the current test and its results. make_protocol() frees the previous ones. */
static struct protocol p;
static struct io_results r;
static struct message error;

/* Makes a protocol with all metadata except `missing`, which may be NULL. */
static void make_protocol(const char *missing)
{
    io_results_free(&r);
    protocol_free(&p);
    r = (struct io_results){0};
    p = (struct protocol){.type = &io_record_type};
    for (size_t i = 0; i < COUNT(metadata); i++)
        if (!missing || strcmp(metadata[i][0], missing))
            protocol_meta(&p, metadata[i][0], metadata[i][1]);
}

static void make_results(void)
{
    assert_int_equal(io_results_make(&r, &p, &error), 0);
}

/* The differences between a made-up run and a valid run. If all members are 0, the run is valid. */
struct story {
    const char *ended_by; /* reason why the writes of the patterns with this `place` ended */
    int place;
    double used; /* fraction of their slices that these writes used */
    double resident, passed;
    int direct, elsewhere;
    int64_t errors;
    double shared; /* bandwidth of type 1's writes / bandwidth of the other types' writes; 0 means 1 */
    bool killed;
};

static void add(int64_t processes, enum io_access access, int type, const char *pattern, double seconds,
                double bandwidth, const struct story *story)
{
    static const int units[IO_TYPES] = {22, 12, 10, 10, 10};
    if (story->shared > 0 && type == TYPE_SHARED && access == ACCESS_WRITE)
        bandwidth *= story->shared;
    struct io_record record = {.processes = processes,
                               .type = type,
                               .units = units[type],
                               .calls = 10,
                               .bytes = (int64_t)(bandwidth * 1e6 * seconds),
                               .t_total = seconds,
                               .bandwidth = bandwidth,
                               .planned = -1,
                               .resident = story->resident,
                               .direct = story->direct,
                               .elsewhere = story->elsewhere,
                               .passed = story->passed};
    snprintf(record.access, sizeof record.access, "%s", io_access_names[access]);
    snprintf(record.pattern, sizeof record.pattern, "%s", pattern);
    snprintf(record.ended_by, sizeof record.ended_by, "%s", strcmp(pattern, RECORD_TOTAL) ? "time" : "");
    protocol_record(&p, &record);
}

/* Adds the initial writes of a partition. Unless the story changes it, the time of each pattern is its slice:
 * 4 s (600 s / 150) times its U. */
static void add_writes(int64_t processes, const struct story *story)
{
    struct io_pattern patterns[IO_PATTERNS];
    io_patterns(2097152, patterns);
    for (int i = 0; i < IO_PATTERNS; i++) {
        struct io_record record = {.processes = processes,
                                   .type = patterns[i].type,
                                   .units = patterns[i].units,
                                   .calls = 10,
                                   .chunk_disk = patterns[i].disk,
                                   .chunk_mem = patterns[i].memory,
                                   .bytes = 10 * patterns[i].memory * processes,
                                   .t_total = 4 * patterns[i].units,
                                   .errors =
                                       story->errors, /* the totals have none: the run may end before them */
                                   .planned = -1};
        bool affected = story->ended_by && patterns[i].place == story->place;
        if (affected && patterns[i].units)
            record.t_total *= story->used;
        snprintf(record.access, sizeof record.access, "write");
        snprintf(record.pattern, sizeof record.pattern, "%d", i);
        snprintf(record.ended_by, sizeof record.ended_by, "%s",
                 affected ? (patterns[i].type >= TYPE_SEGMENTED ? "repeat" : story->ended_by) : "time");
        if (affected && strcmp(story->ended_by, "skipped") == 0)
            record.calls = 0;
        protocol_record(&p, &record);
    }
}

/* Adds a partition that writes 10 MB/s per process. */
static void add_partition(int64_t processes, const struct story *story)
{
    double b = 10 * (double)processes;
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int t = 0; t < IO_TYPES; t++)
            if (io_runs((enum io_type)t, (enum io_access)a, false))
                add(processes, (enum io_access)a, t, RECORD_TOTAL, 52, (a + 1) * b, story);
    add_writes(processes, story);
}

static void add_partitions(const struct story *story)
{
    add_partition(1, story);
    add_partition(2, story);
    add_partition(4, story);
    if (!story->killed)
        p.end = strdup("complete");
}

static double figure(const char *name)
{
    for (int i = 0; i < r.sheet.value_count; i++)
        if (strcmp(r.sheet.values[i].name, name) == 0)
            return r.sheet.values[i].value;
    fail_msg("no figure %s", name);
    return 0;
}

static bool reached(const char *start)
{
    for (int i = 0; i < r.sheet.criterion_count; i++)
        if (strncmp(r.sheet.criteria[i].text, start, strlen(start)) == 0)
            return r.sheet.criteria[i].state == CRITERION_REACHED;
    fail_msg("no criterion \"%s\"", start);
    return false;
}

/* 4 processes write 40 MB/s, rewrite 80 MB/s and read 120 MB/s, so b_eff_io is 10 + 20 + 60 MB/s. The value
 * of release 2.1 is sqrt((5 * 40 + 80) / 6 * 120). */
TEST(a_valid_run)
{
    make_protocol(NULL);
    add_partitions(&(struct story){0});
    make_results();
    assert_near(figure("b_eff_io"), 90, 1e-12);
    assert_near(figure("b_eff_io_processes"), 4, 1e-12);
    assert_near(figure("b_eff_io_release_2_1"), 74.833147735478827, 1e-12);
    assert_near(figure("minutes_to_read_memory"), 4 * 128 * 1.048576 / 120 / 60, 1e-12);
    assert_true(sheet_valid(&r.sheet));
    assert_string_equal(r.sheet.headline,
                        "b_eff_io = 90.000 MB/s on 4 processes with 128 MByte/PE, scheduled "
                        "time=30.0 Min, on Linux host 6.1 x86_64, VALID");
    struct table table;
    io_type_table(&r, TYPE_SCATTER, &table);
    assert_int_equal(table.rows, 3 * 9);
}

static bool has_note(const char *text)
{
    for (size_t i = 0; i < r.sheet.notes.count; i++)
        if (strcmp(r.sheet.notes.text[i], text) == 0)
            return true;
    return false;
}

/* 4 processes write 40 MB/s, but 16 MB/s with shared file pointers. */
TEST(types_and_their_largest_contrast)
{
    make_protocol(NULL);
    add_partitions(&(struct story){.shared = 0.4});
    make_results();
    assert_true(has_note("type 0 (scatter): write 40, rewrite 80, read 120 MB/s"));
    assert_true(has_note("type 1 (shared): write 16, read 120 MB/s"));
    assert_true(has_note("largest contrast: shared file pointers write at 0.4 times the bandwidth of strided "
                         "collective calls"));
}

/* Stripes are shown if MPI reports both hints. */
TEST(stripes_are_part_of_the_storage)
{
    for (int reported = 0; reported < 2; reported++) {
        make_protocol(NULL);
        protocol_meta(&p, "storage_type", "lustre");
        protocol_meta(&p, "storage_source", "mds@tcp:/lustre");
        protocol_meta(&p, "storage_mount", "/lustre");
        protocol_meta(&p, "storage_path", "/lustre/me");
        protocol_meta(&p, "storage_bytes", "1000000000000");
        protocol_meta(&p, "free_bytes", "750000000000");
        protocol_meta(&p, "hints_in_force",
                      reported
                          ? "read seg_coll, 4 processes: striping_factor=16 cb_nodes=2 striping_unit=4194304"
                          : "read seg_coll, 4 processes: striping_unit=4194304");
        add_partitions(&(struct story){0});
        make_results();
        assert_true(has_note(
            reported ? "storage: lustre on mds@tcp:/lustre, mounted at /lustre, 1000 GB, 25 % full; files in "
                       "/lustre/me; stripes of files: 16 of 4194304 B"
                     : "storage: lustre on mds@tcp:/lustre, mounted at /lustre, 1000 GB, 25 % full; files in "
                       "/lustre/me"));
    }
}

/* The scheduled times of all types add up to the time of the run, regardless of the slices that were used. */
TEST(scheduled_times_add_up)
{
    double sum = 0;
    make_protocol(NULL);
    add_partitions(&(struct story){0});
    make_results();
    const struct table *table = &r.sheet.tables[1];
    assert_string_equal(table->name, "by_type");
    for (int i = 0; i < table->rows; i++)
        for (int c = 0; c < table->column_count; c++) {
            union table_row room;
            if (strcmp(table->columns[c].name, "scheduled") == 0)
                sum += column_number(&table->columns[c], table_row(table, i, &room));
        }
    assert_near(sum, 1800, 1e-9);
}

/* Each of these changes alone makes a valid run NOT VALID. */
TEST(criteria_follow_from_the_metadata)
{
    static const struct {
        const char *missing, *key, *value, *criterion;
    } rows[] = {{"time_s", "time_s", "1799", "at least 10 min scheduled for each partition"},
                {"partitions", "partitions", "1,2,3,4", "at least 90 %"},
                {NULL, "option_noshared", "yes", "shared file pointers"},
                {NULL, "option_separated-paths", "a,b", "all files on one storage"},
                {NULL, "option_types", "scatter", "every pattern measured"},
                {NULL, "interrupted", "partial (stopped by signal 15)", "run completed"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_protocol(rows[i].missing);
        protocol_meta(&p, rows[i].key, rows[i].value);
        add_partitions(&(struct story){0});
        make_results();
        assert_false(reached(rows[i].criterion));
        assert_false(sheet_valid(&r.sheet));
        assert_contains(r.sheet.headline, ", NOT VALID");
    }
}

/* Each story meets or fails a criterion. The patterns with place 2 (1 MB) have 4 + 2 + 2 + 2 + 2 of 64 U, or
 * 18.75 % of the writing time; the patterns with place 2 in types 0 to 2 have 12.5 %. The patterns with
 * place 4 (1 kB) have 6 of 64 U, or 9.4 %. */
TEST(criteria_follow_from_the_records)
{
    static const struct {
        struct story story;
        const char *criterion;
        bool reached;
    } rows[] = {
        /* A cache makes the storage so fast that patterns use up their bytes before their slices. */
        {{.ended_by = "bytes", .place = 2, .used = 0.4}, "at least 90 %", false},
        {{.ended_by = "bytes", .place = 2, .used = 0.6}, "at least 90 %", true},
        {{.ended_by = "bytes", .place = 4, .used = 0}, "at least 90 %", true},
        /* A disk that fills up. */
        {{.ended_by = "space", .place = 2, .used = 0}, "at least 90 %", false},
        {{.ended_by = "space", .place = 2, .used = 0.9}, "at least 90 %", true},
        /* Patterns may end by their repeat factor, unless it comes from a lack of bytes or space. */
        {{.ended_by = "time", .place = 2, .used = 1}, "at least 90 %", true},
        {{.ended_by = "time", .place = 2, .used = 0.5}, "at least 90 %", true},
        /* Lack of time. */
        {{.ended_by = "time", .place = 2, .used = 0.1}, "at least 90 %", false},
        {{.ended_by = "skipped", .place = 2, .used = 0}, "every pattern measured", false},
        /* Cold and warm reads. */
        {{.resident = 0.0099}, "all rated reads cold", true},
        {{.resident = 0.0101}, "all rated reads cold", false},
        {{.resident = 1, .passed = 0.99}, "all rated reads cold", false},
        {{.resident = 1, .passed = 1.01}, "all rated reads cold", true},
        {{.resident = -1, .passed = 0}, "all rated reads cold", false},
        {{.resident = -1, .passed = 2}, "all rated reads cold", true},
        {{.resident = -1, .direct = 1}, "all rated reads cold", true},
        {{.resident = 0.5, .elsewhere = 1}, "all rated reads cold", true},
        {{.errors = 1}, "all data correct", false},
        {{.killed = true}, "run completed", false},
        {{.killed = false}, "run completed", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_protocol(NULL);
        add_partitions(&rows[i].story);
        make_results();
        if (reached(rows[i].criterion) != rows[i].reached || sheet_valid(&r.sheet) != rows[i].reached)
            fail_msg("row %zu: \"%s\"", i, rows[i].criterion);
    }
}

/* A run without reads is NOT VALID, but not because its reads are warm. */
TEST(runs_without_reads_are_not_judged_by_them)
{
    make_protocol(NULL);
    protocol_meta(&p, "option_access", "write,rewrite");
    add_partitions(&(struct story){.resident = 1});
    make_results();
    assert_false(sheet_valid(&r.sheet));
    for (int i = 0; i < r.sheet.criterion_count; i++)
        assert_null(strstr(r.sheet.criteria[i].text, "all rated reads cold"));
}

TEST(one_warm_file_fails_the_criterion)
{
    make_protocol(NULL);
    add_partitions(&(struct story){0});
    add(4, ACCESS_READ, TYPE_SCATTER, RECORD_TOTAL, 52, 10, &(struct story){.resident = 0.9});
    make_results();
    assert_false(reached("all rated reads cold"));
}

TEST(without_reads_there_is_no_b_eff_io)
{
    make_protocol(NULL);
    add(4, ACCESS_WRITE, 0, RECORD_TOTAL, 260, 10, &(struct story){0});
    make_results();
    assert_nan(figure("b_eff_io"));
    assert_contains(r.sheet.headline, "no b_eff_io");
    assert_false(sheet_valid(&r.sheet));
}

TEST(missing_metadata_is_an_error)
{
    static const char *const needed[] = {"processes", "lmax", "time_s", "memory_per_process_mib"};
    for (size_t i = 0; i < COUNT(needed); i++) {
        make_protocol(needed[i]);
        add_partitions(&(struct story){0});
        assert_int_equal(io_results_make(&r, &p, &error), -1);
        assert_contains(error.text, needed[i]);
    }
}

/* ---- before the run ---- */

static struct io_settings settings;
static struct io_task task;
static struct io_prospect prospect;
static char printed[4096];

/* Returns the number of criteria that the run cannot meet, and writes their lines to `printed`. */
static int list_unreachable(void)
{
    *printed = 0;
    struct texts lines = {0};
    io_prospect_unreachable(&prospect, &lines);
    for (size_t i = 0; i < lines.count; i++)
        snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "%s\n", lines.text[i]);
    int count = (int)lines.count;
    texts_free(&lines);
    return count;
}

/* Sets up an ordinary run: 30 minutes, two partitions, 500 GB on a disk. */
static int start(void **state)
{
    (void)state;
    settings = io_defaults;
    settings.selection = io_select_all(false);
    task = (struct io_task){.partitions = {1, 2},
                            .partition_count = 2,
                            .selection = io_select_all(false),
                            .max_bytes = 500000000000};
    prospect = (struct io_prospect){.settings = &settings, .task = &task, .memory = 24e9};
    return 0;
}

/* Returns the number of warnings for a run with `processes` processes. Writes their lines to `printed`. */
static size_t list_warnings(int64_t processes)
{
    struct texts lines = {0};
    *printed = 0;
    task.partitions[1] = processes;
    io_patterns(io_mpart(1024), task.patterns);
    io_prospect_warnings(&prospect, &lines);
    for (size_t i = 0; i < lines.count; i++)
        snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "%s\n", lines.text[i]);
    size_t count = lines.count;
    texts_free(&lines);
    return count;
}

/* In a run of 30 minutes, a pattern with U = 1 has 6 s. With up to 20000 processes, 10 calls fit into this
 * time if a call takes 30 microseconds per process. */
TEST_WITH(very_many_processes_cause_warnings, start, NULL)
{
    settings.run.time = 1800;
    assert_int_equal(list_warnings(2), 0);
    assert_int_equal(list_warnings(900), 0);
    task.max_bytes = INT64_MAX;
    assert_int_equal(list_warnings(20000), 0);
    assert_int_equal(list_warnings(20001), 1);
    assert_contains(printed, "all 20001 processes: each call of type 1 takes 0.6 s or more");
    assert_contains(printed, "the shortest patterns have 6.0 s");
    settings.noshared = true;
    assert_int_equal(list_warnings(100000), 0);
    settings.noshared = false;
    assert_int_equal(list_warnings(1000000), 2);
    assert_contains(printed, "takes 30.0 s or more");
    assert_contains(printed, "type 2 creates 1000000 files in one directory");
}

TEST_WITH(an_ordinary_run_can_meet_all_criteria, start, NULL)
{
    assert_int_equal(list_unreachable(), 0);
    assert_near(io_prospect_fastest(&prospect), 500e9 / 768 / 0.9 / 1e6, 1e-6);
}

TEST_WITH(unreachable_criteria_are_reported, start, NULL)
{
    settings.run.time = 1799;
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "--time 1800");
    task.partition_count = 3;
    settings.run.time = 1800;
    assert_int_equal(list_unreachable(), 0);
    settings.noshared = true;
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "without --noshared");
    settings.noshared = false;
    settings.separated_paths.count = 2;
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "without --separated-paths");
    settings.separated_paths.count = 0;
    settings.types.count = 1;
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "every pattern measured");
    settings.types.count = 0;
    task.partitions[1] = 10000;
    io_patterns(io_mpart(1024), task.patterns);
    task.max_bytes = io_min_bytes(&task);
    assert_int_equal(list_unreachable(), 0);
    task.max_bytes -= 1000000000;
    assert_int_equal(list_unreachable(), 1);
    char expected[160];
    snprintf(expected, sizeof expected,
             "run completed: one call of each pattern writes %.1f GB, but at most %.1f GB",
             (double)io_min_bytes(&task) / 1e9, (double)io_min_bytes(&task) / 1e9 - 1);
    assert_contains(printed, expected);
}

TEST_WITH(reads_from_memory_are_reported, start, NULL)
{
    prospect.in_memory = true;
    settings.selection.access[ACCESS_READ] = false;
    assert_int_equal(list_unreachable(), 0);
    settings.selection = io_select_all(false);
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "the file system is in memory");
    prospect.in_memory = false;
    settings.keep_caches = true;
    task.max_bytes = 40000000000; /* 20 GB in each partition, with 24 GB of memory */
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "with --keep-caches, more than 24.0 GB must be transferred");
    task.max_bytes = 60000000000;
    assert_int_equal(list_unreachable(), 0);
    settings.keep_caches = false;
    prospect.hides_cache = true;
    assert_int_equal(list_unreachable(), 0);
    task.max_bytes = 40000000000;
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed, "does not show which pages are in memory");
}

/* With a single partition, nothing is transferred between the rewrite of type 0 and its read. With --rewrite,
 * types 1 to 4 are. */
TEST_WITH(reads_directly_after_the_rewrite_are_reported, start, NULL)
{
    task.partition_count = 1;
    assert_int_equal(list_unreachable(), 0);
    settings.keep_caches = true;
    assert_int_equal(list_unreachable(), 1);
    assert_contains(printed,
                    "but type 0 of a single partition is read directly after its rewrite; use --evict");
    settings.rewrite = true;
    assert_int_equal(list_unreachable(), 0);
    settings.rewrite = false;
    settings.evict = true;
    assert_int_equal(list_unreachable(), 0);
}
