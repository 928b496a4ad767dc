/* The tables of beff_io's sheet. Uses rating, sheet. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beff_io/results.h"

/* The rows of the summary of release 2.1: places of the patterns (see patterns.c) by ascending chunk. */
static const int places[] = {4, 6, 3, 5, 2, 7, 1};
enum { ROWS = sizeof places / sizeof places[0] };

static const struct io_pattern *at_place(const struct io_results *r, enum io_type type, int place)
{
    for (int i = 0; i < IO_PATTERNS; i++)
        if (r->patterns[i].type == type && r->patterns[i].place == place)
            return &r->patterns[i];
    return NULL;
}

/* One row of the summary: a chunk size, or the total of each type. */
static void fill_summary(const struct io_results *r, const struct io_partition_rating *p,
                         enum io_access access, int position, struct cell *row)
{
    row[0].number = (double)p->processes;
    row[1].number = position + 1;
    snprintf(row[3].text, sizeof row[3].text, "%s", io_access_name(access));
    if (position < ROWS)
        row[2].number = (double)at_place(r, TYPE_SCATTER, places[position])->disk;
    else
        snprintf(row[3].text, sizeof row[3].text, "total-%s", io_access_name(access));
    if (position == ROWS)
        row[1].number = NAN;
    for (int t = 0; t < IO_TYPES; t++)
        row[4 + t].number = position == ROWS
                                ? p->type[access][t]
                                : io_rating_pattern(r->sheet.protocol, p->processes, access,
                                                    at_place(r, (enum io_type)t, places[position])->number);
}

