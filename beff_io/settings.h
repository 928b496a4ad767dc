/* The options of beff_io: one table, and the settings they fill. */
#ifndef BEFF_IO_SETTINGS_H
#define BEFF_IO_SETTINGS_H

#include "beff_io/patterns.h"
#include "common/engine.h"

/* What "the same definition" means when results are compared. */
#define IO_DEFINITION "beff_io-1"

/* Share of the free space that a run uses by default: others write there, too. */
#define IO_SPACE_SHARE 0.5

enum io_verify { VERIFY_ENDS, VERIFY_FULL };

struct io_settings {
    struct run_settings run;
    int64_t memory, total_memory; /* MiB per process, of all processes; 0: detected */
    const char *path, *hints, *partitions, *max_bytes_text;
    int64_t max_bytes; /* 0: half of the free space */
    int64_t errors;    /* data errors that are printed of each pattern */
    int64_t processes; /* of --plan; 0: not given */
    int verify;
    bool noshared, nounique, rewrite, keep, keep_caches, drop_caches, shift_reads;
    uint64_t seed; /* of the content; 0: drawn */
    struct texts separated_paths, types, patterns, access;
    struct io_selection selection;
};

/* A number of bytes with an optional unit; -1 if it is none. */
int64_t io_parse_bytes(const char *text);

/* Memory of each process that was given, in MiB; 0: none was. */
int64_t io_memory_mib(const struct io_settings *settings, int64_t processes);

/* Bytes of files that a run may write where so many are free. */
int64_t io_max_bytes(const struct io_settings *settings, int64_t free_bytes);

extern const struct io_settings io_defaults;
extern const struct option_table io_options;

/* Refuses combinations that make no sense, reads --max-bytes and what is selected. 0, or -1 with one line. */
int io_settings_check(void *settings, struct message *error);

/* The engine as run and report see it. */
extern const struct engine beff_io_engine;

/* Its --plan: what a run would do, without MPI and without writing anything, as text or JSON. `processes`: as
 * many as were started, 0: none. 0, or -1 with one line. */
int io_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
