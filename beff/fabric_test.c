/* Tests the comparison of nodes on made-up fabrics with noise: nodes in leaves, whose links to the other
 * leaves may be tapered or weak. */
#include "beff/fabric_measure.h"
#include "beff/record.h"
#include "common/random.h"
#include "tests/unit.h"

enum { MAX_POINTS = 10240, MAX_LINKS = 4 * MAX_POINTS + 2, POOL = 100 };

/* ---- a made-up fabric ---- */

/* Each node has a link up and a link down, each leaf has a link up and a link down. The bandwidth of links is
 * in units of a node's link, which carries RATE bytes per second. Pairs share links as in max-min fairness. A
 * time is lengthened by 2 % noise, and 2 % of all times by up to 4 times. */
#define RATE 1e9
struct world {
    int nodes, leaf;
    double taper;
    int slow[8]; /* nodes whose links have the rate `rate`; -1 ends the list */
    double rate;
    int weak; /* leaf with a weak link; -1: none */
    double weak_rate;
    bool named;                       /* the groups are known */
    bool half;                        /* slow in one direction only */
    bool shuffled;                    /* neighbours in the list are not in one leaf */
    double leaf_latency, far_latency; /* seconds */
    int devices;                      /* end points of each node */
    double budget;                    /* seconds that all measurements may take */
    int cable[2];                     /* nodes, or with `cable_leaves` leaves, with a slow cable between */
    bool cable_leaves, cable_up;      /* only in the direction from cable[0] to cable[1] */
    double cable_rate;                /* 0: none; above 1: the only link between two nodes of one host */
    int joined;                       /* number of the first leaves that are one */
    double recovers;                  /* node 5 takes this many times as long until the second measurement */
    int late;                         /* node with `late_seconds` more latency */
    double late_seconds;
    double spread;     /* the nodes' own rates differ by this share (standard deviation) */
    double sigma;      /* noise is lognormal; 0: as above */
    double detours;    /* this share of the pairs has half the rate */
    double duty, stay; /* nodes are twice as slow for this share of the time, for `stay` seconds */

    double until[256]; /* of each node's disturbance, or of the time without */
    bool disturbed[256];
    struct random_stream random;
    bool quiet;     /* no noise */
    bool matrix;    /* --matrix */
    bool once_only; /* no time is left to confirm suspects again */
    double clock;   /* seconds so far */
    int steps, links;
    int errors; /* end point 0 receives a wrong byte in each step */
};

static double capacity[MAX_LINKS]; /* of the world that is connected */

