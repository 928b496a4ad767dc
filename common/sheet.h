/* The result of a run, the same for all engines: headline, verdict, figures, tables. Text, JSON and data
 * files are written from it; engines format nothing themselves. Pure. */
#ifndef COMMON_SHEET_H
#define COMMON_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/protocol.h"
#include "common/table.h"
#include "common/text.h"

struct option_table;

struct sheet_value {
    const char *name;  /* key in JSON and in `#: result` lines */
    const char *label; /* for people */
    const char *unit;
    double value; /* NaN: not known */
    bool detail;  /* in summary.txt, not on a screen */
};

/* A condition converts to MISSED or REACHED. UNCHECKED: not looked at, neither passed nor failed. */
enum criterion_state { CRITERION_MISSED, CRITERION_REACHED, CRITERION_UNCHECKED, CRITERION_STATES };

struct sheet_criterion {
    char text[160]; /* "all data correct (0 wrong bytes)" */
    enum criterion_state state;
    bool of_time; /* a longer run would pass: runs of equal time can still be compared */
};

struct sheet {
    const struct protocol *protocol;
    const char *headline_name; /* "b_eff": the key of the number that is rated */
    char headline[512];        /* the last line of the result */
    bool rated;                /* there is such a number */
    bool rates_nothing;        /* the program: its criteria are checks, and there is no verdict */
    int64_t errors;            /* wrong bytes or words found */
    struct sheet_value *values;
    int value_count;
    struct sheet_criterion *criteria;
    int criterion_count;
    double *passes; /* the rated number of each complete pass */
    int pass_count;
    double spread[2]; /* range of the number within the run, in percent of its median; NaN: none */
    char spread_note[240];
    struct texts notes; /* what a reader must know: how the run was shortened, drift, slow nodes */
    struct table *tables;
    int table_count;
    int data_count; /* tables in data files, patterns/NAME.dat, or what takes their place */
    char noise[80]; /* what noise costs, printed with the verdict; "": not known */
};

/* Each adds one to the sheet. */
void sheet_value(struct sheet *sheet, const char *name, const char *label, const char *unit, double value);
void sheet_detail(struct sheet *sheet, const char *name, const char *label, const char *unit, double value);
void sheet_criterion(struct sheet *sheet, enum criterion_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* That the run completed, by the end of its protocol and whether a signal interrupted it. */
void sheet_completed(struct sheet *sheet);
void sheet_of_time(struct sheet *sheet); /* marks the last criterion as one of time alone */
void sheet_table(struct sheet *sheet, const struct table *table, const void *context);

/* No criterion missed, and none missing; as words: "VALID" or "NOT VALID", or "checks passed" or "checks
 * FAILED". */
bool sheet_valid(const struct sheet *sheet);
const char *sheet_verdict(const struct sheet *sheet);

/* Whether this is the name of the number that is rated. */
bool sheet_rates(const struct sheet *sheet, const char *name);

/* NULL: there is no such value. */
const struct sheet_value *sheet_find(const struct sheet *sheet, const char *name);

/* The whole sheet for people, summary.txt: the rating with its verdict and all criteria, figures, notes,
 * environment, tables; the headline is the last line. */
void sheet_text(const struct sheet *sheet, FILE *out);

/* What fits on a screen: the rating with its verdict and the first SHEET_REASONS reasons, the main figures
 * that are known, notes as far as there is room, machine and directory of the files, headline; SHEET_LINES
 * lines of SHEET_COLUMNS columns at most. The directory, which is not cut, may be longer. */
enum { SHEET_LINES = 30, SHEET_COLUMNS = 100, SHEET_REASONS = 2 };
void sheet_brief(const struct sheet *sheet, const char *directory, FILE *out);

/* The sheet as one JSON object (keys: protocols/README.md), with all records behind it, or without them. 0,
 * or -1 at a write error. */
void sheet_json(const struct sheet *sheet, bool records, FILE *out);

void sheet_free(struct sheet *sheet);

#endif
