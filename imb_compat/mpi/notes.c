/* What is told of a run beside its rows. Uses output, layout. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "common/clock.h"
#include "imb_compat/mpi/session.h"

bool imb_speaks(const struct imb_session *run)
{
    return run->world->rank == 0;
}

bool imb_is_over(const struct imb_session *run)
{
    return run->stop || run->time_is_up || run->failed;
}

double imb_time_left(const struct imb_settings *settings)
{
    double total = settings->time_total;
    return total > 0 ? total - clock_since_start() : INFINITY;
}

_Noreturn void imb_out_of_memory(struct imb_session *run)
{
    world_say(run->world, "out of memory for message buffers (rank %d); -mem sets a limit", run->world->rank);
    MPI_Abort(MPI_COMM_WORLD, EXIT_ENVIRONMENT);
    abort();
}

void imb_note(struct imb_session *run, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    imb_put_note(stdout, "%s", text);
    imb_output_meta(&run->output, "note", text);
}

/* One note for each range of sizes that are marked: `what` happened to it, and `why`. */
static void note_ranges(struct imb_table_run *t, const bool *marked, const char *what, const char *why)
{
    for (int i = 0; i < t->sizes.count; i++) {
        int first = i;
        char range[64] = "";
        while (i < t->sizes.count && marked[i])
            i++;
        if (i == first)
            continue;
        if (t->site.benchmark->class != IMB_CLASS_SYNC)
            snprintf(range, sizeof range, " for sizes %" PRId64 " to %" PRId64, t->sizes.bytes[first],
                     t->sizes.bytes[i - 1]);
        imb_note(t->run, "%s%s%s", what, range, why);
    }
}

void imb_put_notes(struct imb_table_run *t)
{
    struct imb_session *run = t->run;
    note_ranges(t, t->unequal, "overlap not meaningful", " because one operand is under 1 % of the other");
    if (t->site.benchmark->class == IMB_CLASS_ONE_TO_ALL && t->site.groups.size > 2)
        imb_note(
            run,
            "Mbytes/sec counts the message of one of the %d other processes; a repetition moves all of them",
            t->site.groups.size - 1);
    if (run->settings->check && t->site.benchmark->flags & IMB_NO_DEFECTS)
        imb_note(run, "%" PRId64 " wrong bytes found by -check; this table has no column for them",
                 t->errors);
    if (run->settings->raw && imb_completed_together(t->site.benchmark, t->site.mode))
        imb_note(run, "-raw: these repetitions are completed together, none has a time of its own");
    if (t->sizes.most_wanted)
        imb_note(run,
                 "sizes of the list above %" PRId64 " (the largest was %" PRId64
                 ") were cut to it: -msglog allows larger ones",
                 INT64_C(1) << run->settings->max_log, t->sizes.most_wanted);
    if (t->sizes.count == 0)
        imb_note(run, "no size: -msglog allows none of whole items");
    note_ranges(t, t->skipped, "left out",
                run->failed       ? ": a file could not be written or read"
                : run->stop       ? ": the run was stopped by a signal"
                : run->time_is_up ? ": the time of the whole run (-time-total) is over"
                                  : ": see the row above");
}
