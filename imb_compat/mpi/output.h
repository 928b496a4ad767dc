/* What rank 0 keeps beside the text: records, notes, protocol and JSON files. */
#ifndef IMB_COMPAT_MPI_OUTPUT_H
#define IMB_COMPAT_MPI_OUTPUT_H

#include "imb_compat/mpi/run.h"
#include "imb_compat/record.h"

/* Opens the files, describes the run in them. 0, or -1 with a line that says what is wrong. */
int imb_output_open(struct imb_run *run, struct message *error);

void imb_output_record(struct imb_run *run, const struct imb_record *record);

/* Metadata while the run goes on. */
void imb_output_meta(struct imb_run *run, const char *key, const char *value);

/* A note in the text and in the files. */
void imb_output_note(struct imb_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends protocol and JSON, in the main thread or in the guard's: see run_engine.finish. */
int imb_output_finish(struct run *run, const char *end, bool *rated, struct message *error);

#endif
