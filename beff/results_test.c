/* Tests the sheet of a protocol in memory: headline, figures, verdict and tables. Some protocols are
 * incomplete. */
#include "beff/disturbance.h"
#include "beff/results.h"
#include "beff/settings.h"

#include <inttypes.h>

#include "common/environment.h"
#include "tests/unit.h"

enum { PROCESSES = 4, POLYGONS = 30, LMAX = 8388608 };

static const char *const metadata[][2] = {
    {"format", PROTOCOL_FORMAT},
    {"program", "beff"},
    {"definition", BEFF_DEFINITION},
    {"version", "0.1.0"},
    {"started", "2026-11-21T12:34:56Z"},
    {"processes", "4"},
    {"nodes", "1"},
    {"option_polygons", "30"},
    {"lmax", "8388608"},
    {"seed", "7"},
    {"memory_per_process_mib", "1024"},
    {"memory_source", "detected"},
    {"oversubscribed", "no"},
    {"uname", "Linux host 6.1 x86_64"},
    {"finished", "2026-11-21T12:35:56Z"},
};

/* The protocol of the current test and its results. make_protocol() frees the previous ones. */
static struct protocol p;
static struct beff_results r;

/* Makes a protocol with all metadata except the key `skipped`; NULL omits none. */
static void make_protocol(const char *skipped)
{
    beff_results_free(&r);
    protocol_free(&p);
    r = (struct beff_results){0};
    p = (struct protocol){.type = &beff_record_type, .end = strdup("complete")};
    for (size_t i = 0; i < COUNT(metadata); i++)
        if (!skipped || strcmp(metadata[i][0], skipped))
            protocol_meta(&p, metadata[i][0], metadata[i][1]);
}

static void add_meta(const char *key, const char *value)
{
    protocol_meta(&p, key, value);
}

/* Adds a repetition. The bandwidth of pattern p (from 0) at size s is (p + 1)(s + 1), with Alltoallv twice as
 * high, and in pass n it is n times as high. */
static void add_repetition(int pass, int rep)
{
    struct pattern_list list;
    int64_t sizes[BEFF_SIZES];
    patterns_make(&list, PROCESSES, POLYGONS, 7, LMAX);
    beff_sizes(LMAX, sizes);
    for (int i = 0; i < list.count; i++)
        for (int m = 0; m < (list.patterns[i].sendrecv_only ? 1 : METHODS); m++)
            for (int s = 0; s < BEFF_SIZES; s++) {
                double b = (i + 1.0) * (s + 1) * (m == METHOD_ALLTOALLV ? 2 : 1) * pass;
                struct beff_record record = {.pass = pass,
                                             .rep = rep,
                                             .bytes = sizes[s],
                                             .messages = list.patterns[i].messages,
                                             .loops = 10,
                                             .t_min = 1e-3,
                                             .t_avg = 1.5e-3,
                                             .t_max = 2e-3,
                                             .bandwidth = b};
                strcpy(record.pattern, list.patterns[i].id);
                strcpy(record.method, method_name((enum method)m));
                protocol_record(&p, &record);
            }
    patterns_free(&list);
}

static void add_passes(int passes)
{
    for (int pass = 1; pass <= passes; pass++)
        for (int rep = 1; rep <= 3; rep++)
            add_repetition(pass, rep);
}

static void make_results(void)
{
    struct message error = {""};
    if (beff_results_make(&r, &p, &error))
        fail_msg("%s", error.text);
}

static double value_of(const char *name)
{
    for (int i = 0; i < r.sheet.value_count; i++)
        if (strcmp(r.sheet.values[i].name, name) == 0)
            return r.sheet.values[i].value;
    fail_msg("no value %s", name);
    return NAN;
}

/* Returns b_eff of pass 1: the average over 6 rings and 30 polygons, times 11 (the mean of 1 .. 21), times 2
 * (Alltoallv). */
static double expected_b_eff(void)
{
    double logs = 0;
    for (int p = 7; p <= 36; p++)
        logs += log(p) / 30;
    return sqrt(pow(720, 1.0 / 6) * exp(logs)) * 11 * 2;
}

TEST(makes_the_headline)
{
    char expected[256];
    make_protocol(NULL);
    add_passes(1);
    make_results();
    /* Scripts grep for this line of b_eff 3.6. */
    snprintf(expected, sizeof expected,
             "b_eff = %.3f MB/s = %.3f * 4 PEs with 1024 MB/PE on Linux host 6.1 x86_64", expected_b_eff(),
             expected_b_eff() / 4);
    assert_string_equal(r.sheet.headline, expected);
    assert_true(sheet_valid(&r.sheet));
    assert_int_equal(r.sheet.pass_count, 1);
    assert_close(r.sheet.passes[0], expected_b_eff());
}

