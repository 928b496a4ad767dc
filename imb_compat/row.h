/* From what each process measured to the numbers of one row: statistics and formulas (docs/definition.md 3.5
 * to 3.7). Pure. */
#ifndef IMB_COMPAT_ROW_H
#define IMB_COMPAT_ROW_H

#include "imb_compat/settings.h"

/* What one process measured, in seconds for one repetition. */
struct imb_share {
    double seconds;   /* the whole; negative: this process took no time */
    double pure, cpu; /* overlapped ones: the call alone, the computation alone */
    double defects;   /* wrong bytes */
    double stop;      /* the number of a signal that came; 0 */
};

enum imb_column {
    IMB_GROUP,
    IMB_BYTES,
    IMB_REPETITIONS,
    IMB_T,
    IMB_T_MIN,
    IMB_T_MAX,
    IMB_T_AVG,
    IMB_MBYTES,
    IMB_MSGS,
    IMB_T_OVRL,
    IMB_T_PURE,
    IMB_T_CPU,
    IMB_SHARE_HIDDEN,
    IMB_DEFECTS,
    IMB_COLUMN_COUNT
};

/* Times in microseconds, as they are printed. */
struct imb_row {
    double value[IMB_COLUMN_COUNT];
};

/* The row of `count` processes in groups of `group_size`. */
struct imb_row imb_row_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                            const struct imb_share *shares, int count, int group_size, int64_t bytes,
                            int64_t repetitions);

/* Messages that message rate and bandwidth count in one repetition: those of all pairs of a group, or of one
 * process; 0 where a benchmark has neither. */
double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size);

/* Bytes in a unit of bandwidth: 10^6, in release 3.0 2^20. */
double imb_megabyte(const struct imb_settings *settings);

/* The part of the shorter one of call and computation that the longer one hid, as 0 to 100 % of the longer
 * one: 100 (pure + cpu - overlapped) / max(pure, cpu). */
double imb_overlap(double overlapped, double pure, double cpu);

/* Whether that says something: neither operand is under 1 % of the other. */
bool imb_overlap_means_something(double pure, double cpu);

#endif
