/* The two-parameter model: transfers that follow it exactly, nearly, and not at all. */
#include "beff/model.h"

#include "tests/unit.h"

enum { PROCESSES = 4 };

/* Bandwidths of all processes for t = latency + L / rate, in microseconds; every second one is off by
 * `error`. */
static struct model fit(double latency, double rate, double error)
{
    int64_t sizes[BEFF_SIZES];
    double bandwidth[BEFF_SIZES];
    beff_sizes(8388608, sizes);
    for (int s = 0; s < BEFF_SIZES; s++) {
        double t = (latency + (double)sizes[s] / rate) * (s % 2 ? 1 + error : 1 - error);
        bandwidth[s] = PROCESSES * (double)sizes[s] / t;
    }
    return model_fit(sizes, bandwidth, PROCESSES);
}

static void finds_the_parameters(void **state)
{
    (void)state;
    static const double rows[][2] = {{10, 1000}, {0.3, 20000}, {1000, 10}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct model model = fit(rows[i][0], rows[i][1], 0);
        assert_near(model.latency, rows[i][0], 1e-6);
        assert_near(model.b_inf, PROCESSES * rows[i][1], 1e-6);
        assert_near(model.half, rows[i][0] * rows[i][1], 1e-6);
        assert_near(model.balance, rows[i][0] * PROCESSES * rows[i][1], 1e-6);
        assert_true(model.residual < 1e-6);
    }
}

/* At the size `half` the bandwidth is half of b_inf: what the name says. */
static void finds_half_of_the_bandwidth(void **state)
{
    (void)state;
    struct model model = fit(10, 1000, 0);
    double t = model.latency + model.half * PROCESSES / model.b_inf;
    assert_near(PROCESSES * model.half / t, model.b_inf / 2, 1e-6);
}

static void tells_how_well_it_holds(void **state)
{
    (void)state;
    struct model near = fit(10, 1000, 0.1), far = fit(10, 1000, 0.5);
    assert_near(near.latency, 10, 0.2);
    assert_near(near.b_inf, 4000, 0.2);
    assert_true(near.residual > 0.05 && near.residual < 0.15);
    assert_true(far.residual > MODEL_RESIDUAL);
    assert_nan(far.latency);
    assert_nan(far.b_inf);
    assert_nan(far.half);
    assert_nan(far.balance);
}

static void needs_every_size(void **state)
{
    (void)state;
    for (int missing = 0; missing < BEFF_SIZES; missing++) {
        int64_t sizes[BEFF_SIZES];
        double bandwidth[BEFF_SIZES];
        beff_sizes(8388608, sizes);
        for (int s = 0; s < BEFF_SIZES; s++)
            bandwidth[s] = s == missing ? NAN : 1;
        struct model model = model_fit(sizes, bandwidth, PROCESSES);
        assert_nan(model.latency);
        assert_nan(model.b_inf);
        assert_nan(model.residual);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_parameters),
        cmocka_unit_test(finds_half_of_the_bandwidth),
        cmocka_unit_test(tells_how_well_it_holds),
        cmocka_unit_test(needs_every_size),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