TEST(makes_the_figures)
{
    static const char *const names[] = {
        "b_eff",           "b_eff_per_process",      "b_eff_rings",        "b_eff_random",
        "b_eff_lmax",      "b_eff_lmax_per_process", "b_eff_lmax_rings",   "b_eff_lmax_rings_per_process",
        "pingpong_lmax",   "pingpong_latency_us",    "message_latency_us", "b_eff_sendrecv",
        "b_eff_alltoallv", "b_eff_nonblocking"};
    make_protocol(NULL);
    add_passes(2);
    make_results();
    const struct sheet *sheet = &r.sheet;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_true(isfinite(value_of(names[i])));
    double b_eff = 1.5 * expected_b_eff(); /* the median of two passes */
    assert_close(value_of("b_eff"), b_eff);
    assert_close(value_of("b_eff_per_process"), b_eff / 4);
    assert_close(value_of("b_eff_sendrecv"), b_eff / 2);
    assert_close(value_of("b_eff_alltoallv"), b_eff);
    assert_close(value_of("b_eff_lmax"), b_eff * 21 / 11);
    /* bandwidth 10 at 512 B, 11 at 1024 B, 21 at Lmax */
    assert_close(value_of("half_bandwidth_bytes"), 512 * pow(2, log(10.5 / 10) / log(11.0 / 10)));
    /* The latency is the median of 1 and 1/2, the bandwidth the median of 1 and 2. */
    double messages = 8; /* logarithmic average over rings and polygons */
    for (int i = 1; i <= BEFF_RING_PATTERNS; i++) {
        struct ring_partition rings = ring_partition(PROCESSES, i);
        messages *= pow((double)ring_messages(&rings) / 8, 0.5 / BEFF_RING_PATTERNS);
    }
    assert_close(value_of("message_balance_bytes"), 21 * 0.75 * 1.5 * messages / PROCESSES);
    assert_close(sqrt(value_of("b_eff_rings") * value_of("b_eff_random")), b_eff);
    assert_int_equal(sheet->pass_count, 2);
    /* The median of a pass with 1 and a pass with 2 is 1.5. */
    assert_close(value_of("b_eff_medians"), b_eff);
    assert_close(value_of("noise_percent") + 1, 1);
    assert_string_equal(sheet->noise, "noise costs 0.0 %; 0 % of the records took over 1.5 times the best");
    for (int i = 0; i < sheet->value_count; i++)
        for (int other = 0; other < i; other++)
            assert_string_not_equal(sheet->values[i].name, sheet->values[other].name);
}

static const struct table *table_of(const struct sheet *sheet, const char *name)
{
    for (int i = 0; i < sheet->table_count; i++)
        if (strcmp(sheet->tables[i].name, name) == 0)
            return &sheet->tables[i];
    fail_msg("no table %s", name);
    return NULL;
}

static int column_of(const struct table *table, const char *column)
{
    for (int i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, column) == 0)
            return i;
    fail_msg("no column %s", column);
    return 0;
}

static double number_of(const struct table *table, int row, const char *column)
{
    union table_row room;
    return column_number(&table->columns[column_of(table, column)], table_row(table, row, &room));
}

static const char *text_of(const struct table *table, int row, const char *column)
{
    static union table_row room;
    return column_text(&table->columns[column_of(table, column)], table_row(table, row, &room));
}

TEST(makes_tables)
{
    make_protocol(NULL);
    add_passes(1);
    add_repetition(2, 1);
    make_results();
    const struct table *sizes = table_of(&r.sheet, "by_size"), *patterns = table_of(&r.sheet, "by_pattern");
    const struct table *repetitions = table_of(&r.sheet, "by_repetition");
    assert_int_equal(sizes->rows, BEFF_SIZES);
    for (int s = 0; s < BEFF_SIZES; s++) {
        double at_size = expected_b_eff() / 11 * (s + 1);
        assert_real(number_of(sizes, s, "bytes"), (double)r.list.sizes[s]);
        assert_close(number_of(sizes, s, "accumulated"), at_size);
        assert_close(number_of(sizes, s, "per_process"), at_size / 4);
        assert_close(number_of(sizes, s, "nonblocking"), at_size / 8);
    }
    assert_int_equal(patterns->rows, r.list.count);
    for (int i = 0; i < r.list.count; i++) {
        assert_string_equal(text_of(patterns, i, "pattern"), r.list.patterns[i].id);
        assert_close(number_of(patterns, i, "average"), (i + 1) * 11 * (i == r.list.count - 1 ? 1 : 2));
        assert_close(number_of(patterns, i, "t_min/t_max"), 0.5);
        assert_close(number_of(patterns, i, "t_avg/t_max"), 0.75);
    }
    assert_nan(number_of(patterns, r.list.count - 1, "Alltoallv")); /* ping-pong */
    assert_int_equal(repetitions->rows, 4);
    assert_close(number_of(repetitions, 3, "b_eff"), 2 * expected_b_eff());
}

