/* Tests how protocols of the comparison of nodes are read, and when a pair stops. */
#include "beff/fabric_measure.h"

#include "beff/record.h"
#include "tests/unit.h"

/* Exchanges of 1 us take 8 ms from some moment on, as if other programs used the processors. */
TEST(a_pair_that_becomes_slow_ends_in_time)
{
    for (int fast = 0; fast < 3000; fast++) {
        long done = 0, more;
        double elapsed = 0, end = 3e-3;
        while ((more = fabric_batch(done, elapsed, end)) > 0)
            for (; more > 0; more--)
                elapsed += done++ < fast ? 1e-6 : 8e-3;
        assert_true(elapsed >= end && elapsed <= end + 17 * 8e-3);
    }
}

/* Rows that the reader of protocols accepts, because each column is in its range. */
TEST(rows_that_contradict_each_other_are_refused)
{
    static const struct fabric_point first = {.processes = 1, .node = 0},
                                     second = {.processes = 1, .node = 1};
    static const struct {
        struct fabric_point points[2];
        struct fabric_exchange exchange;
        struct fabric_pair pair;
        const char *error;
    } rows[] = {
        {.points = {second, second}, .error = "row 1 of end_point: node 1"},
        {.points = {first, {.processes = 1, .node = 2}}, .error = "row 2 of end_point: node 2"},
        {{first, second},
         {FABRIC_QUIET, 1, 8, 0, 2, 1e-6, 0},
         .error = "row 1 of exchange: 0 and 2 are not two"},
        {{first, second},
         {FABRIC_QUIET, 1, 8, 1, 1, 1e-6, 0},
         .error = "row 1 of exchange: 1 and 1 are not two"},
        {{first, second}, .pair = {0, 2, 1e-6}, .error = "row 1 of matrix: 0 and 2 are not two of 2"},
        {{first, second}, .pair = {1, 0, 1e-6}, .error = "row 1 of matrix: 1 and 0 are not two of 2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p = {.type = &beff_record_type};
        struct fabric f;
        struct message error;
        protocol_add(&p, BEFF_END_POINTS, rows[i].points, 2);
        protocol_add(&p, BEFF_EXCHANGES, &rows[i].exchange, rows[i].exchange.bytes > 0);
        protocol_add(&p, BEFF_MATRIX, &rows[i].pair, rows[i].pair.seconds > 0);
        assert_int_equal(fabric_read(&f, &p, &error), -1);
        assert_contains(error.text, rows[i].error);
        fabric_free(&f);
        protocol_free(&p);
    }
}
