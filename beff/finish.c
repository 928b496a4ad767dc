/* The files of a finished run. Uses results, sheet, rundir. */
#include "beff/finish.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"

/* Opens a file of the run directory for writing. */
static FILE *open_file(const struct rundir *directory, const char *name, struct message *error)
{
    char *path = rundir_file(directory, name, error);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && !file)
        message_set(error, "%s can't be written: %s", path, strerror(errno));
    free(path);
    return file;
}

static int close_file(FILE *file, const char *name, int failed, struct message *error)
{
    failed = ferror(file) || failed;
    int cause = errno;
    if (fclose(file)) {
        failed = 1;
        cause = errno;
    }
    return failed ? message_set(error, "%s can't be written: %s", name, strerror(cause)) : 0;
}

static int write_summary(const struct rundir *directory, const struct sheet *sheet, struct message *error)
{
    FILE *file = open_file(directory, "summary.txt", error);
    if (!file)
        return -1;
    sheet_text(sheet, file);
    return close_file(file, "summary.txt", 0, error);
}

static int write_json(const struct rundir *directory, const struct sheet *sheet, struct message *error)
{
    if (!sheet_has_json())
        return 0; /* the report program makes it from run.prot, elsewhere */
    FILE *file = open_file(directory, "run.json", error);
    return file ? close_file(file, "run.json", sheet_json(sheet, file), error) : -1;
}

static int write_patterns(const struct rundir *directory, const struct beff_results *results,
                          struct message *error)
{
    int failed = 0;
    for (int p = 0; p < results->list.count && !failed; p++) {
        struct table table;
        char name[64];
        beff_pattern_table(results, p, &table);
        snprintf(name, sizeof name, "patterns/%s.dat", table.name);
        FILE *file = open_file(directory, name, error);
        if (file) {
            table_text(&table, "# ", file);
            failed = close_file(file, name, 0, error);
        } else {
            failed = -1;
        }
        table_free(&table);
    }
    return failed;
}

/* A reader that went away is no error: everything is in the files. */
static void print(const struct sheet *sheet, const struct beff_settings *settings,
                  const struct rundir *directory)
{
    if (settings->json) {
        sheet_json(sheet, stdout);
    } else if (settings->quiet) {
        printf("%s\n", sheet->headline);
    } else {
        printf("Protocol and results: %s\n\n", directory->path);
        sheet_text(sheet, stdout);
    }
    fflush(stdout);
}

static int end_protocol(struct protocol *protocol, const struct sheet *sheet, const char *end,
                        struct message *error)
{
    int failed = 0;
    for (int i = 0; sheet && i < sheet->value_count && !failed; i++)
        if (isfinite(sheet->values[i].value))
            failed = protocol_result(protocol, sheet->values[i].name, sheet->values[i].value,
                                     sheet->values[i].unit, error);
    return failed ? failed : protocol_end(protocol, end, error);
}

int beff_finish(struct protocol *protocol, const struct rundir *directory,
                const struct beff_settings *settings, const char *end, bool *rated, struct message *error)
{
    struct beff_results results;
    struct message later[4]; /* the first failure is the one to tell */
    bool made = beff_results_make(&results, protocol, error) == 0;
    int failed = made ? 0 : -1;
    *rated = made && isfinite(results.rating.figures.b_eff);
    if (end_protocol(protocol, made ? &results.sheet : NULL, end, failed ? &later[0] : error))
        failed = -1;
    if (made) {
        if (write_summary(directory, &results.sheet, failed ? &later[1] : error))
            failed = -1;
        if (write_json(directory, &results.sheet, failed ? &later[2] : error))
            failed = -1;
        if (write_patterns(directory, &results, failed ? &later[3] : error))
            failed = -1;
        print(&results.sheet, settings, directory);
    }
    beff_results_free(&results);
    return failed;
}