static double uniform(struct random_stream *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

static double normal(struct world *w)
{
    return sqrt(-2 * log(1 - uniform(&w->random))) * cos(6.283185307179586 * uniform(&w->random));
}

static double noise(struct world *w)
{
    if (w->quiet)
        return 1;
    if (w->sigma > 0)
        return exp(w->sigma * normal(w));
    double spike = uniform(&w->random) < 0.02 ? 3 * uniform(&w->random) : 0;
    return 1 + 0.02 * fabs(normal(w)) + spike;
}

/* Returns true if a node is disturbed now: its periods are drawn ahead of time. */
static bool is_disturbed(struct world *w, int node)
{
    if (!(w->duty > 0))
        return false;
    while (w->until[node] <= w->clock) {
        w->disturbed[node] = !w->disturbed[node];
        w->until[node] -= log(1 - uniform(&w->random)) * w->stay * (w->disturbed[node] ? 1 : 1 / w->duty - 1);
    }
    return w->disturbed[node];
}

static int node_of(const struct world *w, int point)
{
    return point / w->devices;
}

static int leaf_of(const struct world *w, int point)
{
    int node = node_of(w, point);
    int leaf = (w->shuffled ? (int)((int64_t)node * 7 % w->nodes) : node) / w->leaf;
    return leaf < w->joined ? 0 : leaf;
}

static void connect(struct world *w)
{
    int points = w->nodes * w->devices;
    w->links = 2 * points + 2 * (w->nodes / w->leaf + 1);
    for (int i = 0; i < points; i++)
        capacity[2 * i] = capacity[2 * i + 1] = 1 + w->spread * normal(w);
    capacity[w->links] = capacity[w->links + 1] = w->cable_rate;
    for (int i = 0; w->slow[i] >= 0; i++) {
        capacity[2 * w->slow[i]] = w->rate;
        capacity[2 * w->slow[i] + 1] = w->half ? 1 : w->rate;
    }
    for (int i = 2 * points; i < w->links; i++)
        capacity[i] = w->leaf / w->taper * ((i - 2 * points) / 2 == w->weak ? w->weak_rate : 1);
}

/* Writes the links from a to b into `links` and returns their number. */
static int path(const struct world *w, int a, int b, int links[5])
{
    int points = w->nodes * w->devices, from = leaf_of(w, a), to = leaf_of(w, b), count = 0;
    links[count++] = 2 * a;
    if (from != to) {
        links[count++] = 2 * points + 2 * from;
        links[count++] = 2 * points + 2 * to + 1;
    }
    links[count++] = 2 * b + 1;
    int x = w->cable_leaves ? from : a, y = w->cable_leaves ? to : b;
    if (w->cable_rate > 0 &&
        ((x == w->cable[0] && y == w->cable[1]) || (x == w->cable[1] && y == w->cable[0] && !w->cable_up))) {
        count = w->cable_rate > 1 ? 0 : count;
        links[count++] = w->links + (x > y);
    }
    return count;
}

/* Shares the links among the flows: max-min fairness. */
static void share(const struct world *w, int (*flow)[5], const int *lengths, int flows, double *rates)
{
    static double left[MAX_LINKS];
    static int users[MAX_LINKS];
    int open = flows;
    memcpy(left, capacity, ((size_t)w->links + 2) * sizeof *left);
    memset(users, 0, ((size_t)w->links + 2) * sizeof *users);
    for (int i = 0; i < flows; i++) {
        rates[i] = 0;
        for (int k = 0; k < lengths[i]; k++)
            users[flow[i][k]]++;
    }
    while (open) {
        double least = INFINITY;
        for (int i = 0; i < flows; i++)
            for (int k = 0; k < lengths[i] && rates[i] == 0; k++)
                least = fmin(least, left[flow[i][k]] / users[flow[i][k]]);
        for (int i = 0; i < flows; i++) {
            bool full = false;
            for (int k = 0; k < lengths[i] && rates[i] == 0; k++)
                full |= left[flow[i][k]] / users[flow[i][k]] <= least * (1 + 1e-9);
            rates[i] = full ? -least : rates[i];
        }
        for (int i = 0; i < flows; i++)
            if (rates[i] < 0) {
                rates[i] = -rates[i];
                open--;
                for (int k = 0; k < lengths[i]; k++) {
                    left[flow[i][k]] = fmax(left[flow[i][k]] - rates[i], 1e-12);
                    users[flow[i][k]]--;
                }
            }
    }
}

static double left(void *context)
{
    const struct world *w = context;
    return w->budget - w->clock;
}

static bool sends(const struct fabric_step *step, int from, int to)
{
    return step->way == FABRIC_UP ? from < to : step->way == FABRIC_DOWN ? from > to : true;
}

static double latency(const struct world *w, int a, int b)
{
    double own = leaf_of(w, a) == leaf_of(w, b) ? w->leaf_latency : w->far_latency;
    bool late = w->late_seconds > 0 && (a == w->late || b == w->late);
    return own + (late ? w->late_seconds : 0);
}

static int exchange(void *context, const struct fabric_step *step, const int32_t *partners,
                    struct fabric_answer *answers)
{
    struct world *w = context;
    static int flow[MAX_POINTS][5], length[MAX_POINTS];
    static double rate[MAX_POINTS];
    int points = w->nodes * w->devices, flows = 0;
    double longest = 0;
    for (int i = 0; i < points; i++)
        answers[i] = (struct fabric_answer){step->processes ? (double)step->bytes / RATE : 0, 0, 0};
    answers[0].errors = step->processes || partners[0] >= 0;
    w->errors += (int)answers[0].errors;
    if (step->processes) {
        w->clock += step->seconds;
        return 0;
    }
    for (int i = 0; i < points; i++)
        if (partners[i] >= 0) {
            assert_true(partners[i] != i && partners[partners[i]] == i);
            if (sends(step, i, partners[i])) {
                length[flows] = path(w, i, partners[i], flow[flows]);
                flows++;
            }
        }
    share(w, flow, length, flows, rate);
    flows = 0;
    for (int i = 0; i < points; i++) {
        if (partners[i] < 0)
            continue;
        if (sends(step, i, partners[i]))
            answers[i].seconds = latency(w, i, partners[i]) + (double)step->bytes / RATE / rate[flows++];
        longest = fmax(longest, fmax(2 * answers[i].seconds, step->seconds)); /* the first one is not timed */
    }
    for (int i = 0; i < points; i++)
        if (partners[i] > i) { /* both wait for each other, so that they take the same time */
            int b = partners[i];
            bool disturbed = is_disturbed(w, i) | is_disturbed(w, b),
                 ill = w->recovers > 0 && w->clock < 30 && (i == 5 || b == 5),
                 detour = (double)(random_mix((uint64_t)(i << 16 | b)) >> 11) * 0x1p-53 < w->detours;
            answers[i].seconds = answers[b].seconds = fmax(answers[i].seconds, answers[b].seconds) *
                                                      noise(w) * (disturbed ? 2 : 1) * (detour ? 2 : 1) *
                                                      (ill ? w->recovers : 1);
        }
    w->clock += longest + 1e-4;
    w->steps++;
    return 0;
}

/* Measures the world in a protocol, reads the protocol, and checks that both ways agree. */
static void run(struct world *w, uint64_t seed, struct protocol *p, struct fabric *f)
{
    struct fabric own = {0};
    struct message error;
    random_start(&w->random, seed / POOL, 2); /* the runs of a pool have the same nodes */
    connect(w);
    random_start(&w->random, seed, 1);
    w->clock = w->steps = w->errors = 0;
    for (int i = 0; i < w->nodes && w->duty > 0; i++) {
        w->disturbed[i] = uniform(&w->random) < w->duty;
        w->until[i] = -log(1 - uniform(&w->random)) * w->stay * (w->disturbed[i] ? 1 : 1 / w->duty - 1);
    }
    assert_int_equal(protocol_create(p, NULL, false, &beff_record_type, &error), 0);
    for (int i = 0; i < w->nodes * w->devices; i++) {
        struct fabric_point point = {.node = node_of(w, i), .processes = 1, .group = "-", .device = "-"};
        snprintf(point.host, sizeof point.host, "n%d", node_of(w, i));
        if (w->devices > 1)
            snprintf(point.device, sizeof point.device, "net%d", i % w->devices);
        if (w->named)
            snprintf(point.group, sizeof point.group, "s%d", leaf_of(w, i));
        fabric_add_point(&own, &point);
        protocol_add(p, BEFF_END_POINTS, &point, 1);
    }
    const struct fabric_ops ops = {left, exchange, w};
    assert_int_equal(fabric_measure(&own, &ops, p, seed, 1 << 27, w->quiet, w->matrix), 0);
    const double budget = w->budget;
    w->clock += 30;
    w->budget = w->once_only ? 0 : budget + 31;
    assert_int_equal(fabric_measure_again(&own, &ops, p, seed, w->quiet), 0);
    w->budget = budget;
    w->clock -= 30;
    assert_int_equal(protocol_error(p, &error), 0);
    assert_int_equal(fabric_read(f, p, &error), 0);
    fabric_judge(f);
    assert_int_equal(f->exchanges, own.exchanges);
    assert_int_equal(f->errors, w->errors);
    fabric_free(&own);
}

enum { FOUND = 16 };

/* Returns all findings in alphabetical order as text, such as "slow n3; link n0, n1; group s2", and "?" if
 * they cannot be judged. */
static void found(const struct fabric *f, char *text, size_t size)
{
    static const char *const words[] = {"slow ", "link ",    "group ",   "cable ",
                                        "pair ", "latency ", "marginal "};
    *text = 0;
    if (f->verdict == FABRIC_OPEN)
        snprintf(text, size, "?");
    char parts[FOUND][64];
    size_t count = f->findings < FOUND ? f->findings : FOUND;
    for (size_t i = 0; i < count; i++)
        snprintf(parts[i], sizeof parts[i], "%s%s", words[f->finding[i].kind], f->finding[i].names);
    qsort(parts, count, sizeof parts[0], (int (*)(const void *, const void *))strcmp);
    for (size_t i = 0; i < count; i++)
        text_append(text, size, "%s%s", *text ? "; " : "", parts[i]);
}

/* Runs the world `runs` times. Returns how often exactly `expected` was found. `accusations`, unless NULL,
 * becomes the number of runs with a finding that is not in `expected`. */
static int count_exact(struct world w, const char *expected, int runs, int *accusations)
{
    int exact = 0, wrong = 0;
    for (int s = 0; s < runs; s++) {
        struct protocol p;
        struct fabric f;
        char text[512];
        run(&w, (uint64_t)s + 1, &p, &f);
        found(&f, text, sizeof text);
        exact += strcmp(text, expected) == 0;
        wrong += *text && !strstr(expected, text);
        if (strcmp(text, expected) != 0)
            print_message("%d nodes, seed %d: %s instead of %s\n", w.nodes, s + 1, text, expected);
        fabric_free(&f);
        protocol_free(&p);
    }
    if (accusations)
        *accusations = wrong;
    return exact;
}

/* ---- tests ---- */

static struct world complete(struct world w)
{
    w.leaf_latency = 1e-6;
    w.far_latency = 2e-6;
    w.devices = 1;
    w.budget = 9;
    return w;
}

static struct world make(int nodes, int leaf, double taper)
{
    return complete((struct world){nodes, leaf, taper, {-1}, 1, -1, 1});
}

/* A healthy fabric with one slow node. */
static struct world make_slow(int nodes, int leaf, double taper, int slow, double rate)
{
    struct world w = make(nodes, leaf, taper);
    w.slow[0] = slow;
    w.slow[1] = -1;
    w.rate = rate;
    return w;
}

TEST(accuses_no_node_of_a_healthy_fabric)
{
    static const int shapes[][3] = {{16, 8, 1},  {16, 8, 4}, {64, 16, 4}, {64, 8, 8}, {24, 6, 2},
                                    {5, 5, 1},   {6, 3, 3},  {7, 4, 2},   {9, 4, 4},  {33, 11, 3},
                                    {40, 20, 4}, {4, 2, 2},  {3, 3, 1}};
    int accusations, all = 0, runs = 0;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct world w = make(shapes[i][0], shapes[i][1], shapes[i][2]);
        int count = (w.nodes > 32 ? 3 : 20) * (getenv("FABRIC_RUNS") ? atoi(getenv("FABRIC_RUNS")) : 1);
        count_exact(w, "", count, &accusations);
        all += accusations;
        runs += count;
    }
    print_message("%d of %d healthy runs accuse\n", all, runs);
    assert_true(all * 1000 < runs);
}

