/* What -prot and -json keep of each row, and tables print: from what each process measured to the numbers of
 * one row by statistics and formulas (docs/from-imb.md 5 to 7). Pure. */
#ifndef IMB_COMPAT_RECORD_H
#define IMB_COMPAT_RECORD_H

#include "common/protocol.h"
#include "imb_compat/tables.h"

/* What one process measured, in seconds for one repetition. */
struct imb_share {
    double seconds;   /* the whole; negative: this process took no time */
    double pure, cpu; /* overlapped ones: the call alone, the computation alone */
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

/* Messages that message rate and bandwidth count in one repetition: those of all pairs of a group, or of one
 * process; 0 where a benchmark has neither. */
double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size);

/* The part of the shorter one of call and computation that the longer one hid, as 0 to 100 % of the longer
 * one: 100 (pure + cpu - overlapped) / max(pure, cpu). */
double imb_overlap(double overlapped, double pure, double cpu);

/* Whether that says something: neither operand is under 1 % of the other. */
bool imb_overlap_means_something(double pure, double cpu);

#endif
