/* What the end of a run costs, on made-up records and without MPI. Started by bench/scale. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beff/results.h"
#include "common/clock.h"

enum { PROCESSES = 64, POLYGONS = 30, LMAX = 8388608, REPETITIONS = 3 };

static void add_meta(struct protocol *p)
{
    static const char *const metadata[][2] = {
        {"program", "beff"}, {"processes", "64"},           {"option_polygons", "30"}, {"seed", "1"},
        {"nodes", "1"},      {"memory_source", "detected"}, {"lmax", "8388608"},
    };
    for (size_t i = 0; i < sizeof metadata / sizeof metadata[0]; i++)
        if (protocol_keep_meta(p, metadata[i][0], metadata[i][1]))
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
                    if (protocol_keep_record(p, &r))
                        abort();
                }
}

static double resident_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* One line: from so many passes' records to the results. */
static void show_end(int passes)
{
    struct protocol p = {.type = &beff_record_type};
    struct pattern_list list;
    struct beff_results results = {.lmax = 0};
    struct message error;
    if (patterns_make(&list, PROCESSES, POLYGONS, 1, LMAX))
        abort();
    add_meta(&p);
    for (int pass = 1; pass <= passes; pass++)
        add_pass(&p, &list, pass);
    double before = resident_mib(), start = clock_since_start();
    if (beff_results_make(&results, &p, &error)) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    double seconds = clock_since_start() - start;
    printf("%8d %10zu %10.3f %18.3f %14.0f %14.0f\n", passes, p.record_count, seconds,
           1e6 * seconds / (double)p.record_count, before, resident_mib() - before);
}

int main(void)
{
    static const int passes[] = {10, 100, 1000};
    puts("  passes    records    seconds   microsec/record   records MiB   results MiB");
    fflush(stdout);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        pid_t child = fork(); /* of its own, so that its memory is */
        if (child == 0) {
            show_end(passes[i]);
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status)
            return 1;
    }
    return 0;
}
