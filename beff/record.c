/* Columns and metadata of beff's protocol, and the names of the methods. */
#include "beff/record.h"

#include <stdio.h>
#include <string.h>

#include "beff/settings.h"
#include "beff/sweep.h"
#include "common/metadata.h"

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

static double bandwidth(const void *record)
{
    const struct beff_record *r = record;
    return (double)r->bytes * (double)r->messages * (double)r->loops / r->t_max / 1e6;
}

static const struct metadata_row keys[] = {
    {"seed", METADATA_TEXT, METADATA_DEFINES},
    {"time_s", METADATA_REAL, METADATA_EXPLAINS},
    {"target_s", METADATA_REAL, 0},
    {"sweep", METADATA_TEXT, METADATA_REPEATS},
    {"largest_sizes", METADATA_TEXT, 0},
    {"polygons", METADATA_INTEGER, METADATA_DEFINES},
    {"slow_skipped", METADATA_INTEGER, 0},
    {"needs_time_s", METADATA_REAL, 0},
    {"opening_needs_s", METADATA_REAL, 0},
    {"discarded", METADATA_TEXT, METADATA_REPEATS},
    {"discarded_errors", METADATA_INTEGER, METADATA_REPEATS},
    {"placement", METADATA_TEXT, METADATA_SYSTEM | METADATA_EXPLAINS},
    {"disturbance", METADATA_TEXT, METADATA_REPEATS},
    {"between_nodes", METADATA_TEXT, METADATA_REPEATS},
    {"load", METADATA_TEXT, METADATA_REPEATS},
    {"load_role", METADATA_TEXT, METADATA_REPEATS},
    {"load_skipped", METADATA_TEXT, METADATA_REPEATS},
    {"end_point", METADATA_TEXT, METADATA_REPEATS},
    {"exchange", METADATA_TEXT, METADATA_REPEATS},
    {"matrix", METADATA_TEXT, METADATA_REPEATS},
    {"matrix_pairs", METADATA_INTEGER, 0},
    {"nodes_left_out", METADATA_TEXT, 0},
};

static const struct metadata metadata = {keys, sizeof keys / sizeof keys[0], &beff_options};

const struct record_type beff_record_type = {
    "beff",    BEFF_DEFINITION, columns, sizeof columns / sizeof columns[0], sizeof(struct beff_record),
    &metadata, bandwidth};

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
