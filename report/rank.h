/* Ranks systems by their ratings. Each system can have several runs. */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include "report/runs.h"

enum { RANK_FIGURES = 8, RANK_NAME_SIZE = 48 };

struct rank_system {
    const struct report *first;     /* first run that is used; NULL if no run is used */
    char name[RANK_NAME_SIZE];      /* label, directory, or common prefix of the names of the runs */
    int64_t submitted, valid, used; /* numbers of runs: given, VALID, used for the figures */
    double figure[RANK_FIGURES];    /* medians, in the order of the engine's `ranked`; NaN: unknown */
    double low, high;               /* interval of the rating's median; NaN: fewer than 6 runs */
    double noise;                   /* median of RUNS_NOISE, in percent; NaN: unknown */
    bool eligible;    /* the system has enough runs for the rules that were given, and none is disputed */
    bool passed;      /* the system is eligible and meets --at-least */
    const char *rule; /* "pass", "FAIL", "not eligible" or "disputed"; "" if there is no rule */
    size_t number;    /* the system's number in rank->of */
};

#define RANK_SKIPPED SIZE_MAX
struct rank {
    struct runs runs;
    size_t *of;                 /* for each run, the number of its system, or RANK_SKIPPED */
    struct rank_system *system; /* best system first; systems that are not eligible last */
    size_t count;               /* number of systems, at least 1 */
};

/* Returns true if a run belongs to a system and was not skipped. */
bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system);

/* Loads the runs of the settings and ranks their systems. Each side is a system; without --, each run is a
 * system. Skips runs that cannot be compared with most runs or with the first run of their system. */
void rank_make(struct rank *rank, const struct report_settings *settings);

void rank_free(struct rank *rank);

#endif
