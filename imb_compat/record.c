/* Statistics and formulas, and the columns of imb_compat's records. Uses protocol, tables. */
#include "imb_compat/record.h"

#include <math.h>
#include <stdio.h>

#define UNEQUAL 0.01

#define COLUMN(kind, name) COLUMN_OF(imb_record, kind, name)

static const struct column columns[] = {
    COLUMN(TEXT, benchmark),      COLUMN(TEXT, mode),          COLUMN(INTEGER, processes),
    COLUMN(INTEGER, groups),      COLUMN(INTEGER, group),      COLUMN(INTEGER, bytes),
    COLUMN(INTEGER, repetitions), COLUMN(INTEGER, repetition), COLUMN(REAL, t_min),
    COLUMN(REAL, t_avg),          COLUMN(REAL, t_max),         COLUMN(REAL, bandwidth),
    COLUMN(REAL, msg_rate),       COLUMN(REAL, t_pure),        COLUMN(REAL, t_cpu),
    COLUMN(REAL, overlap),        COLUMN(INTEGER, errors)};

const struct record_type imb_record_type = {"imb_compat", columns, sizeof columns / sizeof columns[0],
                                            sizeof(struct imb_record)};

double imb_overlap(double overlapped, double pure, double cpu)
{
    double longer = fmax(pure, cpu);
    if (!(longer > 0))
        return 0;
    return 100 * fmin(1, fmax(0, (pure + cpu - overlapped) / longer));
}

bool imb_overlap_means_something(double pure, double cpu)
{
    return fmin(pure, cpu) >= UNEQUAL * fmax(pure, cpu);
}

double imb_messages(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                    int group_size)
{
    if (benchmark->class == IMB_CLASS_ONE_TO_ALL && group_size == 1)
        return 0;
    if (benchmark->columns != IMB_COLUMNS_MESSAGES)
        return benchmark->rate;
    const int pairs = group_size / 2;
    return benchmark->rate * (double)settings->window_size * pairs;
}

struct imb_record imb_record_make(const struct imb_table *table, const struct imb_share *shares, int count,
                                  int64_t bytes, int64_t repetitions)
{
    const struct imb_benchmark *benchmark = table->benchmark;
    const char *mode = imb_mode_names[table->mode];
    const struct imb_share *slowest = shares;
    double min = INFINITY, sum = 0;
    int timed = 0;
    struct imb_record record = {.processes = table->groups.size,
                                .groups = table->groups.count,
                                .group = -1,
                                .bytes = bytes,
                                .repetitions = repetitions};
    snprintf(record.benchmark, sizeof record.benchmark, "%s", benchmark->name);
    snprintf(record.mode, sizeof record.mode, "%s", mode ? mode : "-");
    for (int i = 0; i < count; i++) {
        if (benchmark->columns == IMB_COLUMNS_PASSIVE) /* the two phases of the origin */
            record.t_pure = fmax(record.t_pure, shares[i].pure);
        record.errors += (int64_t)shares[i].defects;
        if (shares[i].seconds < 0)
            continue;
        min = fmin(min, shares[i].seconds);
        sum += shares[i].seconds;
        timed++;
        if (shares[i].seconds > slowest->seconds)
            slowest = &shares[i];
    }
    record.t_min = timed ? min : 0;
    record.t_avg = timed ? sum / timed : 0;
    record.t_max = timed ? slowest->seconds : 0;
    if (benchmark->columns == IMB_COLUMNS_OVERLAP) {
        record.t_pure = slowest->pure;
        record.t_cpu = slowest->cpu;
        record.overlap = imb_overlap(slowest->seconds, slowest->pure, slowest->cpu);
    }
    if (record.t_max > 0) {
        double rate = imb_messages(table->settings, benchmark, table->groups.size) / record.t_max;
        record.bandwidth = rate * (double)bytes / 1e6;
        record.msg_rate = benchmark->columns == IMB_COLUMNS_MESSAGES ? rate : 0;
    }
    return record;
}
