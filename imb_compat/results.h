/* The rows of imb_compat: from what each process measured to the numbers of a row by statistics and formulas
 * (docs/from-imb.md 5 to 7), which -prot and -json keep and tables print; and its sheet: counts, criteria,
 * tables, from the protocol alone. */
#ifndef IMB_COMPAT_RESULTS_H
#define IMB_COMPAT_RESULTS_H

#include "common/sheet.h"
#include "imb_compat/plan.h"

/* ---- rows ---- */

/* What one process measured, in seconds for one repetition. */
struct imb_share {
    double seconds;   /* the whole; negative: this process took no time */
    double pure, cpu; /* overlapped ones: the call alone, the computation alone */
    double setup;     /* of a persistent request */
    double defects;   /* wrong bytes */
    double stop;      /* the number of a signal that came; 0 */
};

struct imb_record {
    char benchmark[COLUMN_TEXT_SIZE];
    char mode[COLUMN_TEXT_SIZE]; /* as the table names it; "-" if it has none */
    int64_t processes;           /* of one group */
    int64_t groups, group;       /* group -1: the row is of all groups */
    int64_t bytes, repetitions;
    int64_t repetition;         /* 0: the row itself; else this repetition alone */
    double t_min, t_avg, t_max; /* over processes, seconds for one repetition; overlapped ones: the whole */
    double bandwidth, msg_rate; /* MB/s (1e6), messages a second; 0 where the benchmark has none */
    double t_pure, t_cpu, overlap; /* of the slowest process; 0 where the benchmark has none */
    int64_t errors;                /* wrong bytes found */
};

extern const struct record_type imb_record_type;

/* The numbers of `count` processes, with messages of `bytes` bytes. */
struct imb_record imb_record_make(const struct imb_table *table, const struct imb_share *shares, int count,
                                  int64_t bytes, int64_t repetitions);

/* In how many parts the time of one repetition is given: the times of a table are those of a part. */
double imb_parts(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* Whether a benchmark has a message rate. */
bool imb_has_messages(const struct imb_benchmark *benchmark);

/* Messages that message rate and bandwidth count in the time of a table: those of all pairs of a group, or of
 * one process; 0 where a benchmark has neither. */
double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size);

/* Returns the overlap of call and computation, from 0 to 100 %: 100 (pure + cpu - overlapped) /
 * max(pure, cpu), or, in release 3.0, / min(pure, cpu). */
double imb_overlap(double overlapped, double pure, double cpu, enum imb_release release);

/* Whether that says something: neither operand is under 1 % of the other. */
bool imb_overlap_means_something(double pure, double cpu);

/* ---- the sheet ---- */

/* One table: a benchmark in a mode on a number of processes, in groups or not. */
struct imb_series {
    const char *benchmark, *mode; /* in the first of its records */
    int64_t processes, groups;
    size_t *row; /* numbers of its rows' records */
    int rows;
};

struct imb_results {
    struct sheet sheet;
    struct imb_series all, *series; /* all rows, as they come; and table by table */
    int series_count;
};

/* Everything that follows from a protocol; its result `left_out` (sizes and tables) does not follow from the
 * records. The protocol must live as long as the results. 0, or -1 with one line. */
int imb_results_make(void *results, const struct protocol *protocol, struct message *error);

/* The rows of one series; times in microseconds. */
void imb_series_table(const void *results, int series, struct table *table);

void imb_results_free(void *results);

#endif
