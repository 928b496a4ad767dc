/* The tables of beff_io's sheet. Uses rating, sheet. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/results.h"

static const struct io_results *results_of(const struct table *table)
{
    return table->context;
}

/* ---- by chunk: the summary of release 2.1 ---- */

/* Places of the patterns (see patterns.c) by ascending chunk; the row behind them is the total of each type.
 */
static const int places[] = {4, 6, 3, 5, 2, 7, 1};
enum { CHUNKS = sizeof places / sizeof places[0], CHUNK_ROWS = CHUNKS + 1 };

static const struct io_partition_rating *chunk_partition(const struct table *table, int row)
{
    return &results_of(table)->rating.partition[row / (IO_ACCESSES * CHUNK_ROWS)];
}

static enum io_access chunk_access(int row)
{
    return (enum io_access)(row / CHUNK_ROWS % IO_ACCESSES);
}

static double chunk_processes(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)chunk_partition(table, row)->processes;
}

static double chunk_position(const struct table *table, int row, size_t which)
{
    (void)table, (void)which;
    int position = row % CHUNK_ROWS;
    return position < CHUNKS ? (double)position + 1 : (double)NAN;
}

static double chunk_bytes(const struct table *table, int row, size_t which)
{
    int position = row % CHUNK_ROWS;
    (void)which;
    return position < CHUNKS
               ? (double)io_match(results_of(table)->patterns, TYPE_SCATTER, places[position])->disk
               : NAN;
}

static const char *chunk_access_name(const struct table *table, int row, size_t which,
                                     char buffer[CELL_TEXT_SIZE])
{
    const char *name = io_access_name(chunk_access(row));
    (void)table, (void)which;
    if (row % CHUNK_ROWS < CHUNKS)
        return name;
    snprintf(buffer, CELL_TEXT_SIZE, "total-%s", name);
    return buffer;
}

static double chunk_bandwidth(const struct table *table, int row, size_t which)
{
    const struct io_results *r = results_of(table);
    const struct io_partition_rating *partition = chunk_partition(table, row);
    enum io_access access = chunk_access(row);
    int position = row % CHUNK_ROWS;
    if (position == CHUNKS)
        return partition->type[access][which];
    const struct io_pattern *pattern = io_match(r->patterns, (enum io_type)which, places[position]);
    return io_rating_pattern(r->sheet.protocol, partition->processes, access, pattern->number);
}

static const struct table_column chunk_columns[] = {
    {"processes", "", CELL_INTEGER, 0, chunk_processes},
    {"pos", "", CELL_INTEGER, 0, chunk_position},
    {"chunk_l", "B", CELL_INTEGER, 0, chunk_bytes},
    {"access", "", CELL_TEXT, .text = chunk_access_name},
    {"scatter", "MB/s", CELL_REAL, 3, chunk_bandwidth, .which = TYPE_SCATTER},
    {"shared", "MB/s", CELL_REAL, 3, chunk_bandwidth, .which = TYPE_SHARED},
    {"separated", "MB/s", CELL_REAL, 3, chunk_bandwidth, .which = TYPE_SEPARATED},
    {"segmented", "MB/s", CELL_REAL, 3, chunk_bandwidth, .which = TYPE_SEGMENTED},
    {"seg_coll", "MB/s", CELL_REAL, 3, chunk_bandwidth, .which = TYPE_SEG_COLL}};

/* ---- by type: the row is a record of a total ---- */

static const struct io_record *total_at(const struct table *table, int row)
{
    const struct io_results *r = results_of(table);
    return protocol_at(r->sheet.protocol, r->totals[row]);
}

static double total_processes(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)total_at(table, row)->processes;
}

static const char *total_access(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return total_at(table, row)->access;
}

static const char *total_type(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return io_type_name((enum io_type)total_at(table, row)->type);
}

static double total_megabytes(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)total_at(table, row)->bytes / 1e6;
}

static double total_value(const struct table *table, int row, size_t which)
{
    return table_real_at(total_at(table, row), which);
}

#define TOTAL(member) total_value, .which = offsetof(struct io_record, member)

static const struct table_column type_columns[] = {{"processes", "", CELL_INTEGER, 0, total_processes},
                                                   {"access", "", CELL_TEXT, .text = total_access},
                                                   {"type", "", CELL_TEXT, .text = total_type},
                                                   {"written", "MB", CELL_REAL, 3, total_megabytes},
                                                   {"total", "s", CELL_REAL, 3, TOTAL(t_total)},
                                                   {"open", "s", CELL_REAL, 4, TOTAL(t_open)},
                                                   {"view", "s", CELL_REAL, 4, TOTAL(t_view)},
                                                   {"calls", "s", CELL_REAL, 3, TOTAL(t_calls)},
                                                   {"vote", "s", CELL_REAL, 4, TOTAL(t_vote)},
                                                   {"sync", "s", CELL_REAL, 3, TOTAL(t_sync)},
                                                   {"close", "s", CELL_REAL, 4, TOTAL(t_close)},
                                                   {"excluded", "s", CELL_REAL, 3, TOTAL(t_excluded)},
                                                   {"scheduled", "s", CELL_REAL, 3, TOTAL(t_scheduled)},
                                                   {"bandwidth", "MB/s", CELL_REAL, 3, TOTAL(bandwidth)}};

