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
#include "common/adapters.h"
#include "common/metadata.h"
#include "common/space.h"

/* Limits of the times and bandwidths, which exclude only impossible values. */
#define T_MIN         1e-12
#define BANDWIDTH_MIN 1e-20

#define WORD(row, name)          COLUMN_OF(row, WORD, name, 0, 0, false)
#define WHOLE(row, name, min)    COLUMN_OF(row, INTEGER, name, min, COLUMN_MAX, false)
#define REAL(row, name, min)     COLUMN_OF(row, REAL, name, min, COLUMN_MAX, false)
#define OPTIONAL(row, name, min) COLUMN_OF(row, REAL, name, min, COLUMN_MAX, true)
#define NODE(row, name)          COLUMN_OF(row, INTEGER, name, 0, FABRIC_NODES_MAX, false)

static const struct column columns[] = {WHOLE(beff_record, pass, 1),
                                        COLUMN_OF(beff_record, INTEGER, rep, 1, SWEEP_REPETITIONS, false),
                                        WORD(beff_record, pattern),
                                        WORD(beff_record, method),
                                        WHOLE(beff_record, bytes, 1),
                                        WHOLE(beff_record, messages, 1),
                                        WHOLE(beff_record, loops, 1),
                                        OPTIONAL(beff_record, t_min, 0),
                                        OPTIONAL(beff_record, t_avg, 0),
                                        REAL(beff_record, t_max, T_MIN),
                                        REAL(beff_record, bandwidth, BANDWIDTH_MIN),
                                        WHOLE(beff_record, errors, 0)};

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
    {"nodes_errors", METADATA_INTEGER, 0},
    {"alone_left_out", METADATA_TEXT, 0},
    {"fabric_seed", METADATA_TEXT, 0},
};

static const struct metadata metadata = {keys, sizeof keys / sizeof keys[0], &beff_options};

/* ---- the other tables ---- */

static const struct column point_columns[] = {NODE(fabric_point, node), WORD(fabric_point, host),
                                              WHOLE(fabric_point, processes, 1), WORD(fabric_point, group),
                                              WORD(fabric_point, device)};

static const struct column exchange_columns[] = {COLUMN_OF_WORDS(fabric_exchange, stage, fabric_stages),
                                                 WHOLE(fabric_exchange, round, 1),
                                                 WHOLE(fabric_exchange, bytes, 1),
                                                 NODE(fabric_exchange, a),
                                                 NODE(fabric_exchange, b),
                                                 REAL(fabric_exchange, seconds, T_MIN),
                                                 WHOLE(fabric_exchange, errors, 0)};

static const struct column matrix_columns[] = {NODE(fabric_pair, a), NODE(fabric_pair, b),
                                               REAL(fabric_pair, seconds, T_MIN)};

static const struct column between_columns[] = {
    WORD(beff_between, pattern), WHOLE(beff_between, messages, 0), WHOLE(beff_between, busiest, 0),
    OPTIONAL(beff_between, leaving, 0), OPTIONAL(beff_between, staying, 0)};

static const struct column disturbance_columns[] = {
    WHOLE(disturbance, pass, 1),   COLUMN_OF_WORDS(disturbance, cause, disturbance_causes),
    REAL(disturbance, seconds, 0), REAL(disturbance, used, 0),
    REAL(disturbance, of, T_MIN),  WORD(disturbance, host)};

static const struct column role_columns[] = {WORD(load_role, host),
                                             COLUMN_OF_WORDS(load_role, role, load_roles)};

static const struct column block_columns[] = {
    WHOLE(load_block, block, 1),
    COLUMN_OF_WORDS(load_block, victim, load_victims),
    COLUMN_OF_WORDS(load_block, congestor, load_congestors),
    COLUMN_OF(load_block, INTEGER, iterations, -1, COLUMN_MAX, true),
    WHOLE(load_block, exchanges, 0),
    OPTIONAL(load_block, min, T_MIN),
    OPTIONAL(load_block, mean, T_MIN),
    OPTIONAL(load_block, p50, T_MIN),
    OPTIONAL(load_block, p99, T_MIN),
    OPTIONAL(load_block, p999, T_MIN),
    OPTIONAL(load_block, max, T_MIN),
    WHOLE(load_block, rank, 0),
    WORD(load_block, host),
    WHOLE(load_block, errors, 0)};

static const struct column sweep_columns[] = {
    WHOLE(beff_sweep, sweep, 0), OPTIONAL(beff_sweep, expected, 0),
    COLUMN_OF(beff_sweep, REAL, taken, -COLUMN_MAX, COLUMN_MAX, false)};

static const char *const discards[] = {"short", "clock", "signal", NULL};

static const struct column discarded_columns[] = {
    WHOLE(beff_record, pass, 1),
    COLUMN_OF(beff_record, INTEGER, rep, 1, SWEEP_REPETITIONS, false),
    WORD(beff_record, pattern),
    WORD(beff_record, method),
    WHOLE(beff_record, bytes, 1),
    WHOLE(beff_record, loops, 1),
    REAL(beff_record, t_max, -COLUMN_MAX),
    COLUMN_OF_WORDS(beff_record, reason, discards),
    WHOLE(beff_record, errors, 0)};

static const struct column state_columns[] = {
    WHOLE(state_row, sweep, 0),      OPTIONAL(state_row, hop_min, 0),
    OPTIONAL(state_row, hop_max, 0), REAL(state_row, loop_min, 0),
    REAL(state_row, loop_max, 0),    REAL(state_row, copy_min, 0),
    REAL(state_row, copy_max, 0),    WORD(state_row, host)};

static const struct column alone_columns[] = {WORD(beff_alone, place), WHOLE(beff_alone, a, 0),
                                              WHOLE(beff_alone, b, 0)};

static const struct column adapter_columns[] = {WORD(adapter_row, host), WORD(adapter_row, adapter),
                                                WORD(adapter_row, property), REAL(adapter_row, value, 0),
                                                REAL(adapter_row, usual, 0)};

static const struct record_table tables[BEFF_TABLES] = {
    [BEFF_BETWEEN] = RECORD_TABLE("between_nodes", between_columns, struct beff_between),
    [BEFF_END_POINTS] = RECORD_TABLE("end_point", point_columns, struct fabric_point),
    [BEFF_EXCHANGES] = RECORD_TABLE("exchange", exchange_columns, struct fabric_exchange),
    [BEFF_MATRIX] = RECORD_TABLE("matrix", matrix_columns, struct fabric_pair),
    [BEFF_DISTURBANCES] = RECORD_TABLE("disturbance", disturbance_columns, struct disturbance),
    [BEFF_LOAD_ROLES] = RECORD_TABLE("load_role", role_columns, struct load_role),
    [BEFF_LOAD_BLOCKS] = RECORD_TABLE("load_block", block_columns, struct load_block),
    [BEFF_ALONE] = RECORD_TABLE("alone", alone_columns, struct beff_alone),
    [BEFF_ADAPTERS] = RECORD_TABLE("adapter", adapter_columns, struct adapter_row),
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
