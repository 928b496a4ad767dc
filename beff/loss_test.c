/* Tests b_eff without contention on made-up fabrics, whose times follow from a few formulas. */
#include "beff/loss.h"

#include <inttypes.h>

#include "beff/estimates.h"
#include "beff/machine_test.h"
#include "beff/settings.h"

enum { LMAX = 1048576, POLYGONS = 6 };

/* A node sends 1000 MB/s, and a message has a latency of 2 us. Inside a node, each process has 4000 MB/s. */
struct world {
    int64_t processes, nodes;
    double taper;  /* messages of the polygons get 1/taper of the rate */
    double inside; /* rate of a process inside a node in bytes per second; 0: 4e9 */
    bool wide;     /* the processes of a node do not share its link */
    int methods;   /* number of measured methods; 0: all */
    const char *interface;
};

static struct protocol p;
static struct beff_results r;

/* Counts the messages that leave their node. The ranks of a node are consecutive. */
static struct beff_between count(const struct world *w, const struct pattern *pattern)
{
    struct beff_between row = {0};
    int64_t per_node = w->processes / w->nodes, node = 0;
    for (int64_t rank = 0; rank < w->processes; rank++) {
        struct neighbours n;
        pattern_neighbours(pattern, rank, &n);
        int leaving = neighbours_leaving(&n, rank, NULL, per_node);
        node = (rank % per_node ? node : 0) + leaving;
        row.messages += leaving;
        row.busiest = node > row.busiest ? node : row.busiest;
        row.leaving = fmax(row.leaving, leaving);
        row.staying = fmax(row.staying, neighbours_leaving(&n, rank, NULL, 1) - leaving);
    }
    strcpy(row.pattern, pattern->id);
    return row;
}

/* Returns the seconds of one iteration. A process sends `sends` messages, `out` of them to other nodes; such
 * a message gets `rate` bytes per second. */
static double seconds(const struct world *w, int method, int sends, double bytes, double out, double rate)
{
    double latency = method == METHOD_SENDRECV ? sends * 2e-6 : 2e-6;
    return latency + out * bytes / rate + (sends - out) * bytes / (w->inside > 0 ? w->inside : 4e9);
}

/* The slowest process counts. */
static double pattern_seconds(const struct world *w, const struct pattern *pattern,
                              const struct beff_between *row, int method, double bytes)
{
    double rate = pattern->kind == PATTERN_RANDOM ? 1e9 / w->taper : 1e9;
    int sends = pattern_sends(pattern);
    return fmax(fmax(seconds(w, method, sends, bytes, row->leaving, rate),
                     seconds(w, method, sends, bytes, sends - row->staying, rate)),
                w->wide ? 0 : (double)row->busiest * bytes / rate);
}

static void add(const struct pattern_list *list, const struct pattern *pattern, int method, int size,
                double one)
{
    struct beff_record record = {.pass = 1,
                                 .rep = 1,
                                 .bytes = list->sizes[size],
                                 .messages = pattern->messages,
                                 .loops = 1,
                                 .t_max = one};
    record.bandwidth = (double)(record.bytes * record.messages) / one / 1e6;
    strcpy(record.pattern, pattern->id);
    strcpy(record.method, method_name((enum method)method));
    protocol_record(&p, &record);
}

static void add_injection(int64_t processes, int64_t bytes, double one)
{
    struct fabric_exchange x = {FABRIC_INJECTION, processes, bytes, 0, 1, one, 0, 0};
    protocol_add(&p, BEFF_EXCHANGES, &x, 1);
}

