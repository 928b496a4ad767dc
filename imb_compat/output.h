/* The output of a run: rows, notes, records, the protocol's end and JSON. Without MPI: rank 0 has all
 * numbers. */
#ifndef IMB_COMPAT_OUTPUT_H
#define IMB_COMPAT_OUTPUT_H

#include "imb_compat/check.h"
#include "imb_compat/format.h"
#include "imb_compat/results.h"

/* Reasons to end a run early. */
struct imb_end {
    int signal;     /* number of a signal, or 0 */
    int time_is_up; /* the time limit of -time-total has been reached */
    int failed;     /* a file could not be written or read */
};

/* Notes about a size. They follow the table. */
enum imb_mark {
    IMB_SKIPPED = 1 << 0, /* the size was not measured */
    IMB_REFUSED = 1 << 1, /* MPI cannot carry out the persistent collective */
    IMB_UNEQUAL = 1 << 2  /* the overlap is not meaningful */
};

struct imb_output {
    struct protocol *protocol;
    const struct imb_settings *settings;
    char library[80];       /* start of the name of the MPI library */
    bool in_rows;           /* the last line that was printed belongs to the rows of a table */
    bool recorded;          /* -prot or -json was given */
    bool write_failed;      /* a record could not be written */
    int64_t errors;         /* number of wrong bytes */
    int64_t rows;           /* number of printed rows */
    int64_t left_out;       /* number of requested sizes, tables and benchmarks that were skipped */
    struct message lacking; /* names of requested benchmarks that cannot run on this number of processes */
    struct message skipped; /* the first size or table that was skipped, and the limit that it ran into */

    /* The current table. */
    const struct imb_table *table;
    const struct imb_sizes *sizes;
    unsigned char *marks;      /* for each size, bits of enum imb_mark */
    bool failed[IMB_FAILURES]; /* kinds of failures that have a row */
    double setup[2];           /* minimum and maximum time to set up a request, over all sizes; 0: none */
    int64_t table_errors;      /* number of wrong bytes */
};

/* Prints a line and flushes it, so that it is not lost if the run fails. */
#define imb_put_line(...) (printf(__VA_ARGS__), fflush(stdout))

/* Creates the files of -prot and -json. Without -force, refuses to replace an existing regular file, but
 * accepts a device or a pipe. */
int imb_output_create(const struct imb_settings *settings, struct message *error);

/* Starts a table, whose sizes must stay valid until its end. The caller frees `marks`. */
void imb_output_table(struct imb_output *out, const struct imb_table *table, const struct imb_sizes *sizes);

/* Writes the rows and records of a size, from the shares of all threads of all processes. Returns 0, or -1
 * with a message if a record could not be written. */
int imb_output_rows(struct imb_output *out, const struct imb_share *shares, int size, int64_t repetitions,
                    struct message *error);

/* The times of `n` repetitions (-raw) are IMB_RAW_VALUES arrays of n values: the maximum over the timed
 * threads, negative if there is none; their minimum; the sum of their times; and their number. */
enum { IMB_RAW_VALUES = 4 };

/* Computes the times of repetitions on one process. `each` is [thread][repetition]. */
void imb_raw_make(double *raw, const double *each, int threads, int64_t n);

/* Writes one record, which covers all processes, for each of `n` repetitions. */
int imb_output_raw(struct imb_output *out, const double *raw, int size, int64_t n, struct message *error);

/* Marks a size and counts it as skipped. The first one is named at the end of the run. */
__attribute__((format(printf, 4, 5))) void imb_output_skip(struct imb_output *out, int size,
                                                           enum imb_mark mark, const char *format, ...);

/* Skips a size that needs `gib` GiB. Only the first such size gets a row in the table. */
void imb_output_failure(struct imb_output *out, int size, enum imb_failure failure, double gib);

/* Writes the notes after a table. */
void imb_output_end_table(struct imb_output *out, const struct imb_end *end);

/* Returns the reason why sizes or tables were skipped, as the end of a note. */
const char *imb_end_reason(const struct imb_end *end);

/* Describes the first wrong byte of a size. `rank` is the rank of the process that found it, in
 * MPI_COMM_WORLD. */
void imb_mismatch_text(const struct imb_mismatch *found, const struct imb_table *table, int64_t bytes,
                       int group, int rank, struct message *text);

/* Describes a crash of MPI in table number `at`, because it does not take GPU memory. */
void imb_crash_text(const struct imb_tables *tables, size_t at, int64_t bytes, char *line, size_t size);

/* Prints that a benchmark cannot run on this number of processes. If the user requested it, counts it as
 * skipped. */
void imb_output_invalid(struct imb_output *out, const struct imb_table *table, int processes);

/* Writes a note about the tables from number `done` on, which were not measured, if there are any. */
void imb_output_left(struct imb_output *out, const struct imb_tables *tables, size_t done,
                     const struct imb_end *end);

/* Returns the exit status of a run that no failure ended. If the run is not complete, sets `why` to the
 * reason. */
enum exit_status imb_output_status(const struct imb_output *out, const struct imb_tables *tables,
                                   int processes, int signal, struct message *why);

/* Writes the end of the protocol, and then the JSON file (see run_engine.finish). */
int imb_output_finish(struct imb_output *out, const char *end, bool *complete, struct message *error);

#endif
