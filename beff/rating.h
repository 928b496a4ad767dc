/* Computes every figure of b_eff from the raw records (docs/definition-beff-1.md 6). */
#ifndef BEFF_RATING_H
#define BEFF_RATING_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "beff/record.h"

/* Number of cells of one pattern: [method][size]. The method METHODS stands for the best method. */
enum { RATING_CELLS = (METHODS + 1) * BEFF_SIZES };

/* Returns the index of a cell in an array [pattern][method][size]. */
static inline size_t rating_index(int pattern, int method, int size)
{
    return (size_t)pattern * RATING_CELLS + (size_t)method * BEFF_SIZES + (size_t)size;
}

/* Repetition `rep` of pass `pass`: every pattern, size and method, measured once. */
struct repetition {
    int64_t pass, rep;
    bool complete;                     /* all rings and all rated polygons have all sizes */
    bool rated;                        /* the repetition belongs to a rated pass */
    const struct beff_record **record; /* [cell]; NULL if not measured */
    double *bandwidth;                 /* [cell] in MB/s; NaN if not measured */
};

/* The records of a run, sorted by pass and repetition. */
struct repetitions {
    const struct pattern_list *list;
    struct repetition *all;
    int count, complete;
    int most;       /* maximum number of rated repetitions of a pass; 0: all */
    int polygons;   /* number of rated polygons: the polygons before the first one that lacks a size in the
                       first repetition, but at least the polygons of the opening */
    size_t cells;   /* cells per repetition */
    double limit;   /* maximum number of cells of all repetitions */
    bool largest;   /* rule a is in force: see repetitions_make() */
    double *best;   /* [cell], work space of figures_of() */
    int64_t errors; /* wrong bytes in all records */
};

/* The figures of a set of repetitions. Bandwidths are in MB/s, summed over all processes; latencies are in
 * microseconds. A figure is NaN if one of its cells was not measured. All members are doubles, because
 * rating_make() takes the median of several passes member by member. */
struct figures {
    double b_eff;
    double medians, means;             /* b_eff with the median, or bytes / time, of three repetitions */
    double rings, random;              /* logavg over the ring patterns; over the random polygons */
    double lmax, lmax_rings;           /* b_eff at Lmax: all rated patterns; only the rings */
    double latency;                    /* of a message of 1 byte while all processes send */
    double pingpong, pingpong_latency; /* bandwidth at Lmax; half the time of one iteration at 1 byte */
    double method[METHODS];            /* b_eff with only one method */
};

struct rating {
    struct figures figures; /* medians over the rated passes */
    int passes;             /* number of rated passes: all complete passes, or else the first pass */
    int whole;              /* number of complete passes (docs/definition-beff-1-schedule.md 3) */
    int repetitions;        /* number of complete repetitions of the first pass */
    double *pass_b_eff;     /* b_eff of each rated pass */
    double *cells;          /* [cell], medians over the rated passes: see rating_cell() */
    char missing[160];      /* the reason why there is no b_eff; "" if there is one */
};

/* Sorts `count` records into repetitions. The records and `list` must outlive `reps`. If `largest` is set,
 * rule a is in force (docs/definition-beff-1-schedule.md 3): the third repetition of a pass has no Lmax and
 * takes it from the two repetitions before it. Ignores records of unknown analysis patterns, except for their
 * errors. Returns -1 with a message that names the record if a record of a known pattern has an unknown
 * method or size or a wrong number of messages, or if its cell was measured before. */
int repetitions_make(struct repetitions *reps, const struct pattern_list *list,
                     const struct beff_record *records, size_t count, bool largest, struct message *error);
void repetitions_free(struct repetitions *reps);

/* Returns true if the pattern counts in the rating: a ring, or a rated polygon. */
bool repetitions_rate(const struct repetitions *reps, const struct pattern *pattern);

/* Rates the `count` repetitions with these indices: maximum over repetitions, maximum over methods, mean over
 * sizes, logarithmic average over patterns (docs/definition-beff-1.md 6). */
struct figures figures_of(const struct repetitions *reps, const int *indices, int count);

/* Returns the logarithmic average of of[pattern] over the rated patterns, in which rings and random polygons
 * count half each. */
double repetitions_average(const struct repetitions *reps, const double *of);

/* Rates a run and marks the rated repetitions. */
void rating_make(struct rating *rating, struct repetitions *reps);
void rating_free(struct rating *rating);

/* Returns the bandwidth of one pattern, method and size in MB/s: the maximum over the repetitions of a rated
 * pass, and then the median over the rated passes. The method METHODS stands for the best method. NaN if not
 * measured. */
double rating_cell(const struct rating *rating, int pattern, enum method method, int size);

/* Returns the logarithmic average of rating_cell() over the rated patterns of one kind. */
double rating_kind(const struct rating *rating, const struct repetitions *reps, enum pattern_kind kind,
                   enum method method, int size);

/* Returns the logarithmic average of rings and random polygons at one size. */
double rating_at_size(const struct rating *rating, const struct repetitions *reps, enum method method,
                      int size);

/* Returns the mean of rating_cell() over the sizes. */
double rating_pattern(const struct rating *rating, int pattern, enum method method);

#endif
