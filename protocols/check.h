/* What the checks of all engines share. Pure. */
#ifndef PROTOCOLS_CHECK_H
#define PROTOCOLS_CHECK_H

#include "protocols/report.h"

/* Whole numbers of a protocol stay exact in any reader's floating point. */
#define CHECK_MOST (INT64_C(1) << 53)

/* A record that is being checked. */
struct check {
    const struct report *report;
    struct findings *findings;
    size_t i; /* number of the record */
};

/* Something is wrong; fatal: nothing can be computed with such a record. */
void check_fail(const struct check *check, bool fatal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A whole number outside of its range is fatal. Returns whether it is inside. */
bool check_range(const struct check *check, const char *name, int64_t value, int64_t least, int64_t most);

/* A time, or anything that is finite and not negative; fatal if it is not. */
bool check_not_negative(const struct check *check, const char *name, double value);

/* t_min <= t_avg <= t_max, but for rounding in the mean. */
void check_order(const struct check *check, double t_min, double t_avg, double t_max);

/* A value that follows from others of the record. */
void check_follows(const struct check *check, const char *name, double stated, double computed);

/* A metadata value that must be there for anything to be computed; returns whether it is. */
bool check_metadata(const struct report *report, struct findings *findings, const char *key, int64_t least,
                    int64_t most, int64_t *value);

/* What cannot be of a whole run: it ended before it started, its measurements took longer than it (`busy`:
 * seconds that can't have overlapped), or more processes than hardware threads shared none. */
void check_run(const struct report *report, struct findings *findings, double busy);

#endif
