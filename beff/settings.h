/* The options of beff: one table, and the settings they fill. Pure. */
#ifndef BEFF_SETTINGS_H
#define BEFF_SETTINGS_H

#include "common/options.h"

/* What "the same definition" means when results are compared; changed whenever a number could change its
 * meaning. */
#define BEFF_DEFINITION "beff-1"

enum progress_when { PROGRESS_AUTO, PROGRESS_LOG, PROGRESS_NEVER };

struct beff_settings {
    double time;    /* seconds */
    int64_t memory; /* MiB per process; 0: detected */
    uint64_t seed;
    int64_t polygons, max_loops;     /* max_loops 0: no limit */
    double limit_link, limit_memory; /* MB/s; 0: not given */
    const char *output, *prefix, *yrange;
    bool force, quiet, json, plan, help, version, man;
    int progress;
    int64_t processes, rank, ranks_per_node; /* of --plan; 0, -1, 0: not given */
};

enum { BEFF_POLYGONS = 30, BEFF_SEED = 20010917 };

/* The defaults. */
struct beff_settings beff_settings_default(void);

extern const struct option_table beff_options;

/* Parses, and refuses combinations that make no sense. 0, or -1 with one line. */
int beff_settings_parse(struct beff_settings *settings, int argc, char *const *argv, struct message *error);

#endif
