/* Loads the runs of compare and rank, divides them into sides, and checks that they can be compared. */
#ifndef REPORT_SIDES_H
#define REPORT_SIDES_H

#include "report/command.h"
#include "report/output.h"
#include "report/report.h"

#define FIGURE_RATING "rating" /* group of the rating */
#define FIGURE_VALUES "figure" /* group of the sheet's other values */

/* One figure of a run that can be compared: a value of its sheet, or a cell of a table of the sheet. */
struct figure {
    const char *group; /* FIGURE_RATING, FIGURE_VALUES or the name of the table */
    char name[96];     /* the same in all runs */
    const char *unit;
    int64_t bytes; /* message or chunk size of the table's row; -1: none */
    double value;  /* positive and finite */
    bool lower;    /* lower values are better */
    bool main;     /* see SHEET_MAIN */
    size_t place;  /* number of the figure in its run */
};

struct side_run {
    struct report report;
    size_t given;          /* index of its path in the settings */
    uint64_t records;      /* checksum of its records */
    struct figure *figure; /* sorted by group and name */
    size_t count;
};

struct side {
    char label[48];
    size_t first, end;  /* its usable runs are run[first] to run[end - 1] */
    struct texts paths; /* the paths that were given for the side */
};

struct sides {
    struct side_run *run; /* the usable runs, in the order in which they were given */
    size_t count;
    struct side *side;
    size_t sides;
    bool apart;             /* each run is a side of its own: rank without -- */
    bool timed;             /* a run that only lacks time is used */
    struct grouped skipped; /* runs that were skipped, with the reasons */
    struct grouped notes;
    struct grouped reasons; /* reasons to refuse a verdict */
    struct grouped errors;  /* runs with data errors */
    struct grouped factors; /* what was changed on purpose */
    struct grouped changes; /* other circumstances that differ between the sides */
};

/* Loads the runs of the settings. Skips, with a reason, runs that cannot be read or are NOT VALID, and all
 * but the first of several runs with equal records. Uses a NOT VALID run if the settings allow it, if it has
 * data errors, or if it only misses criteria that a longer run would meet (sheet_of_time()) and none
 * of --require, --median and --at-least is given. If `ranked`, also skips runs without a rating or with data
 * errors. Call sides_free() afterwards. */
void sides_load(struct sides *sides, const struct report_settings *settings, bool ranked);
void sides_free(struct sides *sides);

/* Compares the metadata of all runs. Adds a reason for each key in which runs differ and must not: runs of
 * one side in METADATA_DEFINES, METADATA_SYSTEM, METADATA_MACHINE and the factors; sides in METADATA_DEFINES
 * unless the key is a factor and, if `alike`, in METADATA_SYSTEM. Adds the other differences to `factors`,
 * `changes` or `notes`. */
void sides_check(struct sides *sides, const struct report_settings *settings, bool alike);

/* Returns the rating of a run; NULL if it has none. */
const struct figure *sides_rating(const struct side_run *run);

/* Copies a value of the sheets of a side's runs to `values`, unless it is unknown. Returns the number of
 * copies. */
size_t sides_values(const struct sides *sides, const struct side *side, const char *name, double *values);

#endif
