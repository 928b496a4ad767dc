/* Which processes take part: process counts, the map, groups. Pure. */
#ifndef IMB_COMPAT_GROUPS_H
#define IMB_COMPAT_GROUPS_H

#include "imb_compat/settings.h"

enum { IMB_MOST_COUNTS = 40 };

/* The numbers of processes that a benchmark runs on, of `processes` that were started
 * (docs/definition.md 3.3); none if they are too few for it. */
int imb_process_counts(const struct imb_benchmark *benchmark, int processes, int64_t npmin,
                       int counts[IMB_MOST_COUNTS]);

/* 0, or -1 with a line that says why this map does not fit the processes. */
int imb_map_fits(const struct imb_settings *settings, int processes, struct message *error);

/* The number that a process has under the map of P times Q (0: no map), and back (docs/definition.md 3.3). */
int imb_map_number(int rank, int p, int q);
int imb_map_rank(int number, int p, int q);

/* How the processes are shared out for one table. */
struct imb_groups {
    int processes;    /* that were started */
    int size;         /* of a group */
    int count;        /* of groups that run at once */
    int map_p, map_q; /* 0: no map */
};

struct imb_groups imb_groups_make(const struct imb_settings *settings, int processes, int size);

/* Processes that take part; the others are idle. */
int imb_groups_active(const struct imb_groups *groups);

/* The process (rank) that has number `i` in group `group`. */
int imb_groups_rank(const struct imb_groups *groups, int group, int i);

#endif
