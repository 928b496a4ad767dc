/* The columns of beff_io's records. Uses protocol. */
#include "beff_io/record.h"

#include <string.h>

#define INTEGER(name)                                                                                        \
    {                                                                                                        \
#name, COLUMN_INTEGER, offsetof(struct io_record, name)                                              \
    }
#define REAL(name)                                                                                           \
    {                                                                                                        \
#name, COLUMN_REAL, offsetof(struct io_record, name)                                                 \
    }
#define TEXT(name)                                                                                           \
    {                                                                                                        \
#name, COLUMN_TEXT, offsetof(struct io_record, name)                                                 \
    }

#define LATER(kind, name)                                                                                    \
    {                                                                                                        \
#name, COLUMN_##kind, offsetof(struct io_record, name), true                                         \
    }

static const struct column columns[] = {
    INTEGER(processes), TEXT(access), INTEGER(type), TEXT(pattern), INTEGER(chunk_disk), INTEGER(chunk_mem),
    INTEGER(units), INTEGER(calls), INTEGER(bytes), REAL(t_open), REAL(t_calls), REAL(t_vote), REAL(t_sync),
    REAL(t_close), REAL(t_total), REAL(bandwidth), INTEGER(errors), REAL(t_view), REAL(t_excluded),
    REAL(t_scheduled), TEXT(ended_by), INTEGER(offset), INTEGER(planned),
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
