/* Compares ratings of made-up cubes of records with closed forms, and with a second implementation of the
 * definition. */
#include "beff/cube_test.h"
#include "common/stats.h"

/* ---- closed forms ---- */

static double logavg_range(int first, int last)
{
    double product_of = 1;
    for (int i = first; i <= last; i++)
        product_of *= i;
    return pow(product_of, 1.0 / (last - first + 1));
}

TEST(rates_a_product)
{
    cube_start();
    add_passes(1, product);
    rate();
    const struct figures *f = &rating.figures;
    /* mean of 1 .. 21 is 11; patterns 1 .. 6 are the rings, 7 .. 9 the polygons. */
    double rings = logavg_range(1, 6) * 2 * 3, random = logavg_range(7, 9) * 2 * 3,
           both = sqrt(rings * random);
    assert_close(f->rings, rings * 11);
    assert_close(f->random, random * 11);
    assert_close(f->b_eff, both * 11);
    assert_close(f->lmax, both * 21);
    assert_close(f->lmax_rings, rings * 21);
    assert_close(f->method[METHOD_SENDRECV], both * 11 / 4);
    assert_close(f->method[METHOD_ALLTOALLV], both * 11 / 2);
    assert_close(f->method[METHOD_NONBLOCKING], both * 11);
    /* The same method and repetition are the best in every cell, so the order of the steps has no effect. */
    assert_close(f->medians, f->b_eff / 3);       /* two of three repetitions have a third of the best */
    assert_close(f->means, f->b_eff / 3 * 9 / 7); /* three times the bytes in 1 + 1/3 + 1 of the time */
    int pingpong = cube.list.count - 1;
    assert_string_equal(cube.list.patterns[pingpong].id, "pingpong");
    assert_close(f->pingpong, (pingpong + 1) * 0.5 * 3 * 21);
    assert_close(f->pingpong_latency, 1 / ((pingpong + 1) * 0.5 * 3));
    assert_int_equal(rating.whole, 1);
    assert_int_equal(rating.passes, 1);
    assert_int_equal(reps.complete, 3);
    assert_string_equal(rating.missing, "");
}

/* A ping-pong iteration of 3 microseconds has 2 messages of 1 byte, so the latency is 1.5 microseconds. */
TEST(computes_latencies_in_microseconds)
{
    cube_start();
    int pingpong = pattern_find(&cube.list, "pingpong");
    add(1, 1, pingpong, METHOD_SENDRECV, 0, 1 * 2 / 3e-6 / 1e6);
    for (int p = 0; p < cube.list.count; p++)
        if (cube.list.patterns[p].rated) {
            /* Alltoallv takes 5 microseconds. Sendrecv takes 4 for each of its successive messages. */
            add(1, 1, p, METHOD_ALLTOALLV, 0, (double)cube.list.patterns[p].messages / 5);
            add(1, 1, p, METHOD_SENDRECV, 0, PROCESSES / 4.0);
        }
    rate();
    assert_close(rating.figures.pingpong_latency, 1.5);
    assert_close(rating.figures.latency, 4);
    assert_nan(rating.figures.b_eff);
    assert_nan(rating.figures.pingpong);
}

/* ---- the second implementation ---- */

static struct triple pass_triple(int pass)
{
    return (struct triple){{pass, pass, pass}, {1, 2, 3}};
}

TEST(follows_the_definition)
{
    struct triple t = pass_triple(1);
    cube_start();
    add_passes(1, uneven);
    rate();
    assert_close(rating.figures.b_eff, plain_b_eff(&t));
    for (int p = 0; p < cube.list.count - 1; p++)
        for (int s = 0; s < BEFF_SIZES; s++) {
            assert_real(rating_cell(&rating, p, METHODS, s), plain_max(&t, p, s, 0, METHODS - 1, 0, 2));
            for (int m = 0; m < METHODS; m++)
                assert_real(rating_cell(&rating, p, (enum method)m, s), plain_max(&t, p, s, m, m, 0, 2));
        }
}

/* The records may be in any order. */
TEST(does_not_depend_on_the_order)
{
    struct triple t = pass_triple(1);
    cube_start();
    add_passes(1, uneven);
    struct random_stream random;
    random_start(&random, 1, 1);
    for (size_t i = cube.count; i > 1; i--) {
        size_t j = (size_t)random_below(&random, i);
        struct beff_record swap = cube.records[i - 1];
        cube.records[i - 1] = cube.records[j];
        cube.records[j] = swap;
    }
    rate();
    assert_close(rating.figures.b_eff, plain_b_eff(&t));
    assert_int_equal(rating.whole, 1);
}

