/* What a run of beff costs beside measuring, without MPI: planning on made-up machines of up to a million
 * processes, and the end of a run on made-up records. Started by bench/scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beff/conductor.h"
#include "beff/results.h"
#include "common/clock.h"

enum { PROCESSES = 64, POLYGONS = 30, LMAX = 8388608, REPETITIONS = 3 };

static double resident_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* ---- planning ---- */

/* A machine in virtual time: 20 microseconds and 1 GB/s; agreeing takes longer with more processes. */
struct machine {
    const struct pattern_list *list;
    double time, overhead;
    long orders, bytes; /* measurements; of the protocol */
};

static double elapsed(void *context)
{
    return ((struct machine *)context)->time;
}

static int perform(void *context, const struct order *order, struct outcome *outcome, struct message *error)
{
    struct machine *m = context;
    (void)error;
    double one = (20e-6 + (double)m->list->sizes[order->size] / 1e9) * (1 + 0.1 * (double)order->method);
    m->orders++;
    m->time += m->overhead + one * (double)(order->loops + order->warmup);
    outcome->t_min = outcome->t_avg = outcome->t_max = one * (double)order->loops;
    return 0;
}

static int keep_record(void *context, const struct beff_record *r, double expected, struct message *error)
{
    struct machine *m = context;
    (void)error, (void)expected;
    m->bytes +=
        snprintf(NULL, 0, "%d\t%d\t%s\t%s\t%d\t%lld\t%lld\t%.17g\t%.17g\t%.17g\t%.17g\t0\t0\t0\n",
                 (int)r->pass, (int)r->rep, r->pattern, r->method, (int)r->bytes, (long long)r->messages,
                 (long long)r->loops, r->t_min, r->t_avg, r->t_max, r->bandwidth);
    return 0;
}

static int keep_note(void *context, const char *key, const char *value, struct message *error)
{
    struct machine *m = context;
    (void)error;
    m->bytes += (long)(strlen(key) + strlen(value)) + 7;
    return 0;
}

/* One line: finding the patterns and one rank's neighbours, then planning a run of `seconds` (of the
 * machine's own time). */
static void show_plan(int64_t processes, double seconds)
{
    struct machine m = {.overhead = 2e-6 * log2((double)processes)};
    struct conductor_world comm = {elapsed, perform, keep_record, keep_note, &m};
    struct pattern_list list;
    struct conductor conductor;
    double before = resident_mib(), start = clock_since_start();
    if (patterns_make(&list, processes, POLYGONS, 1, LMAX))
        abort();
    m.list = &list;
    struct neighbours neighbours;
    for (int p = 0; p < list.count; p++)
        if (pattern_neighbours(&list, &list.patterns[p], processes / 2, &neighbours))
            abort();
    double made = clock_since_start();
    if (conductor_make(&conductor, &comm, &list, seconds, INT64_MAX, 1e-8))
        abort();
    conductor_run(&conductor);
    double planned = clock_since_start() - made;
    printf("%10lld %6.0f %10.3f %8ld %16.2f %12.1f %14.1f\n", (long long)processes, seconds,
           1e3 * (made - start), m.orders, 1e6 * planned / (double)m.orders,
           (double)m.bytes / (double)m.orders, resident_mib() - before);
    conductor_free(&conductor);
    patterns_free(&list);
}

/* ---- the end ---- */

static void add_meta(struct protocol *p)
{
    static const char *const metadata[][2] = {
        {"program", "beff"}, {"processes", "64"},           {"option_polygons", "30"}, {"seed", "1"},
        {"nodes", "1"},      {"memory_source", "detected"}, {"lmax", "8388608"},
    };
    for (size_t i = 0; i < sizeof metadata / sizeof metadata[0]; i++)
        if (protocol_meta(p, metadata[i][0], metadata[i][1], &(struct message){""}))
            abort();
}

static void add_pass(struct protocol *p, const struct pattern_list *list, int64_t pass)
{
    struct beff_record r = {.pass = pass, .loops = 100, .t_min = 1e-3, .t_avg = 2e-3, .t_max = 3e-3};
    for (r.rep = 1; r.rep <= REPETITIONS; r.rep++)
        for (int i = 0; i < list->count; i++)
            for (int m = 0; m < (list->patterns[i].sendrecv_only ? 1 : METHODS); m++)
                for (int s = 0; s < BEFF_SIZES; s++) {
                    r.bytes = list->sizes[s];
                    r.messages = list->patterns[i].messages;
                    r.bandwidth = (double)(r.bytes * r.messages * (pass % 7 + r.rep + m + 1));
                    strcpy(r.pattern, list->patterns[i].id);
                    strcpy(r.method, method_name((enum method)m));
                    if (protocol_record(p, &r, &(struct message){""}))
                        abort();
                }
}

/* One line: from so many passes' records to the results. */
static void show_end(int64_t passes, double unused)
{
    (void)unused;
    struct protocol p = {.type = &beff_record_type};
    struct pattern_list list;
    struct beff_results results = {.lmax = 0};
    struct message error;
    if (patterns_make(&list, PROCESSES, POLYGONS, 1, LMAX))
        abort();
    add_meta(&p);
    for (int64_t pass = 1; pass <= passes; pass++)
        add_pass(&p, &list, pass);
    double before = resident_mib(), start = clock_since_start();
    if (beff_results_make(&results, &p, &error)) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    double seconds = clock_since_start() - start;
    printf("%8lld %10zu %10.3f %18.3f %14.0f %14.0f\n", (long long)passes, p.record_count, seconds,
           1e6 * seconds / (double)p.record_count, before, resident_mib() - before);
}

/* In a process of its own, so that its memory is. */
static void apart(void (*show)(int64_t, double), int64_t number, double seconds)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        show(number, seconds);
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status)
        exit(1);
}

int main(void)
{
    puts(" processes  T s   patterns ms   orders  microsec/order  bytes/order  MiB");
    for (int64_t processes = 2; processes <= 2000000; processes *= 10)
        apart(show_plan, processes == 2000000 ? 1000000 : processes, 180);
    for (double seconds = 1; seconds <= 1e4; seconds *= 10)
        apart(show_plan, 1024, seconds);
    puts("\n  passes    records    seconds   microsec/record   records MiB   results MiB");
    for (int64_t passes = 10; passes <= 1000; passes *= 10)
        apart(show_end, passes, 0);
    return 0;
}
