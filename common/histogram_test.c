/* Checks the bins of the histogram against logarithms, and its quantiles against known distributions. */
#include "tests/unit.h"

#include "common/histogram.h"
#include "common/random.h"
#include "common/stats.h"

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

TEST(bins_are_logarithmic)
{
    for (double seconds = 1.2e-9; seconds < 6e4; seconds *= 1.0037)
        assert_int_equal(only_bin(seconds), (int)floor(8 * (log2(seconds) - HISTOGRAM_LOW)));
    assert_int_equal(only_bin(1), -8 * HISTOGRAM_LOW);
}

TEST(durations_out_of_range_go_to_the_outer_bins)
{
    assert_int_equal(only_bin(0), 0);
    assert_int_equal(only_bin(-1), 0);
    assert_int_equal(only_bin(1e-12), 0);
    assert_int_equal(only_bin(1e9), HISTOGRAM_BINS - 1);
    assert_int_equal(only_bin(INFINITY), HISTOGRAM_BINS - 1);
    assert_int_equal(only_bin(NAN), 0);
}

TEST(quantiles_of_uniform_durations)
{
    struct histogram h = {0};
    assert_true(histogram_quantile(&h, 0.5) == 0);
    for (int i = 1; i <= 100000; i++)
        histogram_add(&h, i * 1e-5);
    assert_true(fabs(histogram_quantile(&h, 0.5) - 0.5) < 0.01);
    assert_true(fabs(histogram_quantile(&h, 0.95) - 0.95) < 0.01);
    assert_true(fabs(histogram_quantile(&h, 0.99) - 0.99) < 0.02);
}

TEST(quantiles_of_two_durations)
{
    struct histogram h = {0};
    for (int i = 0; i < 1000; i++)
        histogram_add(&h, i < 970 ? 1e-6 : 1e-2);
    assert_true(fabs(histogram_quantile(&h, 0.5) / 1e-6 - 1) < 0.091);
    assert_true(fabs(histogram_quantile(&h, 0.95) / 1e-6 - 1) < 0.091);
    assert_true(fabs(histogram_quantile(&h, 0.99) / 1e-2 - 1) < 0.091);
}

/* Returns a duration from 1 us to 1 s; its logarithm is uniform. */
static double draw(struct random_stream *random)
{
    return 1e-6 * pow(1e6, (double)random_below(random, 1000001) / 1e6);
}

/* For several numbers of durations, quantiles are within a bin of the exact order statistics, and between the
 * minimum and the maximum. */
TEST(quantiles_are_within_a_bin_of_exact_ones)
{
    static const double shares[] = {0, 0.01, 0.5, 0.95, 0.99, 0.999, 1};
    double values[3000];
    struct random_stream random;
    random_start(&random, 1, 1);
    for (size_t n = 1; n <= COUNT(values); n = 3 * n + 1) {
        struct histogram h = {0};
        for (size_t i = 0; i < n; i++)
            histogram_add(&h, values[i] = draw(&random));
        stats_sort(values, n);
        assert_int_equal(h.count, n);
        assert_real(h.min, values[0]);
        assert_real(h.max, values[n - 1]);
        for (size_t s = 0; s < COUNT(shares); s++) {
            double rank = ceil(shares[s] * (double)n), quantile = histogram_quantile(&h, shares[s]);
            assert_near(quantile, values[rank > 0 ? (size_t)rank - 1 : 0], 0.0906);
            assert_true(quantile >= h.min && quantile <= h.max);
        }
    }
}

TEST(merged_histograms_equal_the_histogram_of_all)
{
    struct histogram all = {0}, merged = {0};
    struct random_stream random;
    random_start(&random, 2, 1);
    for (int part = 0; part < 5; part++) {
        struct histogram h = {0};
        for (int i = 0; i < 100 * part; i++) { /* the first part is empty */
            double seconds = draw(&random);
            histogram_add(&h, seconds);
            histogram_add(&all, seconds);
        }
        histogram_merge(&merged, &h);
    }
    assert_memory_equal(&merged, &all, sizeof all);
}
