/* Loads and checks several runs for compare, trend and rank. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "report/command.h"
#include "report/output.h"
#include "report/report.h"

struct runs {
    struct report *run;
    struct report_items *items; /* the figures of each run */
    size_t *given;              /* for each run, the index of its path in the settings */
    size_t *order;              /* the indexes of the runs in the order of their starts */
    size_t count;
    struct grouped skipped; /* runs that were skipped, with the reasons */
    struct grouped notes;
    struct grouped reasons; /* reasons to refuse a verdict */
    struct grouped errors;  /* runs with data errors */
    struct grouped changes; /* circumstances that changed between two sides, or at a change point */
};

enum verdict { VERDICT_NONE, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OPEN };
extern const char *const verdict_words[];

/* Loads the runs of the settings. Skips runs that cannot be read, NOT VALID runs, and copies of an
 * earlier run of the same side (docs/definition.md 3.2). Uses a NOT VALID run if the settings allow it, if it
 * has data errors, or if it only misses the criterion about the scheduled time (sheet_of_time()) and neither
 * --require nor --at-least is given. If the same run is on two sides, keeps it on both and adds a reason to
 * refuse a verdict. Call runs_free() afterwards. */
void runs_load(struct runs *runs, const struct report_settings *settings);

/* Returns the number of the side to which a run belongs, from the index of its path in the settings. */
size_t runs_side(const struct report_settings *settings, size_t given);

void runs_free(struct runs *runs);

/* Returns run number `i` (from 0) in the order of the starts. */
static inline const struct report *runs_by_start(const struct runs *runs, size_t i)
{
    return &runs->run[runs->order[i]];
}

/* Returns the metadata key in which the definitions of two runs differ ("program" if their programs differ),
 * or NULL. */
const char *runs_other_definition(const struct report *a, const struct report *b);

/* Returns the metadata key that shows that two runs of one definition come from different systems, or NULL.
 * Hosts are compared unless `any_host` is true. */
const char *runs_other_system(const struct report *a, const struct report *b, bool any_host);

/* Adds a line to `list` for each run with data errors. */
void runs_add_errors(struct runs *runs, struct grouped *list);

/* Returns true if all runs can be compared. Otherwise adds a reason. All runs must have the same definition
 * and the same keys with METADATA_SYSTEM; if `one_system`, also the same system (see runs_other_system()). */
bool runs_are_alike(struct runs *runs, bool one_system, bool any_host);

/* Compares the circumstances (kernel, MPI, variables, interfaces ...) of the runs before number `first` and
 * from number `first` on. Adds a circumstance to `changes` if it has one value in all runs before and another
 * value in all later runs; adds a note if it differs in another way. `order` has the order of the runs, such
 * as runs->order; NULL stands for the order in which they were given. */
void runs_note_changes(struct runs *runs, const size_t *order, size_t first);

/* Returns the item of a group with this name, or the first item of the group if `name` is NULL. Returns NULL
 * if there is none. */
const struct report_item *runs_item(const struct report_items *items, const char *group, const char *name);

#define RUNS_NOISE "noise_percent" /* name of the sheet's value that states the cost of noise */

/* Returns the rating of a run; NaN if it has none. */
double runs_rating(const struct runs *runs, size_t run);

/* A table of runs with rating and verdict. */
struct runs_table {
    struct table table; /* named "runs" */
    struct table_column columns[6];
    const struct runs *runs;
    size_t first; /* number of runs before the change; 0 if there are no sides */
};

/* Describes the table of runs: in the given order with a column for their side if `first` > 0, otherwise in
 * the order of their starts. `table` and `runs` must outlive table->table. */
void runs_table_make(struct runs_table *table, const struct runs *runs, size_t first);

#endif
