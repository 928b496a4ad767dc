/* Process counts, the map, groups. Uses settings. */
#include "imb_compat/groups.h"

int imb_process_counts(const struct imb_benchmark *benchmark, int processes, int64_t npmin,
                       int counts[IMB_MOST_COUNTS])
{
    bool two = benchmark->class == IMB_CLASS_PAIR || benchmark->class == IMB_CLASS_ELEMENT;
    bool pairs = two || benchmark->class == IMB_CLASS_RATE;
    if (pairs && processes < 2)
        return 0;
    if (two || benchmark->class == IMB_CLASS_ALONE) {
        counts[0] = two ? 2 : 1;
        return 1;
    }
    int most = processes - (pairs ? processes % 2 : 0);
    int64_t least = pairs ? npmin - npmin % 2 : npmin;
    int count = 0;
    for (int64_t n = pairs && least < 2 ? 2 : least; n < most; n *= 2)
        counts[count++] = (int)n;
    counts[count++] = most;
    return count;
}

int imb_map_fits(const struct imb_settings *settings, int processes, struct message *error)
{
    int64_t p = settings->map_p, q = settings->map_q;
    if ((!p && !q) || p * q == processes)
        return 0;
    return message_set(error, "-map %dx%d is not allowed: %d times %d is not %d, the number of processes",
                       (int)p, (int)q, (int)p, (int)q, processes);
}

/* The grid has P rows and Q columns; row i, column j holds rank i + jP, numbers run along the rows. */
int imb_map_number(int rank, int p, int q)
{
    return p ? rank % p * q + rank / p : rank;
}

int imb_map_rank(int number, int p, int q)
{
    return p ? number / q + number % q * p : number;
}

/* One row or one column is the order as it is: IMB does not call that a map. */
struct imb_groups imb_groups_make(const struct imb_settings *settings, int processes, int size)
{
    bool mapped = settings->map_p > 1 && settings->map_q > 1;
    return (struct imb_groups){.processes = processes,
                               .size = size,
                               .count = settings->multi < 0 ? 1 : processes / size,
                               .map_p = mapped ? settings->map_p : 0,
                               .map_q = mapped ? settings->map_q : 0};
}

int imb_groups_active(const struct imb_groups *groups)
{
    return groups->size * groups->count;
}

int imb_groups_rank(const struct imb_groups *groups, int group, int i)
{
    return imb_map_rank(group * groups->size + i, groups->map_p, groups->map_q);
}
