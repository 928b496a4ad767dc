/* Protocol and JSON of a run. Uses run, machine, protocol, results. */
#include "imb_compat/mpi/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "imb_compat/format.h"

static int describe(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    struct protocol *p = &run->run.protocol;
    struct imb_options options;
    char date[CLOCK_DATE_SIZE];
    clock_date(date);
    imb_options_make(&options, s->component);
    return protocol_meta(p, "component", imb_components[s->component].name, error) ||
           protocol_meta(p, "command", run->run.command, error) || protocol_meta(p, "started", date, error) ||
           machine_describe(run->run.comm, &run->run.machine, p, error) ||
           protocol_put(p, error, "clock_resolution_s", "%.17g", clock_resolution(comm_now, NULL)) ||
           run_describe_launch(&run->run, error) ||
           protocol_put(p, error, "memory_per_process_mib", "%" PRId64, run->run.machine.memory_mib) ||
           engine_describe_settings(&options.table, s, p, error);
}

int imb_output_open(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    struct protocol *p = &run->run.protocol;
    run->kept = s->prot || s->json;
    if (s->json) {
        FILE *file = fopen(s->json, "w");
        if (!file)
            return message_set(error, "-json: %.200s cannot be created: %s", s->json, strerror(errno));
        fclose(file);
    }
    run->run.opened =
        protocol_create(p, s->prot, true, &imb_record_type, error) == 0 && describe(run, error) == 0;
    return run->run.opened ? 0 : -1;
}

/* Once something could not be written, the run goes on and ends with status 1. */
static void note_failure(struct imb_run *run, const struct message *error)
{
    if (!run->write_failed)
        comm_say(run->run.comm, "%s", error->text);
    run->write_failed = true;
}

void imb_output_record(struct imb_run *run, const struct imb_record *record)
{
    struct message error;
    if (run->kept && run_record(&run->run, record, &error))
        note_failure(run, &error);
}

void imb_output_meta(struct imb_run *run, const char *key, const char *value)
{
    struct message error;
    if (run_note(&run->run, &error, key, "%s", value))
        note_failure(run, &error);
}

void imb_output_note(struct imb_run *run, const char *format, ...)
{
    char text[512];
    TEXT_PRINT(text, sizeof text, format);
    imb_put_note(text, stdout);
    imb_output_meta(run, "note", text);
}

/* ---- the end ---- */

static int write_json(const struct imb_run *run, struct message *error)
{
    const char *path = run->settings->json;
    struct sheet *results = engine_results(&imb_engine, &run->run.protocol, error);
    if (!results)
        return -1;
    FILE *file = fopen(path, "w");
    int failed = !file || sheet_json(results, true, file);
    failed = (file && fclose(file)) || failed;
    engine_free_results(&imb_engine, results);
    return failed ? message_set(error, "-json: %.200s cannot be written", path) : 0;
}

static int end_files(const struct imb_run *run, struct protocol *p, const char *end, struct message *error)
{
    if (protocol_result(p, "rows", (double)run->rows, "rows", error) ||
        protocol_result(p, "errors", (double)run->errors, "B", error) ||
        protocol_result(p, "left_out", (double)run->left_out, "tables", error) ||
        (isfinite(run->switches) &&
         protocol_result(p, "involuntary_switches", run->switches, "count", error)) ||
        protocol_end(p, end, error))
        return -1;
    return run->settings->json ? write_json(run, error) : 0;
}

int imb_output_finish(struct run *run, const char *end, bool *rated, struct message *error)
{
    struct imb_run *imb = (struct imb_run *)run;
    int failed = 0;
    if (!imb->all_done && /* a measurement takes much longer than promised */
        comm_elapsed(run->comm) >= imb->settings->run.time) {
        message_set(&imb->stopped, "stopped within %s: the time of the whole run (-time-total) is over",
                    *run->comm->doing ? run->comm->doing : "starting");
        failed = protocol_meta(&run->protocol, "note", imb->stopped.text, error);
    }
    if (imb->kept && !failed)
        failed = end_files(imb, &run->protocol, end, error);
    *rated = !imb->errors && !imb->left_out && !imb->write_failed;
    return failed;
}

int imb_output_print(struct run *run, struct message *error)
{
    const struct imb_run *imb = (const struct imb_run *)run;
    if (*imb->stopped.text)
        imb_put_note(imb->stopped.text, stdout);
    return fflush(stdout) || ferror(stdout) ? message_set(error, "standard output can't be written") : 0;
}
