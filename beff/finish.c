/* The end of a run: its results, handed to the files. Uses results, finish. */
#include "beff/finish.h"

#include <math.h>

#include "beff/results.h"
#include "common/finish.h"

static void pattern_table(const void *results, int pattern, struct table *table)
{
    beff_pattern_table(results, pattern, table);
}

int beff_finish(struct protocol *protocol, const struct rundir *directory,
                const struct beff_settings *settings, const char *end, bool *rated, struct message *error)
{
    struct beff_results results;
    struct message later; /* the first failure is the one to tell */
    bool made = beff_results_make(&results, protocol, error) == 0;
    struct finish finish = {.protocol = protocol,
                            .directory = directory,
                            .sheet = made ? &results.sheet : NULL,
                            .end = end,
                            .json = settings->json,
                            .quiet = settings->quiet,
                            .table_count = made ? results.list.count : 0,
                            .table = pattern_table,
                            .context = &results};
    *rated = made && isfinite(results.rating.figures.b_eff);
    int failed = finish_run(&finish, made ? error : &later);
    beff_results_free(&results);
    return made && !failed ? 0 : -1;
}
