/* What rank 0 keeps beside the text: records, notes, protocol and JSON files, the end of a run. */
#ifndef IMB_COMPAT_MPI_OUTPUT_H
#define IMB_COMPAT_MPI_OUTPUT_H

#include <pthread.h>

#include "common/mpi/machine.h"
#include "common/progress.h"
#include "imb_compat/record.h"

struct imb_output {
    struct world *world;
    const struct imb_settings *settings;
    const struct machine *machine;
    const char *command; /* the command line */
    bool kept;           /* records are wanted */
    struct protocol protocol;
    pthread_mutex_t lock; /* protocol and `finished`: main thread or guard */
    bool finished;
    int64_t errors;   /* wrong bytes found */
    int64_t rows;     /* printed */
    int64_t left_out; /* sizes, tables and benchmarks that were asked for and not measured */
    double switches;  /* involuntary context switches of all processes; NaN: not known */
    bool write_failed;
    struct progress progress;
};

/* Opens the files, describes the run in them. 0, or -1 with a line that says what is wrong. */
int imb_output_open(struct imb_output *output, struct message *error);

void imb_output_record(struct imb_output *output, const struct imb_record *record);

/* A note in the text and in the files. */
void imb_output_note(struct imb_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Metadata while the run goes on. */
void imb_output_meta(struct imb_output *output, const char *key, const char *value);

/* Ends protocol and JSON, once; in the main thread or in the guard's. */
void imb_output_end(struct imb_output *output, const char *end);

void imb_output_free(struct imb_output *output);

#endif
