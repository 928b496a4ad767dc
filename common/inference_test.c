/* Tests the intervals against printed tables, known answers and simulations, and the correction for many
 * ratios against its authors' example. */
#include "common/inference.h"

#include "common/random.h"
#include "tests/unit.h"

static size_t interval_rank(size_t n, size_t m, double *level)
{
    double *chances = interval_chances(n, m);
    size_t rank = chances_rank(chances, INTERVAL_LEVEL, level);
    free(chances);
    return rank;
}

static struct ratio finish(double *ratios, size_t count, size_t rank)
{
    struct ratio ratio = ratio_make(ratios, count, rank);
    free(ratios);
    return ratio;
}

static struct ratio sides_ratio(const double *before, size_t n, const double *after, size_t m, size_t rank)
{
    size_t count;
    double *ratios = ratios_of_sides(before, n, after, m, &count);
    return finish(ratios, count, rank);
}

static struct ratio pairs_ratio(const double *before, const double *after, size_t n, size_t rank)
{
    size_t count;
    double *ratios = ratios_of_pairs(before, after, n, &count);
    return finish(ratios, count, rank);
}

static double finish_chance(double *ratios, size_t count, double factor, const double *chances)
{
    double chance = ratio_chance(ratios, count, factor, chances);
    free(ratios);
    return chance;
}

static double sides_chance(const double *before, size_t n, const double *after, size_t m, double factor,
                           const double *chances)
{
    size_t count;
    double *ratios = ratios_of_sides(before, n, after, m, &count);
    return finish_chance(ratios, count, factor, chances);
}

static double pairs_chance(const double *before, const double *after, size_t n, double factor,
                           const double *chances)
{
    size_t count;
    double *ratios = ratios_of_pairs(before, after, n, &count);
    return finish_chance(ratios, count, factor, chances);
}

/* `rank` is 1 plus the critical value of Mann and Whitney's two-sided test at 5 %, that is, the largest U
 * that rejects, as printed in textbooks. It is 0 if there is no critical value. */
static const struct {
    size_t n, m, rank;
} table[] = {{1, 38, 0},   {1, 39, 1},   {2, 7, 0},     {2, 8, 1},   {3, 3, 0},  {3, 4, 0},
             {3, 5, 1},    {4, 3, 0},    {4, 4, 1},     {4, 5, 2},   {5, 5, 3},  {5, 3, 1},
             {6, 6, 6},    {5, 8, 7},    {7, 7, 9},     {8, 8, 14},  {9, 9, 18}, {10, 10, 24},
             {12, 12, 38}, {15, 15, 65}, {20, 20, 128}, {10, 20, 56}};

TEST(ranks_equal_the_printed_tables)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        double level;
        size_t rank = interval_rank(table[i].n, table[i].m, &level);
        if (rank != table[i].rank)
            fail_msg("%zu and %zu: rank %zu instead of %zu", table[i].n, table[i].m, rank, table[i].rank);
        assert_true(rank ? level >= 0.95 && level < 1 : isnan(level));
    }
}

TEST(levels_are_exact)
{
    double level;
    assert_int_equal(interval_rank(4, 4, &level), 1);
    assert_close(level, 1 - 2.0 / 70);
    assert_int_equal(interval_rank(3, 5, &level), 1);
    assert_close(level, 1 - 2.0 / 56);
    assert_int_equal(interval_rank(5, 5, &level), 3); /* 1 + 1 + 2 of 252 orders have U < 3 */
    assert_close(level, 1 - 2 * 4.0 / 252);
    assert_int_equal(interval_rank(0, 5, &level), 0);
    assert_int_equal(interval_rank(INTERVAL_MAX + 1, 5, &level), 0);
    assert_true(interval_rank(INTERVAL_MAX, INTERVAL_MAX, &level) > 4000);
    assert_near(level, 0.95, 0.001);
}

TEST(known_ratios)
{
    const double before[] = {100, 101, 102, 103}, after[] = {200, 202, 204, 206};
    double level;
    struct ratio r = sides_ratio(before, 4, after, 4, interval_rank(4, 4, &level));
    assert_close(r.low, 200.0 / 103);
    assert_close(r.high, 206.0 / 100);
    assert_near(r.value, 2, 0.003);
    struct ratio back = sides_ratio(after, 4, before, 4, 1);
    assert_close(back.value, 1 / r.value);
    assert_close(back.low, 1 / r.high);
    assert_close(back.high, 1 / r.low);
    struct ratio few = sides_ratio(before, 3, after, 3, interval_rank(3, 3, &level));
    assert_close(few.value, 2);
    assert_nan(few.low);
    assert_nan(sides_ratio(before, 0, after, 4, 0).value);
    struct ratio same = sides_ratio(before, 4, before, 4, 1);
    assert_close(same.value, 1);
    assert_true(same.low < 1 && same.high > 1);
}

