/* Records, metadata and notes of a run while it goes on. Uses format. */
#include "imb_compat/mpi/run.h"

#include "imb_compat/format.h"

/* Once something could not be written, the run goes on and ends with status 1. */
static void note_failure(struct imb_run *run, int failed, const struct message *error)
{
    if (failed && !run->write_failed)
        comm_say(run->run.comm, "%s", error->text);
    run->write_failed = run->write_failed || failed;
}

void imb_output_record(struct imb_run *run, const struct imb_record *record)
{
    struct message error;
    if (run->recorded)
        note_failure(run, run_record(&run->run, record, &error), &error);
}

void imb_output_meta(struct imb_run *run, const char *key, const char *value)
{
    struct message error;
    note_failure(run, run_note(&run->run, &error, key, "%s", value), &error);
}

void imb_output_note(struct imb_run *run, const char *format, ...)
{
    char text[512];
    TEXT_PRINT(text, sizeof text, format);
    printf(IMB_NOTE, text);
    fflush(stdout); /* it is out, whatever happens next */
    imb_output_meta(run, "note", text);
}
