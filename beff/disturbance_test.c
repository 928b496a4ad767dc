/* Disturbances against visits whose shares are known. */
#include "beff/disturbance.h"
#include "tests/unit.h"

static void visit(struct disturbances *d, size_t cell, int times, double seconds)
{
    for (int i = 0; i < times; i++)
        disturbances_visit(d, cell, seconds);
}

static void counts_what_took_longer(void **state)
{
    (void)state;
    struct disturbances d;
    assert_int_equal(disturbances_make(&d, 3), 0);
    visit(&d, 0, 6, 1e-6);
    visit(&d, 0, 2, 1.4e-6); /* not beyond 1.5 */
    visit(&d, 0, 1, 1.6e-6); /* bin 2 */
    visit(&d, 0, 1, 1.0);    /* the open bin */
    visit(&d, 1, 1, 5.0);    /* visited once: says nothing */
    struct disturbance_sums sums = disturbances_sum(&d);
    assert_true(sums.visits == 10 && sums.disturbed == 2);
    assert_true(sums.bin[0] == 6 && sums.bin[1] == 2 && sums.bin[2] == 1 && sums.bin[11] == 1);
    disturbances_free(&d);
}

/* The first visits count as well: they turn out to be disturbed when a shorter one comes. */
static void a_shorter_visit_moves_the_others_up(void **state)
{
    (void)state;
    struct disturbances d;
    assert_int_equal(disturbances_make(&d, 1), 0);
    visit(&d, 0, 3, 4e-6);
    visit(&d, 0, 1, 10e-6);
    assert_true(disturbances_sum(&d).disturbed == 1);
    visit(&d, 0, 1, 1e-6); /* 4: bin 6.8, which is 7; 2.5 times that: 11.4 */
    struct disturbance_sums sums = disturbances_sum(&d);
    assert_true(sums.visits == 5 && sums.disturbed == 4);
    assert_true(sums.bin[0] == 1 && sums.bin[7] == 3 && sums.bin[11] == 1);
    visit(&d, 0, 1, 1e-12); /* beyond all bins */
    sums = disturbances_sum(&d);
    assert_true(sums.visits == 6 && sums.disturbed == 5 && sums.bin[11] == 5);
    disturbances_free(&d);
}

static void a_long_run_does_not_overflow(void **state)
{
    (void)state;
    struct disturbances d;
    assert_int_equal(disturbances_make(&d, 1), 0);
    visit(&d, 0, 70000, 1e-6);
    assert_true(disturbances_sum(&d).visits == 65535);
    visit(&d, 0, 70000, 2e-6);
    visit(&d, 0, 1, 1e-7);
    assert_true(disturbances_sum(&d).disturbed == 65535);
    disturbances_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_what_took_longer),
                                       cmocka_unit_test(a_shorter_visit_moves_the_others_up),
                                       cmocka_unit_test(a_long_run_does_not_overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