/* ---- by partition ---- */

static double partition_processes(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)results_of(table)->rating.partition[row].processes;
}

static double partition_value(const struct table *table, int row, size_t which)
{
    return table_real_at(&results_of(table)->rating.partition[row], which);
}

static double partition_megabytes(const struct table *table, int row, size_t which)
{
    return (double)results_of(table)->rating.partition[row].bytes[which] / 1e6;
}

/* Of the memory of all processes of the run. */
static double partition_part(const struct table *table, int row, size_t which)
{
    const struct io_results *r = results_of(table);
    double memory = r->memory_mib * (double)r->processes * 1048576;
    return 100 * (double)r->rating.partition[row].bytes[which] / memory;
}

static double partition_pattern_2(const struct table *table, int row, size_t which)
{
    const struct io_results *r = results_of(table);
    return io_rating_pattern(r->sheet.protocol, r->rating.partition[row].processes, (enum io_access)which, 2);
}

#define PARTITION(member) partition_value, .which = offsetof(struct io_partition_rating, member)

static const struct table_column partition_columns[] = {
    {"processes", "", CELL_INTEGER, 0, partition_processes},
    {"b_eff_io", "MB/s", CELL_REAL, 3, PARTITION(b_eff_io)},
    {"write", "MB/s", CELL_REAL, 3, PARTITION(access[ACCESS_WRITE])},
    {"rewrite", "MB/s", CELL_REAL, 3, PARTITION(access[ACCESS_REWRITE])},
    {"read", "MB/s", CELL_REAL, 3, PARTITION(access[ACCESS_READ])},
    {"release_2_1", "MB/s", CELL_REAL, 3, PARTITION(release_2_1)},
    {"written", "MB", CELL_REAL, 1, partition_megabytes, .which = ACCESS_WRITE},
    {"written_part", "%", CELL_REAL, 1, partition_part, .which = ACCESS_WRITE},
    {"rewritten", "MB", CELL_REAL, 1, partition_megabytes, .which = ACCESS_REWRITE},
    {"rewritten_part", "%", CELL_REAL, 1, partition_part, .which = ACCESS_REWRITE},
    {"read_back", "MB", CELL_REAL, 1, partition_megabytes, .which = ACCESS_READ},
    {"read_part", "%", CELL_REAL, 1, partition_part, .which = ACCESS_READ},
    {"pat2_write", "MB/s", CELL_REAL, 3, partition_pattern_2, .which = ACCESS_WRITE},
    {"pat2_rewrite", "MB/s", CELL_REAL, 3, partition_pattern_2, .which = ACCESS_REWRITE},
    {"pat2_read", "MB/s", CELL_REAL, 3, partition_pattern_2, .which = ACCESS_READ}};

/* ---- by pattern: the row is a record of a timed pattern; for whoever looks after the storage ---- */

static const struct io_record *timed_at(const struct table *table, int row)
{
    const struct io_results *r = results_of(table);
    return protocol_at(r->sheet.protocol, r->timed[row]);
}

static double timed_integer(const struct table *table, int row, size_t which)
{
    return (double)*(const int64_t *)(const void *)((const char *)timed_at(table, row) + which);
}

static double timed_milliseconds(const struct table *table, int row, size_t which)
{
    return 1e3 * table_real_at(timed_at(table, row), which);
}

static double timed_bandwidth(const struct table *table, int row, size_t which)
{
    (void)which;
    return timed_at(table, row)->bandwidth;
}

static double timed_rate(const struct table *table, int row, size_t which)
{
    const struct io_record *t = timed_at(table, row);
    (void)which;
    return t->t_calls > 0 ? (double)(t->calls * t->processes) / t->t_calls : NAN;
}

static const char *timed_text(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)buffer;
    return (const char *)timed_at(table, row) + which;
}

static const char *timed_brief(const struct table *table, int row, size_t which, char buffer[CELL_TEXT_SIZE])
{
    (void)which, (void)buffer;
    return timed_at(table, row)->t_total < IO_TRUSTED_SECONDS ? "*" : "";
}

#define TIMED(getter, member) getter, .which = offsetof(struct io_record, member)

static const struct table_column timed_columns[] = {
    {"processes", "", CELL_INTEGER, 0, TIMED(timed_integer, processes)},
    {"access", "", CELL_TEXT, .text = TIMED(timed_text, access)},
    {"pattern", "", CELL_TEXT, .text = TIMED(timed_text, pattern)},
    {"chunk_l", "B", CELL_INTEGER, 0, TIMED(timed_integer, chunk_disk)},
    {"bandwidth", "MB/s", CELL_REAL, 3, timed_bandwidth},
    {"brief", "", CELL_TEXT, .text = timed_brief},
    {"call_rate", "calls/s", CELL_REAL, 1, timed_rate},
    {"call_median", "ms", CELL_REAL, 4, TIMED(timed_milliseconds, call_median)},
    {"call_95", "ms", CELL_REAL, 4, TIMED(timed_milliseconds, call_95)},
    {"call_99", "ms", CELL_REAL, 4, TIMED(timed_milliseconds, call_99)},
    {"call_max", "ms", CELL_REAL, 4, TIMED(timed_milliseconds, call_max)},
    {"slowest_rank", "", CELL_INTEGER, 0, TIMED(timed_integer, slowest_rank)},
    {"slowest_node", "", CELL_TEXT, .text = TIMED(timed_text, slowest_node)}};