TEST(makes_a_table_of_each_pattern)
{
    make_protocol(NULL);
    add_passes(1);
    make_results();
    for (int i = 0; i < r.list.count; i++) {
        struct table table;
        bool pingpong = r.list.patterns[i].sendrecv_only;
        beff_pattern_table(&r, i, &table);
        assert_string_equal(table.name, r.list.patterns[i].id);
        assert_int_equal(table.rows, BEFF_SIZES);
        for (int s = 0; s < BEFF_SIZES; s++) {
            assert_close(number_of(&table, s, "best"), (i + 1) * (s + 1) * (pingpong ? 1 : 2));
            assert_close(number_of(&table, s, "Sendrecv"), (i + 1) * (s + 1));
            assert_string_equal(text_of(&table, s, "best_method"), pingpong ? "Sendrecv" : "Alltoallv");
        }
    }
}

/* ---- verdict ---- */

TEST(derives_the_verdict)
{
    static const struct {
        const char *key, *value, *reason;
    } rows[] = {
        {"oversubscribed", "yes", "oversubscribed: yes"},
        {"interrupted", "partial (stopped by signal 15)", "signal 15"},
        {"option_clock", "simulated", "a real machine"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_protocol(NULL);
        add_meta(rows[i].key, rows[i].value);
        add_passes(1);
        make_results();
        int failed = 0;
        for (int c = 0; c < r.sheet.criterion_count; c++)
            if (r.sheet.criteria[c].state == CRITERION_MISSED) {
                assert_contains(r.sheet.criteria[c].text, rows[i].reason);
                failed++;
            }
        assert_int_equal(failed, 1);
        bool simulated = strcmp(rows[i].value, "simulated") == 0;
        assert_contains(r.sheet.headline, simulated ? " on a SIMULATED machine, NOT VALID"
                                                    : " on Linux host 6.1 x86_64, NOT VALID");
        assert_true(isfinite(value_of("b_eff"))); /* NOT VALID is not an error */
    }
}

/* In one of `every` cells, one of the cell's 3 records takes `factor` times as long. */
TEST(counts_perturbed_records)
{
    static const struct {
        int repetitions, every;
        double factor, percent;
    } rows[] = {{3, 3, 1.6, 100 / 9.0},
                {3, 3, 1.4, 0},
                {3, 3, 1e-6, 200 / 9.0}, /* then the two other records are perturbed */
                {2, 1, 9, NAN},
                {1, 1, 1, NAN}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_protocol(NULL);
        for (int rep = 1; rep <= rows[i].repetitions; rep++)
            add_repetition(1, rep);
        size_t cells = p.records.count / (size_t)rows[i].repetitions;
        for (size_t c = 0; c < cells; c++) {
            struct beff_record *record = (struct beff_record *)(void *)p.records.row + cells * (c % 2) + c;
            if (rows[i].repetitions == 3 && c % (size_t)rows[i].every == 0) {
                record->t_max *= 10 * rows[i].factor; /* for ten times as many loops */
                record->loops *= 10;
            }
        }
        make_results();
        double percent = value_of("perturbed_percent");
        if (isnan(rows[i].percent))
            assert_nan(percent);
        else
            assert_near(percent, rows[i].percent, 1e-9);
        assert_int_equal(*r.sheet.noise != 0, rows[i].repetitions == 3);
    }
}

/* The line follows the noise. If no pass was completed, there is no noise, and it follows the criterion. */
TEST(says_who_used_the_processors)
{
    static const char line[] = "other programs used 1.2 of 2 processors on vm (60 %)";
    for (int repetitions = 2; repetitions <= 3; repetitions++) {
        int found = 0;
        make_protocol(NULL);
        for (int rep = 1; rep <= repetitions; rep++)
            add_repetition(1, rep);
        protocol_add(&p, BEFF_DISTURBANCES, &(struct disturbance){1, DISTURBER_PROGRAMS, 9.5, 1.2, 2, "vm"},
                     1);
        make_results();
        assert_string_equal(r.sheet.disturbance, line);
        for (int i = 0; i < r.sheet.criterion_count; i++) {
            const struct sheet_criterion *criterion = &r.sheet.criteria[i];
            if (!strstr(criterion->text, line))
                continue;
            found++;
            assert_int_equal(criterion->state, CRITERION_MISSED);
            assert_contains(criterion->text, "at least one complete pass");
        }
        assert_int_equal(found, repetitions < 3);
        assert_int_equal(*r.sheet.noise == 0, repetitions < 3);
    }
}

/* Ring n has 2n MB/s at the smallest size and 21 times as much at Lmax. An iteration has 4 messages in ring-1
 * and 8 in the other rings; the busiest node sends 2 of them to other nodes. At Lmax that is 35.3 MB/s on its
 * link. */
TEST(notes_sizes_above_the_limit)
{
    static const struct {
        const char *link, *noted;
    } rows[] = {{"30", "--limit-link 30 allows at 3 sizes, up to 1.176 times: "}, {"1000", NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *found = NULL;
        make_protocol(NULL);
        add_meta("option_limit-link", rows[i].link);
        for (int pattern = 1; pattern <= 6; pattern++) {
            struct beff_between row = {.messages = 4, .busiest = 2};
            snprintf(row.pattern, sizeof row.pattern, "ring-%d", pattern);
            protocol_add(&p, BEFF_BETWEEN, &row, 1);
        }
        add_passes(1);
        make_results();
        for (size_t n = 0; n < r.sheet.notes.count; n++)
            if (strstr(r.sheet.notes.text[n], "--limit-link"))
                found = r.sheet.notes.text[n];
        if (rows[i].noted)
            assert_contains(found ? found : "", rows[i].noted);
        else
            assert_null(found);
        const struct table *sizes = table_of(&r.sheet, "by_size");
        assert_close(number_of(sizes, 20, "link_share"), 21 * number_of(sizes, 0, "link_share"));
    }
}

static void add_interface(const char *root, const char *name, const char *speed, const char *state,
                          const char *device)
{
    const char *const files[][2] = {{"speed", speed}, {"operstate", state}, {device, "x\n"}};
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[128];
        snprintf(path, sizeof path, "sys/class/net/%s/%s", name, files[i][0]);
        char *full = unit_path(root, path);
        unit_write(full, files[i][1], strlen(files[i][1]));
    }
}

static void add_port(const char *root, const char *port, const char *rate, const char *state)
{
    const char *const files[][2] = {{"rate", rate}, {"state", state}};
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[128];
        snprintf(path, sizeof path, "sys/class/infiniband/%s/%s", port, files[i][0]);
        char *full = unit_path(root, path);
        unit_write(full, files[i][1], strlen(files[i][1]));
    }
}