TEST(names_a_slow_node_exactly)
{
    static const struct {
        int nodes, leaf, taper, runs;
        double rate;
    } rows[] = {{5, 5, 1, 20, 0.7},  {6, 3, 3, 20, 0.7},  {7, 4, 2, 20, 0.7},  {16, 8, 1, 20, 0.7},
                {16, 8, 3, 40, 0.7}, {33, 11, 3, 6, 0.7}, {64, 16, 4, 2, 0.7}, {64, 8, 8, 2, 0.5},
                {12, 5, 2, 40, 0.5}, {4, 2, 2, 40, 0.7}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char expected[24];
        int slow = rows[i].nodes / 3;
        struct world w = make_slow(rows[i].nodes, rows[i].leaf, rows[i].taper, slow, rows[i].rate);
        snprintf(expected, sizeof expected, "slow n%d", slow);
        int exact = count_exact(w, expected, rows[i].runs, NULL);
        print_message("%d nodes in leaves of %d: exact %d of %d\n", w.nodes, w.leaf, exact, rows[i].runs);
        assert_true(exact * 100 >= rows[i].runs * 99);
    }
}

/* Fabrics in which simple rules accuse the wrong nodes. `expected` must be found in all runs but one. */
TEST(judges_difficult_fabrics)
{
    static const struct {
        const char *name, *expected;
        struct world world;
    } rows[] = {
        {"two slow nodes", "slow n20; slow n3", {27, 9, 2, {3, 20, -1}, 0.6, -1, 1}},
        {"two slow neighbours", "slow n6; slow n7", {16, 8, 2, {6, 7, -1}, 0.6, -1, 1}},
        {"two of five", "?", {5, 5, 1, {1, 3, -1}, 0.5, -1, 1}},
        {"two of six", "slow n1; slow n3", {6, 6, 1, {1, 3, -1}, 0.5, -1, 1}},
        {"half of twelve nodes: two kinds", "", {12, 6, 1, {0, 2, 4, 6, 8, 10, -1}, 0.5, -1, 1}},
        {"slow in one direction", "slow n5", {16, 8, 2, {5, -1}, 0.5, -1, 1, .half = true}},
        {"slow and alone in its leaf", "slow n16", {17, 8, 2, {16, -1}, 0.5, -1, 1}},
        {"leaf of one node", "", {17, 8, 2, {-1}, 1, -1, 1}},
        {"uplink half a node's link", "link n0, n1, n2, n3", {16, 4, 4, {-1}, 1, 0, 0.5}},
        {"the same, one slow node", "link n0, n1, n2, n3; slow n9", {16, 4, 4, {9, -1}, 0.5, 0, 0.5}},
        {"the same, slow behind it", "link n0, n1, n3; slow n2", {16, 4, 4, {2, -1}, 0.3, 0, 0.5}},
        {"the same, names in disorder",
         "link n0, n5, n7, n14",
         {16, 4, 4, {-1}, 1, 0, 0.5, .shuffled = true}},
        {"uplink of two leaves of eight", "", {16, 8, 8, {-1}, 1, 0, 0.5}},
        {"slow uplink, five nodes outside", "link n5, n6, n7", {8, 5, 1, {-1}, 1, 1, 0.08}},
        {"all uplinks slow", "", {16, 4, 8, {-1}, 1, -1, 1}},
        {"all uplinks slow, a large leaf", "", {12, 2, 4, {-1}, 1, -1, 1, .joined = 4}},
        {"all uplinks slow, a slow node of two", "?", {12, 2, 4, {5, -1}, 0.7, -1, 1}},
        {"all uplinks slow, disorder", "", {16, 4, 8, {-1}, 1, -1, 1, .shuffled = true}},
        {"weak uplink, unknown groups", "", {12, 4, 2, {-1}, 1, 0, 0.5}},
        {"weak uplink, groups", "group s0", {12, 4, 2, {-1}, 1, 0, 0.5, .named = true}},
        {"weak uplink, groups of nine", "group s0", {27, 9, 2, {-1}, 1, 0, 0.5, .named = true}},
        {"weaker than a link, groups", "group s1", {16, 4, 4, {-1}, 1, 1, 0.5, .named = true}},
        {"healthy groups", "", {24, 6, 2, {-1}, 1, -1, 1, .named = true}},
        {"two groups", "", {16, 8, 4, {-1}, 1, 0, 0.5, .named = true}},
        {"unequal groups", "", {18, 5, 2, {-1}, 1, -1, 1, .named = true}},
        {"slow node of a small group", "slow n3", {6, 2, 1, {3, -1}, 0.5, -1, 1, .named = true}},
        {"two slow nodes of a group", "slow n4; slow n5", {16, 4, 1, {4, 5, -1}, 0.5, -1, 1, .named = true}},
        {"slow node in groups", "slow n8", {24, 6, 2, {8, -1}, 0.5, -1, 1, .named = true}},
    };
    int bad = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int exact = count_exact(complete(rows[i].world), rows[i].expected, 20, NULL);
        print_message("%s: exact %d of 20\n", rows[i].name, exact);
        bad += exact < 19;
    }
    assert_int_equal(bad, 0);
}