/* ---- simulation ---- */

static double uniform(struct random_stream *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random_stream *random)
{
    return 100 * exp(0.05 * sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random)));
}

/* Returns a value that is usually near 100 and sometimes much lower, like the ratings of real machines. */
static double disturbed(struct random_stream *random)
{
    double steady = 100 - uniform(random);
    return uniform(random) < 0.2 ? steady * (0.5 + 0.4 * uniform(random)) : steady;
}

static double heavy_tailed(struct random_stream *random)
{
    return 100 + 1 / uniform(random);
}

/* Returns one of four values, so that many values are equal. */
static double coarse(struct random_stream *random)
{
    return (double)(90 + random_below(random, 4));
}

TEST(the_interval_contains_the_true_ratio_at_its_level)
{
    static double (*const draw[])(struct random_stream *) = {normal, disturbed, heavy_tailed, coarse};
    static const size_t sides[][2] = {{4, 4}, {3, 5}, {5, 5}, {6, 9}, {10, 10}};
    enum { TRIALS = 4000 };
    const double factor = 0.93;
    struct random_stream random;
    random_start(&random, 1, 1);
    for (size_t d = 0; d < COUNT(draw); d++)
        for (size_t s = 0; s < COUNT(sides); s++) {
            size_t n = sides[s][0], m = sides[s][1];
            double level, before[10], after[10];
            size_t rank = interval_rank(n, m, &level), held = 0;
            for (int trial = 0; trial < TRIALS; trial++) {
                for (size_t i = 0; i < n; i++)
                    before[i] = draw[d](&random);
                for (size_t j = 0; j < m; j++)
                    after[j] = factor * draw[d](&random);
                struct ratio r = sides_ratio(before, n, after, m, rank);
                held += r.low <= factor * (1 + 1e-12) && r.high >= factor * (1 - 1e-12);
            }
            /* Four standard deviations of the share. With equal values, the share may exceed the level. */
            double slack = 4 * sqrt(level * (1 - level) / TRIALS), share = (double)held / TRIALS;
            if (share < level - slack || (draw[d] != coarse && share > level + slack))
                fail_msg("distribution %zu, %zu and %zu: held in %.4f, not in %.4f", d, n, m, share, level);
        }
}

/* k is from printed tables of the sign test; 2 P(B < k) is computed by hand. */
TEST(medians)
{
    static const struct {
        size_t n, k;
        double outside;
    } rows[] = {
        {6, 1, 2 / 64.0}, {8, 1, 2 / 256.0}, {9, 2, 20 / 512.0}, {12, 3, 158 / 4096.0}, {20, 6, 0.04139}};
    double level;
    for (size_t n = 0; n < 6; n++)
        assert_int_equal(median_rank(n, &level), 0);
    assert_nan(level);
    assert_int_equal(median_rank(MEDIAN_MAX + 1, &level), 0);
    assert_int_equal(median_rank(MEDIAN_MAX, &level), 469);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(median_rank(rows[i].n, &level), rows[i].k);
        assert_near(level, 1 - rows[i].outside, 1e-5);
    }
}

/* On a logarithmic scale, the loss is 1.45 times the loss at which the interval no longer contains 1. */
TEST(the_smallest_loss_of_two_sides)
{
    assert_close(ratio_smallest_loss(&(struct ratio){1, 0.9, 1.25}, false), 1 - pow(0.8, 1.45));
    assert_close(ratio_smallest_loss(&(struct ratio){1, 0.8, 1.25}, true), pow(1.25, 1.45) - 1);
}

/* One session on each side and 3 % between sessions: 8.3 %. */
TEST(the_allowance_makes_an_interval_wider)
{
    assert_near(ratio_allowance(0.03, NORMAL_95, 1, 1), 0.0832, 1e-3);
    struct ratio wide = ratio_widen((struct ratio){2, 2 * exp(-0.03), 2 * exp(0.04)}, 0.04);
    assert_close(wide.low, 2 * exp(-0.05));
    assert_close(wide.high, 2 * exp(hypot(0.04, 0.04)));
    assert_near(t_95(3), 3.1824, 0.03);
    assert_near(t_95(10), 2.2281, 1e-3);
}

