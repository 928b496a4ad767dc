/* The options of beff and the settings that they fill. */
#ifndef BEFF_SETTINGS_H
#define BEFF_SETTINGS_H

#include "common/engine.h"

/* Name of the definition. Only results with the same definition are comparable. The name changes whenever the
 * meaning of a figure may have changed. */
#define BEFF_DEFINITION "beff-1"

struct beff_settings {
    struct run_settings run;
    int64_t memory; /* memory per process in MiB; 0: detect it */
    uint64_t seed;
    uint64_t nodes_seed;         /* 0: drawn */
    int64_t polygons, max_loops; /* max_loops 0: no limit */
    double limit_link;           /* link bandwidth of a node in MB/s; 0 if not given */
    const char *methods;         /* list of methods, see methods_skipped(); NULL: all methods */
    const char *groups;          /* file with the groups of the nodes; NULL: none */
    bool matrix;                 /* measure all pairs of nodes */
    unsigned skipped;            /* the methods that are skipped, from `methods` */
    const char *yrange;
    int64_t processes, rank, ranks_per_node; /* for --plan; 0, -1 and 0 if not given */
    bool load, load_processes;               /* measure under load; divide processes instead of nodes */
    const char *load_roles;                  /* file with the roles of the nodes; NULL: drawn by the seed */
    double load_block;                       /* length of a block in seconds */
    double link, latency;                    /* for --plan: MB/s per node, microseconds; 0 if not given */
};

enum { BEFF_POLYGONS = 30, BEFF_SEED = 20010917 };

extern const struct beff_settings beff_defaults;
extern const struct option_table beff_options;

/* The engine beff, for common/ and report/. */
extern const struct engine beff_engine;

/* Carries out --plan: prints the plan of a run as text or JSON. The number of processes is
 * settings->processes, or `processes` if the option was not given. */
int beff_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
