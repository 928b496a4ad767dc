/* Columns and metadata of beff's protocol, and the names of the methods. */
#include "beff/record.h"

#include <stdio.h>
#include <string.h>

#include "beff/disturbance.h"
#include "beff/fabric.h"
#include "beff/load.h"
#include "beff/settings.h"
#include "beff/states.h"
#include "beff/sweep.h"
#include "common/metadata.h"
#include "common/space.h"

#define COLUMN(kind, name, min, max) COLUMN_OF(beff_record, kind, name, min, max, false)
#define OPTIONAL(kind, name)         COLUMN_OF(beff_record, kind, name, 0, COLUMN_MAX, true)

/* Limits of the times and bandwidths, which exclude only impossible values. */
#define T_MIN         1e-12
#define BANDWIDTH_MIN 1e-20

static const struct column columns[] = {COLUMN(INTEGER, pass, 1, COLUMN_MAX),
                                        COLUMN(INTEGER, rep, 1, SWEEP_REPETITIONS),
                                        COLUMN(WORD, pattern, 0, 0),
                                        COLUMN(WORD, method, 0, 0),
                                        COLUMN(INTEGER, bytes, 1, COLUMN_MAX),
                                        COLUMN(INTEGER, messages, 1, COLUMN_MAX),
                                        COLUMN(INTEGER, loops, 1, COLUMN_MAX),
                                        OPTIONAL(REAL, t_min),
                                        OPTIONAL(REAL, t_avg),
                                        COLUMN(REAL, t_max, T_MIN, COLUMN_MAX),
                                        COLUMN(REAL, bandwidth, BANDWIDTH_MIN, COLUMN_MAX),
                                        COLUMN(INTEGER, errors, 0, COLUMN_MAX)};

double beff_mb_s(double bytes, double seconds)
{
    return bytes / seconds / 1e6;
}

static double bandwidth(const void *record)
{
    const struct beff_record *r = record;
    return beff_mb_s((double)r->bytes * (double)r->messages * (double)r->loops, r->t_max);
}

static const struct metadata_row keys[] = {
    {"seed", METADATA_TEXT, METADATA_DEFINES},
    {"time_s", METADATA_REAL, METADATA_EXPLAINS},
    {"target_s", METADATA_REAL, 0},
    {"largest_sizes", METADATA_TEXT, 0},
    {"patterns", METADATA_INTEGER, 0},
    {"polygons", METADATA_INTEGER, METADATA_DEFINES},
    {"slow_skipped", METADATA_INTEGER, 0},
    {"needs_time_s", METADATA_REAL, 0},
    {"opening_needs_s", METADATA_REAL, 0},
    {"placement", METADATA_TEXT, METADATA_SYSTEM | METADATA_EXPLAINS},
    {"load_skipped", METADATA_TEXT, METADATA_REPEATS},
    {"matrix_pairs", METADATA_INTEGER, 0},
    {"nodes_left_out", METADATA_TEXT, 0},
    {"alone_left_out", METADATA_TEXT, 0},
    {"fabric_seed", METADATA_TEXT, 0},
};

static const struct metadata metadata = {keys, sizeof keys / sizeof keys[0], &beff_options};

/* ---- the other tables ---- */

static const struct column point_columns[] = {
    COLUMN_OF(fabric_point, INTEGER, node, 0, FABRIC_NODES_MAX, false),
    COLUMN_OF(fabric_point, WORD, host, 0, 0, false),
    COLUMN_OF(fabric_point, INTEGER, processes, 1, COLUMN_MAX, false),
    COLUMN_OF(fabric_point, WORD, group, 0, 0, false), COLUMN_OF(fabric_point, WORD, device, 0, 0, false)};

