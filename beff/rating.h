/* The rating: every figure of b_eff, computed from raw records alone (docs/definition.md 1.9). Pure. */
#ifndef BEFF_RATING_H
#define BEFF_RATING_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "beff/record.h"

/* A cell of [pattern][method][size]; METHODS as method: the best one. */
enum { RATING_CELLS = (METHODS + 1) * BEFF_SIZES }; /* of a pattern */

static inline size_t rating_index(int pattern, int method, int size)
{
    return (size_t)pattern * RATING_CELLS + (size_t)method * BEFF_SIZES + (size_t)size;
}

/* One sweep: every pattern, size and method measured once; the repetition `rep` of a pass. */
struct sweep {
    int64_t pass, rep;
    bool complete;                     /* it has the rings and the polygons that are rated, with all sizes */
    bool rated;                        /* it is one of a rated pass */
    const struct beff_record **record; /* [cell], NULL: not measured */
    double *bandwidth;                 /* [cell], MB/s; NaN: not measured */
};

/* The records of a run, which must live as long, sorted into sweeps, by pass and repetition. */
struct sweeps {
    const struct pattern_list *list;
    struct sweep *sweep;
    int count, complete;
    int *completed; /* indices of the complete ones */
    int polygons;   /* that are rated: those of which the first repetition has all sizes, from random-01 on;
                       the opening's at least */
    size_t cells;   /* of a sweep */
    bool largest;   /* rule a is in force: see sweeps_make() */
    double *best;   /* [cell], room for the best of several sweeps */
    int64_t errors; /* wrong bytes in all records */
};

/* All figures that a set of repetitions gives. Bandwidths in MB/s of all processes together unless said
 * otherwise, latencies in microseconds; NaN where something it needs was not measured. Only doubles: a set of
 * them is summarised member by member. */
struct figures {
    double b_eff;
    double medians;                    /* see rating_make(): of a run only */
    double rings, random;              /* logavg over the ring patterns, the polygons */
    double lmax, lmax_rings;           /* b_eff at Lmax: rings and random, rings only */
    double latency, latency_rings;     /* P * 1 byte / bandwidth at 1 byte */
    double pingpong, pingpong_latency; /* bandwidth at Lmax; half the time of one iteration at 1 byte */
    double method[METHODS];            /* b_eff with one method alone */
    double method_last;                /* logavg(max_method(avg_L(max_rep))) */
    double repetition_last;            /* logavg(max_rep(avg_L(max_method))) */
};

struct rating {
    struct figures figures; /* medians over the rated passes */
    int passes;             /* rated passes: the whole ones, or the first one as far as it went */
    int whole;              /* complete passes: three complete repetitions of all polygons, or of 30 */
    int repetitions;        /* of the first pass, that are complete */
    double *pass_b_eff;     /* of each rated pass */
    double *cells;          /* [cell], medians over the rated passes: see rating_cell */
    char missing[160];      /* why there is no b_eff, "" if there is one */
};

/* Sorts `count` records. `largest`: a third repetition has no Lmax (docs/definition.md 1.8, rule a), and
 * takes it from the two before. Records of unknown patterns, methods or sizes, a cell measured twice, and a
 * bandwidth that is not positive or not finite are errors that name the record. Returns 0 or -1. */
int sweeps_make(struct sweeps *sweeps, const struct pattern_list *list, const struct beff_record *records,
                size_t count, bool largest, struct message *error);
void sweeps_free(struct sweeps *sweeps);

/* Whether a pattern counts in the rating: the rings, and the polygons that are rated. */
bool sweeps_rate(const struct sweeps *sweeps, const struct pattern *pattern);

/* The definition applied to a set of `count` sweeps, given by their indices: max over repetitions, then max
 * over methods, mean over sizes, logavg. */
struct figures figures_of(const struct sweeps *sweeps, const int *indices, int count);

/* b_eff of a set of sweeps, as figures_of() has it, over the `sizes` smallest sizes. */
double sweeps_b_eff(const struct sweeps *sweeps, const int *indices, int count, int sizes);

/* The rating of a run; marks what is rated. From three rated repetitions on, figures.medians is b_eff with
 * each method's median over all of them in place of the maximum over those of a pass. */
void rating_make(struct rating *rating, struct sweeps *sweeps);
void rating_free(struct rating *rating);

/* Bandwidth of one pattern, method and size in one rated pass (max over its repetitions), as the median over
 * the rated passes. METHODS as method: the best method. NaN if not measured. */
double rating_cell(const struct rating *rating, int pattern, enum method method, int size);

/* logavg of it over the rated patterns of one kind; mean of it over the sizes. */
double rating_kind(const struct rating *rating, const struct sweeps *sweeps, enum pattern_kind kind,
                   enum method method, int size);
double rating_pattern(const struct rating *rating, int pattern, enum method method);

#endif