/* A run without noise on this world, and its findings. */
static void run_once(struct world *w, char *text, size_t size, struct protocol *p, struct fabric *f)
{
    w->quiet = true;
    run(w, 1, p, f);
    found(f, text, size);
}

/* Pairs of end points on one node are never measured; all others are. */
TEST(few_nodes_cannot_be_judged_and_devices_are_judged_like_nodes)
{
    static const struct {
        int nodes, devices, slow[8];
        const char *found, *note;
    } rows[] = {
        {2, 1, {-1}, "?", "two nodes have only each other"},
        {2, 1, {0, -1}, "?", "two nodes have only each other"},
        {3, 1, {-1}, "", "none of 3 nodes is slower than 1.2 times (3 of 3 pairs measured)"},
        {3, 1, {1, -1}, "?", "n0 and n1 take 2.00 times as long as n2 and n0"},
        {2, 2, {2, 3, -1}, "?", "two nodes have only each other"},
        {8, 2, {-1}, "", "(112 of 112 pairs measured)"},
        {4, 2, {1, 3, 5, 7, -1}, "", "4 (n0 net1, n1 net1, n2 net1, n3 net1) take 2.00 times as long"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world w = make(rows[i].nodes, 8, 1);
        struct protocol p;
        struct fabric f;
        char text[64];
        w.devices = rows[i].devices;
        w.rate = 0.5;
        memcpy(w.slow, rows[i].slow, sizeof w.slow);
        w.leaf_latency = 0;
        run_once(&w, text, sizeof text, &p, &f);
        assert_string_equal(text, rows[i].found);
        assert_contains(f.notes.text[0], rows[i].note);
        fabric_free(&f);
        protocol_free(&p);
    }
}

/* Known answers about single pairs, links between groups, latencies and kinds of nodes, and counterexamples,
 * in which a simpler rule would accuse. */
TEST(names_the_smallest_cause)
{
    static const struct {
        const char *name, *expected;
        struct world world;
    } rows[] = {
        {"bad cable", "pair n3-n9", {24, 24, 1, {-1}, 1, -1, 1, .cable = {3, 9}, .cable_rate = 0.5}},
        {"bad cable in one direction",
         "pair n3-n9",
         {24, 24, 1, {-1}, 1, -1, 1, .cable = {3, 9}, .cable_rate = 0.5, .cable_up = true}},
        {"bad cable of a slow node: the node",
         "slow n3",
         {24, 24, 1, {3, -1}, 0.5, -1, 1, .cable = {3, 9}, .cable_rate = 0.5}},
        {"slow cable between two groups",
         "cable s1-s3",
         {32, 8, 2, {-1}, 1, -1, 1, .named = true, .cable = {1, 3}, .cable_rate = 0.5, .cable_leaves = true}},
        {"the same, unknown groups",
         "pair several pairs",
         {32, 8, 2, {-1}, 1, -1, 1, .cable = {1, 3}, .cable_rate = 0.5, .cable_leaves = true}},
        {"bad cable of four nodes",
         "pair n1-n3",
         {4, 4, 1, {-1}, 1, -1, 1, .cable = {1, 3}, .cable_rate = 0.5}},
        {"two of 12 on a host, one slow",
         "slow n3",
         {12, 12, 1, {3, -1}, 0.5, -1, 1, .cable = {1, 2}, .cable_rate = 4}},
        {"two of 5 on a host, one slow",
         "slow n3",
         {5, 5, 1, {3, -1}, 0.5, -1, 1, .cable = {1, 2}, .cable_rate = 4}},
        {"late node", "latency n5", {16, 8, 1, {-1}, 1, -1, 1, .late = 5, .late_seconds = 20e-6}},
        {"slow and late, but not at the end", "", {16, 16, 1, {-1}, 1, -1, 1, .recovers = 20}},
        {"late node, 1 ms", "latency n5", {16, 8, 1, {-1}, 1, -1, 1, .late = 5, .late_seconds = 1e-3}},
        {"alone in a leaf with a longer way", "", {17, 8, 2, {-1}, 1, -1, 1, .late = 16, .late_seconds = 0}},
        {"old and new nodes", "", {24, 24, 1, {0, 1, 2, 3, 4, 5, 6, -1}, 0.5, -1, 1}},
        {"thin uplinks: no kinds, no pairs", "", {16, 8, 16, {-1}, 1, -1, 1}},
        {"thin uplinks, unequal leaves", "", {20, 14, 14, {-1}, 1, -1, 1}},
    };
    int bad = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int exact = count_exact(complete(rows[i].world), rows[i].expected, 20, NULL);
        print_message("%s: exact %d of 20\n", rows[i].name, exact);
        bad += exact < 19;
    }
    assert_int_equal(bad, 0);
}

