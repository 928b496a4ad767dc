#include "imb_compat/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/memory.h"

/* ---- files, records and notes ---- */

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

int imb_output_create(const struct imb_settings *s, struct message *error)
{
    return create_file(s, "-prot", s->prot, error) || create_file(s, "-json", s->json, error) ? -1 : 0;
}

static int put_record(struct imb_output *out, const struct imb_record *record, struct message *error)
{
    if (!out->recorded)
        return 0;
    protocol_record(out->protocol, record);
    int failed = protocol_error(out->protocol, error);
    out->write_failed = out->write_failed || failed;
    return failed;
}

/* Writes a note to standard output and to the protocol. An empty line separates the rows of a table from its
 * notes, because readers of IMB's output take all lines up to the first empty line for rows. */
__attribute__((format(printf, 2, 3))) static void note(struct imb_output *out, const char *format, ...)
{
    char text[512];
    TEXT_PRINT(text, sizeof text, format);
    imb_put_line("%s" IMB_NOTE, out->in_rows ? "\n" : "", text);
    out->in_rows = false;
    protocol_put(out->protocol, "note", "%s", text);
}

/* ---- one size ---- */

void imb_mismatch_text(const struct imb_mismatch *found, const struct imb_table *table, int64_t bytes,
                       int group, int rank, struct message *text)
{
    char source[32] = "a sum over all processes";
    if (found->source == IMB_SOURCE_MISSING) {
        message_set(
            text, "data error: %s, %" PRId64 " bytes, group %d: a part of the file is missing or duplicated",
            table->benchmark->name, bytes, group);
        return;
    }
    if (found->source == IMB_SOURCE_FILE)
        snprintf(source, sizeof source, "the file");
    else if (found->source >= 0)
        snprintf(source, sizeof source, "a message from rank %d",
                 imb_groups_rank(&table->groups, group, found->source));
    message_set(text,
                "data error: %s, %" PRId64 " bytes, rank %d: byte %" PRId64
                " is 0x%02x instead of 0x%02x in %s; %" PRId64 " wrong byte%s in total",
                table->benchmark->name, bytes, rank, found->position, found->found, found->expected, source,
                found->wrong, TEXT_S(found->wrong));
}

void imb_crash_text(const struct imb_tables *tables, size_t at, int64_t bytes, char *line, size_t size)
{
    const struct imb_benchmark *current = tables->table[at].benchmark, *last = current;
    snprintf(line, size, "MPI crashed in %s with %" PRId64 " B in GPU memory; not reached:", current->name,
             bytes);
    for (; at < tables->count; at++) {
        if (tables->table[at].benchmark != last)
            text_append(line, size, " %s", tables->table[at].benchmark->name);
        last = tables->table[at].benchmark;
    }
    if (last == current)
        text_append(line, size, " none");
}

static void note_setup(struct imb_output *out, double setup)
{
    if (setup > 0 && (out->setup[0] == 0 || setup < out->setup[0]))
        out->setup[0] = setup;
    out->setup[1] = fmax(out->setup[1], setup);
}

int imb_output_rows(struct imb_output *out, const struct imb_share *shares, int size, int64_t repetitions,
                    struct message *error)
{
    const struct imb_table *table = out->table;
    const struct imb_groups *g = &table->groups;
    bool apart = out->settings->multi > 0;
    int rows = apart ? g->count : 1, count = (apart ? g->size : g->active) * out->settings->team, failed = 0;
    for (int r = 0; r < rows; r++) {
        struct imb_record record =
            imb_record_make(table, shares + r * count, count, out->sizes->bytes[size], repetitions);
        record.group = apart ? r : -1;
        for (int i = 0; i < count; i++)
            note_setup(out, shares[r * count + i].setup);
        imb_put_row(table, &record, stdout);
        failed = put_record(out, &record, error);
        out->rows++;
        out->errors += record.errors;
        out->table_errors += record.errors;
        if (table->benchmark->columns == IMB_COLUMNS_OVERLAP &&
            !imb_overlap_is_meaningful(record.t_pure, record.t_cpu))
            out->marks[size] |= IMB_UNEQUAL;
    }
    return failed;
}

void imb_raw_make(double *raw, const double *each, int threads, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double *max = raw + i, *min = max + n, *sum = min + n, *timed = sum + n;
        *max = -1;
        *min = INFINITY;
        *sum = *timed = 0;
        for (int t = 0; t < threads; t++) {
            const double seconds = each[t * n + i];
            *max = fmax(*max, seconds);
            *min = fmin(*min, seconds < 0 ? INFINITY : seconds);
            *sum += fmax(0, seconds);
            *timed += seconds >= 0;
        }
    }
}