/* The chances 0.01, 0.02, 0.03, 0.3: Holm's limits are 0.0125, 0.0167; Benjamini and Hochberg's 0.0125,
 * 0.025, 0.0375, 0.05. */
TEST(holm_marks_fewer)
{
    const double chances[] = {0.3, 0.02, 0.01, 0.03};
    bool marks[4];
    assert_int_equal(chances_holm(chances, 4, marks), 1);
    assert_true(marks[2] && !marks[0] && !marks[1] && !marks[3]);
    assert_int_equal(chances_correct(chances, 4, marks), 3);
}

/* A ratio is excluded by the interval exactly if its chance is at most 1 - level. */
TEST(chances_agree_with_the_interval)
{
    const double before[] = {100, 103, 98, 101, 99}, after[] = {111, 109, 112, 107, 110};
    double level, *chances = interval_chances(5, 5);
    struct ratio ratio = sides_ratio(before, 5, after, 5, interval_rank(5, 5, &level));
    assert_close(sides_chance(before, 5, after, 5, 1, chances), 2.0 / 252);
    assert_close(sides_chance(after, 5, before, 5, 1, chances), 2.0 / 252);
    assert_close(sides_chance(before, 5, before, 5, 1, chances), 1);
    for (int sign = -1; sign <= 1; sign += 2) {
        double low = ratio.low * (1 + sign * 1e-9), high = ratio.high * (1 + sign * 1e-9);
        assert_int_equal(sides_chance(before, 5, after, 5, low, chances) > 1.000001 - level, sign > 0);
        assert_int_equal(sides_chance(before, 5, after, 5, high, chances) > 1.000001 - level, sign < 0);
    }
    free(chances);
    assert_null(interval_chances(0, 5));
    assert_null(interval_chances(5, INTERVAL_MAX + 1));
}

/* Equal values count against a difference: without them, all 16 pairs would show the same direction. */
TEST(equal_values_are_no_evidence)
{
    const double before[] = {1, 1, 1, 2}, after[] = {2, 3, 3, 3};
    double *chances = interval_chances(4, 4);
    assert_close(sides_chance(before, 4, after, 4, 1, chances), 4.0 / 70); /* U <= 1: 2 of 70 orders */
    free(chances);
}

/* The example of Benjamini and Hochberg (1995), section 3.2: four of 15 are significant. */
TEST(the_correction_equals_the_published_example)
{
    const double chances[] = {0.3240, 0.0001, 0.0004, 1.0000, 0.0095, 0.0201, 0.0278, 0.0298,
                              0.0344, 0.0459, 0.0019, 0.4262, 0.5719, 0.6528, 0.7590};
    bool significant[COUNT(chances)];
    chances_correct(chances, COUNT(chances), significant);
    for (size_t i = 0; i < COUNT(chances); i++)
        assert_int_equal(significant[i], chances[i] < 0.01);
    chances_correct((double[]){0.05, 0.03, 0.04}, 3, significant); /* the largest decides for all */
    assert_true(significant[0] && significant[1] && significant[2]);
    chances_correct((double[]){0.06, 0.03, 0.04}, 3, significant);
    assert_false(significant[0] || significant[1] || significant[2]);
}

TEST(many_ratios_need_more_runs)
{
    assert_int_equal(interval_runs(0.05), 4);       /* 2 / 70 */
    assert_int_equal(interval_runs(0.05 / 30), 7);  /* 2 / 3432 */
    assert_int_equal(interval_runs(0.05 / 214), 8); /* 2 / 12870 */
    assert_int_equal(interval_runs(0), INTERVAL_MAX);
}

/* The largest W that rejects at 5 % in a two-sided test, as printed in textbooks; -1: none does. */
TEST(ranks_of_pairs_equal_the_printed_table)
{
    static const struct {
        size_t n;
        int critical;
    } rows[] = {{1, -1}, {5, -1},  {6, 0},   {7, 2},   {8, 3},   {9, 5},
                {10, 8}, {12, 13}, {15, 25}, {20, 52}, {25, 89}, {30, 137}};
    double level;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double *chances = pairs_chances(rows[i].n);
        assert_int_equal(chances_rank(chances, 0.95, &level), rows[i].critical + 1);
        assert_true(rows[i].critical < 0 ? isnan(level) : level >= 0.95 && level < 1);
        free(chances);
    }
    assert_null(pairs_chances(0));
    assert_null(pairs_chances(PAIRS_MAX + 1));
    assert_int_equal(chances_rank(NULL, 0.95, &level), 0);
    assert_nan(level);
    double *chances = pairs_chances(PAIRS_MAX);
    assert_close(chances[PAIRS_MAX * (PAIRS_MAX + 1) / 2], 1);
    assert_close(chances[0], ldexp(1, -PAIRS_MAX));
    free(chances);
}

