/* The options of beff_io and the settings that they control. */
#ifndef BEFF_IO_SETTINGS_H
#define BEFF_IO_SETTINGS_H

#include "beff_io/patterns.h"
#include "common/engine.h"

/* Name of the definition. Only results of the same definition can be compared. The name changes whenever the
 * meaning of a figure could change. */
#define IO_DEFINITION "beff_io-2"

/* Share of the free space that a run uses by default. The rest is left to other users. */
#define IO_SPACE_SHARE 0.5

/* Format of the error for a --path that cannot be used. */
#define IO_NO_DIRECTORY "cannot use the directory %s: %s; set --path to a directory"
#define IO_NO_SPACE     "the free space of %s is unknown: its file system reports 0 of 0 bytes; give --max-bytes"

/* Number of times that a node must move the size of a declared cache before reads are cold
 * (docs/definition-beff_io-2.md 8). */
#define IO_CACHE_FACTOR 2

/* Share of T that --evict may take. */
#define IO_EVICT_SHARE 0.2

enum io_verify { VERIFY_ENDS, VERIFY_FULL };

struct io_settings {
    struct run_settings run;
    int64_t memory, total_memory; /* memory in MiB, per process and of all processes; 0: detect it */
    const char *path, *hints, *partitions, *max_bytes_text;
    int64_t max_bytes; /* maximum size of all files; 0: half of the free space */
    int64_t errors;    /* maximum number of data errors that are printed for each pattern */
    int64_t processes; /* number of processes for --plan; 0 if not given */
    int verify;        /* enum io_verify */
    bool noshared, nounique, rewrite, keep, keep_caches, drop_caches, shift_reads, evict;
    const char *cache_text;
    int64_t cache; /* declared size of a cache on each node in bytes; 0: the node's memory */
    uint64_t seed; /* seed of the files' content; 0: draw one */
    struct texts separated_paths, types, patterns, access;
    struct io_selection selection;
};

/* Returns the memory per process in MiB, as set by options; 0 if no option sets it. */
int64_t io_memory_mib(const struct io_settings *settings, int64_t processes);

/* Returns true if the run measures type 1 through shared file pointers, which need file locks. */
bool io_needs_locks(const struct io_settings *settings);

/* Returns the maximum size of all files in bytes if `free_bytes` are free. */
int64_t io_max_bytes(const struct io_settings *settings, int64_t free_bytes);

extern const struct io_settings io_defaults;
extern const struct option_table io_options;

/* Checks that the settings (struct io_settings) can be combined, and parses --max-bytes, --types, --patterns
 * and --access. */
int io_settings_check(void *settings, struct message *error);

/* The engine of beff_io, as used by common/ and report/. */
extern const struct engine beff_io_engine;

/* Prints the plan of a run (--plan) as text or JSON. The number of processes is settings->processes or, if
 * that is 0, `processes`. */
int io_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