int imb_output_raw(struct imb_output *out, const double *raw, int size, int64_t n, struct message *error)
{
    int failed = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *max = raw + i, *min = max + n, *sum = min + n, *timed = sum + n;
        /* If no process was timed, both ends are negative. */
        const struct imb_share ends[] = {{.seconds = *max}, {.seconds = fmin(*max, *min)}};
        struct imb_record record = imb_record_make(out->table, ends, 2, out->sizes->bytes[size], 1);
        record.t_avg = *timed > 0 ? *sum / *timed : 0;
        record.repetition = i + 1;
        failed = put_record(out, &record, error);
    }
    return failed;
}

/* ---- skipped sizes ---- */

void imb_output_skip(struct imb_output *out, int size, enum imb_mark mark, const char *format, ...)
{
    char why[200], bytes[32] = "";
    const struct imb_table *table = out->table;
    TEXT_PRINT(why, sizeof why, format);
    out->marks[size] |= (unsigned char)mark;
    if (table->benchmark->class != IMB_CLASS_UNSIZED)
        snprintf(bytes, sizeof bytes, ", %" PRId64 " B", out->sizes->bytes[size]);
    if (!out->left_out++)
        message_set(&out->skipped, "%s on %d process%s%s: %s", table->benchmark->name, table->groups.size,
                    TEXT_ES(table->groups.size), bytes, why);
}

void imb_output_failure(struct imb_output *out, int size, enum imb_failure failure, double gib)
{
    const struct imb_settings *s = out->settings;
    if (failure == IMB_OUT_OF_MEMORY)
        imb_output_skip(out, size, IMB_SKIPPED, "needs %.3g GiB, -mem allows %.3g", gib, s->mem);
    else if (failure == IMB_TIME_OUT)
        imb_output_skip(out, size, IMB_SKIPPED,
                        "the sizes before it took the time of the table (-time %g s for a size)", s->time);
    else
        imb_output_skip(out, size, IMB_SKIPPED, "more items than an int can count");
    if (out->failed[failure])
        return;
    out->failed[failure] = true;
    bool unsized = out->table->benchmark->class == IMB_CLASS_UNSIZED;
    int64_t bytes = unsized ? INT64_C(1) << s->max_log : out->sizes->bytes[size];
    for (int g = 0; g < (s->multi > 0 ? out->table->groups.count : 1); g++)
        imb_put_failure(out->table, g, bytes, failure, gib, stdout);
}

/* ---- one table ---- */

const char *imb_end_reason(const struct imb_end *end)
{
    return end->failed       ? ": a file could not be written or read"
           : end->signal     ? ": the run was stopped by a signal"
           : end->time_is_up ? ": the time limit of the whole run (-time-total) has been reached"
                             : ": see the row above";
}

void imb_output_table(struct imb_output *out, const struct imb_table *table, const struct imb_sizes *sizes)
{
    out->table = table;
    out->sizes = sizes;
    out->marks = memory_new((size_t)sizes->count + 1, 1, "the notes");
    memset(out->failed, 0, sizeof out->failed);
    out->setup[0] = out->setup[1] = 0;
    out->table_errors = 0;
}

/* Writes a note for each range of consecutive marked sizes. The note states `what` happened, the range and
 * `why`. */
static void note_ranges(struct imb_output *out, enum imb_mark mark, const char *what, const char *why)
{
    const struct imb_sizes *sizes = out->sizes;
    for (int i = 0; i < sizes->count; i++) {
        int first = i;
        char range[64] = "";
        while (i < sizes->count && out->marks[i] & mark)
            i++;
        if (i == first)
            continue;
        if (out->table->benchmark->class != IMB_CLASS_UNSIZED && i - first == 1)
            snprintf(range, sizeof range, " for size %" PRId64, sizes->bytes[first]);
        else if (out->table->benchmark->class != IMB_CLASS_UNSIZED)
            snprintf(range, sizeof range, " for sizes %" PRId64 " to %" PRId64, sizes->bytes[first],
                     sizes->bytes[i - 1]);
        note(out, "%s%s%s", what, range, why);
    }
}

/* Notes which processes of IMB-MT took part. */
static void note_partners(struct imb_output *out)
{
    const struct imb_groups *groups = &out->table->groups;
    const enum imb_class class = out->table->benchmark->class;
    if (imb_components[out->settings->component].work != IMB_THREADS)
        return;
    if (groups->active < groups->processes)
        note(out, "idle processes: %d", groups->processes - groups->active);
    if (groups->processes > 2 && class != IMB_CLASS_UNSIZED && class != IMB_CLASS_COLLECTIVE)
        note(out, "stride %d", imb_stride(out->settings, groups->processes));
}

