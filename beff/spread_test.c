/* Intervals of beff's curves. */
#include "beff/spread.h"

#include "tests/unit.h"

enum { SWEEPS = 8 };

/* Sweep number i has the bandwidth 100 (i + 1) everywhere, but for one method, which is half as fast; passes
 * have three sweeps each. */
static struct beff_results make(int complete)
{
    struct beff_results r = {0};
    assert_int_equal(patterns_make(&r.list, 4, 2, 1), 0);
    size_t cells = (size_t)r.list.count * METHODS * BEFF_SIZES;
    r.sweeps = (struct sweeps){.list = &r.list, .count = SWEEPS};
    r.sweeps.sweep = calloc(SWEEPS, sizeof *r.sweeps.sweep);
    for (int i = 0; i < SWEEPS; i++) {
        struct sweep *sweep = &r.sweeps.sweep[i];
        *sweep = (struct sweep){i / 3 + 1, i % 3 + 1, i < complete, calloc(cells, sizeof(double))};
        for (size_t c = 0; c < cells; c++)
            sweep->bandwidth[c] = (c / BEFF_SIZES % METHODS == METHOD_ALLTOALLV ? 50.0 : 100.0) * (i + 1);
    }
    assert_int_equal(rating_make(&r.rating, &r.sweeps, 1), 0);
    return r;
}

static void unmake(struct beff_results *r)
{
    rating_free(&r->rating);
    for (int i = 0; i < SWEEPS; i++)
        free(r->sweeps.sweep[i].bandwidth);
    free(r->sweeps.sweep);
    patterns_free(&r->list);
}

static void test_interval(void **state)
{
    (void)state;
    struct beff_results r = make(SWEEPS);
    const struct spread_of all = {-1, true, true, METHODS}, one = {0, false, false, METHOD_ALLTOALLV};
    struct spread spread = spread_at(&r, &all, 3);
    assert_true(spread_is_known(&r));
    assert_close(spread.value, 450); /* two whole passes: the best of them are 300 and 600 */
    assert_true(spread.low >= 299.999 &&
                spread.low <= 400.001); /* one of 56 triples has 300, three have 400 */
    assert_close(spread.high, 800);
    assert_close(spread_at(&r, &one, 20).value, 225);
    unmake(&r);
}

static void test_too_few(void **state)
{
    (void)state;
    struct beff_results r = make(RATING_INTERVAL_SWEEPS - 1);
    const struct spread_of rings = {-1, true, false, METHODS};
    struct spread spread = spread_at(&r, &rings, 0);
    assert_false(spread_is_known(&r));
    assert_close(spread.value, 300);
    assert_nan(spread.low);
    assert_nan(spread.high);
    unmake(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interval), cmocka_unit_test(test_too_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
