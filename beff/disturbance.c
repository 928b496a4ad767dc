#include "beff/disturbance.h"

#include <inttypes.h>
#include <math.h>

#include "beff/record.h"

const char *const disturbance_causes[] = {[DISTURBER_PROGRAMS] = "programs",
                                          [DISTURBER_HYPERVISOR] = "hypervisor",
                                          [DISTURBER_QUOTA] = "quota",
                                          [DISTURBER_SWITCHES] = "switches",
                                          [DISTURBERS] = NULL};

/* The smallest shares that are described: of the processors, and of switches per second and process. */
#define LEAST          0.02
#define LEAST_SWITCHES 50

double disturbance_share(const struct disturbance *d)
{
    return d && d->of > 0 ? d->used / d->of : -1;
}

void disturbance_make(struct disturbance made[DISTURBERS], const char *host,
                      const struct processor_times *before, const struct processor_times *after,
                      const struct own_use *own)
{
    double busy = after->busy - before->busy, steal = after->steal - before->steal;
    double threads = after->threads, possible = threads * own->seconds, all = after->all - before->all;
    /* Some containers have counters that stand still. Other threads were counted if one went offline. */
    bool counted = possible > 0 && before->threads == after->threads && busy >= 0 && steal >= 0 &&
                   fabs(all - possible) <= 0.5 * possible;
    const double used[] = {busy - own->busy, steal, after->throttled - before->throttled, own->switches};
    for (int i = 0; i < DISTURBERS; i++) {
        double most = i == DISTURBER_SWITCHES ? INFINITY : possible;
        made[i] = (struct disturbance){.cause = i};
        if (!counted)
            continue;
        made[i].used = fmin(fmax(used[i], 0), most) / own->seconds;
        made[i].of = i == DISTURBER_SWITCHES ? own->processes : threads;
        snprintf(made[i].host, sizeof made[i].host, "%s", host);
        text_to_word(made[i].host);
    }
}

void disturbance_put(struct protocol *protocol, int pass, double seconds,
                     struct disturbance worst[DISTURBERS])
{
    for (int i = 0; i < DISTURBERS && seconds >= DISTURBANCE_SECONDS; i++)
        if (worst[i].of > 0) {
            worst[i].pass = pass;
            worst[i].seconds = seconds;
            protocol_add(protocol, BEFF_DISTURBANCES, &worst[i], 1);
        }
}

/* Adds what a disturber took to a line of text. */
static void append(char text[DISTURBANCE_TEXT_SIZE], const struct disturbance *d)
{
    static const char *const starts[] = {"other programs used", "the hypervisor took",
                                         "the cgroup's quota withheld"};
    text_append(text, DISTURBANCE_TEXT_SIZE, "%s", *text ? "; " : "");
    if (d->cause == DISTURBER_SWITCHES)
        text_append(text, DISTURBANCE_TEXT_SIZE, "each process was displaced %.0f times per second on %s",
                    disturbance_share(d), d->host);
    else
        text_append(text, DISTURBANCE_TEXT_SIZE, "%s %.*f of %.0f processor%s on %s (%.0f %%)",
                    starts[d->cause], d->used < 1 ? 2 : 1, d->used, d->of, d->of > 1 ? "s" : "", d->host,
                    100 * disturbance_share(d));
}

void disturbance_describe(const struct protocol *protocol, char text[DISTURBANCE_TEXT_SIZE])
{
    size_t count;
    const struct disturbance *row = protocol_table(protocol, BEFF_DISTURBANCES, &count);
    const struct disturbance *worst[DISTURBERS] = {NULL};
    int64_t passes = 0;
    *text = 0;
    for (size_t i = 0; i < count; i++, row++) {
        passes = row->pass > passes ? row->pass : passes;
        if (disturbance_share(row) > disturbance_share(worst[row->cause]))
            worst[row->cause] = row;
    }
    for (int w = 0; w < DISTURBERS; w++) {
        /* Healthy processes that yield, or receive by TCP, are often switched as well. */
        bool alone = w == DISTURBER_SWITCHES && disturbance_share(worst[DISTURBER_PROGRAMS]) < LEAST;
        if (alone || disturbance_share(worst[w]) < (w == DISTURBER_SWITCHES ? LEAST_SWITCHES : LEAST))
            continue;
        append(text, worst[w]);
        if (passes > 1)
            text_append(text, DISTURBANCE_TEXT_SIZE, " in pass %" PRId64, worst[w]->pass);
    }
}