void imb_output_end_table(struct imb_output *out, const struct imb_end *end)
{
    const struct imb_table *table = out->table;
    const struct imb_settings *s = out->settings;
    char why[160];
    note_partners(out);
    note_ranges(out, IMB_UNEQUAL, "overlap not meaningful", ": t_pure or t_CPU is below 1 % of the other");
    if (table->benchmark->class == IMB_CLASS_ONE_TO_ALL && table->groups.size > 2)
        note(out, "Mbytes/sec counts only one of the %d messages of a repetition", table->groups.size - 1);
    if (out->setup[1] > 0)
        note(out, "setting up the request took %.2f to %.2f microsec; no column includes this time",
             1e6 * out->setup[0], 1e6 * out->setup[1]);
    if (s->check && table->benchmark->flags & IMB_NO_DEFECTS)
        note(out, "wrong bytes found by -check: %" PRId64 "; this table has no column for them",
             out->table_errors);
    if (s->raw && table->completed_together)
        note(out, "-raw: these repetitions are completed together and cannot be timed separately");
    if (out->sizes->max_wanted)
        note(out,
             "listed sizes above %" PRId64 " (the largest was %" PRId64
             ") were reduced to this limit: raise the limit with -msglog",
             INT64_C(1) << s->max_log, out->sizes->max_wanted);
    if (out->sizes->count == 0)
        note(out, "no sizes: 2^%" PRId64 " bytes, the largest size of -msglog, is less than one item",
             s->max_log);
    note_ranges(out, IMB_SKIPPED, "not measured", imb_end_reason(end));
    snprintf(why, sizeof why, ": a call of this collective fails with %s", out->library);
    note_ranges(out, IMB_REFUSED, "not measured", why);
}

/* ---- the end ---- */

void imb_output_invalid(struct imb_output *out, const struct imb_table *table, int processes)
{
    imb_put_invalid(table, processes, stdout);
    if (!table->requested)
        return;
    text_append(out->lacking.text, sizeof out->lacking.text, "%s%s", *out->lacking.text ? ", " : "",
                table->benchmark->name);
    out->left_out++;
}

void imb_output_left(struct imb_output *out, const struct imb_tables *tables, size_t done,
                     const struct imb_end *end)
{
    const size_t left = tables->count - done;
    if (!left)
        return;
    if (!out->left_out)
        message_set(&out->skipped, "%s%s", tables->table[done].benchmark->name, imb_end_reason(end));
    out->left_out += (int64_t)left;
    note(out, "%zu of %zu table%s not measured%s", left, tables->count, TEXT_S(tables->count),
         imb_end_reason(end));
}

enum exit_status imb_output_status(const struct imb_output *out, const struct imb_tables *tables,
                                   int processes, int signal, struct message *why)
{
    bool measurable = false; /* at least one table can be measured */
    if (signal)
        message_set(why, "stopped by signal %d", signal);
    else if (*out->lacking.text)
        message_set(why, "sizes and tables skipped: %" PRId64 "; %s (%d started): %.400s", out->left_out,
                    out->settings->component == IMB_P2P ? "invalid for the number of processes"
                                                        : "at least 2 processes required",
                    processes, out->lacking.text);
    else if (out->left_out)
        message_set(why, "sizes and tables skipped: %" PRId64 "; %s%.300s", out->left_out,
                    out->left_out > 1 ? "the first: " : "", out->skipped.text);
    else
        return EXIT_OK;
    for (size_t i = 0; i < tables->count; i++)
        measurable = measurable || tables->table[i].groups.size;
    return signal ? EXIT_STOPPED : measurable ? EXIT_ERRORS : EXIT_ENVIRONMENT;
}

static int write_json(const struct imb_output *out, struct message *error)
{
    const char *path = out->settings->json;
    struct sheet *results = engine_results(&imb_engine, out->protocol, error);
    if (!results)
        return -1;
    struct stream stream;
    sheet_json(results, true, stream_start(&stream));
    int failed = text_save(path, true, &stream);
    engine_free_results(&imb_engine, results);
    return failed ? message_set(error, "-json: %.200s cannot be written: %s", path, strerror(errno)) : 0;
}

int imb_output_finish(struct imb_output *out, const char *end, bool *complete, struct message *error)
{
    struct protocol *p = out->protocol;
    int failed = 0;
    if (out->recorded) {
        protocol_result(p, "rows", (double)out->rows, "rows");
        protocol_result(p, "errors", (double)out->errors, "B");
        protocol_result(p, "left_out", (double)out->left_out, "tables");
        protocol_end(p, end);
        failed = protocol_error(p, error) || (out->settings->json && write_json(out, error));
    }
    *complete = !out->errors && !out->left_out && !out->write_failed;
    return failed ? -1 : 0;
}
