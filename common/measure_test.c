/* The measuring loop in a made-up world that writes down what is called when, and whose clock and work can fail. */
#include "common/measure.h"

#include "tests/unit.h"

struct world {
    double time, per_iteration, per_reading; /* seconds */
    double jump;                             /* added at the second reading of the clock */
    int readings;
    int synchronise_fails, work_fails; /* error codes; 0: does not fail */
    long work_fails_at;
    char log[64]; /* s: synchronise, c: clock, w: work */
    long next;    /* iteration expected next */
};

static void note(struct world *w, char what)
{
    size_t length = strlen(w->log);
    if (length + 1 < sizeof w->log)
        w->log[length] = what;
}

static double now(void *context)
{
    struct world *w = context;
    note(w, 'c');
    w->time += w->per_reading;
    if (++w->readings == 2)
        w->time += w->jump;
    return w->time;
}

static int synchronise(void *context)
{
    note(context, 's');
    return ((struct world *)context)->synchronise_fails;
}

static int work(void *context, long iteration)
{
    struct world *w = context;
    note(w, 'w');
    assert_int_equal(iteration, w->next++);
    w->time += w->per_iteration;
    return w->work_fails && iteration == w->work_fails_at ? w->work_fails : 0;
}

static enum measure_status run(struct world *w, long warmup, long loops, struct measured *result)
{
    struct measure_world world = {now, synchronise, work, w};
    memset(result, 0x5a, sizeof *result); /* all of it must be filled */
    return measure(&world, warmup, loops, result);
}

static void goes_in_order(void **state)
{
    (void)state;
    static const struct {
        long warmup, loops;
        const char *log;
    } rows[] = {{0, 1, "scwc"}, {1, 1, "swcwc"}, {2, 3, "swwcwwwc"}, {0, 5, "scwwwwwc"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world w = {.time = 100, .per_iteration = 0.25};
        struct measured result;
        assert_int_equal(run(&w, rows[i].warmup, rows[i].loops, &result), MEASURE_OK);
        assert_string_equal(w.log, rows[i].log);
        assert_close(result.seconds, 0.25 * (double)rows[i].loops); /* the warm-up is not in it */
        assert_int_equal(result.loops, rows[i].loops);
        assert_int_equal(result.error, 0);
    }
}

static void counts_many_iterations(void **state)
{
    (void)state;
    struct world w = {.per_iteration = 1e-6};
    struct measured result;
    assert_int_equal(run(&w, 1, 100000, &result), MEASURE_OK);
    assert_int_equal(w.next, 100001);
    assert_int_equal(result.loops, 100000);
    assert_near(result.seconds, 0.1, 1e-9);
}

static void takes_a_slow_world(void **state)
{
    (void)state;
    struct world w = {.time = 1e9, .per_iteration = 3600, .per_reading = 10};
    struct measured result;
    assert_int_equal(run(&w, 1, 2, &result), MEASURE_OK);
    assert_close(result.seconds, 7210);
}

/* A measured time of zero gives no bandwidth. */
static void refuses_a_clock_that_stands_still(void **state)
{
    (void)state;
    struct world w = {.time = 5};
    struct measured result;
    assert_int_equal(run(&w, 1, 3, &result), MEASURE_CLOCK_STILL);
    assert_real(result.seconds, 0);
    assert_int_equal(result.loops, 3);
}

static void refuses_a_clock_that_goes_backwards(void **state)
{
    (void)state;
    struct world w = {.time = 5, .per_iteration = 0.1, .jump = -1};
    struct measured result;
    assert_int_equal(run(&w, 0, 3, &result), MEASURE_CLOCK_BACKWARDS);
    assert_true(result.seconds < 0);
}

/* From inside the loop a jump looks like slow work: it is in the time, and nothing breaks. */
static void takes_a_clock_that_jumps_forward(void **state)
{
    (void)state;
    struct world w = {.time = 5, .per_iteration = 0.1, .jump = 1000};
    struct measured result;
    assert_int_equal(run(&w, 0, 3, &result), MEASURE_OK);
    assert_close(result.seconds, 1000.3);
}

static void reports_a_failed_synchronisation(void **state)
{
    (void)state;
    struct world w = {.per_iteration = 1, .synchronise_fails = 17};
    struct measured result;
    assert_int_equal(run(&w, 1, 3, &result), MEASURE_FAILED);
    assert_string_equal(w.log, "s");
    assert_int_equal(result.error, 17);
    assert_int_equal(result.loops, 0);
    assert_real(result.seconds, 0);
}

static void stops_at_a_failed_iteration(void **state)
{
    (void)state;
    static const struct {
        long fails_at, loops;
        const char *log;
    } rows[] = {{0, 0, "sw"}, {1, 0, "sww"}, {2, 0, "swwcwc"}, {4, 2, "swwcwwwc"}, {5, 3, "swwcwwwwc"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world w = {.per_iteration = 1, .work_fails = -3, .work_fails_at = rows[i].fails_at};
        struct measured result;
        assert_int_equal(run(&w, 2, 4, &result), MEASURE_FAILED);
        assert_string_equal(w.log, rows[i].log);
        assert_int_equal(result.error, -3);
        assert_int_equal(result.loops, rows[i].loops);
    }
}

static void tells_each_status(void **state)
{
    (void)state;
    for (int s = MEASURE_OK; s <= MEASURE_CLOCK_BACKWARDS; s++)
        for (int t = MEASURE_OK; t < s; t++)
            assert_string_not_equal(measure_status_text((enum measure_status)s),
                                    measure_status_text((enum measure_status)t));
    assert_contains(measure_status_text(MEASURE_CLOCK_STILL), "stood still");
    assert_contains(measure_status_text(MEASURE_CLOCK_BACKWARDS), "backwards");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_in_order),
        cmocka_unit_test(counts_many_iterations),
        cmocka_unit_test(takes_a_slow_world),
        cmocka_unit_test(refuses_a_clock_that_stands_still),
        cmocka_unit_test(refuses_a_clock_that_goes_backwards),
        cmocka_unit_test(takes_a_clock_that_jumps_forward),
        cmocka_unit_test(reports_a_failed_synchronisation),
        cmocka_unit_test(stops_at_a_failed_iteration),
        cmocka_unit_test(tells_each_status),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
