/* How long a run will take on links of a given speed: for --plan. Pure. */
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
    double pass; /* seconds of a complete pass */
    double time; /* T that is enough for one by rule a, and for the analysis patterns */
};

/* By the scheduler's own formula. `links` NULL: the least that any machine needs. */
struct forecast forecast_make(const struct pattern_list *list, const struct links *links, int64_t max_loops);

/* Messages that the processes of the busiest node send to others in one iteration; NaN: out of memory. */
double forecast_leaving(const struct pattern *pattern, int64_t per_node);

/* Seconds of one iteration in which so many leave a node. */
double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          double leaving, enum method method, int size);

#endif