static const char *link_note(const struct beff_results *r)
{
    for (size_t i = 0; i < r->sheet.notes.count; i++)
        if (strncmp(r->sheet.notes.text[i], "a node sends", 12) == 0)
            return r->sheet.notes.text[i];
    return NULL;
}

/* Interfaces are added one after another to a made-up /sys, and the share of the link is computed after each.
 * A node sends 1250 MB/s. */
TEST(finds_the_rate_of_the_link)
{
    static const struct fabric_point points[] = {
        {.node = 0, .host = "n0", .processes = 4, .group = "-", .device = "-"},
        {.node = 1, .host = "n1", .processes = 4, .group = "-", .device = "-"}};
    static const struct fabric_exchange exchanges[] = {{FABRIC_INJECTION, 4, 8, 0, 1, 1e-6, 0},
                                                       {FABRIC_INJECTION, 4, 1000000, 0, 1, 8e-4, 0}};
    static const struct {
        const char *port, *name, *rate, *state, *device;
        double link; /* Gbit/s */
        const char *names;
    } rows[] = {
        {NULL, "eth0", "-1\n", "up\n", "device/vendor", 0, ""},
        {NULL, "eth1", "100000\n", "down\n", "device/vendor", 0, ""},
        {NULL, "docker0", "400000\n", "up\n", "bridge/id", 0, ""},
        {NULL, "eth2", "10000\n", "up\n", "device/vendor", 10, "eth2"},
        {NULL, "eth3", "10000\n", "up\n", "device/vendor", 20, "eth2, eth3"},
        {NULL, "eth4", "10000\n", "up\n", "device/physfn/vendor", 20, "eth2, eth3"},
        {NULL, "ib0", "100000\n", "up\n", "device/infiniband/mlx5_0/x", 20, "eth2, eth3"},
        {"mlx5_0/ports/1", NULL, "100 Gb/sec (4X EDR)\n", "4: ACTIVE\n", NULL, 100, "mlx5_0"},
        {"mlx5_1/ports/1", NULL, "200 Gb/sec (4X HDR)\n", "1: DOWN\n", NULL, 100, "mlx5_0"},
        {"mlx5_2/ports/1", NULL, "100 Gb/sec (4X EDR)\n", "4: ACTIVE\n", NULL, 200, "mlx5_0, mlx5_2"},
        {NULL, "eth5", "25000\n", "up\n", "device/vendor", 200, "mlx5_0, mlx5_2"},
    };
    char *root = unit_directory();
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        size_t row = i / 2;
        struct texts lines = {0};
        char names[64];
        bool given = i % 2;
        if (rows[row].port && !given)
            add_port(root, rows[row].port, rows[row].rate, rows[row].state);
        else if (!given)
            add_interface(root, rows[row].name, rows[row].rate, rows[row].state, rows[row].device);
        environment_read(&lines, root);
        make_protocol(NULL);
        for (size_t k = 0; k < lines.count; k++)
            add_meta("environment", lines.text[k]);
        protocol_add(&p, BEFF_END_POINTS, points, COUNT(points));
        protocol_add(&p, BEFF_EXCHANGES, exchanges, COUNT(exchanges));
        if (given)
            add_meta("option_limit-link", "5000");
        make_results();
        double link = given ? 40 : rows[row].link;
        snprintf(names, sizeof names, "of %g Gbit/s (%s) with 4 processes", link,
                 given ? "--limit-link" : rows[row].names);
        if (link > 0) {
            assert_close(value_of("injection_link_percent"), 100 * 10 / link);
            assert_contains(link_note(&r), names);
        } else {
            assert_null(link_note(&r));
        }
        texts_free(&lines);
    }
}

