/* Statistics and formulas. Uses settings. */
#include "imb_compat/row.h"

#include <math.h>

#define UNEQUAL 0.01

double imb_megabyte(const struct imb_settings *settings)
{
    return settings->compat == IMB_30 ? 1048576 : 1e6;
}

double imb_overlap(double overlapped, double pure, double cpu)
{
    double longer = fmax(pure, cpu);
    if (!(longer > 0))
        return 0;
    return 100 * fmin(1, fmax(0, (pure + cpu - overlapped) / longer));
}

bool imb_overlap_means_something(double pure, double cpu)
{
    return fmin(pure, cpu) >= UNEQUAL * fmax(pure, cpu);
}

double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size)
{
    if (benchmark->class == IMB_CLASS_ONE_TO_ALL && group_size == 1)
        return 0;
    if (benchmark->columns != IMB_COLUMNS_MESSAGES)
        return benchmark->rate;
    return benchmark->rate * (double)settings->window_size * (group_size / 2);
}

static void put_times(struct imb_row *row, const struct imb_share *shares, int count)
{
    double least = INFINITY, most = 0, sum = 0;
    int timed = 0;
    for (int i = 0; i < count; i++) {
        if (shares[i].seconds < 0)
            continue;
        least = fmin(least, shares[i].seconds);
        most = fmax(most, shares[i].seconds);
        sum += shares[i].seconds;
        timed++;
    }
    row->value[IMB_T_MIN] = timed ? 1e6 * least : 0;
    row->value[IMB_T] = row->value[IMB_T_MAX] = 1e6 * most;
    row->value[IMB_T_AVG] = timed ? 1e6 * sum / timed : 0;
}

/* The row of an overlapped benchmark is that of the slowest process. */
static void put_overlap(struct imb_row *row, const struct imb_share *shares, int count)
{
    const struct imb_share *slowest = shares;
    for (int i = 1; i < count; i++)
        if (shares[i].seconds > slowest->seconds)
            slowest = &shares[i];
    row->value[IMB_T_OVRL] = 1e6 * slowest->seconds;
    row->value[IMB_T_PURE] = 1e6 * slowest->pure;
    row->value[IMB_T_CPU] = 1e6 * slowest->cpu;
    row->value[IMB_SHARE_HIDDEN] = imb_overlap(slowest->seconds, slowest->pure, slowest->cpu);
}

/* A passive target: the two phases of the origin. */
static void put_passive(struct imb_row *row, const struct imb_share *shares, int count)
{
    row->value[IMB_T_OVRL] = row->value[IMB_T_MAX];
    for (int i = 0; i < count; i++)
        row->value[IMB_T_PURE] = fmax(row->value[IMB_T_PURE], 1e6 * shares[i].pure);
}

struct imb_row imb_row_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                            const struct imb_share *shares, int count, int group_size, int64_t bytes,
                            int64_t repetitions)
{
    struct imb_row row = {.value[IMB_BYTES] = (double)bytes, .value[IMB_REPETITIONS] = (double)repetitions};
    put_times(&row, shares, count);
    if (benchmark->columns == IMB_COLUMNS_OVERLAP)
        put_overlap(&row, shares, count);
    else if (benchmark->columns == IMB_COLUMNS_PASSIVE)
        put_passive(&row, shares, count);
    double seconds = 1e-6 * row.value[IMB_T_MAX];
    if (seconds > 0) {
        double per_second = imb_messages(settings, benchmark, group_size) / seconds;
        row.value[IMB_MSGS] = per_second;
        row.value[IMB_MBYTES] = per_second * (double)bytes / imb_megabyte(settings);
    }
    for (int i = 0; i < count; i++)
        row.value[IMB_DEFECTS] += shares[i].defects;
    return row;
}