/* ---- passes ---- */

TEST(takes_the_median_over_whole_passes)
{
    for (int passes = 1; passes <= 4; passes++) {
        double b_eff[4], middle = (passes + 1) / 2.0;
        cube_start();
        add_passes(passes, product); /* pass n is n times as fast */
        rate();
        assert_int_equal(rating.whole, passes);
        assert_int_equal(reps.complete, 3 * passes);
        for (int n = 0; n < passes; n++) {
            b_eff[n] = rating.pass_b_eff[n];
            assert_close(b_eff[n], b_eff[0] * (n + 1));
        }
        assert_close(rating.figures.b_eff, stats_median(b_eff, (size_t)passes));
        assert_close(rating.figures.b_eff, b_eff[0] * middle);
        assert_close(rating.figures.lmax_rings, rating.figures.rings * 21 / 11);
        assert_close(rating_cell(&rating, 2, METHODS, 4), product(1, 2, 2, 1, 4) * middle);
    }
}

/* The time after the last complete pass is used for more repetitions. They do not change the rating.
 */
TEST(ignores_partial_passes)
{
    cube_start();
    add_passes(1, product);
    add_repetition(2, 1, product);
    add_repetition(2, 2, product);
    add(2, 3, 0, 0, 0, 1e9);
    rate();
    assert_int_equal(rating.whole, 1);
    assert_int_equal(rating.passes, 1);
    assert_int_equal(reps.complete, 5);
    assert_int_equal(reps.count, 6);
    assert_close(rating.figures.b_eff, sqrt(logavg_range(1, 6) * logavg_range(7, 9)) * 66);
}

/* If a cell of a pass is missing, this pass is incomplete, but the next one is complete. */
TEST(skips_a_pass_with_a_gap)
{
    cube_start();
    add_passes(3, product);
    size_t left = 0; /* number of records after removing one cell from repetition 2 of pass 1 */
    for (size_t i = 0; i < cube.count; i++)
        if (cube.records[i].pass != 1 || cube.records[i].rep != 2 || cube.records[i].bytes != 4096 ||
            strcmp(cube.records[i].pattern, "ring-1") != 0)
            cube.records[left++] = cube.records[i];
    assert_int_equal(cube.count - left, METHODS);
    cube.count = left;
    rate();
    assert_int_equal(rating.whole, 2);
    assert_int_equal(rating.repetitions, 2);
    assert_close(rating.figures.b_eff, 2.5 * sqrt(logavg_range(1, 6) * logavg_range(7, 9)) * 66);
}

/* A shortened run is rated if each pattern was measured at all sizes, with any method. */
TEST(rates_a_shortened_pass)
{
    cube_start();
    for (int p = 0; p < cube.list.count; p++)
        for (int s = 0; s < BEFF_SIZES && cube.list.patterns[p].rated; s++)
            add(1, 1, p, (p + s) % METHODS, s, (p + 1.0) * (s + 1));
    rate();
    assert_int_equal(rating.whole, 0);
    assert_int_equal(rating.passes, 1);
    assert_int_equal(reps.complete, 1); /* each size has one method */
    assert_int_equal(rating.repetitions, 1);
    assert_close(rating.figures.b_eff, sqrt(logavg_range(1, 6) * logavg_range(7, 9)) * 11);
    assert_string_equal(rating.missing, "");
    for (int m = 0; m < METHODS; m++)
        assert_nan(rating.figures.method[m]);
    assert_nan(rating.figures.pingpong);
}

/* Makes a run with 40 requested polygons. Repetition 1 has the first `first` polygons with all sizes and one
 * more polygon without Lmax; each later repetition has `others` polygons. All patterns have the same
 * bandwidth, except that polygon n is n times as fast. */
static void make_short_run(int first, int repetitions, int others)
{
    cube_start_with(40);
    for (int rep = 1; rep <= repetitions; rep++)
        for (int p = 0; p < BEFF_RING_PATTERNS + (rep == 1 ? first + 1 : others); p++)
            for (int s = 0; s < BEFF_SIZES; s++)
                if (p < BEFF_RING_PATTERNS + first || s < BEFF_SIZES - 1)
                    add(1, rep, p, METHOD_SENDRECV, s, fmax(p - 5, 1));
}

/* Checks the number k of rated polygons (docs/definition-beff-1.md 6), the number of repetitions that have
 * all of them, and the number of complete passes. */
