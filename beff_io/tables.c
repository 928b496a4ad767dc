/* Fills the tables of beff_io's sheet and the data files of the pattern types. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beff_io/results.h"
#include "common/memory.h"

#define AT(row, member) offsetof(struct row##_cells, member)

/* ---- by chunk: the summary that release 2.1 prints ---- */

enum { CHUNK_ROWS = IO_CHUNKS + 1 }; /* the last row is the total of each type */

struct chunk_cells {
    int64_t processes, position, bytes;
    double bandwidth[IO_TYPES];
    char access[CELL_TEXT_SIZE];
};

static const struct column chunk_columns[] = {
    {"processes", "", COLUMN_INTEGER, 0, AT(chunk, processes), .role = COLUMN_KEY},
    {"pos", "", COLUMN_INTEGER, 0, AT(chunk, position), .role = COLUMN_KEY},
    {"chunk_l", "B", COLUMN_INTEGER, 0, AT(chunk, bytes), .role = COLUMN_SIZE},
    {"access", "", COLUMN_WORD, 0, AT(chunk, access), .role = COLUMN_KEY},
    {"scatter", "MB/s", COLUMN_REAL, 3, AT(chunk, bandwidth[TYPE_SCATTER]), .role = COLUMN_HIGHER},
    {"shared", "MB/s", COLUMN_REAL, 3, AT(chunk, bandwidth[TYPE_SHARED]), .role = COLUMN_HIGHER},
    {"separated", "MB/s", COLUMN_REAL, 3, AT(chunk, bandwidth[TYPE_SEPARATED]), .role = COLUMN_HIGHER},
    {"segmented", "MB/s", COLUMN_REAL, 3, AT(chunk, bandwidth[TYPE_SEGMENTED]), .role = COLUMN_HIGHER},
    {"seg_coll", "MB/s", COLUMN_REAL, 3, AT(chunk, bandwidth[TYPE_SEG_COLL]), .role = COLUMN_HIGHER}};

static void fill_chunk(const struct table *table, int number, void *cells)
{
    const struct io_results *r = table->context;
    const struct io_partition_rating *p = &r->rating.partition[number / CHUNK_ROWS / IO_ACCESSES];
    enum io_access access = (enum io_access)(number / CHUNK_ROWS % IO_ACCESSES);
    int position = number % CHUNK_ROWS;
    TABLE_FITS(struct chunk_cells);
    struct chunk_cells *row = cells;
    row->processes = p->processes;
    snprintf(row->access, sizeof row->access, "%s%s", position == IO_CHUNKS ? "total-" : "",
             io_access_names[access]);
    if (position == IO_CHUNKS) {
        row->position = row->bytes = -1;
        memcpy(row->bandwidth, p->type[access], sizeof row->bandwidth);
        return;
    }
    row->position = position + 1;
    row->bytes = io_chunk(r->task.patterns, TYPE_SCATTER, position)->disk;
    for (int t = 0; t < IO_TYPES; t++)
        row->bandwidth[t] = io_rating_pattern(r->sheet.protocol, p->processes, access,
                                              io_chunk(r->task.patterns, (enum io_type)t, position)->number);
}

/* ---- by type: a row for each total record ---- */

struct type_cells {
    const char *type;
    double megabytes;
    struct io_record total;
};

static const struct column type_columns[] = {
    {"processes", "", COLUMN_INTEGER, 0, AT(type, total.processes)},
    {"access", "", COLUMN_WORD, 0, AT(type, total.access)},
    {"type", "", COLUMN_TEXT, 0, AT(type, type)},
    {"written_mb", "MB", COLUMN_REAL, 3, AT(type, megabytes)},
    {"total", "s", COLUMN_REAL, 3, AT(type, total.t_total)},
    {"open", "s", COLUMN_REAL, 4, AT(type, total.t_open)},
    {"view", "s", COLUMN_REAL, 4, AT(type, total.t_view)},
    {"calls", "s", COLUMN_REAL, 3, AT(type, total.t_calls)},
    {"vote", "s", COLUMN_REAL, 4, AT(type, total.t_vote)},
    {"sync", "s", COLUMN_REAL, 3, AT(type, total.t_sync)},
    {"close", "s", COLUMN_REAL, 4, AT(type, total.t_close)},
    {"scheduled", "s", COLUMN_REAL, 3, AT(type, total.t_scheduled)},
    {"bandwidth", "MB/s", COLUMN_REAL, 3, AT(type, total.bandwidth)}};

