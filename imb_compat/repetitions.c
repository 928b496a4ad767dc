#include "imb_compat/repetitions.h"

#include <math.h>

enum { PROBE_MAX = 1000, PROBE_MAX_FILES = 50, WARMUP_MIN = 10 };
#define NO_TIME 1e-8 /* seconds; a shorter repetition is below the clock's resolution */

int64_t imb_repetitions(const struct imb_table *table, bool listed, int64_t bytes)
{
    const struct imb_settings *settings = table->settings;
    int64_t max = settings->repetitions;
    if (table->policy == IMB_OFF || settings->component == IMB_MT)
        return max;
    if (settings->component == IMB_P2P) {
        double by_volume = bytes ? round((double)settings->volume / (double)bytes) : INFINITY;
        return by_volume < (double)max ? (int64_t)fmax(by_volume, 1) : max;
    }
    if (table->policy == IMB_MULTIPLE_NP) {
        const int processes = table->groups.size;
        /* The number of repetitions is a multiple of the number of processes. It decreases with the size, and
         * is half of the maximum if all processes together transfer 2^max bytes. */
        double largest = (double)(INT64_C(1) << settings->max_log), x = fmax((double)bytes, 4);
        int64_t wanted = (int64_t)round((double)max * largest / (processes * x + largest));
        int64_t multiple = wanted / processes * processes;
        return multiple < processes ? processes : multiple;
    }
    bool few = table->mode == IMB_MODE_NON_AGGREGATE || table->benchmark->flags & IMB_FEW;
    if (few && (listed || settings->few_repetitions < max))
        max = settings->few_repetitions;
    int64_t by_volume = bytes ? settings->volume / bytes : max;
    return by_volume < 1 ? 1 : by_volume < max ? by_volume : max;
}

int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds)
{
    int64_t max = settings->component == IMB_IO ? PROBE_MAX_FILES : PROBE_MAX;
    if (seconds >= 1 / (double)max)
        max = (int64_t)fmax(1, round(1 / seconds));
    return max < repetitions ? max : repetitions;
}

int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left)
{
    double seconds = fmin(first, second);
    if (seconds < NO_TIME)
        return repetitions;
    double all = fmax(0, left) / seconds; /* including the warm-up */
    if (settings->warm_up && settings->component != IMB_IO)
        all = all < 2 * WARMUP_MIN ? all / 2 : all < 11 * WARMUP_MIN ? all - WARMUP_MIN : all / 1.1;
    double max = floor(1 + all);
    return max < (double)repetitions ? (int64_t)max : repetitions;
}

int64_t imb_repetitions_checked(int64_t repetitions)
{
    int64_t min = repetitions < WARMUP_MIN ? repetitions : WARMUP_MIN;
    return repetitions / 10 < min ? min : repetitions / 10;
}

int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions)
{
    if (settings->component == IMB_MT)
        return settings->warmup;
    if (settings->component == IMB_P2P)
        return repetitions < 2 ? 0 : repetitions < 10 ? 1 : repetitions / 10;
    return settings->warm_up && settings->component != IMB_IO ? imb_repetitions_checked(repetitions) : 0;
}
