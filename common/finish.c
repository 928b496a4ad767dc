/* The files of a finished run. Uses sheet, rundir, protocol, metadata. */
#include "common/finish.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/metadata.h"

static void file_table(const struct engine *engine, const struct sheet *sheet, int i, struct table *table)
{
    static const char by[] = "by_";
    int own = i - FINISH_TABLES - sheet->table_count;
    if (own >= 0) {
        engine->table(sheet, own, table);
        return;
    }
    *table = sheet->tables[i - FINISH_TABLES];
    const char *name = sheet->tables[i - FINISH_TABLES].name;
    if (strncmp(name, by, strlen(by)) == 0)
        snprintf(table->name, sizeof table->name, "%.*ss", (int)sizeof table->name - 2, name + strlen(by));
}

const char *finish_file_name(const struct engine *engine, const struct sheet *sheet, int i,
                             char name[FINISH_NAME_SIZE])
{
    struct table table;
    if (i >= FINISH_TABLES) {
        file_table(engine, sheet, i, &table);
        snprintf(name, FINISH_NAME_SIZE, "patterns/%s.dat", table.name);
    } else {
        snprintf(name, FINISH_NAME_SIZE, i == FINISH_JSON ? "run.json" : "summary.txt");
    }
    return name;
}

int finish_write_file(const struct engine *engine, const struct sheet *sheet, int i, bool records, FILE *out)
{
    struct table table;
    if (i == FINISH_JSON)
        return sheet_json(sheet, records, out);
    if (i == FINISH_SUMMARY) {
        sheet_text(sheet, out);
    } else {
        file_table(engine, sheet, i, &table);
        table_text(&table, "# ", out);
    }
    return ferror(out) ? -1 : 0;
}

/* A run that was ended has no time for long files: run.json then names run.prot for its records. */
static bool has_records(const struct finish *f)
{
    return strcmp(f->protocol->end, "complete") == 0;
}

static int write_file(const struct finish *f, const struct sheet *sheet, int i, struct message *error)
{
    char name[FINISH_NAME_SIZE];
    finish_file_name(f->engine, sheet, i, name);
    char *path = rundir_file(f->directory, name, error);
    FILE *file = path ? fopen(path, "wx") : NULL;
    if (path && !file)
        message_set(error, "%s can't be written: %s", path, strerror(errno));
    free(path);
    if (!file)
        return -1;
    int failed = finish_write_file(f->engine, sheet, i, has_records(f), file);
    int cause = errno;
    if (fclose(file)) {
        failed = -1;
        cause = errno;
    }
    return failed ? message_set(error, "%s can't be written: %s", name, strerror(cause)) : 0;
}

static int end_protocol(const struct finish *f, const char *end, const struct sheet *sheet,
                        struct message *error)
{
    int failed = 0;
    for (int i = 0; sheet && i < sheet->value_count && !failed; i++)
        if (isfinite(sheet->values[i].value))
            failed = protocol_result(f->protocol, sheet->values[i].name, sheet->values[i].value,
                                     sheet->values[i].unit, error);
    return failed ? failed : protocol_end(f->protocol, end, error);
}

/* What can't be written is reported in `error`, the first of it; the rest still is. */
static int write_files(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    struct message later;
    int failed = 0;
    for (int i = 0; i < finish_file_count(sheet); i++)
        if (write_file(f, sheet, i, failed ? &later : error))
            failed = -1;
    return failed;
}

int finish_run(const struct finish *f, const char *end, struct sheet **results, struct message *error)
{
    struct message later; /* only the first failure is reported */
    free(f->protocol->end);
    f->protocol->end = text_one_line(end); /* the verdict depends on it */
    struct sheet *sheet = *results = engine_results(f->engine, f->protocol, error);
    int failed = sheet ? 0 : -1;
    if (end_protocol(f, end, sheet, failed ? &later : error))
        failed = -1;
    if (sheet && write_files(f, sheet, failed ? &later : error))
        failed = -1;
    return failed;
}

/* A reader that went away is no error: everything is in the files. */
int finish_print(const struct finish *f, const struct sheet *sheet, struct message *error)
{
    errno = 0;
    if (f->settings->json) {
        sheet_json(sheet, has_records(f), stdout);
    } else if (f->settings->quiet) {
        printf("%s\n", sheet->headline);
    } else if (f->settings->tables) {
        printf("files: %s\n\n", f->directory);
        sheet_text(sheet, stdout);
    } else {
        sheet_brief(sheet, f->directory, stdout);
    }
    if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
        return 0;
    return message_set(error, "standard output can't be written: %s", strerror(errno));
}

int finish_describe_settings(const struct option_table *table, const void *settings,
                             struct protocol *protocol, struct message *error)
{
    int failed = 0;
    for (size_t i = 0; i < table->count && !failed; i++) {
        char *key = text_format(METADATA_OPTION "%s", table->rows[i].name);
        char *value = option_value(&table->rows[i], settings);
        if (!key || !value)
            failed = message_set(error, "out of memory for the protocol");
        else if (!metadata_is_alias(key, table))
            failed = protocol_meta(protocol, key, value, error);
        free(key);
        free(value);
    }
    return failed;
}
