/* Ranks sides by their ratings. Each side can have several runs. */
#ifndef REPORT_RANK_H
#define REPORT_RANK_H

#include "report/sessions.h"

enum { RANK_FIGURES = 12 };

struct ranked {
    const struct side *side;
    const char *label;
    int64_t submitted, valid, used; /* numbers of runs: paths that exist, VALID, used for the figures */
    int64_t sessions;
    int64_t place;               /* from 1; -1: not eligible */
    double figure[RANK_FIGURES]; /* medians of the values with SHEET_RANKED; NaN: unknown */
    double rating, low, high;    /* median of the rating and its interval; NaN: fewer than 6 runs */
    bool eligible;               /* the side has enough runs for the rules that were given */
    bool passed;                 /* the side is eligible and meets --median and --at-least */
    const char *rule;            /* "pass", "FAIL" or "not eligible"; "" if there is no rule */
    int64_t processes;           /* of the first usable run, as time and machine; -1: there is none */
    double time;
    const char *host, *nodes, *mpi, *cpu;
};

struct rank {
    struct sides sides;
    bool refused;          /* runs cannot be compared */
    struct ranked *ranked; /* best side first; sides that are not eligible last */
};

/* Loads the runs of the settings and ranks their sides. Without --, each run is a side. */
void rank_make(struct rank *rank, const struct report_settings *settings);

void rank_free(struct rank *rank);

#endif
