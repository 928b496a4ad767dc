/* Writes the output of a run: rows, notes, reports of wrong data, the protocol and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/memory.h"
#include "imb_compat/format.h"
#include "imb_compat/mpi/run.h"

enum { REPORTED_MAX = 10 };

/* ---- protocol and notes ---- */

/* Creates an empty output file, or does nothing if `path` is NULL. Without -force, refuses to replace an
 * existing regular file, but accepts a device or a pipe. */
static int create_file(const struct imb_settings *s, const char *option, const char *path,
                       struct message *error)
{
    struct stat found;
    if (path && !s->run.force && stat(path, &found) == 0 && S_ISREG(found.st_mode))
        return message_set(error,
                           "%s: %.200s already exists: name another file, or give -force to replace it",
                           option, path);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && !file)
        return message_set(error, "%s: %.200s cannot be created: %s", option, path, strerror(errno));
    return file ? fclose(file) : 0;
}

int imb_open_output(struct imb_run *run, struct message *error)
{
    const struct imb_settings *s = run->settings;
    if (create_file(s, "-prot", s->prot, error) || create_file(s, "-json", s->json, error))
        return -1;
    run->recorded = s->prot || s->json;
    run->run.memory_mib = run->run.machine.memory_mib;
    int failed =
        run->recorded ? protocol_create(&run->run.protocol, s->prot, true, &imb_record_type, error) : 0;
    if (run->recorded && !failed) {
        run_describe(&run->run);
        failed = protocol_error(&run->run.protocol, error);
    }
    run->run.opened = !failed;
    return failed;
}

static void put_record(struct imb_run *run, const struct imb_record *record)
{
    struct message error;
    if (!run->recorded)
        return;
    protocol_record(&run->run.protocol, record);
    if (!protocol_error(&run->run.protocol, &error))
        return;
    comm_say(run->run.comm, "%s", error.text); /* the run goes on, and ends with status 1 */
    run->write_failed = true;
}

/* An empty line separates the rows of a table from its notes, because readers of IMB's output take all lines
 * up to the first empty line for rows. */
void imb_put_note(struct imb_run *run, const char *format, ...)
{
    char text[512];
    TEXT_PRINT(text, sizeof text, format);
    imb_put_line("%s" IMB_NOTE, run->in_rows ? "\n" : "", text);
    run->in_rows = false;
    protocol_put(&run->run.protocol, "note", "%s", text);
}

/* ---- one size ---- */

void imb_report_mismatch(struct imb_context *t, const struct imb_mismatch *found, int64_t bytes)
{
    if (!found->wrong || t->reported++ >= REPORTED_MAX)
        return;
    if (found->source == IMB_SOURCE_MISSING) {
        comm_say(t->run->run.comm,
                 "data error: %s, %" PRId64 " bytes, group %d: a part of the file is missing or duplicated",
                 t->table->benchmark->name, bytes, t->group);
        return;
    }
    char source[32] = "a sum over all processes";
    if (found->source == IMB_SOURCE_FILE)
        snprintf(source, sizeof source, "the file");
    else if (found->source >= 0)
        snprintf(source, sizeof source, "a message from rank %d",
                 imb_groups_rank(&t->table->groups, t->group, found->source));
    comm_say(t->run->run.comm,
             "data error: %s, %" PRId64 " bytes, rank %d: byte %" PRId64
             " is 0x%02x instead of 0x%02x in %s; "
             "%" PRId64 " wrong byte%s in total",
             t->table->benchmark->name, bytes, t->run->run.comm->rank, found->position, found->found,
             found->expected, source, found->wrong, TEXT_S(found->wrong));
}

static void note_setup(struct imb_context *t, double setup)
{
    if (setup > 0 && (t->setup[0] == 0 || setup < t->setup[0]))
        t->setup[0] = setup;
    t->setup[1] = fmax(t->setup[1], setup);
}

void imb_put_rows(struct imb_context *t, int size, int64_t repetitions)
{
    struct imb_run *run = t->run;
    const struct imb_groups *g = &t->table->groups;
    bool apart = run->settings->multi > 0;
    int rows = apart ? g->count : 1, count = (apart ? g->size : g->active) * run->settings->team;
    for (int r = 0; r < rows; r++) {
        struct imb_record record =
            imb_record_make(t->table, t->shares + r * count, count, t->sizes.bytes[size], repetitions);
        record.group = apart ? r : -1;
        for (int i = 0; i < count; i++)
            note_setup(t, t->shares[r * count + i].setup);
        imb_put_row(t->table, &record, stdout);
        put_record(run, &record);
        run->rows++;
        run->errors += record.errors;
        t->errors += record.errors;
        if (t->table->benchmark->columns == IMB_COLUMNS_OVERLAP &&
            !imb_overlap_is_meaningful(record.t_pure, record.t_cpu))
            t->marks[size] |= IMB_UNEQUAL;
    }
}

void imb_put_raw(struct imb_context *t, const double *each, int size, int64_t repetitions)
{
    struct imb_run *run = t->run;
    int threads = run->settings->team, processes = t->table->groups.active * threads, n = (int)repetitions;
    double *all = NULL;
    if (run->run.comm->rank == 0)
        all = memory_new((size_t)processes * (size_t)n, sizeof *all, "the raw times of one size");
    COMM_CHECK(run->run.comm,
               MPI_Gather(each, n * threads, MPI_DOUBLE, all, n * threads, MPI_DOUBLE, 0, t->active));
    for (int i = 0; all && i < n; i++) {
        for (int p = 0; p < processes; p++)
            t->shares[p] = (struct imb_share){.seconds = all[(size_t)p * (size_t)n + (size_t)i]};
        struct imb_record record = imb_record_make(t->table, t->shares, processes, t->sizes.bytes[size], 1);
        record.repetition = i + 1;
        put_record(run, &record);
    }
    free(all);
}