static const struct column exchange_columns[] = {
    COLUMN_OF_WORDS(fabric_exchange, stage, fabric_stages),
    COLUMN_OF(fabric_exchange, INTEGER, round, 1, COLUMN_MAX, false),
    COLUMN_OF(fabric_exchange, INTEGER, bytes, 1, COLUMN_MAX, false),
    COLUMN_OF(fabric_exchange, INTEGER, a, 0, FABRIC_NODES_MAX, false),
    COLUMN_OF(fabric_exchange, INTEGER, b, 0, FABRIC_NODES_MAX, false),
    COLUMN_OF(fabric_exchange, REAL, seconds, T_MIN, COLUMN_MAX, false),
    COLUMN_OF(fabric_exchange, INTEGER, errors, 0, COLUMN_MAX, false)};

static const struct column matrix_columns[] = {
    COLUMN_OF(fabric_pair, INTEGER, a, 0, FABRIC_NODES_MAX, false),
    COLUMN_OF(fabric_pair, INTEGER, b, 0, FABRIC_NODES_MAX, false),
    COLUMN_OF(fabric_pair, REAL, seconds, T_MIN, COLUMN_MAX, false)};

static const struct column between_columns[] = {
    COLUMN_OF(beff_between, WORD, pattern, 0, 0, false),
    COLUMN_OF(beff_between, INTEGER, messages, 0, COLUMN_MAX, false),
    COLUMN_OF(beff_between, INTEGER, busiest, 0, COLUMN_MAX, false)};

static const struct column disturbance_columns[] = {
    COLUMN_OF(disturbance, INTEGER, pass, 1, COLUMN_MAX, false),
    COLUMN_OF_WORDS(disturbance, cause, disturbance_causes),
    COLUMN_OF(disturbance, REAL, seconds, 0, COLUMN_MAX, false),
    COLUMN_OF(disturbance, REAL, used, 0, COLUMN_MAX, false),
    COLUMN_OF(disturbance, REAL, of, T_MIN, COLUMN_MAX, false),
    COLUMN_OF(disturbance, WORD, host, 0, 0, false)};

static const struct column role_columns[] = {COLUMN_OF(load_role, WORD, host, 0, 0, false),
                                             COLUMN_OF_WORDS(load_role, role, load_roles)};

#define BLOCK(kind, name, min, is_optional) COLUMN_OF(load_block, kind, name, min, COLUMN_MAX, is_optional)

static const struct column block_columns[] = {BLOCK(INTEGER, block, 1, false),
                                              COLUMN_OF_WORDS(load_block, victim, load_victims),
                                              COLUMN_OF_WORDS(load_block, congestor, load_congestors),
                                              BLOCK(INTEGER, iterations, -1, true),
                                              BLOCK(INTEGER, exchanges, 0, false),
                                              BLOCK(REAL, min, T_MIN, true),
                                              BLOCK(REAL, mean, T_MIN, true),
                                              BLOCK(REAL, p50, T_MIN, true),
                                              BLOCK(REAL, p99, T_MIN, true),
                                              BLOCK(REAL, p999, T_MIN, true),
                                              BLOCK(REAL, max, T_MIN, true),
                                              BLOCK(INTEGER, rank, 0, false),
                                              BLOCK(WORD, host, 0, false),
                                              BLOCK(INTEGER, errors, 0, false)};

static const struct column sweep_columns[] = {
    COLUMN_OF(beff_sweep, INTEGER, sweep, 0, COLUMN_MAX, false),
    COLUMN_OF(beff_sweep, REAL, expected, 0, COLUMN_MAX, true),
    COLUMN_OF(beff_sweep, REAL, taken, -COLUMN_MAX, COLUMN_MAX, false)};

static const char *const discards[] = {"short", "clock", "signal", NULL};

