/* Computes the rows of imb_compat from the measurements of each process (docs/definition-imb.md 5 to 7).
 * Builds the results sheet, with its values, criteria and tables, from the protocol. */
#ifndef IMB_COMPAT_RESULTS_H
#define IMB_COMPAT_RESULTS_H

#include "common/sheet.h"
#include "imb_compat/tables.h"

/* ---- rows ---- */

/* The measurements of one thread (only IMB-MT has more than one per process). Times are in seconds per
 * repetition. */
struct imb_share {
    double seconds;   /* total time; negative if this process was not timed */
    double pure, cpu; /* overlapped benchmarks: time of the call only, and of the computation only */
    double setup;     /* time to set up a persistent request */
    double defects;   /* number of wrong bytes */
    double stop;      /* number of the signal received, or 0 */
};

struct imb_record {
    char benchmark[COLUMN_WORD_SIZE];
    char mode[COLUMN_WORD_SIZE]; /* "-" if the benchmark has no modes */
    int64_t processes;           /* processes in a group */
    int64_t groups, group;       /* group -1: the row covers all groups */
    int64_t bytes, repetitions;
    int64_t repetition;            /* 0: the row itself; otherwise the number of a single repetition */
    double t_min, t_avg, t_max;    /* over the processes, in s per repetition, including any computation */
    double bandwidth, msg_rate;    /* 10^6 B/s and messages per second; 0 if the benchmark has none */
    double t_pure, t_cpu, overlap; /* of the slowest process, in s and %; 0 if the benchmark has none */
    int64_t errors;                /* number of wrong bytes */
};

extern const struct record_type imb_record_type;

/* Computes a record from `count` shares, for messages of `bytes` bytes. */
struct imb_record imb_record_make(const struct imb_table *table, const struct imb_share *shares, int count,
                                  int64_t bytes, int64_t repetitions);

/* Returns the number by which the time of a repetition is divided to give the time in the table, for example
 * 2 for a round trip. */
double imb_parts(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* Returns true if a benchmark has a message rate. */
bool imb_has_messages(const struct imb_benchmark *benchmark);

/* Returns the number of messages transferred during the time in the table. The message rate and the bandwidth
 * are computed from this number. If the benchmark has a message rate, counts the messages of the whole group.
 * Otherwise, counts the messages of one process, or a single message for a one-to-all benchmark. Returns 0 if
 * the benchmark has neither rate nor bandwidth. */
double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size);

/* Returns the overlap of call and computation, from 0 to 100 %: 100 (pure + cpu - overlapped) / d, where d is
 * max(pure, cpu), or min(pure, cpu) in release 3.0. */
double imb_overlap(double overlapped, double pure, double cpu, enum imb_release release);

/* Returns true if the overlap is meaningful, that is, if neither time is below 1 % of the other. */
bool imb_overlap_is_meaningful(double pure, double cpu);

/* ---- the sheet ---- */

struct imb_results {
    struct sheet sheet;
    size_t *row; /* record numbers of the rows */
    int rows;
};

/* Computes the results from a protocol. Copies the result `left_out` from the protocol, because the records
 * do not show which sizes and tables were skipped. The protocol must live as long as the results. */
int imb_results_make(void *results, const struct protocol *protocol, struct message *error);

void imb_results_free(void *results);

#endif