/* Numbers of the records that tables are made of. */
static int sort_records(struct io_results *r, struct message *error)
{
    const struct protocol *p = r->sheet.protocol;
    r->totals = calloc(p->record_count + 1, sizeof *r->totals);
    r->timed = calloc(p->record_count + 1, sizeof *r->timed);
    if (!r->totals || !r->timed)
        return message_set(error, "out of memory for the tables");
    for (size_t i = 0; i < p->record_count; i++) {
        const struct io_record *record = protocol_at(p, i);
        if (io_record_is_total(record))
            r->totals[r->total_count++] = i;
        else if (record->units > 0 && record->call_max > 0)
            r->timed[r->timed_count++] = i;
    }
    return 0;
}

int io_add_tables(struct io_results *r, struct message *error)
{
    if (sort_records(r, error))
        return -1;
    const struct table tables[] = {
        {.name = "by_chunk",
         .title = "Summary of file I/O bandwidth: by chunk size on disk and type (all but pattern 2)",
         TABLE_COLUMNS(chunk_columns),
         .rows = r->rating.partitions * IO_ACCESSES * CHUNK_ROWS},
        {.name = "by_type",
         .title =
             "By type: bytes of all processes, time from opening to closing and its parts (mean over the "
             "processes)",
         TABLE_COLUMNS(type_columns),
         .rows = r->total_count},
        {.name = "by_pattern",
         .title =
             "By pattern: calls of all processes per second, time of a call; slowest process and its node; "
             "*: measured for less than 4 s",
         TABLE_COLUMNS(timed_columns),
         .rows = r->timed_count},
        {.name = "by_partition",
         .title = "By partition: 25 % write + 25 % rewrite + 50 % read; the value of release 2.1; bytes and "
                  "their share of the total memory; pattern 2",
         TABLE_COLUMNS(partition_columns),
         .rows = r->rating.partitions}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct table table = tables[i];
        table.context = r;
        if (table.columns != timed_columns || table.rows) /* beff_io-1 has none */
            sheet_table(&r->sheet, &table);
    }
    return 0;
}

/* ---- data files: the item is the type, the rows its patterns but for the one that fills up ---- */

static int patterns_of(const struct io_results *r, enum io_type type)
{
    int count = 0;
    for (int n = io_first(type); n < io_first(type) + io_count(type); n++)
        count += !r->patterns[n].fill;
    return count;
}

static const struct io_pattern *pattern_at(const struct table *table, int row)
{
    const struct io_results *r = results_of(table);
    int left = row % patterns_of(r, (enum io_type)table->item), n = io_first((enum io_type)table->item);
    while (r->patterns[n].fill || left-- > 0)
        n++;
    return &r->patterns[n];
}

static int64_t processes_at(const struct table *table, int row)
{
    const struct io_results *r = results_of(table);
    return r->rating.partition[row / patterns_of(r, (enum io_type)table->item)].processes;
}

static double pattern_processes(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)processes_at(table, row);
}

static double pattern_number(const struct table *table, int row, size_t which)
{
    (void)which;
    return pattern_at(table, row)->number;
}

static double pattern_chunk(const struct table *table, int row, size_t which)
{
    (void)which;
    return (double)pattern_at(table, row)->disk;
}

static double pattern_bandwidth(const struct table *table, int row, size_t which)
{
    return io_rating_pattern(results_of(table)->sheet.protocol, processes_at(table, row),
                             (enum io_access)which, pattern_at(table, row)->number);
}

static const struct table_column pattern_columns[] = {
    {"processes", "", CELL_INTEGER, 0, pattern_processes},
    {"pattern", "", CELL_INTEGER, 0, pattern_number},
    {"chunk_l", "B", CELL_INTEGER, 0, pattern_chunk},
    {"write", "MB/s", CELL_REAL, 6, pattern_bandwidth, .which = ACCESS_WRITE},
    {"rewrite", "MB/s", CELL_REAL, 6, pattern_bandwidth, .which = ACCESS_REWRITE},
    {"read", "MB/s", CELL_REAL, 6, pattern_bandwidth, .which = ACCESS_READ}};

int io_type_tables(const void *results)
{
    (void)results;
    return IO_TYPES;
}

void io_type_table(const void *results, int type, struct table *table)
{
    const struct io_results *r = results;
    const char *name = io_type_name((enum io_type)type);
    *table = (struct table){TABLE_COLUMNS(pattern_columns), .context = r, .item = type};
    table->rows = r->rating.partitions * patterns_of(r, (enum io_type)type);
    snprintf(table->name, sizeof table->name, "%s", name);
    snprintf(table->title, sizeof table->title, "type %d (%s): bandwidth of each pattern", type, name);
}
