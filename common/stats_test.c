/* Compares averages and order statistics with values computed by hand or by R. */
#include "common/stats.h"

#include "tests/unit.h"

TEST(returns_nan_without_values)
{
    double none[1] = {7};
    assert_nan(stats_mean(none, 0));
    assert_nan(stats_logavg(none, 0));
    assert_nan(stats_min(none, 0));
    assert_nan(stats_median(none, 0));
    assert_nan(stats_quantile(none, 0, 0.3));
}

TEST(returns_a_single_value)
{
    double one[1] = {0.3};
    assert_real(stats_mean(one, 1), 0.3);
    assert_close(stats_logavg(one, 1), 0.3);
    assert_real(stats_min(one, 1), 0.3);
    assert_real(stats_median(one, 1), 0.3);
    assert_real(stats_quantile(one, 1, 0), 0.3);
    assert_real(stats_quantile(one, 1, 1), 0.3);
}

TEST(averages)
{
    double values[] = {1, 2, 4, 8};
    assert_close(stats_mean(values, 4), 3.75);
    assert_close(stats_logavg(values, 4), sqrt(8));
    assert_real(stats_min(values, 4), 1);
    double negative[] = {-3, -1, -2};
    assert_close(stats_mean(negative, 3), -2);
    assert_real(stats_min(negative, 3), -3);
}

TEST(keeps_the_range_of_numbers)
{
    double huge[] = {1e300, 1e308, 1e292}, tiny[] = {1e-300, 1e-308, 1e-292};
    assert_near(stats_logavg(huge, 3), 1e300, 1e-9);
    assert_near(stats_logavg(tiny, 3), 1e-300, 1e-9);
}

TEST(refuses_values_without_a_logarithm)
{
    const double bad[] = {0, -0.0, -1, NAN, -INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++)
        for (int place = 0; place < 3; place++) {
            double values[] = {1, 2, 3};
            values[place] = bad[i];
            assert_nan(stats_logavg(values, 3));
        }
}

TEST(finds_the_middle)
{
    double odd[] = {9, 1, 5}, even[] = {8, 2, 1, 4};
    assert_real(stats_median(odd, 3), 5);
    assert_real(stats_median(even, 4), 3);
    assert_real(stats_median(even, 2), 5);
    /* The input stays unsorted. */
    assert_real(odd[0], 9);
    assert_real(even[3], 4);
}

/* Type 7: with h = (n - 1) q, the quantile is x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]). The
 * expected values are from R's quantile(). */
TEST(interpolates_quantiles)
{
    static const struct {
        double q, expected;
    } rows[] = {{0, 1},     {0.025, 1.225}, {0.1, 1.9},     {0.25, 3.25},
                {0.5, 5.5}, {0.75, 7.75},   {0.975, 9.775}, {1, 10}};
    double values[] = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close(stats_quantile(values, 10, rows[i].q), rows[i].expected);
    double uneven[] = {100, 0, 10};
    assert_close(stats_quantile(uneven, 3, 0.25), 5);
    assert_close(stats_quantile(uneven, 3, 0.9), 82);
}

TEST(propagates_nan)
{
    for (int place = 0; place < 5; place++) {
        double values[] = {4, 1, 3, 5, 2};
        values[place] = NAN;
        assert_nan(stats_mean(values, 5));
        assert_nan(stats_median(values, 5));
        assert_nan(stats_quantile(values, 5, 0));
        assert_nan(stats_quantile(values, 5, 0.975));
        assert_real(stats_min(values, 5), place == 1 ? 2 : 1);
    }
}
