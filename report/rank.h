/* A table of systems, from several runs of each. Pure. */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include "report/runs.h"

enum { RANK_FIGURES = 8, RANK_NAME_SIZE = 48 };

struct rank_system {
    const struct report *first;  /* of its runs */
    char name[RANK_NAME_SIZE];   /* its label, or what the paths of its runs have in common */
    int64_t runs, valid;         /* how many */
    double figure[RANK_FIGURES]; /* medians, by the engine's `ranked`; NaN: not known */
    double low, high;            /* interval of the rating's median; NaN: fewer than 6 runs */
    double noise;                /* median share of perturbed samples, percent; NaN: not known */
    size_t number;               /* in `of` */
};

#define RANK_LEFT_OUT SIZE_MAX
struct rank {
    struct runs runs;
    size_t *of;                 /* of each run the number of its system, or RANK_LEFT_OUT */
    struct rank_system *system; /* the best one first */
    size_t count;
    bool any_host;
    bool incomplete; /* a side has no run left, or there is no system */
};

/* Whether a run is of a system. */
bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system);

/* Loads the runs of the settings and sorts them by system: each of its sides is one, or, where there is one
 * side alone, those are that differ in MPI or in anything by which runs_other_system distinguishes
 * systems. Runs that do not compare with most of the others, or with their system, are left out. 0, or -1
 * with one line. */
int rank_make(struct rank *rank, const struct report_settings *settings, struct message *error);

void rank_free(struct rank *rank);

#endif
