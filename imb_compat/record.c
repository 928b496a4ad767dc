/* The columns of imb_compat's records. Uses protocol, layout. */
#include "imb_compat/record.h"

#include <stdio.h>

#define FIELD(member) offsetof(struct imb_record, member)

static const struct column columns[] = {
    {"benchmark", COLUMN_TEXT, FIELD(benchmark)},
    {"mode", COLUMN_TEXT, FIELD(mode)},
    {"processes", COLUMN_INTEGER, FIELD(processes)},
    {"groups", COLUMN_INTEGER, FIELD(groups)},
    {"group", COLUMN_INTEGER, FIELD(group)},
    {"bytes", COLUMN_INTEGER, FIELD(bytes)},
    {"repetitions", COLUMN_INTEGER, FIELD(repetitions)},
    {"repetition", COLUMN_INTEGER, FIELD(repetition)},
    {"t_min", COLUMN_REAL, FIELD(t_min)},
    {"t_avg", COLUMN_REAL, FIELD(t_avg)},
    {"t_max", COLUMN_REAL, FIELD(t_max)},
    {"bandwidth", COLUMN_REAL, FIELD(bandwidth)},
    {"msg_rate", COLUMN_REAL, FIELD(msg_rate)},
    {"t_pure", COLUMN_REAL, FIELD(t_pure)},
    {"t_cpu", COLUMN_REAL, FIELD(t_cpu)},
    {"overlap", COLUMN_REAL, FIELD(overlap)},
    {"errors", COLUMN_INTEGER, FIELD(errors)},
};

const struct record_type imb_record_type = {"imb_compat", columns, sizeof columns / sizeof columns[0],
                                            sizeof(struct imb_record)};

struct imb_record imb_record_make(const struct imb_table *table, const struct imb_row *row, int group,
                                  int64_t repetition)
{
    const double *v = row->value;
    bool rated = table->benchmark->rate > 0, overlapped = table->benchmark->flags & IMB_OVERLAPPED;
    struct imb_record record = {.processes = table->groups.size,
                                .groups = table->groups.count,
                                .group = group,
                                .bytes = (int64_t)v[IMB_BYTES],
                                .repetitions = (int64_t)v[IMB_REPETITIONS],
                                .repetition = repetition,
                                .t_min = 1e-6 * v[IMB_T_MIN],
                                .t_avg = 1e-6 * v[IMB_T_AVG],
                                .t_max = 1e-6 * v[IMB_T_MAX],
                                .bandwidth = rated ? v[IMB_MBYTES] * imb_megabyte(table->settings) / 1e6 : 0,
                                .msg_rate =
                                    table->benchmark->columns == IMB_COLUMNS_MESSAGES ? v[IMB_MSGS] : 0,
                                .t_pure = overlapped ? 1e-6 * v[IMB_T_PURE] : 0,
                                .t_cpu = overlapped ? 1e-6 * v[IMB_T_CPU] : 0,
                                .overlap = overlapped ? v[IMB_SHARE_HIDDEN] : 0,
                                .errors = (int64_t)v[IMB_DEFECTS]};
    const char *mode = imb_mode_name(table->mode);
    snprintf(record.benchmark, sizeof record.benchmark, "%s", table->benchmark->name);
    snprintf(record.mode, sizeof record.mode, "%s", mode ? mode : "-");
    return record;
}
