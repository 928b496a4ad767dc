/* Tests dates, the time since the start, and the resolution of made-up clocks. */
#include "common/clock.h"

#include <time.h>
#include <unistd.h>

#include "tests/unit.h"

TEST(counts_from_the_start_of_the_process)
{
    double first = clock_since_start(), second = clock_since_start();
    assert_true(first >= 0 && first < 60);
    assert_true(second >= first);
    usleep(20000);
    double third = clock_since_start();
    assert_true(third - second >= 0.0199 && third - second < 10);
}

TEST(writes_dates)
{
    char date[CLOCK_DATE_SIZE];
    struct tm utc = {0};
    clock_date(date);
    assert_int_equal(strlen(date), strlen("2026-11-21T12:34:56Z"));
    const char *rest = strptime(date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    assert_non_null(rest);
    assert_int_equal(*rest, 0);
    assert_true(llabs((long long)timegm(&utc) - (long long)time(NULL)) <= 1);
}

/* A clock that advances only at every `reads`-th reading, by the next of its `count` steps. */
struct ticking {
    double time;
    const double *steps;
    int count, next, reads, seen;
};

static double tick(void *context)
{
    struct ticking *t = context;
    if (++t->seen >= t->reads) {
        t->seen = 0;
        t->time += t->steps[t->next++ % t->count];
    }
    return t->time;
}

TEST(finds_the_smallest_step)
{
    static const double steps[] = {0.5, 0.25, 8, 0.125, 2}, even[] = {1}, back[] = {0.5, -4};
    struct ticking coarse = {.steps = even, .count = 1, .reads = 1000};
    assert_real(clock_resolution(tick, &coarse), 1);
    struct ticking uneven = {.steps = steps, .count = COUNT(steps), .reads = 3};
    assert_real(clock_resolution(tick, &uneven), 0.125);
    struct ticking backwards = {.time = 100, .steps = back, .count = 2, .reads = 1};
    assert_true(clock_resolution(tick, &backwards) >= 0);
}

TEST(returns_zero_if_the_clock_stands_still)
{
    static const double none[] = {0};
    struct ticking still = {.steps = none, .count = 1, .reads = 1};
    assert_real(clock_resolution(tick, &still), 0);
}