TEST(counts_the_rated_polygons)
{
    static const struct {
        int first, repetitions, others, k, complete, whole;
    } rows[] = {{30, 3, 30, 30, 3, 1}, {35, 3, 35, 35, 3, 1}, {29, 3, 29, 29, 3, 0}, {12, 3, 12, 12, 3, 0},
                {30, 2, 30, 30, 2, 0}, {30, 3, 29, 30, 1, 0}, {6, 1, 6, 6, 1, 0},    {5, 1, 5, 6, 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_short_run(rows[i].first, rows[i].repetitions, rows[i].others);
        rate();
        assert_int_equal(reps.polygons, rows[i].k);
        assert_int_equal(rating.repetitions, rows[i].complete);
        assert_int_equal(rating.whole, rows[i].whole);
        if (rows[i].complete)
            assert_close(rating.figures.b_eff, sqrt(logavg_range(1, rows[i].k)));
        else
            assert_nan(rating.figures.b_eff);
    }
}

/* Under rule a, a third repetition without Lmax takes it from the other two. Without the rule, the third
 * repetition is not complete. */
TEST(takes_lmax_from_other_repetitions)
{
    for (int largest = 0; largest < 2; largest++) {
        struct message error;
        size_t left = 0;
        cube_start();
        add_passes(1, product);
        for (size_t i = 0; i < cube.count; i++)
            if (cube.records[i].rep < 3 || cube.records[i].bytes < LMAX)
                cube.records[left++] = cube.records[i];
        assert_int_equal(repetitions_make(&reps, &cube.list, cube.records, left, largest, &error), 0);
        rating_make(&rating, &reps);
        assert_int_equal(rating.whole, largest);
        assert_close(rating.figures.b_eff, sqrt(logavg_range(1, 6) * logavg_range(7, 9)) * 66);
        if (largest) /* medians: 2 at Lmax (of 1 and 3), 1 at the other sizes (of 1, 3 and 1) */
            assert_close(rating.figures.medians,
                         sqrt(logavg_range(1, 6) * logavg_range(7, 9)) * 2 * (210 + 2 * 21) / 21);
        if (largest) /* Lmax is from repetition 2, which is 3 times as fast: 63, not 21 */
            assert_close(figures_of(&reps, (const int[]){2}, 1).rings,
                         logavg_range(1, 6) * 2 * (210 + 63) / 21);
    }
}

TEST(names_missing_sizes)
{
    static const struct {
        int pattern, size;
        const char *expected[2];
    } rows[] = {{0, 0, {"rated patterns", " 1 B"}},
                {5, 20, {"not measured", " 8388608 B"}},
                {8, 13, {"not measured", " 10624 B"}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        cube_start();
        for (int p = 0; p < cube.list.count; p++)
            for (int s = 0; s < BEFF_SIZES; s++)
                if (p != rows[i].pattern || s != rows[i].size)
                    add(1, 1, p, METHOD_SENDRECV, s, 1);
        rate();
        assert_nan(rating.figures.b_eff);
        assert_nan(rating_cell(&rating, rows[i].pattern, METHODS, rows[i].size));
        assert_contains(rating.missing, rows[i].expected[0]);
        assert_contains(rating.missing, rows[i].expected[1]);
    }
}

TEST(rates_nothing)
{
    cube_start();
    rate();
    assert_nan(rating.figures.b_eff);
    assert_int_equal(rating.passes, 0);
    assert_int_equal(rating.whole, 0);
    assert_true(*rating.missing);
}

/* ---- records that cannot be rated ---- */

TEST(refuses_bad_records)
{
    static const struct {
        struct beff_record record;
        const char *error;
    } rows[] = {
        {{1, 1, "ring-1", "Sendrecv", 1, .bandwidth = 5}, "measured twice"},
        {{1, 2, "ring-1", "Sendreceive", 1, .bandwidth = 5}, "no such method"},
        {{1, 2, "ring-1", "Sendrecv", 3, .bandwidth = 5}, "3 B): no such message size"},
        {{1, 2, "ring-1", "Sendrecv", 8388609, .bandwidth = 5}, "no such message size"},
        {{1, 2, "ring-1", "Sendrecv", 1, 3, .bandwidth = 5}, "another number of messages"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct message error = {""};
        cube_start();
        add(1, 1, 0, METHOD_SENDRECV, 0, 1);
        cube.records[cube.count] = rows[i].record;
        if (!rows[i].record.messages)
            cube.records[cube.count].messages = cube.records[0].messages;
        cube.count++;
        assert_int_equal(repetitions_make(&reps, &cube.list, cube.records, cube.count, false, &error), -1);
        assert_contains(error.text, "record 2 (pass 1 rep ");
        assert_contains(error.text, rows[i].error);
        repetitions_free(&reps);
    }
}
