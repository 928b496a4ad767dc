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
    const char *host;
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

static bool is_same(const struct timed_run *run, const struct timed_run *before)
{
    return before->start >= 0 && strcmp(run->host, before->host) == 0 &&
           run->start - (before->end > before->start ? before->end : before->start) <= SESSION_GAP;
}

bool sessions_find(const struct sides *sides, size_t *session)
{
    struct timed_run *run = memory_new(sides->count, sizeof *run, "the sessions");
    bool alternate = sides->sides == 2 && sides->count % 2 == 0;
    for (size_t i = 0; i < sides->count; i++)
        run[i] = (struct timed_run){i, time_of(&sides->run[i].report, "started"),
                                    time_of(&sides->run[i].report, "finished"),
                                    report_meta(&sides->run[i].report, "host")};
    if (sides->count)
        qsort(run, sides->count, sizeof *run, earlier_first);
    size_t number = 0;
    for (size_t i = 0; i < sides->count; i++) {
        number += i && !is_same(&run[i], &run[i - 1]);
        session[run[i].run] = number;
        alternate &= run[i].start >= 0 && (!i || run[i].start > run[i - 1].start);
        if (i % 2)
            alternate &= (run[i].run < sides->side->end) != (run[i - 1].run < sides->side->end);
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