TEST(counts_data_errors)
{
    make_protocol(NULL);
    add_passes(1);
    ((struct beff_record *)(void *)p.records.row)[17].errors = 3;
    make_results();
    assert_int_equal(r.reps.errors, 3);
    assert_false(sheet_valid(&r.sheet));
}

TEST(names_the_missing_sizes)
{
    make_protocol(NULL);
    add_passes(1);
    p.records.count = 10; /* ring-1 up to 512 B */
    make_results();
    assert_contains(r.sheet.headline, "no b_eff: ");
    assert_contains(r.sheet.headline, "with all rated patterns: 1 B to 8388608 B; use a longer --time");
    beff_results_free(&r);
    r = (struct beff_results){0};
    protocol_meta(&p, "opening_needs_s", "77");
    make_results();
    assert_contains(r.sheet.headline, "8388608 B; use a longer --time: at least 77 s here");
    assert_nan(value_of("b_eff"));
    assert_nan(value_of("half_bandwidth_bytes"));
    assert_nan(value_of("message_balance_bytes"));
    assert_false(sheet_valid(&r.sheet));
}

/* A single missing size is no range. */
TEST(names_the_only_missing_size)
{
    size_t kept = 0;
    make_protocol(NULL);
    add_passes(1);
    struct beff_record *records = (void *)p.records.row;
    const struct beff_record first = records[0];
    for (size_t i = 0; i < p.records.count; i++)
        if (strcmp(records[i].pattern, first.pattern) != 0 || records[i].bytes != 4096)
            records[kept++] = records[i];
    assert_true(kept < p.records.count);
    p.records.count = kept;
    make_results();
    assert_contains(r.sheet.headline, "no b_eff: not measured with all rated patterns: 4096 B");
    assert_null(strstr(r.sheet.headline, " to "));
}

TEST(accepts_a_protocol_without_records)
{
    char *text = NULL;
    size_t size;
    make_protocol(NULL);
    make_results();
    assert_contains(r.sheet.headline, "no b_eff: ");
    assert_false(sheet_valid(&r.sheet));
    FILE *out = open_memstream(&text, &size);
    sheet_text(&r.sheet, out);
    fclose(out);
    assert_contains(text, "NOT VALID for comparison");
    if (strstr(text, "nan"))
        fail_msg("%.200s", strstr(text, "nan") - 100);
    free(text);
}

/* ---- protocols that cannot be rated ---- */

TEST(requires_metadata)
{
    static const char *const needed[] = {"processes", "option_polygons", "lmax"};
    for (size_t i = 0; i < COUNT(needed); i++) {
        struct message error = {""};
        make_protocol(needed[i]);
        add_passes(1);
        assert_int_equal(beff_results_make(&r, &p, &error), -1);
        assert_contains(error.text, needed[i]);
    }
}
