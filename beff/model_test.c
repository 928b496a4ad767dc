/* The model of two segments: transfers that follow it exactly, nearly, and not at all. */
#include "beff/model.h"

#include "tests/unit.h"

enum { PROCESSES = 4 };

/* Bandwidths of all processes for t = latency + L / rate, in microseconds, with another latency and rate
 * above `change` bytes; every second one is off by `error`. */
struct transfer {
    double latency, rate, change, long_latency, long_rate, error;
};

static struct model fit(struct transfer t)
{
    int64_t sizes[BEFF_SIZES];
    double bandwidth[BEFF_SIZES];
    beff_sizes(8388608, sizes);
    for (int s = 0; s < BEFF_SIZES; s++) {
        double bytes = (double)sizes[s];
        double time = bytes > t.change ? t.long_latency + bytes / t.long_rate : t.latency + bytes / t.rate;
        bandwidth[s] = PROCESSES * bytes / (time * (s % 2 ? 1 + t.error : 1 - t.error));
    }
    return model_fit(sizes, bandwidth, PROCESSES);
}

static struct transfer one_segment(double latency, double rate, double error)
{
    return (struct transfer){latency, rate, 1e18, 0, 0, error};
}

static void finds_the_parameters(void **state)
{
    (void)state;
    static const double rows[][2] = {{10, 1000}, {0.3, 20000}, {1000, 10}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct model model = fit(one_segment(rows[i][0], rows[i][1], 0));
        assert_near(model.latency, rows[i][0], 1e-6);
        assert_near(model.b_inf, PROCESSES * rows[i][1], 1e-6);
        assert_near(model.balance, rows[i][0] * rows[i][1], 1e-6);
        assert_near(model.half, rows[i][0] * rows[i][1], 0.2); /* between two sizes */
        assert_true(model.residual < 1e-6);
    }
}

/* Eager up to 64 kB, then a rendezvous with a latency and a rate of its own. */
static void finds_the_change(void **state)
{
    (void)state;
    struct model model = fit((struct transfer){2, 500, 65536, 30, 4000, 0});
    assert_near(model.latency, 2, 1e-6);
    assert_near(model.b_inf, PROCESSES * 4000, 1e-6);
    assert_real(model.change, 27554); /* the largest size that is not above 65536 */
    assert_near(model_time(&model, 1024), 2 + 1024 / 500.0, 1e-6);
    assert_near(model_time(&model, 1e6), 30 + 1e6 / 4000, 1e-6);
}

/* Long messages that get slower than medium ones (a cache): the asymptote is not below what was measured. */
static void is_never_below_what_was_measured(void **state)
{
    (void)state;
    struct model model = fit((struct transfer){1, 8000, 400000, -50, 5000, 0});
    assert_true(model.residual < 1e-6);
    int64_t sizes[BEFF_SIZES];
    beff_sizes(8388608, sizes);
    double largest = 0;
    for (int s = 0; s < BEFF_SIZES; s++) {
        double bytes = (double)sizes[s];
        largest = fmax(largest, PROCESSES * bytes / model_time(&model, bytes));
    }
    assert_near(model.b_inf, largest, 1e-6);
}

static void tells_how_well_it_holds(void **state)
{
    (void)state;
    struct model near = fit(one_segment(10, 1000, 0.1)), far = fit(one_segment(10, 1000, 0.5));
    assert_near(near.latency, 10, 0.2);
    assert_near(near.b_inf, 4000, 0.25);
    assert_true(near.residual > 0.05 && near.residual < 0.15);
    assert_true(!(far.residual <= MODEL_RESIDUAL));
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
        cmocka_unit_test(finds_the_change),
        cmocka_unit_test(is_never_below_what_was_measured),
        cmocka_unit_test(tells_how_well_it_holds),
        cmocka_unit_test(needs_every_size),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
