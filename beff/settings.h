/* The options of beff: one table, and the settings they fill. Pure. */
#ifndef BEFF_SETTINGS_H
#define BEFF_SETTINGS_H

#include "common/engine.h"

/* What "the same definition" means when results are compared; changed whenever a number could change its
 * meaning. */
#define BEFF_DEFINITION "beff-1"

struct beff_settings {
    struct run_settings run;
    int64_t memory; /* MiB per process; 0: detected */
    uint64_t seed;
    int64_t polygons, max_loops; /* max_loops 0: no limit */
    double limit_link;           /* MB/s; 0: not given */
    const char *methods;         /* NULL: all; else see methods_left_out() */
    unsigned left_out;
    const char *yrange;
    int64_t processes, rank, ranks_per_node; /* of --plan; 0, -1, 0: not given */
    double link, latency;                    /* of --plan: MB/s of a node, microseconds; 0: not given */
};

enum { BEFF_POLYGONS = 30, BEFF_SEED = 20010917 };

extern const struct beff_settings beff_defaults;
extern const struct option_table beff_options;

/* Refuses combinations that make no sense. 0, or -1 with one line. */
int beff_settings_check(void *settings, struct message *error);

/* The engine as run and report see it. */
extern const struct engine beff_engine;

/* Its --plan: what a run would do, for settings->processes (or `processes` if that is not given), as text or
 * JSON. 0, or -1 with one line. */
int beff_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
