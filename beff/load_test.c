/* Tests roles, order, polygons and groups by counting; the batches with processes that have clocks of their
 * own; the figures with made-up blocks, and the coverage of their intervals with thousands of runs. */
#include "beff/load.h"

#include "beff/record.h"

#include "common/random.h"
#include "tests/unit.h"

enum { SEED = 20010917, BLOCKS = LOAD_COMBINATIONS * LOAD_BLOCKS };

/* ---- roles ---- */

TEST(half_of_the_nodes_are_victims)
{
    for (size_t count = LOAD_MIN; count < 70; count++) {
        bool victim[70], other[70];
        size_t victims = 0, equal = 0;
        load_divide(SEED, count, victim);
        load_divide(SEED + 1, count, other);
        for (size_t i = 0; i < count; i++) {
            victims += victim[i];
            equal += victim[i] == other[i];
        }
        assert_int_equal(victims, (count + 1) / 2);
        assert_true(count < 20 || equal < count);
    }
}

static int role_of(const char *text, const char *host, struct message *error)
{
    bool victim = false;
    return load_find_role(text, host, &victim, error) ? -1 : victim;
}

TEST(a_file_gives_roles)
{
    static const char text[] =
        "\xef\xbb\xbf# roles\r\nn0 victim # a comment\r\n\n  n1\tcongestor\nn10 victim\nn2 congestor";
    struct message error;
    assert_int_equal(role_of(text, "n0", &error), 1);
    assert_int_equal(role_of(text, "n1", &error), 0);
    assert_int_equal(role_of(text, "n10", &error), 1);
    assert_int_equal(role_of(text, "n2", &error), 0);
    assert_int_equal(role_of(text, "n3", &error), -1);
    assert_contains(error.text, "no line n3 victim|congestor");
    assert_int_equal(role_of("", "n0", &error), -1);
    assert_int_equal(role_of("n0 other\n", "n0", &error), -1);
    assert_int_equal(role_of("n0 victim\nn1\n", "n0", &error), -1);
    assert_contains(error.text, "line 2");
    assert_int_equal(role_of("n0\n", "n0", &error), -1);
    assert_int_equal(role_of("n0 victim n1\n", "n0", &error), -1);
}

/* ---- order and groups ---- */

TEST(every_combination_has_its_blocks_in_random_order)
{
    uint32_t order[BLOCKS], other[BLOCKS];
    bool seen[BLOCKS] = {false};
    int late = 0;
    load_order(SEED, order);
    load_order(SEED + 1, other);
    for (int i = 0; i < BLOCKS; i++) {
        assert_true(order[i] < BLOCKS && !seen[order[i]]);
        seen[order[i]] = true;
        late += i >= BLOCKS / 2 && order[i] / LOAD_BLOCKS == 0;
    }
    assert_memory_not_equal(order, other, sizeof order);
    assert_true(late > 0 && late < LOAD_BLOCKS); /* no combination is measured in one half alone */
}

TEST(polygons_are_one_ring)
{
    static const size_t counts[] = {2, 3, 17, 64};
    for (size_t c = 0; c < COUNT(counts); c++)
        for (int block = 0; block < LOAD_BLOCKS; block++) {
            uint32_t at = 0, left, right, back;
            size_t steps = 0;
            do {
                load_polygon(SEED, block % 2, block, counts[c], at, &left, &right);
                load_polygon(SEED, block % 2, block, counts[c], right, &back, &(uint32_t){0});
                assert_int_equal(back, at);
                at = right;
                steps++;
            } while (at != 0 && steps <= counts[c]);
            assert_int_equal(steps, counts[c]);
        }
}

TEST(everybody_agrees_on_the_incast_groups)
{
    static const size_t counts[] = {3, 31, 32, 33, 100, 257};
    for (size_t c = 0; c < COUNT(counts); c++)
        for (uint32_t own = 0; own < counts[c]; own++) {
            uint32_t group[LOAD_GROUP], other[LOAD_GROUP];
            int size = load_group(SEED, 3, counts[c], own, group), found = 0;
            assert_true(size >= 2 && size <= LOAD_GROUP);
            assert_true(counts[c] <= LOAD_GROUP || size >= LOAD_GROUP / 2);
            for (int i = 0; i < size; i++)
                found += group[i] == own;
            assert_int_equal(found, 1);
            assert_int_equal(load_group(SEED, 3, counts[c], group[0], other), size);
            assert_memory_equal(group, other, (size_t)size * sizeof *group);
        }
}