/* Hundreds of pairs are slow once, because 2 % of all exchanges take up to four times as long. */
TEST(finds_one_bad_cable_of_200_nodes_with_spikes)
{
    struct world w =
        complete((struct world){200, 200, 1, {-1}, 1, -1, 1, .cable = {3, 9}, .cable_rate = 0.5});
    w.budget = 20;
    assert_int_equal(count_exact(w, "pair n3-n9", 2, NULL), 2);
}

/* Static routes make a third of the pairs slow. Less than half of all pairs can be measured. */
TEST(names_no_pair_of_a_slow_network)
{
    struct world w = make(64, 64, 1);
    w.detours = 1.0 / 3;
    w.budget = 2.5;
    assert_int_equal(count_exact(w, "", 5, NULL), 5);
}

/* Runs the world several times, 30 s apart, and judges all runs together. Returns the number of findings. */
static size_t pool_runs(struct world w, int runs, uint64_t seed, char *text, size_t size)
{
    struct fabric pool = {0};
    for (int r = 0; r < runs; r++) {
        struct protocol p;
        struct fabric f;
        run(&w, seed * POOL + (uint64_t)r, &p, &f);
        assert_int_equal(fabric_add_run(&pool, &f), 0);
        fabric_free(&f);
        protocol_free(&p);
    }
    fabric_judge(&pool);
    found(&pool, text, size);
    for (size_t i = 0; i < pool.findings; i++)
        print_message("%s\n", pool.finding[i].text);
    size_t findings = pool.findings;
    fabric_free(&pool);
    return findings;
}