/* The ratios are 0.8, 0.9, 1, 1.1 and 1.2, whatever the machine did to both values of a pair. */
TEST(known_pairs)
{
    const double before[] = {1, 10, 100, 1000, 7}, after[] = {0.8, 9, 100, 1100, 8.4};
    struct ratio r = pairs_ratio(before, after, 5, 1);
    assert_close(r.low, 0.8);
    assert_close(r.high, 1.2);
    assert_close(r.value, sqrt(0.9 * 1.1)); /* the eighth of 15 means */
    struct ratio back = pairs_ratio(after, before, 5, 2);
    assert_close(back.value, 1 / r.value);
    assert_close(back.low, 1 / sqrt(1.2 * 1.1));
    assert_nan(pairs_ratio(before, after, 5, 0).low);
    assert_nan(pairs_ratio(before, after, 0, 0).value);
    double *chances = pairs_chances(5);
    assert_close(pairs_chance(before, after, 5, 0.79, chances), 2.0 / 32);
    assert_close(pairs_chance(before, after, 5, 1.21, chances), 2.0 / 32);
    assert_close(pairs_chance(before, after, 5, 0.82, chances), 4.0 / 32); /* W <= 1 */
    assert_close(pairs_chance(before, before, 5, 1, chances), 1);
    free(chances);
}

/* All looks together use 5 %, and the first look can decide. */
TEST(looks_share_the_error)
{
    static const size_t pairs[] = {7, 10, 14, 20, 28, 40, 56, 79, 112, 158};
    double level, *chances = pairs_chances(7);
    assert_int_equal(COUNT(pairs), PAIRS_LOOKS);
    for (int i = 0; i < (int)COUNT(pairs); i++) {
        assert_int_equal(pairs_of_look(i + 1), pairs[i]);
        assert_int_equal(look_of_pairs(pairs[i]), i + 1);
    }
    assert_int_equal(look_of_pairs(0), 1);
    assert_int_equal(look_of_pairs(8), 2);
    assert_int_equal(look_of_pairs(159), PAIRS_LOOKS);
    assert_int_equal(chances_rank(chances, pairs_level(1), &level), 1);
    assert_close(level, 1 - 2.0 / 128);
    free(chances);
}

/* Adds a value to a list sorted by size, and returns the sum of the ranks of the positive values. */
static size_t signed_ranks(double *values, size_t count, double value)
{
    size_t at = count, sum = 0;
    for (; at > 0 && fabs(values[at - 1]) > fabs(value); at--)
        values[at] = values[at - 1];
    values[at] = value;
    for (size_t i = 0; i <= count; i++)
        sum += values[i] > 0 ? i + 1 : 0;
    return sum;
}

/* Without a difference, 4.9 % of comparisons are decided at any look; the standard error of 4,000 is 0.34 %.
 */
TEST(all_looks_together_are_wrong_in_at_most_5_percent)
{
    size_t rank[PAIRS_LOOKS], wrong = 0;
    struct random_stream random;
    random_start(&random, 57, 0);
    for (int k = 0; k < PAIRS_LOOKS; k++) {
        double level, *chances = pairs_chances(pairs_of_look(k + 1));
        rank[k] = chances_rank(chances, pairs_level(k + 1), &level);
        free(chances);
    }
    for (int experiment = 0; experiment < 4000; experiment++) {
        double values[PAIRS_MAX];
        size_t count = 0;
        bool decided = false;
        for (int k = 0; k < PAIRS_LOOKS && !decided; k++) {
            size_t sum = 0, all = pairs_of_look(k + 1);
            while (count < all) {
                sum = signed_ranks(values, count, (double)random_below(&random, 2000001) - 1000000);
                count++;
            }
            decided = sum < rank[k] || all * (all + 1) / 2 - sum < rank[k];
        }
        wrong += decided;
    }
    assert_in_range(wrong, 160, 230);
}
