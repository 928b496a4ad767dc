/* The columns of beff_io's records. Uses protocol. */
#include "beff_io/record.h"

#include <string.h>

#define FIELD(kind, name) #name, COLUMN_##kind, offsetof(struct io_record, name)

static const struct column columns[] = {{FIELD(INTEGER, processes)},
                                        {FIELD(TEXT, access)},
                                        {FIELD(INTEGER, type)},
                                        {FIELD(TEXT, pattern)},
                                        {FIELD(INTEGER, chunk_disk)},
                                        {FIELD(INTEGER, chunk_mem)},
                                        {FIELD(INTEGER, units)},
                                        {FIELD(INTEGER, calls)},
                                        {FIELD(INTEGER, bytes)},
                                        {FIELD(REAL, t_open)},
                                        {FIELD(REAL, t_calls)},
                                        {FIELD(REAL, t_vote)},
                                        {FIELD(REAL, t_sync)},
                                        {FIELD(REAL, t_close)},
                                        {FIELD(REAL, t_total)},
                                        {FIELD(REAL, bandwidth)},
                                        {FIELD(INTEGER, errors)},
                                        {FIELD(REAL, t_view)},
                                        {FIELD(REAL, t_excluded)},
                                        {FIELD(REAL, t_scheduled)},
                                        {FIELD(TEXT, ended_by)},
                                        {FIELD(INTEGER, offset)},
                                        {FIELD(INTEGER, planned)},
                                        /* from beff_io-2 on */
                                        {FIELD(REAL, call_median), true},
                                        {FIELD(REAL, call_95), true},
                                        {FIELD(REAL, call_99), true},
                                        {FIELD(REAL, call_max), true},
                                        {FIELD(INTEGER, slowest_rank), true},
                                        {FIELD(TEXT, slowest_node), true},
                                        {FIELD(REAL, resident), true},
                                        {FIELD(REAL, passed), true},
                                        {FIELD(TEXT, cold), true}};

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
