/* A table of systems, from several runs of each. Pure. */
#ifndef PROTOCOLS_RANK_H
#define PROTOCOLS_RANK_H

#include "report/comparison.h"

enum { RANK_FIGURES = 8 };

struct rank_system {
    const struct report *first;  /* of its runs */
    size_t runs, valid, hosts;   /* how many; hosts of rank 0 that are different */
    double figure[RANK_FIGURES]; /* medians, by the engine's `ranked`; NaN: not known */
    double low, high;            /* interval of the rating's median; NaN: fewer than 6 runs */
};

struct rank {
    struct comparison runs;     /* its reasons: why there is no table; its notes */
    struct rank_system *system; /* the best one first */
    size_t count;
    bool any_host;
};

/* Whether a run is of a system. */
bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system);

/* Whether the runs differ in this of their metadata; and systems are told apart by it. */
bool rank_varies(const struct rank *rank, const char *key);
bool rank_differs(const struct rank *rank, const char *key);

/* Loads the runs and sorts them by system: those of one differ neither in MPI nor in anything by which
 * comparison_other_system tells systems apart. 0, or -1 with one line. */
int rank_make(struct rank *rank, char *const *paths, size_t count, bool any_host, bool allow_invalid,
              struct message *error);

void rank_free(struct rank *rank);

/* The table of the systems, which lives as long as `table` and the rank. */
struct rank_table {
    struct table table; /* "systems" */
    struct table_column columns[RANK_FIGURES + 13];
};
void rank_table_make(struct rank_table *table, const struct rank *rank);

#endif