TEST(names_a_marginal_node_from_two_runs_on)
{
    char text[256];
    int exact = 0, accused = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct world w = make_slow(24, 24, 1, 7, 0.95);
        w.spread = 0.005;
        pool_runs(w, 3, seed, text, sizeof text);
        exact += strcmp(text, "marginal n7") == 0;
        w.slow[0] = -1;
        w.spread = 0.02; /* without the rule of 6 standard deviations, half of these pools are accused */
        accused += pool_runs(w, 2, seed, text, sizeof text) > 0;
    }
    print_message("named in %d of 10, accused in %d of 10\n", exact, accused);
    assert_true(exact >= 9 && accused <= 1);
}

/* Node 5 takes part in one of two runs. In the other one, two of five nodes are slow, and one is late. */
TEST(a_latency_does_not_make_nodes_judged_and_counts_the_runs_of_its_node)
{
    struct world w[] = {make(16, 16, 1), complete((struct world){5, 5, 1, {1, 3, -1}, 0.5, -1, 1})};
    struct fabric pool = {0};
    for (int r = 0; r < 2; r++) {
        struct protocol p;
        struct fabric f;
        w[r].late = r ? 2 : 5;
        w[r].late_seconds = 20e-6;
        run(&w[r], 1, &p, &f);
        assert_int_equal(f.verdict, FABRIC_SLOW);
        assert_int_equal(f.judged, r == 0);
        assert_int_equal(fabric_add_run(&pool, &f), 0);
        fabric_free(&f);
        protocol_free(&p);
    }
    fabric_judge(&pool);
    assert_int_equal(pool.findings, 1);
    assert_string_equal(pool.finding[0].names, "n5");
    assert_int_equal(pool.finding[0].runs, 1);
    fabric_free(&pool);
}

