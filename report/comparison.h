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

struct comparison {
    struct side all, side[2]; /* all runs: those before, those after */
    size_t *order;            /* numbers of all runs by start */
    struct compared *compared;
    size_t count;
    size_t left_out;      /* figures of the first run that are not in all runs */
    double level;         /* of the intervals; NaN: there are none */
    struct texts reasons; /* why a verdict is refused */
    struct texts notes;
    struct texts errors;  /* runs with data errors */
    bool same_definition; /* else nothing is compared */
};

/* Loads the runs and compares them; `first` of the `count` paths are the side before. Runs that are NOT VALID
 * are refused, but for what time alone decides, or are noted if `allow_invalid`. 0, or -1 with one line (a
 * run can't be read, out of memory). */
int comparison_make(struct comparison *comparison, char *const *paths, size_t count, size_t first,
                    bool allow_invalid, struct message *error);

/* Loads runs without sides (all of them are side[0]), for a history or a table. What forbids to set them
 * beside one another is in `reasons`: another program or definition, what makes them NOT VALID (but for what
 * time alone decides, and all of it if `allow_invalid`), data errors, a run that is there twice. `systems`:
 * they may be of several systems. 0, or -1 with one line. */
int comparison_gather(struct comparison *comparison, char *const *paths, size_t count, bool systems,
                      bool allow_invalid, struct message *error);

/* The run that was started as number `i` (from 0). */
static inline const struct report *comparison_run(const struct comparison *c, size_t i)
{
    return &c->all.runs[c->order[i]];
}

/* The metadata in which two runs of one definition are of different systems; NULL: they are of one. That is
 * the processor, nodes, processes and what else of it comparing needs, and the hosts unless `any_host`. */
const char *comparison_other_system(const struct report *a, const struct report *b, bool any_host);

/* An item of a group with a name, NULL standing for any; NULL: there is none. `guess`: where it may be. */
const struct report_item *comparison_item(const struct report_items *items, const char *group,
                                          const char *name, size_t guess);

/* Metadata that are noted where they are not alike; NULL at the end. */
extern const char *const comparison_circumstances[];

/* The rating's row; NULL if there is none. */
const struct compared *comparison_rating(const struct comparison *comparison);

/* How the rating stands to a loss of more than `threshold` (0.05: 5 %): VERDICT_WORSE: it lost more;
 * VERDICT_BETTER: it did not; VERDICT_OPEN: the interval holds both; VERDICT_NONE: refused. */
enum verdict comparison_judge(const struct compared *rating, double threshold);

void comparison_free(struct comparison *comparison);

#endif
