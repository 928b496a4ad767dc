/* Opens a run: reads its protocol, computes its results and collects its faults. Also declares the checks
 * that all engines share. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "common/engine.h"

#define PLURAL(count) ((count) == 1 ? "" : "s") /* "run%s" */

/* ---- findings ---- */

struct finding {
    char file[96]; /* path in the run's directory; "" for run.prot */
    size_t line;   /* line number from 1; 0 if the finding concerns the whole file */
    bool fatal;    /* no results can be computed from the protocol */
    char text[256];
};

enum { FINDINGS_MAX = 100 };

struct findings {
    struct finding list[FINDINGS_MAX];
    size_t count; /* findings in the list */
    size_t more;  /* findings that did not fit into the list */
};

/* Adds a finding. Its text is formatted like printf and cleaned by finding_clean(). The other members are
 * copied from `where`. */
void finding_add(struct findings *findings, const struct finding *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the first fatal finding, or NULL. */
const struct finding *finding_fatal(const struct findings *findings);

/* Replaces control characters and invalid UTF-8 with '?' in place, so that no terminal interprets them. */
void finding_clean(char *text);

/* ---- a run ---- */

struct report {
    char *path;      /* path of the protocol file */
    char *directory; /* directory of the run; NULL if a protocol file was given */
    struct protocol protocol;
    const struct report_engine *row;
    const struct engine *engine; /* row->engine */
    struct message damage;       /* message about a wrong checksum, or "" */
    struct findings findings;
    struct texts unchecked; /* parts of the run that could not be checked */
    struct sheet *sheet;    /* first member of the engine's results */
};

/* The functions and tables of an engine that only beff_report needs. Each engine's file defines one. */
struct report_engine {
    const struct engine *engine;

    /* Checks the metadata and each record for impossible values and contradictions. */
    void (*examine)(struct report *report);
};

extern const struct report_engine report_beff, report_beff_io, report_imb;

/* Opens a run. `path` is its directory or its protocol file. Reads the protocol, examines every record,
 * computes the results and compares all files of the run with them. Findings make the sheet NOT VALID.
 * Returns 0 on success, or -1 with a message in `error` if the run must not be used. If only the checksum is
 * wrong, the message is also in `damage`, and the sheet exists. Call report_free() in either case. */
int report_open(struct report *report, const char *path, struct message *error);
void report_free(struct report *report);

/* Returns the value of a metadata key, or "" if it is missing. */
const char *report_meta(const struct report *report, const char *key);

/* Returns a time of the metadata in seconds since 1970; NaN if it is missing or invalid. */
double report_time(const struct report *report, const char *key);

/* Returns the name of a run: its directory, or its protocol file. */
const char *report_name(const struct report *report);

/* Returns true if two values are equal except for the last binary digits, in which the mathematical libraries
 * of two systems may differ. */
bool report_equal(double a, double b);

/* ---- examining ---- */

/* Maximum of a whole number in a protocol. Floating-point numbers represent all whole numbers up to this one
 * exactly, so every program can read them. */
#define CHECK_MAX (INT64_C(1) << 53)
/* Maximum of a bandwidth in MB/s, a rate in 1/s, or a time in s. */
#define CHECK_REAL_MAX 1e15

/* Adds a finding about the whole run, formatted like printf. After a fatal one, no results are computed. */
#define REPORT_FAULT(report, ...) finding_add(&(report)->findings, &(struct finding){""}, __VA_ARGS__)
#define REPORT_FATAL(report, ...)                                                                            \
    finding_add(&(report)->findings, &(struct finding){.fatal = true}, __VA_ARGS__)

/* A record that is being examined. */
struct check {
    struct report *report;
    size_t i; /* index of the record */
};

/* Adds a finding about the record. After a fatal finding, no results are computed. */
void check_fail(const struct check *check, bool fatal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The range of the whole numbers in a column. */
struct check_range {
    const char *column;
    int64_t min, max;
};

/* Checks that all numbers of the record are in range. Whole numbers must be from 0 to CHECK_MAX, unless
 * `ranges` gives another range for their column. Reals must be from 0 to CHECK_REAL_MAX. They are not checked
 * if `ranges` contains their column with a `min` other than 0. `ranges` ends with a column that is NULL. Adds
 * a fatal finding for the first whole number and for each real that is out of range. Returns true if none
 * is. */
bool check_columns(const struct check *check, const struct check_range *ranges);

/* Checks that a stated value equals the value that is computed from other values of the record. */
void check_follows(const struct check *check, const char *name, double stated, double computed);

/* Reads a whole number of the metadata that the results need. Returns true if it exists and is in range;
 * otherwise adds a fatal finding. */
bool check_metadata(struct report *report, const char *key, int64_t min, int64_t max, int64_t *value);

/* Checks that the run states the definition that this engine implements. */
void check_definition(struct report *report);

/* Checks that the required keys are present and that every value has the kind of its key. */
void check_run(struct report *report);

#endif
