/* Tests the share of --limit-link, the spread and the drift. */
#include "beff/cube_test.h"
#include "beff/results.h"
#include "common/stats.h"

/* Returns beff_link_share() at one size of a run with 4 processes in which each rated pattern has 30 MB/s.
 * `ring_1` and `others` are the numbers of messages that the busiest node sends to other nodes, in ring-1 and
 * in the other patterns. If an argument is NULL, the protocol does not contain the value. */
static double share_of(const char *link, const char *ring_1, const char *others)
{
    struct protocol p = {.type = &beff_record_type};
    cube_start();
    for (int i = 0; i < cube.list.count; i++)
        for (int s = 0; s < BEFF_SIZES; s++)
            add(1, 1, i, METHOD_SENDRECV, s, cube.list.patterns[i].rated ? 30 : 3000);
    rate();
    if (link)
        protocol_meta(&p, "option_limit-link", link);
    for (int i = 0; i < cube.list.count; i++) {
        const char *messages = i == 0 ? ring_1 : others;
        struct beff_between row = {.messages = 4, .busiest = messages ? atoi(messages) : 0};
        snprintf(row.pattern, sizeof row.pattern, "%s", cube.list.patterns[i].id);
        if (messages)
            protocol_add(&p, BEFF_BETWEEN, &row, 1);
    }
    struct beff_results results = {.sheet = {.protocol = &p}, .list = cube.list, .rating = rating};
    double share = beff_link_share(&results, 5);
    protocol_free(&p);
    return share;
}

/* ring-1 consists of rings of two and has 4 messages; the 5 other ring patterns and the 3 polygons have 8. */
TEST(compares_the_busiest_node_with_the_limit)
{
    assert_close(share_of("25", "2", "4"), 30 / 50.0);
    assert_close(share_of("25", "4", "4"), pow(30 / 25.0, 1 / 9.0) * pow(30 / 50.0, 8 / 9.0));
    assert_close(share_of("10", "0", "4"), 30 / 20.0); /* ring-1 stays within the nodes */
}

TEST(has_no_share_without_a_limit)
{
    assert_nan(share_of("0", "2", "4"));
    assert_nan(share_of(NULL, "2", "4"));
    assert_nan(share_of("25", NULL, NULL)); /* only one node */
    assert_nan(share_of("25", "0", "0"));
}

/* ---- spread ---- */

static double constant(int pass, int rep, int pattern, int method, int size)
{
    (void)pass, (void)rep;
    return product(1, 1, pattern, method, size);
}

TEST(has_no_spread_without_noise)
{
    for (int passes = 2; passes <= 9; passes += 7) { /* all triples; drawn triples */
        cube_start();
        add_passes(passes, constant);
        rate();
        double range[2];
        spread_make(&reps, range);
        assert_close(range[0], 100);
        assert_close(range[1], 100);
    }
}

TEST(takes_all_triples_of_six_repetitions)
{
    double values[20];
    size_t n = 0;
    cube_start();
    add_passes(2, uneven);
    rate();
    for (int a = 0; a < 6; a++)
        for (int b = a + 1; b < 6; b++)
            for (int c = b + 1; c < 6; c++) {
                struct triple t = {{a / 3 + 1, b / 3 + 1, c / 3 + 1}, {a % 3 + 1, b % 3 + 1, c % 3 + 1}};
                values[n++] = plain_b_eff(&t);
            }
    assert_int_equal(n, 20);
    double range[2];
    spread_make(&reps, range);
    assert_close(range[0], 100 * stats_quantile(values, n, 0.025) / stats_median(values, n));
    assert_close(range[1], 100 * stats_quantile(values, n, 0.975) / stats_median(values, n));
    assert_true(range[0] < range[1]);
}

/* 24 repetitions have 2024 triples, and 2000 triples are drawn. The same seed draws the same triples. */
TEST(draws_triples_with_the_seed)
{
    cube_start();
    add_passes(8, uneven);
    rate();
    double first[2], again[2], other[2];
    spread_make(&reps, first);
    spread_make(&reps, again);
    cube.list.seed++;
    spread_make(&reps, other);
    assert_memory_equal(again, first, sizeof first);
    assert_near(other[0], first[0], 0.01);
    assert_near(other[1], first[1], 0.01);
    assert_true(first[0] < first[1]);
}

TEST(needs_six_repetitions)
{
    cube_start();
    add_passes(1, uneven);
    add_repetition(2, 1, uneven);
    add_repetition(2, 2, uneven);
    rate();
    double range[2];
    spread_make(&reps, range);
    assert_nan(range[0]);
    assert_nan(range[1]);
}

/* ---- drift ---- */

static double drift_of(int passes, bandwidth_function *bandwidth)
{
    cube_start();
    add_passes(passes, bandwidth);
    rate();
    double z = drift_find(&reps);
    return z;
}

/* 6 rising values: S = 15, V = 6 * 5 * 17 / 18 = 28.33, z = 14 / 5.3229. */
TEST(computes_the_trend)
{
    static const struct {
        double values[6], z;
    } rows[] = {
        {{1, 2, 3, 4, 5, 6}, 14 / 5.322906474223771},
        {{6, 5, 4, 3, 2, 1}, -14 / 5.322906474223771},
        {{1, 1, 1, 1, 1, 1}, 0},
        {{2, 1, 3, 4, 5, 6}, 12 / 5.322906474223771},
        {{1, 3, 2, 2, 3, 1}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_near(drift_trend(rows[i].values, 6), rows[i].z, 1e-9);
}

/* Returns a bandwidth with random noise of 30 %, different in each cell, and without a trend. */
static double noisy(int pass, int rep, int pattern, int method, int size)
{
    struct random_stream random;
    uint64_t cell = (uint64_t)((((pass * 5 + rep) * 64 + pattern) * METHODS + method) * BEFF_SIZES + size);
    random_start(&random, cell, 2);
    double sum = 0; /* the sum of twelve random numbers is nearly normal */
    for (int i = 0; i < 12; i++)
        sum += (double)random_below(&random, 1000000) / 1e6;
    return (1 + size) * exp(0.3 * (sum - 6));
}

static double falling(int pass, int rep, int pattern, int method, int size)
{
    return noisy(pass, rep, pattern, method, size) * pow(0.9, 3 * pass + rep);
}

TEST(finds_a_drift)
{
    assert_nan(drift_of(1, falling));
    for (int passes = 2; passes <= 6; passes += 2) {
        assert_true(drift_of(passes, falling) < -DRIFT_Z);
        assert_true(fabs(drift_of(passes, noisy)) < DRIFT_Z);
    }
}