static void add_summary(struct io_results *r)
{
    static const struct table_column columns[] = {
        {"processes", "", CELL_INTEGER, 0},  {"pos", "", CELL_INTEGER, 0},
        {"chunk_l", "B", CELL_INTEGER, 0},   {"access", "", CELL_TEXT, 0},
        {"scatter", "MB/s", CELL_REAL, 3},   {"shared", "MB/s", CELL_REAL, 3},
        {"separated", "MB/s", CELL_REAL, 3}, {"segmented", "MB/s", CELL_REAL, 3},
        {"seg_coll", "MB/s", CELL_REAL, 3}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    table_start(table, "by_chunk",
                "Summary of file I/O bandwidth: by chunk size on disk and type (all but pattern 2)", columns,
                sizeof columns / sizeof columns[0]);
    for (int i = 0; i < r->rating.partitions; i++)
        for (int a = 0; a < IO_ACCESSES; a++)
            for (int position = 0; position <= ROWS; position++) {
                struct cell *row = table_row(table);
                if (!row)
                    return;
                fill_summary(r, &r->rating.partition[i], (enum io_access)a, position, row);
            }
}

static void add_types(struct io_results *r)
{
    static const struct table_column columns[] = {
        {"processes", "", CELL_INTEGER, 0}, {"access", "", CELL_TEXT, 0},
        {"type", "", CELL_TEXT, 0},         {"written", "MB", CELL_REAL, 3},
        {"total", "s", CELL_REAL, 3},       {"open", "s", CELL_REAL, 4},
        {"view", "s", CELL_REAL, 4},        {"calls", "s", CELL_REAL, 3},
        {"vote", "s", CELL_REAL, 4},        {"sync", "s", CELL_REAL, 3},
        {"close", "s", CELL_REAL, 4},       {"excluded", "s", CELL_REAL, 3},
        {"scheduled", "s", CELL_REAL, 3},   {"bandwidth", "MB/s", CELL_REAL, 3}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    const struct protocol *p = r->sheet.protocol;
    table_start(table, "by_type",
                "By type: bytes of all processes, time from opening to closing and its parts (mean over the "
                "processes)",
                columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct io_record *t = protocol_at(p, i);
        struct cell *row = io_record_is_total(t) ? table_row(table) : NULL;
        if (!row)
            continue;
        const double numbers[] = {t->t_total, t->t_open,  t->t_view,     t->t_calls,     t->t_vote,
                                  t->t_sync,  t->t_close, t->t_excluded, t->t_scheduled, t->bandwidth};
        row[0].number = (double)t->processes;
        snprintf(row[1].text, sizeof row[1].text, "%s", t->access);
        snprintf(row[2].text, sizeof row[2].text, "%s", io_type_name((enum io_type)t->type));
        row[3].number = (double)t->bytes / 1e6;
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            row[4 + n].number = numbers[n];
    }
}

static void add_partitions(struct io_results *r)
{
    static const struct table_column columns[] = {
        {"processes", "", CELL_INTEGER, 0},   {"b_eff_io", "MB/s", CELL_REAL, 3},
        {"write", "MB/s", CELL_REAL, 3},      {"rewrite", "MB/s", CELL_REAL, 3},
        {"read", "MB/s", CELL_REAL, 3},       {"release_2_1", "MB/s", CELL_REAL, 3},
        {"written", "MB", CELL_REAL, 1},      {"written_part", "%", CELL_REAL, 1},
        {"rewritten", "MB", CELL_REAL, 1},    {"rewritten_part", "%", CELL_REAL, 1},
        {"read_back", "MB", CELL_REAL, 1},    {"read_part", "%", CELL_REAL, 1},
        {"pat2_write", "MB/s", CELL_REAL, 3}, {"pat2_rewrite", "MB/s", CELL_REAL, 3},
        {"pat2_read", "MB/s", CELL_REAL, 3}};
    struct table *table = &r->sheet.tables[r->sheet.table_count++];
    double memory = r->memory_mib * (double)r->processes * 1048576;
    table_start(
        table, "by_partition",
        "By partition: 25 % write + 25 % rewrite + 50 % read; the value of release 2.1; bytes and their "
        "share of the total memory; pattern 2",
        columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < r->rating.partitions; i++) {
        const struct io_partition_rating *p = &r->rating.partition[i];
        struct cell *row = table_row(table);
        if (!row)
            return;
        row[0].number = (double)p->processes;
        row[1].number = p->b_eff_io;
        row[5].number = p->release_2_1;
        for (int a = 0; a < IO_ACCESSES; a++) {
            row[2 + a].number = p->access[a];
            row[6 + 2 * a].number = (double)p->bytes[a] / 1e6;
            row[7 + 2 * a].number = 100 * (double)p->bytes[a] / memory;
            row[12 + a].number = io_rating_pattern(r->sheet.protocol, p->processes, (enum io_access)a, 2);
        }
    }
}

void io_add_tables(struct io_results *r)
{
    add_summary(r);
    add_types(r);
    add_partitions(r);
}

int io_type_tables(const void *results)
{
    (void)results;
    return IO_TYPES;
}

void io_type_table(const void *results, int type, struct table *table)
{
    const struct io_results *r = results;
    enum io_type kind = (enum io_type)type;
    static const struct table_column columns[] = {
        {"processes", "", CELL_INTEGER, 0}, {"pattern", "", CELL_INTEGER, 0},
        {"chunk_l", "B", CELL_INTEGER, 0},  {"write", "MB/s", CELL_REAL, 6},
        {"rewrite", "MB/s", CELL_REAL, 6},  {"read", "MB/s", CELL_REAL, 6}};
    char title[160];
    snprintf(title, sizeof title, "type %d (%s): bandwidth of each pattern", type, io_type_name(kind));
    table_start(table, io_type_name(kind), title, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < r->rating.partitions; i++)
        for (int n = io_first(kind); n < io_first(kind) + io_count(kind); n++) {
            struct cell *row = r->patterns[n].fill ? NULL : table_row(table);
            if (!row)
                continue;
            row[0].number = (double)r->rating.partition[i].processes;
            row[1].number = n;
            row[2].number = (double)r->patterns[n].disk;
            for (int a = 0; a < IO_ACCESSES; a++)
                row[3 + a].number = io_rating_pattern(r->sheet.protocol, r->rating.partition[i].processes,
                                                      (enum io_access)a, n);
        }
}