TEST(small_machines_lack_combinations)
{
    assert_true(load_possible(LOAD_NOTHING, 2, 2));
    assert_false(load_possible(LOAD_INCAST, 64, 2));
    assert_true(load_possible(LOAD_INCAST, 3, 3));
    assert_false(load_possible(LOAD_ALLTOALL, 1, 1));
    assert_true(load_possible(LOAD_POLYGONS, 2, 1));
    assert_near(load_seconds(0.25), 96 * 0.28, 1e-9);
}

/* ---- batches ---- */

enum { PROCESSES = 3, MAX_BATCHES = 2000 };

/* Runs a block on processes whose iterations take different times, and whose clocks therefore differ. A vote
 * is the maximum over the processes. Returns the number of batches. */
static int run_block(double length, const double *seconds, double latest[PROCESSES], long *total)
{
    static struct load_vote votes[MAX_BATCHES];
    struct load_pace pace[PROCESSES];
    double now[PROCESSES] = {0};
    *total = 0;
    for (int p = 0; p < PROCESSES; p++)
        load_pace_start(&pace[p], length, 0);
    for (int n = 0; n < MAX_BATCHES; n++) {
        long more[PROCESSES];
        votes[n] = (struct load_vote){0, 0};
        for (int p = 0; p < PROCESSES; p++) {
            more[p] = load_pace_next(&pace[p], n >= 2 ? &votes[n - 2] : NULL);
            assert_int_equal(more[p], more[0]); /* otherwise messages would be left unmatched */
            latest[p] = now[p];
        }
        if (more[0] == 0)
            return n;
        *total += more[0];
        for (int p = 0; p < PROCESSES; p++) {
            struct load_vote own = load_pace_vote(&pace[p], now[p]);
            votes[n].over = fmax(votes[n].over, own.over);
            votes[n].seconds = fmax(votes[n].seconds, own.seconds);
            now[p] += (double)more[p] * seconds[p];
        }
    }
    fail_msg("the block does not end");
    return 0;
}

