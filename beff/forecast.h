/* How long a run will take on links of a given speed, and how much it sends: for --plan. Pure. */
#ifndef BEFF_FORECAST_H
#define BEFF_FORECAST_H

#include "beff/estimates.h"

/* Nodes with as many processes each, in the order of ranks; each node sends at most `link` bytes a second, a
 * message between nodes takes `latency` seconds. */
struct links {
    double link, latency;
    int64_t processes_per_node;
};

struct forecast {
    double pass;  /* seconds of a complete pass */
    double time;  /* T that is enough for one by rule a, and for the analysis patterns */
    double bytes; /* that a process of the busiest node sends to other nodes in a pass */
};

/* By the scheduler's own formula. `links` NULL: the least that any machine needs, `bytes` 0. */
void forecast_make(struct forecast *forecast, const struct pattern_list *list, const struct links *links,
                   int64_t max_loops);

/* Seconds of one iteration. */
double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          enum method method, int size);

#endif
