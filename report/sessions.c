#include "report/sessions.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/memory.h"
#include "common/stats.h"

enum { SESSION_GAP = 3600 }; /* largest time between the runs of a session, in seconds */

struct timed_run {
    size_t run;
    time_t start, end; /* -1: unknown */
    const char *host, *job;
};

static time_t time_of(const struct report *report, const char *key)
{
    struct tm utc = {0};
    const char *rest = strptime(report_meta(report, key), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return rest && !*rest ? timegm(&utc) : (time_t)-1;
}

static int earlier_first(const void *a, const void *b)
{
    const struct timed_run *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->run > right->run) - (left->run < right->run);
}

/* Returns true if two names are of one host. Docker gives each container a new name: 12 hexadecimal digits.
 */
static bool is_host(const char *host, const char *other)
{
    static const char digits[] = "0123456789abcdef";
    return strcmp(host, other) == 0 || (strlen(host) == 12 && strspn(host, digits) == 12 &&
                                        strlen(other) == 12 && strspn(other, digits) == 12);
}

static bool is_same(const struct timed_run *run, const struct timed_run *before)
{
    if (*run->job && strcmp(run->job, before->job) == 0)
        return true;
    return before->start >= 0 && is_host(run->host, before->host) &&
           run->start - (before->end > before->start ? before->end : before->start) <= SESSION_GAP;
}

bool sessions_find(const struct sides *sides, size_t *session)
{
    struct timed_run *run = memory_new(sides->count, sizeof *run, "the sessions");
    bool alternate = sides->sides == 2 && sides->count % 2 == 0;
    for (size_t i = 0; i < sides->count; i++) {
        const struct report *report = &sides->run[i].report;
        run[i] = (struct timed_run){i, time_of(report, "started"), time_of(report, "finished"),
                                    report_meta(report, "host"), report_meta(report, "job")};
    }
    if (sides->count)
        qsort(run, sides->count, sizeof *run, earlier_first);
    for (size_t i = 0, number = 0; i < sides->count; i++) {
        size_t k = i;
        while (k > 0 && !is_same(&run[i], &run[k - 1]))
            k--;
        session[run[i].run] = k ? session[run[k - 1].run] : number++;
        alternate &= run[i].start >= 0 && (!i || run[i].start > run[i - 1].start);
        if (i % 2)
            alternate &= session[run[i].run] == session[run[i - 1].run] &&
                         (run[i].run < sides->side->end) != (run[i - 1].run < sides->side->end);
    }
    free(run);
    return alternate;
}

size_t sessions_medians(const struct side *side, const size_t *session, const double *values, double *medians)
{
    size_t count = 0;
    double *own = memory_new(side->end - side->first, sizeof *own, "the sessions");
    for (size_t i = side->first; i < side->end; i++) {
        size_t n = 0;
        bool first = true;
        for (size_t k = side->first; k < side->end; k++)
            if (session[k] == session[i]) {
                first &= k >= i;
                own[n++] = values[k];
            }
        if (first)
            medians[count++] = stats_median(own, n);
    }
    free(own);
    return count;
}

static size_t size_of(const struct side *side)
{
    return side->end - side->first;
}

void basis_make(struct basis *b, const struct side *before, const struct side *after, bool even,
                const double *ratings, double between, size_t old)
{
    double *medians = memory_new(before->end + after->end, sizeof *medians, "the sessions"), reached,
           normal = old ? t_95(old - 1) : NORMAL_95;
    b->side[0] = before;
    b->side[1] = after;
    for (size_t s = 0; s < 2; s++) {
        b->count[s] = size_of(b->side[s]);
        size_t n = b->sessions[s] = sessions_medians(b->side[s], b->session, ratings, medians);
        double own = n < SESSIONS_LEAST || old ? 0 : stats_log_deviation(medians, n);
        if (own * t_95(n - 1) > normal * between) {
            between = own;
            normal = t_95(n - 1);
        }
    }
    free(medians);
    b->between = between;
    b->level = b->look ? pairs_level(b->look) : INTERVAL_LEVEL;
    b->chances = interval_chances(b->sessions[0], b->sessions[1]);
    b->by_session = !even && chances_rank(b->chances, INTERVAL_LEVEL, &reached);
    b->allowance =
        even || b->by_session ? 0 : ratio_allowance(between, normal, b->sessions[0], b->sessions[1]);
    if (b->by_session) {
        memcpy(b->count, b->sessions, sizeof b->count);
    } else {
        free(b->chances);
        b->chances = b->look ? pairs_chances(b->count[0]) : interval_chances(b->count[0], b->count[1]);
    }
}

double *basis_take(const struct basis *b, const double *values)
{
    double *taken = memory_new(size_of(b->side[0]) + size_of(b->side[1]), sizeof *taken, "the values");
    for (size_t s = 0; s < 2; s++) {
        double *own = taken + (s ? b->count[0] : 0);
        if (b->by_session)
            sessions_medians(b->side[s], b->session, values, own);
        else
            memcpy(own, values + b->side[s]->first, b->count[s] * sizeof *own);
    }
    return taken;
}

double *basis_ratios(const struct basis *b, const double *taken, size_t *count)
{
    const double *after = taken + b->count[0];
    return b->look ? ratios_of_pairs(taken, after, b->count[0], count)
                   : ratios_of_sides(taken, b->count[0], after, b->count[1], count);
}

struct ratio basis_interval(const struct basis *b, const double *ratios, size_t count, double level)
{
    double reached;
    return ratio_widen(ratio_make(ratios, count, chances_rank(b->chances, level, &reached)), b->allowance);
}