TEST(all_processes_stop_after_the_same_batch)
{
    static const double rows[][PROCESSES] = {
        {1e-6, 1e-6, 1e-6}, {1e-6, 2e-6, 3e-6}, {1e-4, 1e-4, 1e-5}, {2e-3, 1e-3, 1e-3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double latest[PROCESSES];
        long total;
        int batches = run_block(0.25, rows[i], latest, &total);
        assert_true(latest[0] >= 0.25 || latest[1] >= 0.25 || latest[2] >= 0.25);
        for (int p = 0; p < PROCESSES; p++)
            assert_true(latest[p] <
                        0.25 + 4 * fmax(0.005, rows[i][p])); /* at most two batches after the end */
        assert_true(batches < 100);
    }
}

TEST(one_iteration_may_take_longer_than_a_block)
{
    const double seconds[] = {1, 1, 1};
    double latest[PROCESSES];
    long total;
    run_block(0.25, seconds, latest, &total);
    assert_true(total <= 4);
}

/* ---- figures ---- */

/* Adds a block whose exchanges take `mean` microseconds; NaN: there was none. */
static void put_block(struct protocol *p, const char *victim, const char *congestor, double mean)
{
    const struct load_block row = {.block = 1,
                                   .victim = text_find(load_victims, LOAD_VICTIMS, victim),
                                   .congestor = text_find(load_congestors, LOAD_CONGESTORS, congestor),
                                   .iterations = 100,
                                   .exchanges = isnan(mean) ? 0 : 5000,
                                   .min = 0.5e-6 * mean,
                                   .mean = 1e-6 * mean,
                                   .p50 = 0.9e-6 * mean,
                                   .p99 = 2e-6 * mean,
                                   .p999 = 3e-6 * mean,
                                   .max = 4e-6 * mean};
    protocol_add(p, BEFF_LOAD_BLOCKS, &row, 1);
}

TEST(the_worst_combination_is_found)
{
    struct protocol p;
    struct load load;
    struct message error;
    assert_int_equal(protocol_create(&p, NULL, false, &beff_record_type, &error), 0);
    for (int i = 0; i < LOAD_BLOCKS; i++) {
        double noise = 1 + 0.01 * (i - 3.5);
        put_block(&p, "latency", "nothing", 10 * noise);
        put_block(&p, "latency", "incast", 10.5 * noise);
        put_block(&p, "bandwidth", "nothing", 100 * noise);
        put_block(&p, "bandwidth", "polygons", 300 * noise);
        put_block(&p, "bandwidth", "alltoall", 200 * noise);
    }
    assert_int_equal(load_make(&load, &p, &error), 0);
    const struct load_combination *worst =
        &load.combination[LOAD_BANDWIDTH * LOAD_CONGESTORS + LOAD_POLYGONS];
    assert_ptr_equal(&load.combination[load.worst], worst);
    assert_near(worst->mean.value, 3, 1e-9);
    assert_near(worst->p99.value, 3, 1e-9);
    assert_true(worst->mean.low > 2.8 && worst->mean.high < 3.2);
    assert_near(worst->middle[LOAD_P50], 270e-6, 1e-9);
    assert_int_equal(worst->exchanges, 8 * 5000);
    assert_int_equal(worst->iterations, 8 * 100);
    assert_near(worst->middle[LOAD_P999], 900e-6 * 1.035,
                1e-9); /* the last block's, which is of all blocks */
    assert_near(worst->middle[LOAD_MAX], 1200e-6 * 1.035, 1e-9);
    assert_nan(load.combination[LOAD_ALLREDUCE * LOAD_CONGESTORS + LOAD_INCAST].mean.value);
    assert_nan(load.combination[0].mean.value);
    protocol_free(&p);
}

/* Of the 64 ratios of 8 and 8 blocks, the 14th is the lower end at 95 %: the chance of U <= 13 is 2.5 % (Mann
 * and Whitney). The blocks of the largest impact, 3, vary by 10 %. Its lower end is therefore below the lower
 * end of the impact 2.5. */
TEST(the_lower_end_of_the_largest_impact_is_ranked)
{
    static const double impacts[] = {1, 2.5, 3}, expected[] = {1, 2.426829268292683, 2.284263959390863};
    for (int k = 0; k < 3; k++) {
        struct protocol p;
        struct load load;
        struct message error;
        struct sheet sheet = {.value_count = 0};
        assert_int_equal(protocol_create(&p, NULL, false, &beff_record_type, &error), 0);
        for (int i = 0; i < LOAD_BLOCKS; i++) {
            double step = i - (LOAD_BLOCKS - 1) / 2.0;
            put_block(&p, "latency", "nothing", 1 + 0.01 * step);
            put_block(&p, "latency", "incast", impacts[k] * (1 + (k == 2 ? 0.1 : 0.01) * step));
            put_block(&p, "latency", "polygons", impacts[k < 1 ? 0 : 1] * (1 + 0.01 * step));
        }
        assert_int_equal(load_make(&load, &p, &error), 0);
        load_add(&load, &sheet);
        const struct sheet_value *value = sheet_find(&sheet, "impact_largest");
        assert_near(value->value, expected[k], 1e-12);
        assert_int_equal(value->uses, SHEET_RANKED | SHEET_LOWER);
        sheet_free(&sheet);
        protocol_free(&p);
    }
}

/* 64 victims make 2000 iterations of 1 us in each block; 24 iterations of the fourth block stall all victims
 * for 1 ms. These are more than 0.1 % of 10,000 or 12,000 iterations, but not of 32,000. */
TEST(p999_is_that_of_all_blocks_and_needs_many_iterations)
{
    struct load_pool pool = {0};
    for (int block = 0; block < 6; block++) {
        struct histogram h = {0};
        for (int i = 0; i < 64 * 2000; i++)
            histogram_add(&h, block == 3 && i < 64 * 24 ? 1e-3 : 1e-6);
        double p999 = load_pool_p999(&pool, &h, 2000);
        if (block < 4)
            assert_nan(p999);
        else
            assert_near(p999, 1e-3, 0.1);
    }
    struct histogram calm = {0};
    for (int i = 0; i < 64 * 20000; i++)
        histogram_add(&calm, 1e-6);
    assert_near(load_pool_p999(&pool, &calm, 20000), 1e-6, 0.1); /* 24 of 32,000 */
}

/* Blocks without exchanges, blocks without the same block alone, and one block alone give no interval. */
TEST(nothing_is_concluded_from_missing_blocks)
{
    struct protocol p;
    struct load load;
    struct message error;
    assert_int_equal(protocol_create(&p, NULL, false, &beff_record_type, &error), 0);
    put_block(&p, "latency", "incast", 10);
    for (int i = 0; i < LOAD_BLOCKS; i++) {
        put_block(&p, "allreduce", "nothing", NAN);
        put_block(&p, "allreduce", "incast", 10);
        put_block(&p, "bandwidth", "polygons", 10);
    }
    put_block(&p, "bandwidth", "nothing", 5);
    assert_int_equal(load_make(&load, &p, &error), 0);
    assert_true(load.measured);
    assert_int_equal(load.worst, -1);
    assert_nan(load.most);
    put_block(&p, "bandwidth", "polygons", 10);
    assert_int_equal(load_make(&load, &p, &error), -1); /* a ninth block */
    protocol_free(&p);
}

/* A file may state any numbers of exchanges and errors: their sums do not overflow. */
TEST(sums_of_a_file_do_not_overflow)
{
    const struct load_block row = {.exchanges = INT64_MAX, .errors = INT64_MAX - 1, .mean = 1};
    struct protocol p = {.type = &beff_record_type};
    struct load load;
    struct message error;
    for (int i = 0; i < 3; i++)
        protocol_add(&p, BEFF_LOAD_BLOCKS, &row, 1);
    assert_int_equal(load_make(&load, &p, &error), 0);
    assert_true(load.errors == INT64_MAX);
    assert_true(load.combination[0].exchanges == INT64_MAX);
    protocol_free(&p);
}

/* Returns a number between 0.8 and 1.2, or rarely up to 3: the noise of a block. */
static double noise(struct random_stream *random)
{
    double x = (double)random_below(random, 1000000) / 1e6;
    return random_below(random, 20) ? 0.8 + 0.4 * x : 1.2 + 1.8 * x;
}

/* In a run without any impact, chance must rarely name a combination. */
TEST(a_healthy_machine_has_no_impact)
{
    enum { RUNS = 1000 };
    struct random_stream random;
    int named = 0;
    random_start(&random, 1, 2);
    for (int run = 0; run < RUNS; run++) {
        struct protocol p;
        struct load load;
        struct message error;
        assert_int_equal(protocol_create(&p, NULL, false, &beff_record_type, &error), 0);
        for (int i = 0; i < LOAD_BLOCKS; i++)
            for (int k = 0; k < LOAD_COMBINATIONS; k++)
                put_block(&p, load_victims[k / LOAD_CONGESTORS], load_congestors[k % LOAD_CONGESTORS],
                          10 * noise(&random));
        assert_int_equal(load_make(&load, &p, &error), 0);
        named += load.worst >= 0;
        protocol_free(&p);
    }
    assert_true(named <= 0.05 * RUNS);
}

/* The intervals of made-up runs contain the true slowdown in at least 95 % of the runs. */
TEST(the_interval_covers_the_truth)
{
    enum { RUNS = 4000 };
    struct random_stream random;
    int covered = 0;
    random_start(&random, 1, 1);
    for (int run = 0; run < RUNS; run++) {
        struct protocol p;
        struct load load;
        struct message error;
        assert_int_equal(protocol_create(&p, NULL, false, &beff_record_type, &error), 0);
        for (int i = 0; i < LOAD_BLOCKS; i++) {
            put_block(&p, "latency", "nothing", 10 * noise(&random));
            put_block(&p, "latency", "incast", 13 * noise(&random));
        }
        assert_int_equal(load_make(&load, &p, &error), 0);
        const struct ratio *r = &load.combination[LOAD_INCAST].mean;
        covered += r->low <= 1.3 && 1.3 <= r->high;
        protocol_free(&p);
    }
    assert_true(covered >= 0.945 * RUNS); /* 95 % less three standard errors */
    assert_true(covered <= 0.98 * RUNS);
}
