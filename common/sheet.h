/* The sheet: the results of a run, in the same form for all engines. Text, JSON and data files are written
 * from it; engines do no formatting. */
#ifndef COMMON_SHEET_H
#define COMMON_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/protocol.h"
#include "common/table.h"
#include "common/text.h"

struct option_table;

/* How compare and rank use a value, as bits. A value is compared if it has one of the last two. */
enum sheet_use {
    SHEET_MAIN = 1 << 0,   /* compare prints it even without --all */
    SHEET_RANKED = 1 << 1, /* rank prints it */
    SHEET_HIGHER = 1 << 2, /* higher is better */
    SHEET_LOWER = 1 << 3,  /* lower is better */
    SHEET_STATED = 1 << 4  /* copied from the protocol, because this program does not compute it */
};

struct sheet_value {
    const char *name;  /* key in JSON and in `#: result` lines */
    const char *label; /* name in text */
    const char *unit;
    double value;  /* NaN: unknown */
    bool detail;   /* shown in summary.txt, but not on the screen */
    unsigned uses; /* bits of enum sheet_use */
};

/* A bool converts to MISSED (false) or REACHED (true). UNCHECKED means neither passed nor failed. */
enum criterion_state { CRITERION_MISSED, CRITERION_REACHED, CRITERION_UNCHECKED, CRITERION_STATES };

struct sheet_criterion {
    char text[640]; /* a positive fact: "all data correct (0 wrong bytes)" */
    enum criterion_state state;
    bool of_time; /* a longer run would meet the criterion, so runs of equal time can still be compared */
};

struct sheet {
    const struct protocol *protocol;
    const char *headline_name; /* name of the rating: "b_eff" */
    char headline[512];        /* last line of the result, for quoting */
    bool rated;                /* the run has a rating */
    bool rates_nothing;        /* the program has no rating; its criteria are checks without a verdict */
    bool unknown;              /* the run follows a definition that this program does not know: no verdict */
    int64_t errors;            /* number of wrong bytes or words */
    struct sheet_value *values;
    int value_count;
    struct sheet_criterion *criteria;
    int criterion_count;
    int completed;  /* index of the criterion "run completed" */
    double *passes; /* rating of each complete pass */
    int pass_count;
    int repetitions;    /* number of repetitions in a rated pass; 0: the rating has none */
    struct texts notes; /* facts that qualify the result: how the run was shortened, slow nodes */
    struct table *tables;
    int table_count;
    int data_count;        /* number of the engine's own data files */
    char noise[80];        /* effect of noise on the rating, printed with the verdict; "": unknown */
    char disturbance[480]; /* who else used the processors, printed after the noise; "": nobody, or unknown */
};

/* These functions add a value, and a value that is not shown on the screen. */
void sheet_value(struct sheet *sheet, const char *name, const char *label, const char *unit, double value);
void sheet_detail(struct sheet *sheet, const char *name, const char *label, const char *unit, double value);
/* Sets the uses (enum sheet_use) of the value that was added last. */
void sheet_use(struct sheet *sheet, unsigned uses);
/* Adds a criterion. */
void sheet_criterion(struct sheet *sheet, enum criterion_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns criterion number `i` (from 0) in the order in which missed criteria are reported: "run completed"
 * comes first, because it explains the others. */
const struct sheet_criterion *sheet_reported(const struct sheet *sheet, int i);
/* Adds the criterion that the run completed, which follows from the end of the protocol. */
void sheet_completed(struct sheet *sheet);
/* Marks the criterion that was added last as one that a longer run would meet. */
void sheet_of_time(struct sheet *sheet);
/* Adds a copy of a table, with `context` as the context of its rows. */
void sheet_table(struct sheet *sheet, const struct table *table, const void *context);

/* Returns true if no criterion is missed. */
bool sheet_valid(const struct sheet *sheet);
/* Returns "VALID" or "NOT VALID"; if the program has no rating, "checks passed" or "checks FAILED"; for an
 * unknown definition, "no verdict". */
const char *sheet_verdict(const struct sheet *sheet);

/* Returns true if this is the name of the rating. */
bool sheet_rates(const struct sheet *sheet, const char *name);

/* Returns the value of this name, or NULL. */
const struct sheet_value *sheet_find(const struct sheet *sheet, const char *name);

/* Writes the whole sheet as text (summary.txt): rating, verdict and all criteria, values, notes, environment
 * and tables. The last line is the headline. */
void sheet_text(const struct sheet *sheet, FILE *out);

/* Writes the part of the sheet that fits on a screen, at most SHEET_LINES lines of SHEET_COLUMNS columns:
 * rating, verdict and the first SHEET_REASONS missed criteria, the main values, as many notes as fit,
 * machine, directory and headline. The directory is not cut, so its line may be longer. */
enum { SHEET_LINES = 30, SHEET_COLUMNS = 100, SHEET_REASONS = 2 };
void sheet_brief(const struct sheet *sheet, const char *directory, FILE *out);

/* Writes the sheet as one JSON object (its keys are in protocols/README.md), with or without all records. */
void sheet_json(const struct sheet *sheet, bool records, FILE *out);

void sheet_free(struct sheet *sheet);

#endif
