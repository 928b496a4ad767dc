/* What -prot and -json keep of each row: the columns of imb_compat's protocol. Pure. */
#ifndef IMB_COMPAT_RECORD_H
#define IMB_COMPAT_RECORD_H

#include "common/protocol.h"
#include "imb_compat/layout.h"

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

struct imb_record imb_record_make(const struct imb_table *table, const struct imb_row *row, int group,
                                  int64_t repetition);

#endif
