/* Checks the bins of the histogram against logarithms, and its quantiles against known distributions. */
#include "tests/unit.h"

#include <math.h>

#include "beff_io/record.h"

/* Returns the bin to which a duration is added. */
static int only_bin(double seconds)
{
    struct histogram h = {0};
    int found = -1;
    histogram_add(&h, seconds);
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        if (h.bin[i]) {
            assert_true(found < 0 && h.bin[i] == 1);
            found = i;
        }
    return found;
}

static void bins_are_logarithmic(void **state)
{
    (void)state;
    for (double seconds = 1.2e-9; seconds < 6e4; seconds *= 1.0037)
        assert_int_equal(only_bin(seconds), (int)floor(8 * (log2(seconds) - HISTOGRAM_LOW)));
    assert_int_equal(only_bin(1), -8 * HISTOGRAM_LOW);
}

static void durations_out_of_range_go_to_the_outer_bins(void **state)
{
    (void)state;
    assert_int_equal(only_bin(0), 0);
    assert_int_equal(only_bin(-1), 0);
    assert_int_equal(only_bin(1e-12), 0);
    assert_int_equal(only_bin(1e9), HISTOGRAM_BINS - 1);
    assert_int_equal(only_bin(INFINITY), HISTOGRAM_BINS - 1);
    assert_int_equal(only_bin(NAN), 0);
}

static void quantiles_of_uniform_durations(void **state)
{
    (void)state;
    struct histogram h = {0};
    assert_true(histogram_quantile(&h, 0.5) == 0);
    for (int i = 1; i <= 100000; i++)
        histogram_add(&h, i * 1e-5);
    assert_true(fabs(histogram_quantile(&h, 0.5) - 0.5) < 0.01);
    assert_true(fabs(histogram_quantile(&h, 0.95) - 0.95) < 0.01);
    assert_true(fabs(histogram_quantile(&h, 0.99) - 0.99) < 0.02);
}

static void quantiles_of_two_durations(void **state)
{
    (void)state;
    struct histogram h = {0};
    for (int i = 0; i < 1000; i++)
        histogram_add(&h, i < 970 ? 1e-6 : 1e-2);
    assert_true(fabs(histogram_quantile(&h, 0.5) / 1e-6 - 1) < 0.091);
    assert_true(fabs(histogram_quantile(&h, 0.95) / 1e-6 - 1) < 0.091);
    assert_true(fabs(histogram_quantile(&h, 0.99) / 1e-2 - 1) < 0.091);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_are_logarithmic), cmocka_unit_test(durations_out_of_range_go_to_the_outer_bins),
        cmocka_unit_test(quantiles_of_uniform_durations), cmocka_unit_test(quantiles_of_two_durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
