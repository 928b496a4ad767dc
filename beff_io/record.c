/* The columns and metadata of beff_io's protocol. */
#include "beff_io/record.h"

#include <string.h>

#include "beff_io/settings.h"
#include "common/metadata.h"

#define COLUMN(kind, name)          COLUMN_OF(io_record, kind, name, 0, COLUMN_MAX, false)
#define RANGE(kind, name, min, max) COLUMN_OF(io_record, kind, name, min, max, false)
#define OPTIONAL(kind, name, min)   COLUMN_OF(io_record, kind, name, min, COLUMN_MAX, true)

static const struct column columns[] = {RANGE(INTEGER, processes, 1, INT32_MAX),
                                        COLUMN(WORD, access),
                                        RANGE(INTEGER, type, 0, IO_TYPES - 1),
                                        COLUMN(WORD, pattern),
                                        OPTIONAL(INTEGER, chunk_disk, 0),
                                        OPTIONAL(INTEGER, chunk_mem, 0),
                                        RANGE(INTEGER, units, 0, IO_UNITS),
                                        COLUMN(INTEGER, calls),
                                        COLUMN(INTEGER, bytes),
                                        OPTIONAL(REAL, t_open, 0),
                                        OPTIONAL(REAL, t_calls, 0),
                                        OPTIONAL(REAL, t_vote, 0),
                                        OPTIONAL(REAL, t_sync, 0),
                                        OPTIONAL(REAL, t_close, 0),
                                        COLUMN(REAL, t_total),
                                        OPTIONAL(REAL, bandwidth, 0),
                                        COLUMN(INTEGER, errors),
                                        OPTIONAL(REAL, t_view, 0),
                                        OPTIONAL(REAL, t_scheduled, 0),
                                        COLUMN(WORD, ended_by),
                                        OPTIONAL(INTEGER, offset, 0),
                                        OPTIONAL(INTEGER, planned, -1),
                                        OPTIONAL(REAL, call_median, 0),
                                        OPTIONAL(REAL, call_95, 0),
                                        OPTIONAL(REAL, call_99, 0),
                                        OPTIONAL(REAL, call_max, 0),
                                        OPTIONAL(INTEGER, slowest_rank, -1),
                                        OPTIONAL(WORD, slowest_node, 0),
                                        RANGE(REAL, resident, -1, 1),
                                        COLUMN(REAL, passed),
                                        RANGE(INTEGER, direct, 0, 1),
                                        RANGE(INTEGER, elsewhere, 0, 1),
                                        OPTIONAL(WORD, cold, 0)};

double io_record_bandwidth(const void *record)
{
    const struct io_record *r = record;
    return r->t_total > 0 ? (double)r->bytes / r->t_total / 1e6 : 0;
}

static const struct metadata_row keys[] = {
    {"seed", METADATA_TEXT, 0},
    {"time_s", METADATA_REAL, METADATA_SYSTEM | METADATA_EXPLAINS},
    {"node_memory_mib", METADATA_INTEGER, 0},
    {"partitions", METADATA_TEXT, METADATA_SYSTEM},
    {"partition_nodes", METADATA_TEXT, METADATA_SYSTEM},
    {"scratch", METADATA_TEXT, 0},
    {"free_bytes", METADATA_INTEGER, 0},
    {"max_bytes", METADATA_INTEGER, 0},
    {"storage_path", METADATA_TEXT, 0},
    {"storage_type", METADATA_TEXT, METADATA_SYSTEM},
    {"storage_source", METADATA_TEXT, METADATA_SYSTEM},
    {"storage_mount", METADATA_TEXT, 0},
    {"storage_options", METADATA_TEXT, METADATA_EXPLAINS},
    {"storage_bytes", METADATA_INTEGER, 0},
    {"evict_s", METADATA_REAL, 0},
    {"unreachable", METADATA_TEXT, METADATA_REPEATS},
    {"hint_asked", METADATA_TEXT, METADATA_REPEATS | METADATA_SYSTEM},
    {"moved_by", METADATA_TEXT, METADATA_REPEATS | METADATA_SYSTEM},
    {"hints_in_force", METADATA_TEXT, METADATA_REPEATS | METADATA_SYSTEM},
};

static const struct metadata metadata = {keys, sizeof keys / sizeof keys[0], &io_options};

const struct record_type io_record_type = {
    "beff_io", IO_DEFINITION,       RECORD_TABLE("records", columns, struct io_record),
    &metadata, io_record_bandwidth, "beff_io-1"};

const char *const io_coldness_words[IO_COLDNESSES] = {"dropped", "direct", "elsewhere", "amounts", "warm"};

enum io_coldness io_record_coldness(const struct io_record *r)
{
    return r->resident >= 0 && r->resident <= 0.01 ? COLD_DROPPED
           : r->direct                             ? COLD_DIRECT
           : r->elsewhere                          ? COLD_ELSEWHERE
           : r->passed > 1                         ? COLD_AMOUNTS
                                                   : COLD_WARM;
}

void io_record_add(struct io_record *total, const struct io_record *part)
{
    total->calls += part->calls;
    total->bytes += part->bytes;
    total->units += part->units;
    total->errors += part->errors;
    total->t_open += part->t_open;
    total->t_calls += part->t_calls;
    total->t_vote += part->t_vote;
    total->t_sync += part->t_sync;
    total->t_close += part->t_close;
    total->t_view += part->t_view;
    total->t_total += part->t_total + part->t_view;
    total->t_scheduled += part->t_scheduled;
}

bool io_record_is_total(const struct io_record *record)
{
    return strcmp(record->pattern, RECORD_TOTAL) == 0;
}