static void fill_type(const struct table *table, int number, void *cells)
{
    const struct io_results *r = table->context;
    TABLE_FITS(struct type_cells);
    struct type_cells *row = cells;
    row->total = *r->totals[number];
    row->type = io_type_names[row->total.type];
    row->total.t_scheduled = io_scheduled(r->time, r->task.partition_count, (int)row->total.units,
                                          protocol_is(r->sheet.protocol, "option_rewrite", "yes"));
    row->megabytes = (double)row->total.bytes / 1e6;
}

/* ---- by partition ---- */

#define PARTITION(member) offsetof(struct io_partition_rating, member)

static const struct column partition_columns[] = {
    {"processes", "", COLUMN_INTEGER, 0, PARTITION(processes)},
    {"b_eff_io", "MB/s", COLUMN_REAL, 3, PARTITION(b_eff_io)},
    {"write", "MB/s", COLUMN_REAL, 3, PARTITION(access[ACCESS_WRITE])},
    {"rewrite", "MB/s", COLUMN_REAL, 3, PARTITION(access[ACCESS_REWRITE])},
    {"read", "MB/s", COLUMN_REAL, 3, PARTITION(access[ACCESS_READ])},
    {"release_2_1", "MB/s", COLUMN_REAL, 3, PARTITION(release_2_1)}};

/* ---- by pattern: a row for each timed pattern, to find slow calls and nodes ---- */

struct timed_cells {
    struct io_record record;
    const char *brief;
    double rate;
};

static const struct column timed_columns[] = {
    {"processes", "", COLUMN_INTEGER, 0, AT(timed, record.processes)},
    {"access", "", COLUMN_WORD, 0, AT(timed, record.access)},
    {"pattern", "", COLUMN_WORD, 0, AT(timed, record.pattern)},
    {"chunk_l", "B", COLUMN_INTEGER, 0, AT(timed, record.chunk_disk)},
    {"bandwidth", "MB/s", COLUMN_REAL, 3, AT(timed, record.bandwidth)},
    {"brief", "", COLUMN_TEXT, 0, AT(timed, brief)},
    {"call_rate", "calls/s", COLUMN_REAL, 1, AT(timed, rate)},
    {"call_median_ms", "ms", COLUMN_REAL, 4, AT(timed, record.call_median), 1e3},
    {"call_95_ms", "ms", COLUMN_REAL, 4, AT(timed, record.call_95), 1e3},
    {"call_99_ms", "ms", COLUMN_REAL, 4, AT(timed, record.call_99), 1e3},
    {"call_max_ms", "ms", COLUMN_REAL, 4, AT(timed, record.call_max), 1e3},
    {"slowest_rank", "", COLUMN_INTEGER, 0, AT(timed, record.slowest_rank)},
    {"slowest_node", "", COLUMN_WORD, 0, AT(timed, record.slowest_node)}};

static void fill_timed(const struct table *table, int number, void *cells)
{
    const struct io_results *r = table->context;
    const struct io_record *t = r->timed[number];
    TABLE_FITS(struct timed_cells);
    *(struct timed_cells *)cells = (struct timed_cells){
        .record = *t,
        .brief = t->t_total < IO_TRUSTED_SECONDS ? "*" : "",
        .rate = t->t_calls > 0 ? (double)t->calls * (double)t->processes / t->t_calls : NAN};
}