/* ---- skipped sizes ---- */

void imb_skip_size(struct imb_context *t, int size, const char *format, ...)
{
    char why[200], bytes[32] = "";
    TEXT_PRINT(why, sizeof why, format);
    if (t->table->benchmark->class != IMB_CLASS_UNSIZED)
        snprintf(bytes, sizeof bytes, ", %" PRId64 " B", t->sizes.bytes[size]);
    if (!t->run->left_out++)
        message_set(&t->run->skipped, "%s on %d process%s%s: %s", t->table->benchmark->name,
                    t->table->groups.size, TEXT_ES(t->table->groups.size), bytes, why);
}

/* ---- notes after a table ---- */

const char *imb_end_reason(const struct imb_end *end)
{
    return end->failed       ? ": a file could not be written or read"
           : end->signal     ? ": the run was stopped by a signal"
           : end->time_is_up ? ": the time limit of the whole run (-time-total) has been reached"
                             : ": see the row above";
}

/* Writes a note for each range of consecutive marked sizes. The note states `what` happened, the range and
 * `why`. */
static void note_ranges(struct imb_context *t, enum imb_mark mark, const char *what, const char *why)
{
    for (int i = 0; i < t->sizes.count; i++) {
        int first = i;
        char range[64] = "";
        while (i < t->sizes.count && t->marks[i] & mark)
            i++;
        if (i == first)
            continue;
        if (t->table->benchmark->class != IMB_CLASS_UNSIZED && i - first == 1)
            snprintf(range, sizeof range, " for size %" PRId64, t->sizes.bytes[first]);
        else if (t->table->benchmark->class != IMB_CLASS_UNSIZED)
            snprintf(range, sizeof range, " for sizes %" PRId64 " to %" PRId64, t->sizes.bytes[first],
                     t->sizes.bytes[i - 1]);
        imb_put_note(t->run, "%s%s%s", what, range, why);
    }
}

void imb_put_notes(struct imb_context *t)
{
    struct imb_run *run = t->run;
    const struct imb_groups *groups = &t->table->groups;
    if (run->kind->threads && groups->active < groups->processes)
        imb_put_note(run, "idle processes: %d", groups->processes - groups->active);
    if (run->kind->threads && groups->processes > 2 && t->table->benchmark->class != IMB_CLASS_UNSIZED &&
        t->table->benchmark->class != IMB_CLASS_COLLECTIVE)
        imb_put_note(run, "stride %d", imb_stride(run->settings, groups->processes));
    note_ranges(t, IMB_UNEQUAL, "overlap not meaningful", ": t_pure or t_CPU is below 1 % of the other");
    if (t->table->benchmark->class == IMB_CLASS_ONE_TO_ALL && t->table->groups.size > 2)
        imb_put_note(run, "Mbytes/sec counts only one of the %d messages of a repetition",
                     t->table->groups.size - 1);
    if (t->setup[1] > 0)
        imb_put_note(run, "setting up the request took %.2f to %.2f microsec; no column includes this time",
                     1e6 * t->setup[0], 1e6 * t->setup[1]);
    if (run->settings->check && t->table->benchmark->flags & IMB_NO_DEFECTS)
        imb_put_note(run, "wrong bytes found by -check: %" PRId64 "; this table has no column for them",
                     t->errors);
    if (run->settings->raw && t->table->completed_together)
        imb_put_note(run, "-raw: these repetitions are completed together and cannot be timed separately");
    if (t->sizes.max_wanted)
        imb_put_note(run,
                     "listed sizes above %" PRId64 " (the largest was %" PRId64
                     ") were reduced to this limit: raise the limit with -msglog",
                     INT64_C(1) << run->settings->max_log, t->sizes.max_wanted);
    if (t->sizes.count == 0)
        imb_put_note(run, "no sizes: 2^%" PRId64 " bytes, the largest size of -msglog, is less than one item",
                     run->settings->max_log);
    note_ranges(t, IMB_SKIPPED, "not measured", imb_end_reason(&run->end));
    char library[MPI_MAX_LIBRARY_VERSION_STRING], why[160];
    comm_library(library);
    snprintf(why, sizeof why, ": a call of this collective fails with %.79s", library);
    note_ranges(t, IMB_REFUSED, "not measured", why);
}

/* ---- the end ---- */

static int write_json(const struct imb_run *run, struct message *error)
{
    const char *path = run->settings->json;
    struct sheet *results = engine_results(&imb_engine, &run->run.protocol, error);
    if (!results)
        return -1;
    char *text;
    size_t length;
    FILE *file = memory_stream(&text, &length);
    sheet_json(results, true, file);
    memory_stream_end(file);
    int failed = text_save(path, true, text, length);
    free(text);
    engine_free_results(&imb_engine, results);
    return failed ? message_set(error, "-json: %.200s cannot be written: %s", path, strerror(errno)) : 0;
}

int imb_finish_output(struct run *run, const char *end, bool *rated, struct message *error)
{
    struct imb_run *imb = (struct imb_run *)run;
    struct protocol *p = &run->protocol;
    int failed = 0;
    if (imb->recorded) {
        protocol_result(p, "rows", (double)imb->rows, "rows");
        protocol_result(p, "errors", (double)imb->errors, "B");
        protocol_result(p, "left_out", (double)imb->left_out, "tables");
        protocol_end(p, end);
        failed = protocol_error(p, error) || (imb->settings->json && write_json(imb, error));
    }
    *rated = !imb->errors && !imb->left_out && !imb->write_failed;
    return failed ? -1 : 0;
}