/* A daemon makes nodes half as fast for 2 s, 1 % of the time. */
TEST(slow_for_a_time_is_not_slow)
{
    int accusations = 0;
    struct world w = make(64, 16, 2);
    w.duty = 0.01;
    w.stay = 2;
    count_exact(w, "", 12, &accusations);
    assert_true(accusations <= 1);
}

TEST(latency_accuses_no_node)
{
    struct world w = make(24, 6, 2);
    struct protocol p;
    struct fabric f;
    char text[64];
    w.leaf_latency = 1e-6;
    w.far_latency = 10e-6;
    run_once(&w, text, sizeof text, &p, &f);
    assert_string_equal(text, "");
    assert_near(f.latency, 10e-6, 0.01);
    assert_near(f.latency_max, 10e-6, 0.01);
    assert_true(f.latency_pair[0] / 6 != f.latency_pair[1] / 6);
    fabric_free(&f);
    protocol_free(&p);
}

/* Four nodes share an uplink of their leaf with the rate of one node; the other leaves' uplinks carry two. */
TEST(the_rate_across_the_boundary_of_a_group_is_in_percent_of_a_node)
{
    struct world w = complete((struct world){12, 4, 2, {-1}, 1, 0, 0.5, .named = true});
    struct protocol p;
    struct fabric f;
    char text[64];
    w.leaf_latency = w.far_latency = 0;
    run_once(&w, text, sizeof text, &p, &f);
    assert_int_equal(f.groups, 3);
    for (int g = 0; g < 3; g++) {
        assert_near(f.group[g].percent, g ? 50 : 25, 1e-3);
        assert_near(f.group[g].median, g ? 500 : 250, 1e-3);
    }
    fabric_free(&f);
    protocol_free(&p);
}

/* Where all uplinks are slower than a node's link, a healthy node is quick only with the few nodes of its
 * leaf, which may not be among its partners. */
TEST(accuses_no_node_behind_slow_uplinks)
{
    static const int nodes[] = {48, 64, 128, 256};
    int accusations;
    for (size_t i = 0; i < COUNT(nodes); i++) {
        struct world w = make(nodes[i], 4, 8);
        w.shuffled = true;
        count_exact(w, "?", w.nodes > 100 ? 3 : 10, &accusations);
        assert_int_equal(accusations, 0);
    }
}

/* Messages to other leaves need 0.32 ms more, which makes the large exchanges 1.28 times as long. */
TEST(longer_ways_accuse_no_node)
{
    static const int shapes[][2] = {{13, 8}, {16, 8}, {9, 4}, {15, 10}, {27, 9}};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (int named = 0; named < 2; named++) {
            struct world w = make(shapes[i][0], shapes[i][1], 1);
            w.leaf_latency = 100e-6;
            w.far_latency = 420e-6;
            w.named = named;
            assert_true(count_exact(w, "", 15, NULL) >= 14);
            w.slow[0] = 2;
            w.slow[1] = -1;
            w.rate = 0.5;
            assert_true(count_exact(w, "slow n2", 15, NULL) >= 14); /* noise of such latencies is large */
        }
    }
}

TEST(devices_of_a_node_are_end_points)
{
    static const int nodes[] = {2, 3, 8};
    static const double ordered[] = {1500, 1500, (7 * 1000 + 500) / 4.0}; /* MB/s per node */
    for (size_t i = 0; i < COUNT(nodes); i++) {
        struct world w = make_slow(nodes[i], 4, 0.5, 3, 0.5); /* end point 3: the second device of node 1 */
        struct protocol p;
        struct fabric f;
        char text[64];
        w.devices = 2;
        w.leaf_latency = w.far_latency = 0;
        run_once(&w, text, sizeof text, &p, &f);
        assert_string_equal(text, "slow n1 net1");
        assert_near(f.bisection[FABRIC_BISECTIONS], ordered[i], 1e-3);
        assert_near(fabric_alone(&f), 2000, 1e-3);
        assert_int_equal(f.nodes, nodes[i]);
        for (size_t x = 0; x < f.exchanges; x++)
            assert_true(f.exchange[x].a / 2 != f.exchange[x].b / 2);
        fabric_free(&f);
        protocol_free(&p);
    }
}