/* Makes the results of a run on a world. `omitted` is the first size at which pairs are not measured. */
static void make(const struct world *w, int omitted)
{
    struct message error = {""};
    struct pattern_list list;
    beff_results_free(&r);
    protocol_free(&p);
    p = (struct protocol){.type = &beff_record_type, .end = strdup("complete")};
    patterns_make(&list, w->processes, POLYGONS, SEED, LMAX);
    patterns_add_alone(&list, w->nodes);
    protocol_put(&p, "processes", "%" PRId64, w->processes);
    protocol_put(&p, "nodes", "%" PRId64, w->nodes);
    protocol_put(&p, "option_polygons", "%d", POLYGONS);
    protocol_put(&p, "lmax", "%d", LMAX);
    protocol_put(&p, "seed", "%d", SEED);
    if (w->interface)
        protocol_put(&p, "environment", "interface %s", w->interface);
    if (omitted < BEFF_SIZES)
        protocol_put(&p, "alone_left_out", "no time");
    protocol_add(&p, BEFF_ALONE, &(struct beff_alone){"alone", 0, 1}, 1);
    for (int i = 0; i < list.count + list.alone; i++) {
        const struct pattern *pattern = &list.patterns[i];
        struct beff_between row = pattern->rated ? count(w, pattern) : (struct beff_between){0};
        int methods = w->methods ? w->methods : METHODS;
        for (int k = 0; k < methods * BEFF_SIZES && (pattern->rated || i >= list.count); k++) {
            int m = k % methods, s = k / methods;
            double bytes = (double)list.sizes[s];
            if (pattern->rated)
                add(&list, pattern, m, s, pattern_seconds(w, pattern, &row, m, bytes));
            else if (s < omitted)
                add(&list, pattern, m, s,
                    seconds(w, m, pattern->number, bytes, pattern->inside ? 0 : pattern->number, 1e9));
        }
        if (pattern->rated && w->nodes > 1)
            protocol_add(&p, BEFF_BETWEEN, &row, 1);
    }
    if (w->nodes > 1) {
        struct beff_between row = {.pattern = "net-ring-1", .messages = 1, .busiest = 1};
        protocol_add(&p, BEFF_BETWEEN, &row, 1);
        for (int64_t i = 0; i < w->nodes; i++)
            protocol_add(&p, BEFF_END_POINTS,
                         &(struct fabric_point){.node = i,
                                                .host = "n",
                                                .processes = w->processes / w->nodes,
                                                .group = "-",
                                                .device = "-"},
                         1);
    }
    if (w->nodes > 1 && w->processes > w->nodes && !w->wide) {
        add_injection(1, FABRIC_SMALL, 2e-6);
        add_injection(w->processes / w->nodes, FABRIC_SMALL, 1e-9);
        add_injection(1, LMAX, 1e-9 * LMAX);
    }
    patterns_free(&list);
    if (beff_results_make(&r, &p, &error))
        fail_msg("%s", error.text);
}

static double value_of(const char *name)
{
    const struct sheet_value *value = sheet_find(&r.sheet, name);
    return value ? value->value : NAN;
}

static const char *note(void)
{
    for (size_t i = 0; i < r.sheet.notes.count; i++)
        if (strstr(r.sheet.notes.text[i], "contention"))
            return r.sheet.notes.text[i];
    return "";
}

/* Returns b_eff of a world with one process per node by the definition: rings of `sends` messages each. */
static double by_hand(const struct world *w, bool alone)
{
    double logs[2] = {0, 0};
    int64_t sizes[BEFF_SIZES];
    beff_sizes(LMAX, sizes);
    for (int i = 0; i < BEFF_RING_PATTERNS + 1; i++) {
        double mean = 0, processes = (double)w->processes;
        bool polygons = i == BEFF_RING_PATTERNS;
        int sends = i == 0 && w->processes % 2 == 0 ? 1 : w->processes == 2 ? 1 : 2;
        for (int s = 0; s < BEFF_SIZES; s++) {
            double bytes = (double)sizes[s], rate = polygons && !alone ? 1e3 / w->taper : 1e3;
            mean += processes * sends * bytes / (2 + sends * bytes / rate) / BEFF_SIZES;
        }
        logs[polygons] += log(mean) / (polygons ? 1 : BEFF_RING_PATTERNS);
    }
    return exp((logs[0] + logs[1]) / 2);
}

TEST(an_exact_machine_without_taper_loses_nothing)
{
    const struct world worlds[] = {{16, 16, 1}, {5, 5, 1}, {3, 3, 1}, {2, 2, 1}};
    for (size_t i = 0; i < COUNT(worlds); i++) {
        struct pattern_list list;
        make(&worlds[i], BEFF_SIZES);
        assert_near(value_of("b_eff_alone"), value_of("b_eff"), 1e-12);
        assert_true(fabs(value_of("contention_share")) < 1e-9);
        assert_contains(note(), "all at once");
        assert_contains(note(), "(100 %)");
        assert_contains(note(), "contention in the network costs 0 %");
        if (worlds[i].processes != 5)
            assert_near(value_of("b_eff_alone"), by_hand(&worlds[i], true), 1e-9);
        /* The plan expects the same. */
        patterns_make(&list, worlds[i].processes, POLYGONS, SEED, LMAX);
        assert_near(forecast_make(&list, &(struct links){1e9, 2e-6, 1}, 0).b_eff, value_of("b_eff_alone"),
                    1e-9);
        assert_nan(forecast_make(&list, &(struct links){1e9, 2e-6, 2}, 0).b_eff);
        patterns_free(&list);
    }
}

