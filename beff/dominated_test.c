/* Lines on dominated methods, against made-up records. */
#include "beff/dominated.h"

#include "beff/record.h"
#include "tests/unit.h"

enum { SMALL = 1024, LARGE = 4096 };

struct row {
    const char *pattern, *method;
    int bytes;
    double milliseconds;
};

/* Whether the line `dominated` follows from records, of which all but `after` were written before it. */
static bool follows(const char *line, const struct row *rows, size_t count, size_t after)
{
    struct protocol p = {.type = &beff_record_type};
    struct pattern_list list;
    assert_int_equal(patterns_make(&list, 4, 2, 1, 1048576), 0);
    for (size_t i = 0; i < count; i++) {
        struct beff_record r = {
            .pass = 1, .rep = 1, .bytes = rows[i].bytes, .loops = 2, .t_max = 2e-3 * rows[i].milliseconds};
        snprintf(r.pattern, sizeof r.pattern, "%s", rows[i].pattern);
        snprintf(r.method, sizeof r.method, "%s", rows[i].method);
        assert_int_equal(protocol_keep_record(&p, &r, i + (i + after >= count ? 20 : 1)), 0);
    }
    assert_int_equal(protocol_keep_meta(&p, "dominated", line), 0);
    p.meta[0].line = 10;
    bool result = dominated_follows(&p, &list, 0);
    patterns_free(&list);
    protocol_free(&p);
    return result;
}

static void follows_from_what_was_measured_before(void **state)
{
    (void)state;
    struct row rows[] = {{"random-01", "Alltoallv", SMALL, 9},
                         {"random-02", "Alltoallv", SMALL, 8},
                         {"random-01", "Sendrecv", LARGE, 4.5},
                         {"random-02", "Sendrecv", LARGE, 5},
                         {"random-02", "nonblocking", LARGE, 3.9}};
    const char *line = "random Alltoallv 4096";
    assert_true(follows(line, rows, COUNT(rows), 0)); /* 8 ms, the fastest, against 3.9 */
    assert_false(follows("random Sendrecv 4096", rows, COUNT(rows), 0));
    assert_false(follows("random Alltoallv 1024", rows, COUNT(rows), 0)); /* nothing smaller was measured */
    assert_false(follows("ring-1 Alltoallv 4096", rows, COUNT(rows), 0)); /* another class */
    assert_false(follows(line, rows, COUNT(rows), 1)); /* known only later: 8 ms against 5 */
    assert_false(follows("Alltoallv 4096", rows, COUNT(rows), 0));
    rows[4].milliseconds = 4.1; /* not twice */
    assert_false(follows(line, rows, COUNT(rows), 0));
    rows[2].milliseconds = 1; /* of another pattern */
    assert_false(follows(line, rows, COUNT(rows), 0));
    for (size_t i = 0; i < COUNT(rows); i++) /* ten times, but shorter than a measurement takes */
        rows[i].milliseconds = i < 2 ? 4.9 : 0.5;
    assert_false(follows(line, rows, COUNT(rows), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_from_what_was_measured_before)};
    return cmocka_run_group_tests_name("dominated", tests, NULL, NULL);
}
