/* A table of systems, from several runs of each. */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include "report/runs.h"

enum { RANK_FIGURES = 8, RANK_NAME_SIZE = 48 };

struct rank_system {
    const struct report *first;     /* of the runs that are used; NULL: none is */
    char name[RANK_NAME_SIZE];      /* label, directory, or what the names of its runs have in common */
    int64_t submitted, valid, used; /* numbers of runs: given, VALID, in the figures */
    double figure[RANK_FIGURES];    /* medians, by the engine's `ranked`; NaN: not known */
    double low, high;               /* interval of the rating's median; NaN: fewer than 6 runs */
    double noise;                   /* median of what noise costs, percent; NaN: not known */
    bool eligible, passed;          /* enough runs; and the rule of --at-least holds */
    const char *rule;               /* that in words; "": no rule was given */
    size_t number;                  /* in `of` */
};

#define RANK_LEFT_OUT SIZE_MAX
struct rank {
    struct runs runs;
    size_t *of;                 /* of each run the number of its system, or RANK_LEFT_OUT */
    struct rank_system *system; /* the best one first; those that are not eligible last */
    size_t count;               /* at least 1 */
};

/* Returns true if a run is of a system, and used. */
bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system);

/* Loads the runs of the settings. Each side is a system; without --, each run is one. Runs that do not
 * compare with most of the others, or with the first of their system, are left out. */
void rank_make(struct rank *rank, const struct report_settings *settings);

void rank_free(struct rank *rank);

#endif
