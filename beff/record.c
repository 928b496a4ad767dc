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
    {"seed", METADATA_TEXT, METADATA_DEFINES, NULL, "seed of the random polygons, up to 64 bits"},
    {"time_s", METADATA_REAL, METADATA_EXPLAINS, "s", "T; written after the opening if --time was not given"},
    {"target_s", METADATA_REAL, 0, "s", "target duration of a measurement, if the run is short"},
    {"sweep", METADATA_TEXT, METADATA_REPEATS, "s",
     "NUMBER EXPECTED TAKEN: time of a sweep; the opening (0) has no expected time"},
    {"largest_sizes", METADATA_TEXT, 0, NULL,
     "PASS REP: from here on the two largest sizes are measured with only one method"},
    {"polygons", METADATA_INTEGER, METADATA_DEFINES, NULL,
     "number of measured random polygons, if there is not enough time for all"},
    {"slow_skipped", METADATA_INTEGER, 0, NULL,
     "measurements that were skipped because Alltoallv was more than ten times as slow"},
    {"needs_time_s", METADATA_REAL, 0, "s", "T that a complete pass needs, if this run's T was too short"},
    {"opening_needs_s", METADATA_REAL, 0, "s",
     "minimum T for one measurement of each size, if that did not fit"},
    {"discarded", METADATA_TEXT, METADATA_REPEATS, NULL,
     "PASS REP PATTERN METHOD BYTES LOOPS T_MAX REASON: an attempt that does not count"},
    {"discarded_errors", METADATA_INTEGER, METADATA_REPEATS, "B",
     "wrong bytes found in an attempt that does not count, if there were any"},
    {"placement", METADATA_TEXT, METADATA_SYSTEM | METADATA_EXPLAINS, NULL,
     "how ranks are placed on nodes: block, cyclic or other, and a hash of the map from ranks to nodes"},
    {"disturbance", METADATA_TEXT, METADATA_REPEATS, NULL,
     "PASS CAUSE SECONDS USED OF HOST: on the worst node, something other than the run used USED of OF "
     "processors during a pass"},
    {"between_nodes", METADATA_TEXT, METADATA_REPEATS, NULL,
     "PATTERN MESSAGES BUSIEST: messages between nodes in one iteration, of all and of the busiest node"},
    {"load", METADATA_TEXT, METADATA_REPEATS, "s",
     "BLOCK VICTIM CONGESTOR EXCHANGES MIN MEAN P50 P99 P99.9 MAX RANK HOST ERRORS: a block under load"},
    {"load_role", METADATA_TEXT, METADATA_REPEATS, NULL, "HOST ROLE: role of a node under load"},
    {"load_skipped", METADATA_TEXT, METADATA_REPEATS, NULL,
     "CONGESTOR or BLOCKS, and the reason why it was not measured"},
    {"end_point", METADATA_TEXT, METADATA_REPEATS, NULL,
     "INDEX HOST PROCESSES GROUP DEVICE: an end point, one for each node, or for each of its network "
     "devices; - "
     "if unknown"},
    {"exchange", METADATA_TEXT, METADATA_REPEATS, NULL,
     "STAGE ROUND BYTES A B SECONDS ERRORS: an exchange of two end points, numbered from 0 in the order of "
     "the "
     "keys `end_point`"},
    {"matrix", METADATA_TEXT, METADATA_REPEATS, "microsec",
     "A TIME...: an exchange of end point A with each end point after it; 0 if it was not measured"},
    {"matrix_pairs", METADATA_INTEGER, 0, NULL, "number of pairs of the matrix that were measured at once"},
    {"nodes_left_out", METADATA_TEXT, 0, NULL,
     "parts of the comparison of nodes that did not fit into the time"},
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
