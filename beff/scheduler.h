/* The scheduler decides on rank 0 which measurement comes next, with how many iterations, and when the run
 * ends (docs/definition-beff-1.md 5, docs/definition-beff-1-schedule.md 3). It writes records and notes to
 * the protocol. Clock and measurements are function pointers: tests run it on made-up machines. */
#ifndef BEFF_SCHEDULER_H
#define BEFF_SCHEDULER_H

#include "beff/estimates.h"
#include "beff/sweep.h"
#include "common/engine.h"

/* A wrong byte in a received message. */
struct mismatch {
    int from;       /* sender */
    long iteration; /* warm-up included, from 0 */
    int place;      /* 0: the first byte of the message; 1: the last byte; 2: another byte */
    int expected, found;
};

/* The result of one measurement, of one process or of all processes. */
struct measurement {
    double t_min, t_avg, t_max; /* seconds, over the processes that take part; not positive if a clock
                                   stood still or went back */
    int64_t errors;             /* wrong bytes */
    int stop;                   /* a signal that was received; 0 if none */
    int64_t parts;              /* number of processes that take part */
    int rank;                   /* lowest rank that found a wrong byte */
    struct mismatch bad;        /* the first mismatch of that rank */
};

struct scheduler_ops {
    double (*elapsed)(void *context); /* returns the seconds since the run started */
    struct measurement (*measure)(void *context, const struct command *command);
    void (*set_time)(void *context, double seconds); /* sets T if it was not given */
    void (*say)(void *context, const char *text);    /* prints a line for the user */
    /* Compares the nodes for `seconds` or, at the end of the run (`again`), only those that were slow.
     * Returns a signal that was received. Only called if `nodes` > 0. */
    int (*compare_nodes)(void *context, bool again, double seconds);
    /* Chooses the processes that are measured alone. Returns false if no pair of nodes was compared. */
    bool (*choose_pair)(void *context);
    void (*begin)(void *context, int sweep); /* called at the start of a repetition */
    void (*mark)(void *context, int pass);   /* called at the end of a pass; before a pass with 0 */
    void *context;
};

/* Minimum and maximum of T in seconds if it was not given. During the opening, T is the maximum. */
#define SCHEDULER_TIME     180.0
#define SCHEDULER_TIME_MAX 1800.0

/* Share of T that is spent on comparing the nodes, and the part of it that is kept for the end of the run. */
#define SCHEDULER_NODES 0.08
#define SCHEDULER_AGAIN 0.01
/* Further passes end when run.prot has more bytes, so that beff_report can read it (PROTOCOL_MAX_FILE). */
#define SCHEDULER_MAX_BYTES (256 << 20)
/* Maximum share of T for the pairs that are measured alone; on several nodes, it is a part of
 * SCHEDULER_NODES. */
#define SCHEDULER_ALONE 0.03

struct scheduler {
    /* Set by the caller. All other members start as zeros. */
    struct scheduler_ops ops;
    struct protocol *protocol; /* gets the records and notes */
    const struct pattern_list *list;
    const double *time; /* T in seconds; the maximum until set_time() if T was not given */
    bool given;         /* T was given */
    double nodes;       /* share of T that is reserved for measuring between nodes */
    double load;        /* seconds that are reserved for messages under load */
    double resolution;  /* clock resolution in seconds */
    int64_t max_loops;  /* maximum iterations per measurement; 0: no limit */
    bool once;          /* times do not vary: one repetition, no untimed iterations */

    /* Results. */
    int stop;             /* signal that ended the run; 0 if none */
    struct message error; /* the reason why the run did not complete */

    struct estimates estimates;
    struct rules rules;
    uint32_t order[PATTERN_MAX]; /* order of the patterns at the current size */
    bool wanted[PATTERN_MAX];    /* the analysis patterns that are measured */
    int polygons;                /* number of polygons that are measured, from random-01 on */
    int sweep;
    int repetitions;      /* number of repetitions of pass 1 that count */
    double started, last; /* elapsed() at the start, and at the end of the last measurement */
    double factor;        /* duration / expected duration of the last repetition; at least 1 */
    bool needed;          /* the user was told that T is too short */
};

/* Returns the seconds of T = `time` that are reserved: the share `nodes` for measuring between nodes, `load`
 * seconds for messages under load, and time for ending the run. */
double scheduler_reserved(double nodes, double load, double time);

/* Measures until the time is up. Returns EXIT_OK, or EXIT_STOPPED or EXIT_ERRORS with a message. */
enum exit_status scheduler_run(struct scheduler *scheduler);

#endif
