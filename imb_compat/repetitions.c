/* Numbers of repetitions. Uses settings. */
#include "imb_compat/repetitions.h"

#include <math.h>

enum { PROBE_MOST = 1000, PROBE_MOST_FILES = 50, WARMUP_LEAST = 10 };
#define NO_TIME 1e-8 /* shorter ones are not limited: the clock hardly tells them from nothing */

enum imb_policy imb_policy_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark)
{
    if (settings->policy == IMB_AUTO)
        return benchmark->flags & IMB_ROOTED ? IMB_MULTIPLE_NP : IMB_DYNAMIC;
    return (enum imb_policy)settings->policy;
}

/* Falls from the first number, half of it where all processes together move 2^max bytes, in multiples of the
 * processes. */
static int64_t multiple_of_processes(const struct imb_settings *settings, int64_t bytes, int processes)
{
    double most = (double)(INT64_C(1) << settings->max_log);
    double x = fmax((double)bytes, 4);
    int64_t wanted = (int64_t)round((double)settings->repetitions * most / (processes * x + most));
    int64_t multiple = wanted / processes * processes;
    return multiple < processes ? processes : multiple;
}

int64_t imb_repetitions(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                        enum imb_mode mode, bool listed, int64_t bytes, int processes)
{
    int64_t most = settings->repetitions;
    switch (imb_policy_of(settings, benchmark)) {
    case IMB_OFF:
        return most;
    case IMB_MULTIPLE_NP:
        return multiple_of_processes(settings, bytes, processes);
    case IMB_DYNAMIC:
    case IMB_AUTO:
        break;
    }
    bool few = mode == IMB_MODE_NON_AGGREGATE || benchmark->flags & IMB_FEW;
    if (few && (listed || settings->few_repetitions < most))
        most = settings->few_repetitions;
    if (bytes == 0)
        return most;
    int64_t by_volume = settings->volume / bytes;
    return by_volume < 1 ? 1 : by_volume < most ? by_volume : most;
}

int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds)
{
    int64_t most = settings->component == IMB_IO ? PROBE_MOST_FILES : PROBE_MOST;
    if (seconds >= 1 / (double)most)
        most = (int64_t)fmax(1, round(1 / seconds));
    return most < repetitions ? most : repetitions;
}

/* Repetitions that fit, of `all` with those of the warm-up. */
static double without_warmup(const struct imb_settings *settings, double all)
{
    if (!settings->warm_up || settings->component == IMB_IO)
        return all;
    if (all < 2 * WARMUP_LEAST)
        return all / 2;
    return all < 11 * WARMUP_LEAST ? all - WARMUP_LEAST : all / 1.1;
}

int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left)
{
    double seconds = fmin(first, second);
    if (seconds < NO_TIME)
        return repetitions;
    double most = floor(1 + without_warmup(settings, fmax(0, left) / seconds));
    return most < (double)repetitions ? (int64_t)most : repetitions;
}

int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions)
{
    if (!settings->warm_up || settings->component == IMB_IO)
        return 0;
    int64_t least = repetitions < WARMUP_LEAST ? repetitions : WARMUP_LEAST;
    return repetitions / 10 < least ? least : repetitions / 10;
}

double imb_table_seconds(const struct imb_settings *settings, int sizes)
{
    return settings->time * (sizes < 1 ? 1 : sizes);
}