TEST(what_does_not_fit_is_left_out_by_name)
{
    static const struct {
        double budget;
        const char *found, *left_out;
    } rows[] = {{0.05, "?", "pairs, injection, quiet"},
                {0.15, "?", "injection, 8 B, confirm, bisections"},
                {9, "slow n5", NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world w = make_slow(16, 8, 1, 5, 0.5);
        struct protocol p;
        struct fabric f;
        char text[64];
        w.budget = rows[i].budget;
        w.once_only = true;
        run(&w, 1, &p, &f);
        found(&f, text, sizeof text);
        print_message("%g s: %s, left out: %s\n", w.budget, text, f.left_out ? f.left_out : "nothing");
        assert_string_equal(text, rows[i].found);
        assert_true(w.clock < w.budget + 0.05);
        assert_string_equal(f.left_out ? f.left_out : "", rows[i].left_out ? rows[i].left_out : "");
        assert_contains(protocol_text(&p, "note"), "no time to measure slow ones again");
        fabric_free(&f);
        protocol_free(&p);
    }
}

/* Wherever the time ends, no end point waits for a partner that has another one: exchange() checks that. */
TEST(pairs_are_parted_when_the_time_ends)
{
    static const int nodes[] = {4, 7, 16};
    for (size_t i = 0; i < COUNT(nodes); i++)
        for (double budget = 5e-3; budget < 0.3; budget += 2e-3) {
            struct world w = make_slow(nodes[i], 4, 1, 2, 0.5);
            struct protocol p;
            struct fabric f;
            w.budget = budget;
            w.once_only = true;
            run(&w, 1, &p, &f);
            fabric_free(&f);
            protocol_free(&p);
        }
}

/* With more time, the largest number of exchanges ends the comparison. */
TEST(thousands_of_nodes_take_seconds)
{
    for (int more = 0; more < 2; more++) {
        struct world w = make_slow(2500, 40, 2, 77, 0.5);
        struct protocol p;
        struct fabric f;
        char text[64];
        w.named = true;
        w.budget = more ? 20 : 9;
        run_once(&w, text, sizeof text, &p, &f);
        print_message("2,500 nodes: %d steps, %.1f s, %zu exchanges\n", w.steps, w.clock, f.exchanges);
        assert_string_equal(text, "slow n77");
        assert_true(w.clock < w.budget);
        assert_int_equal(strstr(protocol_text(&p, "note"), "keeps at most 1048576 exchanges") != NULL, more);
        fabric_free(&f);
        protocol_free(&p);
    }
}

TEST(the_matrix_has_the_row_and_column_of_a_slow_node_and_a_cable_that_is_slow_in_one_direction)
{
    struct world w = make_slow(9, 9, 1, 4, 0.5);
    struct protocol p;
    struct fabric f;
    w.matrix = true;
    w.cable[0] = 1;
    w.cable[1] = 3;
    w.cable_up = true;
    w.cable_rate = 0.5;
    w.leaf_latency = 0;
    w.quiet = true;
    run(&w, 1, &p, &f);
    for (int a = 0; a < 9; a++)
        for (int b = a + 1; b < 9; b++)
            assert_near((double)f.matrix[fabric_cell(9, a, b)],
                        (a == 4 || b == 4 || (a == 1 && b == 3) ? 2 : 1) * 1048.576e-6, 1e-3);
    assert_near((double)f.way[1 * 9 + 3], 2 * 1048.576e-6, 1e-3);
    assert_near((double)f.way[3 * 9 + 1], 1048.576e-6, 1e-3);
    fabric_free(&f);
    protocol_free(&p);
}

/* More time does not lose the matrix: 64 nodes need 4 s for it; 8 s are also enough for some one-way
 * exchanges. */
TEST(the_matrix_comes_before_one_way_exchanges)
{
    for (double budget = 4; budget <= 12; budget += 2) {
        struct world w = make(64, 64, 1);
        struct protocol p;
        struct fabric f;
        int cells = 0;
        w.matrix = w.once_only = true;
        w.budget = budget;
        run(&w, 1, &p, &f);
        for (int i = 0; i < 64 * 63 / 2; i++)
            cells += f.matrix[i] > 0;
        assert_int_equal(cells, 64 * 63 / 2);
        assert_null(f.left_out);
        fabric_free(&f);
        protocol_free(&p);
    }
}
