/* Several runs that are read and judged together: what compare, trend and rank have in common. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "report/command.h"
#include "report/output.h"
#include "report/report.h"

struct runs {
    struct report *run;
    struct report_items *items; /* of each run */
    size_t *given;              /* of each run the number of its path */
    size_t *order;              /* numbers of the runs by start */
    size_t count;
    struct grouped left_out, notes; /* runs that were left out, each with the reason */
    struct grouped reasons, errors; /* why a verdict is refused; runs with data errors */
    struct grouped changes;         /* what changed between two sides, or at a change point */
};

enum verdict { VERDICT_NONE, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OPEN };
extern const char *const verdict_words[];

/* Loads the runs of the settings. Those that cannot be read, are NOT VALID (unless a longer run would be, or
 * the settings allow them), or are the same run as one before (docs/definition.md 3.2), are left out. Of
 * those before number `first` and those after none may be the same: that is a reason. */
void runs_load(struct runs *runs, const struct report_settings *settings, size_t first);
void runs_free(struct runs *runs);

/* The run that was started as number `i` (from 0). */
static inline const struct report *runs_by_start(const struct runs *runs, size_t i)
{
    return &runs->run[runs->order[i]];
}

/* The metadata by which two runs are not of one definition, or by `program` of one program; NULL: they are.
 */
const char *runs_other_definition(const struct report *a, const struct report *b);

/* The metadata in which two runs of one definition are of different systems; NULL: they are of one. That is
 * the processor, nodes, processes and what else of it comparing needs, and the hosts unless `any_host`. */
const char *runs_other_system(const struct report *a, const struct report *b, bool any_host);

/* Adds the runs with data errors to one of the lists. */
void runs_add_errors(struct runs *runs, struct grouped *list);

/* Adds as a reason where runs differ in definition or in what else decides the result, or, of `one_system`,
 * in their system; returns whether they do not. */
bool runs_are_alike(struct runs *runs, bool one_system, bool any_host);

/* Adds to `changes` each circumstance (kernel, MPI, variable, interface ...) that is the same in all runs
 * before number `first`, and another one in all runs from there on; as a note, circumstances that differ in
 * other ways. `order`: numbers of the runs, runs->order for example; NULL: as given. */
void runs_note_changes(struct runs *runs, const size_t *order, size_t first);

/* The item of a group with a name, or its first one (NULL); NULL: there is none. */
const struct report_item *runs_item(const struct report_items *items, const char *group, const char *name);

#define RUNS_NOISE "noise_percent" /* of the sheet: what noise costs */

/* The rating of a run; NaN: it has none. */
double runs_rating(const struct runs *runs, size_t run);

/* The runs with rating and verdict, by their starts, or, of compare, those of a side of `first` runs and then
 * the others. It lives as long as `table` and the runs. */
struct runs_table {
    struct table table; /* "runs" */
    struct table_column columns[6];
    const struct runs *runs;
    size_t first; /* 0: there are no sides */
};
void runs_table_make(struct runs_table *table, const struct runs *runs, size_t first);

#endif
