/* Groups runs into sessions. Runs of one session share its nodes, neighbours and state of the machine, so
 * differences between sessions show only if a side has several. */
#ifndef REPORT_SESSIONS_H
#define REPORT_SESSIONS_H

#include "common/inference.h"
#include "report/sides.h"

/* Sets session[i] to the number of the session of run i, from 0. Runs of one batch job are one session. A run
 * on the same host, or in any of Docker's containers, belongs to the session of the run before it if it
 * starts within an hour of its end. Any other run is a session of its own. Returns true if the runs of two
 * sides alternate: ordered by their starts, each pair of runs has one run of each side, in one session. */
bool sessions_find(const struct sides *sides, size_t *session);

/* Copies the median of each session of the runs of a side to `medians`, and returns their number. */
size_t sessions_medians(const struct side *side, const size_t *session, const double *values,
                        double *medians);

/* How the values of two sides are compared: run by run, pair by pair, or by the medians of their sessions. */
struct basis {
    const struct side *side[2];
    const size_t *session; /* from sessions_find() */
    size_t sessions[2];    /* number of sessions of each side */
    size_t count[2];       /* number of values of each side */
    int look;              /* number of the look at pairs, from 1; 0: runs are not in pairs */
    bool by_session;
    double level;     /* confidence level */
    double between;   /* standard deviation between sessions, as a share */
    double allowance; /* for differences between sessions: half-width of the logarithm of a ratio */
    double *chances;  /* see interval_chances() and pairs_chances() */
};

enum { SESSIONS_LEAST = 4 }; /* fewest sessions from which their standard deviation is measured */

/* Decides how two sides are compared, which stay in place. Sides with enough sessions are compared by
 * session. Other sides, unless they are `even` (pairs, or alternating runs), get an allowance for sessions
 * that differ by a standard deviation of `between`, measured from `old` sessions. If `old` is 0, `between` is
 * assumed, and is replaced by the deviation of a side with SESSIONS_LEAST sessions or more if that is larger.
 * `ratings` are the ratings of all runs. Free basis->chances. */
void basis_make(struct basis *basis, const struct side *before, const struct side *after, bool even,
                const double *ratings, double between, size_t old);

/* Returns the values that are compared, those of the first side first, to be freed. `values` has those of all
 * runs. */
double *basis_take(const struct basis *basis, const double *values);

/* Returns the sorted ratios of taken values, to be freed. */
double *basis_ratios(const struct basis *basis, const double *taken, size_t *count);

/* Returns the median and interval of sorted ratios, with the allowance. */
struct ratio basis_interval(const struct basis *basis, const double *ratios, size_t count, double level);

#endif
