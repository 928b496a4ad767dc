/* Pettitt's test against series that were counted by hand. */
#include "report/inference.h"

#include "tests/unit.h"

static void k_by_hand(void **state)
{
    (void)state;
    struct change change;
    /* U = 0, -4, -6, -2 */
    assert_int_equal(change_find(&change, (double[]){3, 1, 2, 6, 5}, 5), 0);
    assert_real(change.k, 6);
    assert_int_equal(change.at, 3);
    assert_real(change.before, 2);
    assert_real(change.after, 5.5);
    assert_nan(change.p);
    assert_false(change.p < CHANGE_P);
    /* U = -1, -2: equal values count for neither */
    assert_int_equal(change_find(&change, (double[]){1, 1, 2}, 3), 0);
    assert_real(change.k, 2);
    assert_int_equal(change.at, 2);
}

/* Of the 10! orders of 10 values, 2 * 5! * 5! have the five smallest on one side: K = 25, p = 0.00794. One
 * that is out of place makes K = 23 or less. */
static void the_fewest_values_that_tell(void **state)
{
    (void)state;
    struct change change;
    assert_int_equal(change_find(&change, (double[]){3, 1, 5, 2, 4, 9, 6, 10, 8, 7}, 10), 0);
    assert_real(change.k, 25);
    assert_near(change.p, 28800 / 3628800.0, 0.1);
    assert_int_equal(change.at, 5);
    assert_true(change.p < CHANGE_P);
    assert_int_equal(change_find(&change, (double[]){3, 1, 6, 2, 4, 9, 5, 10, 8, 7}, 10), 0);
    assert_false(change.p < CHANGE_P);
    assert_int_equal(change_find(&change, (double[]){3, 1, 5, 2, 4, 9, 6, 8, 7}, 9), 0);
    assert_nan(change.p);
}

static void equal_values_have_no_change(void **state)
{
    (void)state;
    struct change change;
    double values[30];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = 7;
    assert_int_equal(change_find(&change, values, COUNT(values)), 0);
    assert_real(change.k, 0);
    assert_real(change.p, 1);
    for (size_t i = 15; i < COUNT(values); i++)
        values[i] = 8;
    assert_int_equal(change_find(&change, values, COUNT(values)), 0);
    assert_int_equal(change.at, 15);
    assert_real(change.k, 225);
    assert_true(change.p < 0.0001);
}

/* The approximation of Pettitt for many values, 2 exp(-6 K^2 / (n^3 + n^2)), is near. */
static void many_values(void **state)
{
    (void)state;
    struct change change;
    double values[100];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = (double)(i * 37 % 100) + (i < 60 ? 0 : 24);
    assert_int_equal(change_find(&change, values, COUNT(values)), 0);
    double n = COUNT(values), expected = 2 * exp(-6 * change.k * change.k / (n * n * n + n * n));
    assert_true(expected > 0.0005 && expected < 0.01);
    assert_near(change.p, expected, 0.5);
    assert_true(change.p < CHANGE_P);
    assert_true(change.at > 50 && change.at < 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_by_hand), cmocka_unit_test(the_fewest_values_that_tell),
        cmocka_unit_test(equal_values_have_no_change), cmocka_unit_test(many_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
