/* The columns of beff_io's records. Uses protocol. */
#include "beff_io/record.h"

#include <string.h>

#define COLUMN(kind, name) COLUMN_OF(io_record, kind, name)

static const struct column columns[] = {
    COLUMN(INTEGER, processes),    COLUMN(TEXT, access),        COLUMN(INTEGER, type),
    COLUMN(TEXT, pattern),         COLUMN(INTEGER, chunk_disk), COLUMN(INTEGER, chunk_mem),
    COLUMN(INTEGER, units),        COLUMN(INTEGER, calls),      COLUMN(INTEGER, bytes),
    COLUMN(REAL, t_open),          COLUMN(REAL, t_calls),       COLUMN(REAL, t_vote),
    COLUMN(REAL, t_sync),          COLUMN(REAL, t_close),       COLUMN(REAL, t_total),
    COLUMN(REAL, bandwidth),       COLUMN(INTEGER, errors),     COLUMN(REAL, t_view),
    COLUMN(REAL, t_excluded),      COLUMN(REAL, t_scheduled),   COLUMN(TEXT, ended_by),
    COLUMN(INTEGER, offset),       COLUMN(INTEGER, planned),    COLUMN(REAL, call_median),
    COLUMN(REAL, call_95),         COLUMN(REAL, call_99),       COLUMN(REAL, call_max),
    COLUMN(INTEGER, slowest_rank), COLUMN(TEXT, slowest_node),  COLUMN(REAL, resident),
    COLUMN(REAL, passed),          COLUMN(TEXT, cold)};

const struct record_type io_record_type = {"beff_io", columns, sizeof columns / sizeof columns[0],
                                           sizeof(struct io_record)};

const char *io_record_coldness(double resident, double passed)
{
    return resident >= 0 && resident <= 0.01 ? RECORD_DROPPED : passed > 1 ? RECORD_AMOUNTS : RECORD_WARM;
}

void io_record_add(struct io_record *total, const struct io_record *pattern)
{
    total->calls += pattern->calls;
    total->bytes += pattern->bytes;
    total->units += pattern->units;
    total->errors += pattern->errors;
    total->t_calls += pattern->t_calls;
    total->t_vote += pattern->t_vote;
    total->t_sync += pattern->t_sync;
    total->t_view += pattern->t_view;
    total->t_total += pattern->t_total + pattern->t_view;
    total->t_scheduled += pattern->t_scheduled;
    total->t_excluded += pattern->t_excluded;
}

bool io_record_is_total(const struct io_record *record)
{
    return strcmp(record->pattern, RECORD_TOTAL) == 0;
}
