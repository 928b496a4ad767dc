/* Measures one size on one process: checked repetitions, probes, warm-up and timed repetitions. */
#include "imb_compat/mpi/run.h"

#include <math.h>

#include "common/memory.h"

/* Maximum fraction of the run's remaining time for one size. The rest is a reserve, because a size may take
 * longer than estimated. */
#define RUN_SHARE 0.75

/* Runs untimed repetitions, from which the time between votes follows. The computation of file accesses is
 * added, because probes do not compute. */
static void run_untimed(struct imb_context *t, struct imb_team *team, int64_t repetitions, bool probing)
{
    if (t->run->pace == 0 && repetitions > 1) { /* without an estimate, there are no votes */
        run_untimed(t, team, 1, probing);
        repetitions--;
    }
    const double seconds = imb_team_run(team, repetitions, probing, NULL);
    t->run->pace = imb_largest(t, seconds / (double)repetitions + (probing ? t->own_shares->cpu : 0));
}

/* Returns the time of one repetition on the slowest process, in seconds. */
static double probe(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_share *shares = t->own_shares;
    run_untimed(t, team, repetitions, true);
    return imb_largest(t, shares->seconds + shares->pure + (t->run->kind->fixed_compute ? shares->cpu : 0));
}

/* Returns the number of seconds that remain for a size that started at `start` (comm_now()). All
 * processes get the same value. */
static double seconds_left(const struct imb_context *t, double start)
{
    const struct imb_settings *s = t->run->settings;
    const double left = s->run.time - comm_elapsed(t->run->run.comm);
    return -imb_largest(t, -fmin(s->time - (comm_now(NULL) - start), RUN_SHARE * left));
}

static int64_t find_repetitions(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    const double start = comm_now(NULL);
    if (t->table->policy != IMB_DYNAMIC) {
        probe(t, team, repetitions);
        return repetitions;
    }
    double first = probe(t, team, 1);
    double second = probe(t, team, imb_repetitions_probe(s, repetitions, first));
    return imb_repetitions_within(s, repetitions, first, second, seconds_left(t, start));
}

/* With -check, runs untimed repetitions and checks all received data. After the first repetition, continues
 * for at most a tenth of the time for this size. The time limit of the table does not include these
 * repetitions. */
static void check_size(struct imb_context *t, const struct imb_memory *memory, int64_t repetitions,
                       struct imb_mismatch *mismatch)
{
    int64_t max = imb_repetitions_checked(repetitions);
    const double start = comm_now(NULL);
    struct imb_team *team = imb_team_make(t, memory, true);
    double seconds = imb_largest(t, imb_team_run(team, 1, false, NULL)), left = seconds_left(t, start) / 10;
    t->run->pace = seconds;
    max = seconds * (double)(max - 1) > left ? (int64_t)fmax(0, left / seconds) : max - 1;
    if (max > 0)
        imb_team_run(team, max, false, NULL);
    imb_team_free(team, mismatch);
    t->started += comm_now(NULL) - start;
}

/* Runs the untimed repetitions. Returns the number of timed repetitions. In IMB-P2P, this number depends on
 * the time that the untimed repetitions took. */
static int64_t warm_up(struct imb_context *t, struct imb_team *team, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    int64_t warmup = s->compat == IMB_30 ? 0 : imb_repetitions_warmup(s, repetitions);
    if (!warmup)
        return repetitions;
    run_untimed(t, team, warmup, false);
    if (s->component != IMB_P2P)
        return repetitions;
    double max = fmax(1, seconds_left(t, comm_now(NULL)) / imb_largest(t, t->own_shares->seconds));
    return max < (double)repetitions ? (int64_t)max : repetitions;
}

/* Converts times of repetitions to times in the table, for example to half of a round trip. */
static void divide(const struct imb_context *t, double *each, int64_t repetitions)
{
    const struct imb_settings *s = t->run->settings;
    double parts = imb_parts(s, t->table->benchmark);
    for (int i = 0; i < s->team; i++)
        t->own_shares[i].seconds /= parts;
    for (int64_t i = 0; each && i < s->team * repetitions; i++)
        each[i] /= parts;
}

static bool works(const struct imb_context *t, const struct imb_memory *memory)
{
    struct imb_measurement *m = t->run->kind->prepare(t, memory, false);
    const bool good = imb_persistent_works(m);
    t->run->kind->free(m);
    return good;
}

int64_t imb_measure_size(struct imb_context *t, const struct imb_memory memory[2], int64_t repetitions,
                         double **each, struct imb_mismatch *mismatch)
{
    const struct imb_settings *s = t->run->settings;
    t->run->pace = 0;
    if (t->table->benchmark->flags & IMB_PERSISTENT && !works(t, &memory[0]))
        return 0;
    if (s->check)
        check_size(t, &memory[1], repetitions, mismatch);
    struct imb_team *team = imb_team_make(t, &memory[0], false);
    if (imb_components[s->component].adaptive && (s->compat != IMB_30 || t->table->policy != IMB_DYNAMIC))
        repetitions = find_repetitions(t, team, repetitions);
    repetitions = warm_up(t, team, repetitions);
    if (s->raw && !t->table->completed_together)
        *each = memory_new((size_t)repetitions * (size_t)s->team, sizeof **each, IMB_BUFFERS);
    imb_team_run(team, repetitions, false, *each);
    divide(t, *each, repetitions);
    if (s->check)
        imb_team_check(team);
    imb_team_free(team, mismatch);
    return repetitions;
}

void imb_warm_up_table(struct imb_context *t)
{
    struct imb_mismatch unused = {0};
    if (t->run->settings->compat != IMB_30 || !t->run->settings->warm_up ||
        t->run->settings->component == IMB_IO || !t->sizes.count)
        return;
    struct imb_memory memory = imb_memory_make(t->table, t->sizes.bytes[t->sizes.count - 1], 2, false);
    if (imb_memory_gib(&memory) > t->run->settings->mem || imb_memory_overflows(&memory))
        return;
    struct imb_team *team = imb_team_make(t, &memory, false);
    imb_team_run(team, 2, false, NULL);
    imb_team_free(team, &unused);
}