static const struct column discarded_columns[] = {COLUMN(INTEGER, pass, 1, COLUMN_MAX),
                                                  COLUMN(INTEGER, rep, 1, SWEEP_REPETITIONS),
                                                  COLUMN(WORD, pattern, 0, 0),
                                                  COLUMN(WORD, method, 0, 0),
                                                  COLUMN(INTEGER, bytes, 1, COLUMN_MAX),
                                                  COLUMN(INTEGER, loops, 1, COLUMN_MAX),
                                                  COLUMN(REAL, t_max, -COLUMN_MAX, COLUMN_MAX),
                                                  COLUMN_OF_WORDS(beff_record, reason, discards),
                                                  COLUMN(INTEGER, errors, 0, COLUMN_MAX)};

#define STATE(kind, name, is_optional) COLUMN_OF(state_row, kind, name, 0, COLUMN_MAX, is_optional)

static const struct column state_columns[] = {COLUMN_OF(state_row, INTEGER, sweep, 0, COLUMN_MAX, false),
                                              STATE(REAL, hop_min, true),
                                              STATE(REAL, hop_max, true),
                                              STATE(REAL, loop_min, false),
                                              STATE(REAL, loop_max, false),
                                              STATE(REAL, copy_min, false),
                                              STATE(REAL, copy_max, false),
                                              COLUMN_OF(state_row, WORD, host, 0, 0, false)};

static const struct column alone_columns[] = {COLUMN_OF(beff_alone, WORD, place, 0, 0, false),
                                              COLUMN_OF(beff_alone, INTEGER, a, 0, COLUMN_MAX, false),
                                              COLUMN_OF(beff_alone, INTEGER, b, 0, COLUMN_MAX, false)};

static const struct record_table tables[BEFF_TABLES] = {
    [BEFF_BETWEEN] = RECORD_TABLE("between_nodes", between_columns, struct beff_between),
    [BEFF_END_POINTS] = RECORD_TABLE("end_point", point_columns, struct fabric_point),
    [BEFF_EXCHANGES] = RECORD_TABLE("exchange", exchange_columns, struct fabric_exchange),
    [BEFF_MATRIX] = RECORD_TABLE("matrix", matrix_columns, struct fabric_pair),
    [BEFF_DISTURBANCES] = RECORD_TABLE("disturbance", disturbance_columns, struct disturbance),
    [BEFF_LOAD_ROLES] = RECORD_TABLE("load_role", role_columns, struct load_role),
    [BEFF_LOAD_BLOCKS] = RECORD_TABLE("load_block", block_columns, struct load_block),
    [BEFF_ALONE] = RECORD_TABLE("alone", alone_columns, struct beff_alone),
    [BEFF_GPUS] = SPACE_TABLE,
    [BEFF_SWEEPS] = RECORD_TABLE("sweep", sweep_columns, struct beff_sweep),
    [BEFF_DISCARDED] = RECORD_TABLE("discarded", discarded_columns, struct beff_record),
    [BEFF_STATES] = RECORD_TABLE("state", state_columns, struct state_row)};

const struct record_type beff_record_type = {.program = "beff",
                                             .definition = BEFF_DEFINITION,
                                             .records = RECORD_TABLE("records", columns, struct beff_record),
                                             .metadata = &metadata,
                                             .bandwidth = bandwidth,
                                             .tables = tables,
                                             .table_count = BEFF_TABLES};

static const char *const names[METHODS] = {
    [METHOD_SENDRECV] = "Sendrecv", [METHOD_NONBLOCKING] = "nonblocking", [METHOD_ALLTOALLV] = "Alltoallv"};

const char *method_name(enum method method)
{
    return names[method];
}

enum method method_find(const char *name)
{
    return (enum method)text_find(names, METHODS, name);
}

int methods_skipped(const char *list, unsigned *skipped)
{
    *skipped = *list ? (1U << METHODS) - 1 : 0;
    while (*list) {
        char name[COLUMN_WORD_SIZE];
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        enum method method = method_find(name);
        if (method == METHODS)
            return -1;
        *skipped &= ~(1U << method);
        list += length + (list[length] == ',');
    }
    return 0;
}
