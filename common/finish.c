/* The files of a finished run. Uses sheet, rundir, protocol, options. */
#include "common/finish.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opens a file of the run directory for writing. */
static FILE *open_file(const struct rundir *directory, const char *name, struct message *error)
{
    char *path = directory ? rundir_file(directory, name, error) : strdup("/dev/null");
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

static int write_summary(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    FILE *file = open_file(f->directory, "summary.txt", error);
    if (!file)
        return -1;
    sheet_text(sheet, file);
    return close_file(file, "summary.txt", 0, error);
}

/* A run that was ended has no time for long files: run.json then names run.prot for its records. */
static bool has_records(const struct finish *f)
{
    return strcmp(f->end, "complete") == 0;
}

static int write_json(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    FILE *file = open_file(f->directory, "run.json", error);
    return file ? close_file(file, "run.json", sheet_json(sheet, has_records(f), file), error) : -1;
}

static void name_table(const struct finish *f, const struct sheet *sheet, int i, char *name, size_t size)
{
    struct table table;
    f->engine->table(sheet, i, &table);
    snprintf(name, size, "patterns/%s.dat", table.name);
}

static int write_tables(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    int failed = 0;
    for (int i = 0; i < f->engine->table_count(sheet) && !failed; i++) {
        struct table table;
        char name[96];
        f->engine->table(sheet, i, &table);
        name_table(f, sheet, i, name, sizeof name);
        FILE *file = open_file(f->directory, name, error);
        if (file) {
            table_text(&table, "# ", file);
            failed = close_file(file, name, 0, error);
        } else {
            failed = -1;
        }
    }
    return failed;
}

/* A reader that went away is no error: everything is in the files. */
static void print(const struct finish *f, const struct sheet *sheet)
{
    if (f->settings->json) {
        sheet_json(sheet, has_records(f), stdout);
    } else if (f->settings->quiet) {
        printf("%s\n", sheet->headline);
    } else {
        printf("Protocol and results: %s\n\n", f->directory->path);
        if (f->settings->tables)
            sheet_text(sheet, stdout);
        else
            sheet_brief(sheet, stdout);
    }
    fflush(stdout);
}

/* The files that are about to be written, so that a later run knows them for ours. */
static int list_files(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    int failed = protocol_meta(f->protocol, RUNDIR_FILE_KEY, "summary.txt", error) ||
                 protocol_meta(f->protocol, RUNDIR_FILE_KEY, "run.json", error);
    for (int i = 0; i < f->engine->table_count(sheet) && !failed; i++) {
        char name[96];
        name_table(f, sheet, i, name, sizeof name);
        failed = protocol_meta(f->protocol, RUNDIR_FILE_KEY, name, error);
    }
    return failed ? -1 : 0;
}

static int end_protocol(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    int failed = sheet ? list_files(f, sheet, error) : 0;
    for (int i = 0; sheet && i < sheet->value_count && !failed; i++)
        if (isfinite(sheet->values[i].value))
            failed = protocol_result(f->protocol, sheet->values[i].name, sheet->values[i].value,
                                     sheet->values[i].unit, error);
    return failed ? failed : protocol_end(f->protocol, f->end, error);
}

/* What can't be written is reported in `error`, the first of it; the rest still is. */
static int write_files(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    struct message later[2];
    int failed = write_summary(f, sheet, error);
    if (write_json(f, sheet, failed ? &later[0] : error))
        failed = -1;
    if (write_tables(f, sheet, failed ? &later[1] : error))
        failed = -1;
    return failed;
}

int finish_run(const struct finish *f, bool *rated, struct message *error)
{
    struct message later[2]; /* the first failure is the one to tell */
    free(f->protocol->end);
    f->protocol->end = text_one_line(f->end); /* the verdict depends on it */
    struct sheet *sheet = engine_results(f->engine, f->protocol, error);
    int failed = sheet ? 0 : -1;
    *rated = sheet && sheet->rated && !sheet->errors;
    if (end_protocol(f, sheet, failed ? &later[0] : error))
        failed = -1;
    if (!sheet)
        return failed;
    if (write_files(f, sheet, failed ? &later[1] : error))
        failed = -1;
    print(f, sheet);
    engine_free_results(f->engine, sheet);
    return failed;
}

void finish_rehearse(const struct finish *f)
{
    struct message ignored;
    struct sheet *sheet = engine_results(f->engine, f->protocol, &ignored);
    if (sheet)
        write_files(f, sheet, &ignored);
    engine_free_results(f->engine, sheet);
}

int finish_describe_settings(const struct option_table *table, const void *settings,
                             struct protocol *protocol, struct message *error)
{
    int failed = 0;
    for (size_t i = 0; i < table->count && !failed; i++) {
        char *key = text_format("option_%s", table->rows[i].name);
        char *value = option_value(&table->rows[i], settings);
        failed = key && value ? protocol_meta(protocol, key, value, error)
                              : message_set(error, "out of memory for the protocol");
        free(key);
        free(value);
    }
    return failed;
}
