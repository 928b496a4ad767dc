/* The columns of beff_io's records. Uses protocol. */
#include "beff_io/record.h"

#include <string.h>

#define COLUMN(kind, name) COLUMN_OF(io_record, kind, name)
#define LATER(kind, name)  COLUMN_OF(io_record, kind, name, .optional = true)

static const struct column columns[] = {
    COLUMN(INTEGER, processes), COLUMN(TEXT, access), COLUMN(INTEGER, type), COLUMN(TEXT, pattern),
    COLUMN(INTEGER, chunk_disk), COLUMN(INTEGER, chunk_mem), COLUMN(INTEGER, units), COLUMN(INTEGER, calls),
    COLUMN(INTEGER, bytes), COLUMN(REAL, t_open), COLUMN(REAL, t_calls), COLUMN(REAL, t_vote),
    COLUMN(REAL, t_sync), COLUMN(REAL, t_close), COLUMN(REAL, t_total), COLUMN(REAL, bandwidth),
    COLUMN(INTEGER, errors), COLUMN(REAL, t_view), COLUMN(REAL, t_excluded), COLUMN(REAL, t_scheduled),
    COLUMN(TEXT, ended_by), COLUMN(INTEGER, offset), COLUMN(INTEGER, planned),
    /* from beff_io-2 on */
    LATER(REAL, call_median), LATER(REAL, call_95), LATER(REAL, call_99), LATER(REAL, call_max),
    LATER(INTEGER, slowest_rank), LATER(TEXT, slowest_node), LATER(REAL, resident), LATER(REAL, passed),
    LATER(TEXT, cold)};

const struct record_type io_record_type = {"beff_io", columns, sizeof columns / sizeof columns[0],
                                           sizeof(struct io_record)};

const char *io_record_coldness(double resident, double passed)
{
    return resident >= 0 && resident <= 0.01 ? RECORD_DROPPED : passed > 1 ? RECORD_AMOUNTS : RECORD_WARM;
}

bool io_record_is_total(const struct io_record *record)
{
    return strcmp(record->pattern, RECORD_TOTAL) == 0;
}
