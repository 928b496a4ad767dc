/* The end of a run: its results, handed to the files. Uses results, finish. */
#include "beff_io/finish.h"

#include <stdlib.h>

#include "beff_io/results.h"

static void type_table(const void *results, int type, struct table *table)
{
    io_type_table(results, (enum io_type)type, table);
}

int io_finish(struct protocol *protocol, const struct rundir *directory, const struct io_settings *settings,
              const char *end, bool *rated, int64_t *errors, struct message *error)
{
    struct message later; /* the first failure is the one to tell */
    struct io_results *results = malloc(sizeof *results);
    bool made = results && io_results_make(results, protocol, error) == 0;
    if (!results)
        message_set(error, "out of memory for the results");
    struct finish finish = {.protocol = protocol,
                            .directory = directory,
                            .sheet = made ? &results->sheet : NULL,
                            .end = end,
                            .json = settings->json,
                            .quiet = settings->quiet,
                            .table_count = made ? IO_TYPES : 0,
                            .table = type_table,
                            .context = results};
    *rated = made && results->rating.best >= 0;
    *errors = made ? results->rating.errors : 0;
    int failed = finish_run(&finish, made ? error : &later);
    if (made)
        io_results_free(results);
    free(results);
    return made && !failed ? 0 : -1;
}