TEST(a_taper_costs_what_follows_from_the_fabric)
{
    for (double taper = 1.5; taper <= 8; taper *= 1.5) {
        const struct world w = {16, 16, taper};
        make(&w, BEFF_SIZES);
        assert_near(value_of("b_eff_alone"), by_hand(&w, true), 1e-9);
        assert_near(value_of("contention_share"), 100 * (1 - by_hand(&w, false) / by_hand(&w, true)), 1e-9);
    }
}

/* The link of a node, which its processes share, is not the network. */
TEST(processes_of_a_node_share_its_link)
{
    const struct world worlds[] = {{16, 4, 1}, {16, 4, 1, .methods = 1}};
    for (size_t i = 0; i < COUNT(worlds); i++) {
        make(&worlds[i], BEFF_SIZES);
        assert_true(value_of("b_eff_alone") > 1.3 * value_of("b_eff"));
        assert_true(fabs(value_of("contention_share")) < 1e-9);
        assert_contains(note(), "all processes of a node");
        assert_contains(note(), "contention in nodes and network costs 0 %");
    }
}

/* An iteration takes as long as the slowest process, whether messages are slower between nodes or inside. */
TEST(where_no_two_processes_share_anything_nothing_is_lost)
{
    const struct world worlds[] = {{8, 2, 1, .wide = true},
                                   {8, 2, 1, 5e8, .wide = true},
                                   {64, 8, 1, .wide = true},
                                   {64, 8, 1, 5e8, .wide = true},
                                   {128, 8, 1, .wide = true}};
    for (size_t i = 0; i < COUNT(worlds); i++) {
        make(&worlds[i], BEFF_SIZES);
        assert_near(value_of("b_eff_alone"), value_of("b_eff"), 1e-12);
        assert_string_equal(sheet_find(&r.sheet, "contention_share")->label,
                            "  lost to contention in nodes and network");
    }
}

/* The rate of a link counts between nodes only. */
TEST(the_line_starts_with_the_rate_of_a_node)
{
    const struct {
        struct world world;
        const char *starts;
    } rows[] = {{{2, 2, 1, .interface = "eth0=100000 Mbit/s, up"},
                 "in MB/s for each process, of 12500 per node: one pair at Lmax 998 (8 %), "},
                {{2, 2, 1, .interface = "eth0=40 Mbit/s, up"},
                 "in MB/s for each process, of 5 per node: one pair at"},
                {{2, 2, 1}, "in MB/s for each process: one pair at Lmax 998 (100 %), "},
                {{2, 1, 1, .interface = "eth0=1000 Mbit/s, up"},
                 "in MB/s for each process: one pair at Lmax 3970 (100 %), "}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        make(&rows[i].world, BEFF_SIZES);
        assert_int_equal(strncmp(note(), rows[i].starts, strlen(rows[i].starts)), 0);
    }
}

TEST(one_node_has_no_network)
{
    const struct world w = {4, 1, 1};
    make(&w, BEFF_SIZES);
    assert_near(value_of("b_eff_alone"), value_of("b_eff"), 1e-12);
    assert_contains(note(), ": contention in the node costs 0 %");
}

TEST(pairs_without_all_sizes_are_not_measured)
{
    const struct world w = {16, 16, 1};
    make(&w, BEFF_SIZES - 1);
    assert_nan(value_of("b_eff_alone"));
    assert_string_equal(note(), "b_eff without contention: not measured, no time");
}

TEST(the_pair_has_the_median_time)
{
    struct fabric f = {0};
    int32_t pair[2];
    for (int i = 0; i < 4; i++)
        fabric_add_point(&f, &(struct fabric_point){.node = i / 2 * 2 + (i == 3)});
    assert_false(loss_pair(&f, pair));
    /* Points 0 and 1 are two devices of one node; small and confirming exchanges do not count. */
    const struct fabric_exchange all[] = {
        {FABRIC_QUIET, 1, LMAX, 0, 1, 3e-3, 0, 0}, {FABRIC_QUIET, 1, LMAX, 0, 2, 1e-3, 0, 0},
        {FABRIC_QUIET, 1, LMAX, 1, 2, 9e-3, 0, 0}, {FABRIC_QUIET, 1, LMAX, 1, 3, 4e-3, 0, 0},
        {FABRIC_QUIET, 1, 8, 2, 3, 3e-3, 0, 0},    {FABRIC_CONFIRM, 1, LMAX, 2, 3, 3e-3, 0, 0}};
    for (size_t i = 0; i < COUNT(all); i++)
        fabric_add_exchange(&f, &all[i], NULL);
    assert_true(loss_pair(&f, pair));
    assert_int_equal(pair[0], 1);
    assert_int_equal(pair[1], 3);
    fabric_free(&f);
}

TEST(frees_its_results)
{
    beff_results_free(&r);
    protocol_free(&p);
}
