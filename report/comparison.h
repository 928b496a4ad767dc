/* Two sides of runs, and what of them got better, worse, or neither can be said. Pure. */
#ifndef PROTOCOLS_COMPARISON_H
#define PROTOCOLS_COMPARISON_H

#include "report/interval.h"
#include "report/report.h"

enum verdict { VERDICT_NONE, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OPEN };

/* One figure on both sides. */
struct compared {
    const struct report_item *item; /* of the first run */
    double other_bytes;             /* the size on the side after */
    double before, after;           /* medians */
    struct ratio ratio;             /* after / before */
    enum verdict verdict;           /* of the rating; VERDICT_NONE: refused, and of all others */
};

struct side {
    struct report *runs;
    struct report_items *items; /* of each run */
    size_t count;
};

/* One thing that is said of several runs. */
struct remark {
    char *text, *first; /* the first of the runs */
    size_t runs;
};

struct remarks {
    struct remark *remark;
    size_t count;
};

struct comparison {
    struct side all, side[2]; /* all runs: those before, those after */
    size_t *order;            /* numbers of all runs by start */
    size_t *given;            /* of each run the number of its path */
    struct times *times;      /* of each run; see is_same_run() */
    struct compared *compared;
    size_t count;
    size_t left_out;      /* figures of the first run that are not in all runs */
    double level;         /* of the intervals; NaN: there are none */
    struct texts reasons; /* why a verdict is refused */
    struct texts notes;
    struct texts errors;           /* runs with data errors */
    struct texts refused;          /* runs that were left out, each with the reason */
    struct remarks faults, doubts; /* of runs that were left out, and of those that were taken */
    bool same_definition;          /* else nothing is compared */
};

/* Loads the runs and compares them; `first` of the `count` paths are the side before. Runs that can't be read
 * or are NOT VALID are left out, but for what time alone decides, or are noted if `allow_invalid`; a run that
 * is there twice counts once. 0, or -1 with one line. */
int comparison_make(struct comparison *comparison, char *const *paths, size_t count, size_t first,
                    bool allow_invalid, struct message *error);

/* Loads runs without sides (all of them are side[0]) for a history. What forbids to compare them is in
 * `reasons`: another program or definition, data errors. */
int comparison_gather(struct comparison *comparison, char *const *paths, size_t count, bool allow_invalid,
                      struct message *error);

/* The same for a list of systems, which judges by itself what compares. */
int comparison_load(struct comparison *comparison, char *const *paths, size_t count, bool allow_invalid,
                    struct message *error);

/* To be called when all is known: remarks become notes and refusals. 0, or -1 with one line. */
int comparison_finish(struct comparison *comparison, struct message *error);

/* The metadata by which two runs are not of one definition, or by `program` of one program; NULL: they are.
 */
const char *comparison_other_definition(const struct report *a, const struct report *b);

/* The share of perturbed samples, in percent; NaN: not known. */
double comparison_noise(const struct report *run);

/* The run that was started as number `i` (from 0). */
static inline const struct report *comparison_run(const struct comparison *c, size_t i)
{
    return &c->all.runs[c->order[i]];
}

/* The metadata in which two runs of one definition are of different systems; NULL: they are of one. That is
 * the processor, nodes, processes and what else of it comparing needs, and the hosts unless `any_host`. */
const char *comparison_other_system(const struct report *a, const struct report *b, bool any_host);

/* An item of a group with a name, one of both NULL standing for any; NULL: there is none. */
const struct report_item *comparison_item(const struct report_items *items, const char *group,
                                          const char *name);

/* Metadata that are noted where they are not alike; NULL at the end. */
extern const char *const comparison_circumstances[];

/* The rating's row; NULL if there is none. */
const struct compared *comparison_rating(const struct comparison *comparison);

/* How the rating stands to a loss of more than `threshold` (0.05: 5 %): VERDICT_WORSE: it lost more;
 * VERDICT_BETTER: it did not; VERDICT_OPEN: the interval holds both; VERDICT_NONE: refused. */
enum verdict comparison_judge(const struct compared *rating, double threshold);

void comparison_free(struct comparison *comparison);

#endif
