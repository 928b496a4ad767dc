/* A run as the report sees it: its protocol, what its engine computes from the protocol alone, and what was
 * found wrong with it; and what the engines' examinations share. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "common/engine.h"

#define PLURAL(count) ((count) == 1 ? "" : "s") /* "run%s" */

/* ---- what is wrong with a run ---- */

struct finding {
    char file[96]; /* in the run's directory; "" for run.prot */
    size_t line;   /* from 1; 0: of the whole file */
    bool fatal;    /* nothing can be computed from such a protocol */
    char text[256];
};

enum { FINDINGS_MAX = 100 };

struct findings {
    struct finding list[FINDINGS_MAX];
    size_t count, more; /* in the list; those beyond, only counted */
};

/* Control characters become '?': files may hold anything. */
void finding_add(struct findings *findings, const struct finding *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The first fatal one; NULL if there is none. */
const struct finding *finding_fatal(const struct findings *findings);

/* Replaces what a terminal might obey by '?', in place. */
void finding_clean(char *text);

/* ---- what runs are compared by ---- */

#define REPORT_RATING "rating" /* the group of the one figure that the verdict is about */
struct report_item {
    const char *group; /* REPORT_RATING, "figure", "size", "pattern" ... */
    char name[96];     /* unique in its group; equal in runs that compare */
    const char *unit;
    double bytes; /* of the message, where sizes go by their place and not by their bytes; 0: none */
    double value; /* positive and finite */
    bool less_is_better;
    uint64_t rows; /* checksum of the rows that the value is a mean of; means of different rows do not
                      compare. 0 if it is no mean */
};

struct report_items {
    struct report_item *item;
    size_t count;
    const struct report_item **by_name; /* in the order of groups and names, when all are there */
};

/* Adds an item, unless its value is not positive and finite. */
void report_item_add(struct report_items *items, const struct report_item *item);

/* ---- a run ---- */

struct drawing;

struct report {
    char *path;      /* of the protocol's file */
    char *directory; /* of the run; NULL if the protocol's file was given */
    struct protocol protocol;
    const struct report_engine *row;
    const struct engine *engine; /* the row's */
    struct message damage;       /* a wrong checksum; "" */
    struct findings findings;
    struct texts unchecked; /* what could not be compared */
    struct sheet *sheet;    /* the first member of the engine's results */
};

/* What the report needs of an engine apart from the engine itself: a row in the engine's file. */
struct report_engine {
    const struct engine *engine;

    /* Finds what cannot be, or does not follow from the rest, in the metadata and in each record. */
    void (*examine)(struct report *report);
    /* Compares the records with those that the settings of the command line ask for. NULL: there is no such
     * comparison. */
    void (*replay)(struct report *report, const void *settings);
    /* Returns the seconds of one iteration of a record, and adds to the checksum `cell` what was measured. */
    double (*sample)(const void *record, uint64_t *cell);
    bool has_directory; /* a run makes a directory of files, not a protocol alone */

    const char *const *ranked; /* values of the sheet by which systems are listed, the rating first; NULL: it
                                  rates nothing */
    const char *const *main; /* main values that are compared with the rating, NULL at the end; NULL: none */
    /* Adds what is compared apart from the sheet's values; see report_items. */
    void (*items)(const struct report *report, struct report_items *items);
    /* Adds the pictures of a run, with their data. */
    void (*pictures)(struct drawing *drawing, const struct report *report);
};

/* One file each. */
extern const struct report_engine report_beff, report_beff_io, report_imb;

/* Opens a run, which is the directory of a run or a protocol file: reads the protocol, examines every record,
 * computes the results, compares all files of the run with them (verify.c), and makes the sheet not valid if
 * there are findings. Returns 0, or -1 with a message in `error` if the run must not be used. If only the
 * checksum is wrong, the message is in `damage` too, and there is a sheet all the same. Free the report in
 * either case. */
int report_open(struct report *report, const char *path, struct message *error);
void report_free(struct report *report);

/* The value of a metadata key; "" if it is missing. */
const char *report_meta(const struct report *report, const char *key);

/* A time in the metadata, seconds since 1970; NaN where it is missing or no time. */
double report_time(const struct report *report, const char *key);

/* What the run is called: its directory, or its file. */
const char *report_name(const struct report *report);

/* Whether a value that was computed and one that was read are the same but for the last binary digits, in
 * which the mathematical libraries of two systems may differ. */
bool report_equal(double a, double b);

/* ---- examining ---- */

/* Whole numbers of a protocol stay exact in any reader's floating point. */
#define CHECK_MAX (INT64_C(1) << 53)
/* No bandwidth, rate or time is beyond this: MB/s, 1/s, s. */
#define CHECK_REAL_MAX 1e15

/* Something is wrong with the whole run, as printf has it; fatal: nothing can be computed with it. */
#define REPORT_FAULT(report, ...) finding_add(&(report)->findings, &(struct finding){""}, __VA_ARGS__)
#define REPORT_FATAL(report, ...)                                                                            \
    finding_add(&(report)->findings, &(struct finding){.fatal = true}, __VA_ARGS__)

/* A record that is being examined. */
struct check {
    struct report *report;
    size_t i; /* number of the record */
};

/* Something is wrong; fatal: nothing can be computed with such a record. */
void check_fail(const struct check *check, bool fatal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whole numbers of the record have to be from 0 to CHECK_MAX unless `ranges` (column NULL at the end) say
 * otherwise; reals from 0 to CHECK_REAL_MAX, but for those with a range. What is not is fatal.
 * Returns whether all are. */
struct check_range {
    const char *column;
    int64_t min, max;
};
bool check_columns(const struct check *check, const struct check_range *ranges);

/* t_min <= t_avg <= t_max, but for rounding in the mean. */
void check_order(const struct check *check, double t_min, double t_avg, double t_max);

/* A value that follows from others of the record. */
void check_follows(const struct check *check, const char *name, double stated, double computed);

/* Records that are equal in these columns (NULL at the end): "the same WHAT as in line ...". */
void check_repeated(struct report *report, const char *const *columns, bool fatal, const char *what,
                    const char *remark);

/* A metadata value that must be there for anything to be computed; returns whether it is. */
bool check_metadata(struct report *report, const char *key, int64_t min, int64_t max, int64_t *value);

/* The definition is the engine's. lmax is what `memory` MiB per process make. */
void check_definition(struct report *report);
void check_lmax(struct report *report, int64_t lmax, int64_t memory, int64_t computed);

/* What cannot be of a whole run: keys that contradict one another or the command line, processes that are not
 * on its nodes, memory that is not theirs; it ended before it started, its measurements took longer than it
 * (`busy`: seconds that cannot have overlapped), or more processes than hardware threads shared none. */
void check_run(struct report *report, double busy);

#endif
