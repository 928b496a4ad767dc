/* Protocol and JSON of a run. Uses machine, protocol, results. */
#include "imb_compat/mpi/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "imb_compat/mpi/measurer.h"
#include "imb_compat/results.h"

static int describe_settings(struct imb_output *o, struct message *error)
{
    struct imb_options options;
    int failed = 0;
    imb_options_make(&options, o->plan->settings->component);
    for (size_t i = 0; i < options.table.count && !failed; i++) {
        char *key = text_format("option_%s", options.rows[i].name);
        char *value = option_value(&options.rows[i], o->plan->settings);
        failed = key && value ? protocol_meta(&o->protocol, key, value, error)
                              : message_set(error, "out of memory for the protocol");
        free(key);
        free(value);
    }
    return failed;
}

static int describe(struct imb_output *o, struct message *error)
{
    char date[CLOCK_DATE_SIZE], resolution[32], memory[32];
    clock_date(date);
    snprintf(resolution, sizeof resolution, "%.17g", clock_resolution(world_now, NULL));
    snprintf(memory, sizeof memory, "%" PRId64, o->machine->memory_mib);
    return protocol_meta(&o->protocol, "component", imb_components[o->plan->settings->component].name,
                         error) ||
           protocol_meta(&o->protocol, "command", o->plan->command, error) ||
           protocol_meta(&o->protocol, "started", date, error) ||
           machine_describe(o->world, o->machine, &o->protocol, error) ||
           protocol_meta(&o->protocol, "clock_resolution_s", resolution, error) ||
           protocol_meta(&o->protocol, "memory_per_process_mib", memory, error) ||
           describe_settings(o, error);
}

/* A protocol without a file is for JSON alone. */
static int start_in_memory(struct imb_output *o, struct message *error)
{
    o->protocol = (struct protocol){.type = &imb_record_type};
    return protocol_meta(&o->protocol, "format", PROTOCOL_FORMAT, error) ||
           protocol_meta(&o->protocol, "program", imb_record_type.program, error);
}

int imb_output_open(struct imb_output *o, struct message *error)
{
    const struct imb_settings *s = o->plan->settings;
    pthread_mutex_init(&o->lock, NULL);
    o->kept = s->prot || s->json;
    if (!o->kept)
        return 0;
    if (s->json) {
        FILE *file = fopen(s->json, "w");
        if (!file)
            return message_set(error, "-json: %.200s can't be created: %s", s->json, strerror(errno));
        fclose(file);
    }
    int failed = s->prot ? protocol_create(&o->protocol, s->prot, true, &imb_record_type, error)
                         : start_in_memory(o, error);
    return failed || describe(o, error) ? -1 : 0;
}

/* Once something could not be written, the run goes on and ends with status 1. */
static void note_failure(struct imb_output *o, const struct message *error)
{
    if (!o->write_failed)
        world_say(o->world, "%s", error->text);
    o->write_failed = true;
}

void imb_output_record(struct imb_output *o, const struct imb_record *record)
{
    struct message error;
    if (!o->kept)
        return;
    pthread_mutex_lock(&o->lock);
    if (!o->finished && protocol_record(&o->protocol, record, &error))
        note_failure(o, &error);
    pthread_mutex_unlock(&o->lock);
}

void imb_output_meta(struct imb_output *o, const char *key, const char *value)
{
    struct message error;
    if (!o->kept)
        return;
    pthread_mutex_lock(&o->lock);
    if (!o->finished && protocol_meta(&o->protocol, key, value, &error))
        note_failure(o, &error);
    pthread_mutex_unlock(&o->lock);
}

/* ---- the end ---- */

static int write_json(const struct imb_output *o, struct message *error)
{
    const char *path = o->plan->settings->json;
    struct imb_results *results = calloc(1, sizeof *results);
    if (!results || imb_results_make(results, &o->protocol, error)) {
        free(results);
        return message_set(error, "-json: out of memory for the results");
    }
    FILE *file = fopen(path, "w");
    int failed = !file || sheet_json(&results->sheet, file);
    failed = (file && fclose(file)) || failed;
    imb_results_free(results);
    free(results);
    return failed ? message_set(error, "-json: %.200s can't be written", path) : 0;
}

static int end_files(struct imb_output *o, const char *end, struct message *error)
{
    char date[CLOCK_DATE_SIZE], seconds[32];
    clock_date(date);
    snprintf(seconds, sizeof seconds, "%.3f", clock_since_start());
    if (protocol_meta(&o->protocol, "finished", date, error) ||
        protocol_meta(&o->protocol, "elapsed_s", seconds, error) ||
        protocol_result(&o->protocol, "rows", (double)o->rows, "rows", error) ||
        protocol_result(&o->protocol, "errors", (double)o->errors, "B", error) ||
        protocol_result(&o->protocol, "left_out", (double)o->left_out, "tables", error) ||
        (isfinite(o->switches) &&
         protocol_result(&o->protocol, "involuntary_switches", o->switches, "count", error)) ||
        protocol_end(&o->protocol, end, error))
        return -1;
    return o->plan->settings->json ? write_json(o, error) : 0;
}

void imb_output_end(struct imb_output *o, const char *end)
{
    struct message error;
    pthread_mutex_lock(&o->lock);
    if (!o->finished) {
        o->finished = true;
        progress_end(&o->progress);
        if (o->kept && end_files(o, end, &error))
            note_failure(o, &error);
    }
    pthread_mutex_unlock(&o->lock);
}

void imb_output_free(struct imb_output *o)
{
    if (o->kept)
        protocol_free(&o->protocol);
}
