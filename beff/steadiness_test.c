/* Drift and states on made-up cubes of records, and the trend against values computed by hand. */
#include "beff/steadiness.h"

#include "beff/cube_test.h"

static struct steadiness steadiness_of(int passes, bandwidth_function *bandwidth)
{
    struct cube cube;
    struct sweeps sweeps;
    struct rating rating;
    cube_start(&cube);
    add_passes(&cube, passes, bandwidth);
    rate(&cube, &sweeps, &rating);
    struct steadiness steadiness = steadiness_find(&sweeps);
    finish(&cube, &sweeps, &rating);
    return steadiness;
}

/* 6 rising values: S = 15, V = 6 * 5 * 17 / 18 = 28.33, z = 14 / 5.3229. */
static void computes_the_trend(void **state)
{
    (void)state;
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
        assert_near(steadiness_trend(rows[i].values, 6), rows[i].z, 1e-9);
}

/* Noise of 30 % without a trend, another one in each cell. */
static double noisy(int pass, int rep, int pattern, int method, int size)
{
    struct random_stream random;
    uint64_t cell = (uint64_t)((((pass * 5 + rep) * 64 + pattern) * METHODS + method) * BEFF_SIZES + size);
    random_start(&random, cell, 2);
    double sum = 0; /* of twelve: nearly normal */
    for (int i = 0; i < 12; i++)
        sum += (double)random_below(&random, 1000000) / 1e6;
    return (1 + size) * exp(0.3 * (sum - 6));
}

static double falling(int pass, int rep, int pattern, int method, int size)
{
    return noisy(pass, rep, pattern, method, size) * pow(0.9, 3 * pass + rep);
}

/* Every other repetition is 1.5 times as fast, with noise of 3 %. */
static double switching(int pass, int rep, int pattern, int method, int size)
{
    return pow(noisy(pass, rep, pattern, method, size), 0.1) * ((pass + rep) % 2 ? 1.5 : 1);
}

static void needs_six_repetitions(void **state)
{
    (void)state;
    struct steadiness s = steadiness_of(1, falling);
    assert_nan(s.drift_z);
    assert_nan(s.change);
    assert_nan(s.split);
}

static void finds_a_drift(void **state)
{
    (void)state;
    for (int passes = 2; passes <= 6; passes += 2) {
        struct steadiness s = steadiness_of(passes, falling);
        assert_true(s.drift_z < -STEADINESS_Z);
        assert_true(s.change < 0.95);
        s = steadiness_of(passes, noisy);
        assert_true(fabs(s.drift_z) < STEADINESS_Z);
        assert_true(s.change > 0.9 && s.change < 1.1);
    }
}

static void finds_two_states(void **state)
{
    (void)state;
    for (int passes = 2; passes <= 6; passes += 2) {
        struct steadiness s = steadiness_of(passes, switching);
        assert_true(s.split > 0.9);
        assert_near(s.apart, 1.5, 0.1);
        s = steadiness_of(passes, noisy);
        if (s.split > 0.5 * STEADINESS_SHARE)
            fail_msg("in %.1f %% of the cells, out of noise", 100 * s.split);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_the_trend),
        cmocka_unit_test(needs_six_repetitions),
        cmocka_unit_test(finds_a_drift),
        cmocka_unit_test(finds_two_states),
    };
    return cmocka_run_group_tests_name("steadiness", tests, NULL, NULL);
}
