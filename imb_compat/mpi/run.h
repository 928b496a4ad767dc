/* One run of imb_compat: its state, and what its parts do with it: tables, and what rank 0 keeps of them
 * beside the text. */
#ifndef IMB_COMPAT_MPI_RUN_H
#define IMB_COMPAT_MPI_RUN_H

#include "common/mpi/run.h"
#include "imb_compat/compute.h"
#include "imb_compat/mpi/files.h"

struct imb_run {
    struct run run; /* the first member */
    const struct imb_settings *settings;
    struct imb_selection selection;
    struct imb_sizes listed;
    struct imb_tables tables;
    size_t tables_done;
    atomic_bool all_done; /* all tables */
    struct imb_compute load;
    struct imb_files *files; /* IMB-IO; else NULL */
    struct imb_end end;

    /* Rank 0. */
    bool kept;              /* records are wanted */
    bool write_failed;      /* they could not be written */
    int64_t errors;         /* wrong bytes found */
    int64_t rows;           /* printed */
    int64_t left_out;       /* sizes, tables and benchmarks that were asked for and not measured */
    struct message lacking; /* of these, the names of benchmarks that lack processes */
    struct message stopped; /* the note on where the time was over; "": it was not */
    double switches;        /* involuntary context switches of all processes */
};

/* Seconds that idle processes sleep at once. */
#define IMB_NAP 1e-3

/* Measures and prints a table; idle processes wait for its end. */
void imb_table_measure(struct imb_run *run, const struct imb_table *table);

/* ---- output.c: protocol and JSON file ---- */

/* Opens the files, describes the run in them. 0, or -1 with a line that says what is wrong. */
int imb_output_open(struct imb_run *run, struct message *error);

void imb_output_record(struct imb_run *run, const struct imb_record *record);

/* Metadata while the run goes on. */
void imb_output_meta(struct imb_run *run, const char *key, const char *value);

/* A note in the text and in the files. */
void imb_output_note(struct imb_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends protocol and JSON: see run_engine.finish. */
int imb_output_finish(struct run *run, const char *end, bool *rated, struct message *error);

/* What is left of the text: see run_engine.print. */
int imb_output_print(struct run *run, struct message *error);

#endif