static void sort_records(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    r->totals = memory_new(p->records.count, sizeof *r->totals, "the tables");
    r->timed = memory_new(p->records.count, sizeof *r->timed, "the tables");
    for (size_t i = 0; i < p->records.count; i++) {
        const struct io_record *record = protocol_at(p, i);
        if (io_record_is_total(record))
            r->totals[r->total_count++] = record;
        else if (record->units > 0 && record->call_max > 0)
            r->timed[r->timed_count++] = record;
    }
}

void io_add_tables(struct io_results *r)
{
    sort_records(r);
    const struct table tables[] = {
        {"by_chunk", "Summary of file I/O bandwidth: by chunk size on disk and type (without pattern 2)",
         TABLE_COLUMNS(chunk_columns), .rows = r->rating.partitions * IO_ACCESSES * CHUNK_ROWS,
         .fill = fill_chunk},
        {"by_type",
         "By type: bytes of all processes, time from opening to closing and its parts (mean over the "
         "processes)",
         TABLE_COLUMNS(type_columns), .rows = r->total_count, .fill = fill_type},
        {"by_pattern",
         "By pattern: calls per second of all processes, call times, slowest process (*: measured for less "
         "than 4 s)",
         TABLE_COLUMNS(timed_columns), .rows = r->timed_count, .fill = fill_timed},
        {"by_partition",
         "By partition: b_eff_io = 25 % write + 25 % rewrite + 50 % read; release_2_1: value of release 2.1",
         TABLE_COLUMNS(partition_columns), TABLE_ROWS(r->rating.partition, r->rating.partitions)}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        sheet_table(&r->sheet, &tables[i], r);
    r->sheet.data_count = IO_TYPES;
}

/* ---- data files: a table for each type, with a row for each pattern and partition ---- */

struct pattern_cells {
    int64_t processes, number, bytes;
    double bandwidth[IO_ACCESSES];
};

static const struct column pattern_columns[] = {
    {"processes", "", COLUMN_INTEGER, 0, AT(pattern, processes)},
    {"pattern", "", COLUMN_INTEGER, 0, AT(pattern, number)},
    {"chunk_l", "B", COLUMN_INTEGER, 0, AT(pattern, bytes)},
    {"write", "MB/s", COLUMN_REAL, 6, AT(pattern, bandwidth[ACCESS_WRITE])},
    {"rewrite", "MB/s", COLUMN_REAL, 6, AT(pattern, bandwidth[ACCESS_REWRITE])},
    {"read", "MB/s", COLUMN_REAL, 6, AT(pattern, bandwidth[ACCESS_READ])}};

/* Returns the number of a type's patterns. A pattern that fills the segment, always the last one, is not
 * counted. */
static int patterns_of(const struct io_results *r, enum io_type type)
{
    int count = io_count(type);
    return count - r->task.patterns[io_first(type) + count - 1].fill;
}

static void fill_pattern(const struct table *table, int number, void *cells)
{
    const struct io_results *r = table->context;
    enum io_type type = (enum io_type)table->item;
    const struct io_pattern *pattern = &r->task.patterns[io_first(type) + number % patterns_of(r, type)];
    int64_t processes = r->rating.partition[number / patterns_of(r, type)].processes;
    TABLE_FITS(struct pattern_cells);
    struct pattern_cells *row = cells;
    row->processes = processes;
    row->number = pattern->number;
    row->bytes = pattern->disk;
    for (int a = 0; a < IO_ACCESSES; a++)
        row->bandwidth[a] =
            io_rating_pattern(r->sheet.protocol, processes, (enum io_access)a, pattern->number);
}

void io_type_table(const void *results, int type, struct table *table)
{
    const struct io_results *r = results;
    const char *name = io_type_names[type];
    *table = (struct table){TABLE_COLUMNS(pattern_columns), .fill = fill_pattern, .context = r, .item = type,
                            .rows = r->rating.partitions * patterns_of(r, (enum io_type)type)};
    snprintf(table->name, sizeof table->name, "%s", name);
    snprintf(table->title, sizeof table->title, "type %d (%s): bandwidth of each pattern", type, name);
}
