#include "common/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "common/options.h"

enum {
    REPEATS = METADATA_REPEATS,
    REQUIRED = METADATA_REQUIRED,
    MACHINE = METADATA_MACHINE,
    EXPLAINS = METADATA_EXPLAINS
};

static const struct metadata_row rows[] = {
    {"format", METADATA_TEXT, 0},
    {"program", METADATA_TEXT, 0},
    {"command", METADATA_TEXT, REQUIRED},
    {"started", METADATA_TEXT, REQUIRED},
    {"finished", METADATA_TEXT, 0},
    {"elapsed_s", METADATA_REAL, 0},
    {"launch_s", METADATA_REAL, 0},
    {"clock_mpi_s", METADATA_REAL, 0},
    {"clock_system_s", METADATA_REAL, 0},
    {"clock_resolution_s", METADATA_REAL, 0},
    {"version", METADATA_TEXT, EXPLAINS},
    {"commit", METADATA_TEXT, REQUIRED | EXPLAINS},
    {"compiler", METADATA_TEXT, EXPLAINS},
    {"flags", METADATA_TEXT, 0},
    {"mpi", METADATA_TEXT, REQUIRED | MACHINE | EXPLAINS},
    {"mpi_version", METADATA_TEXT, 0},
    {"host", METADATA_TEXT, REQUIRED | EXPLAINS},
    {"job", METADATA_TEXT, 0},
    {"uname", METADATA_TEXT, 0},
    {"kernel", METADATA_TEXT, EXPLAINS},
    {"cpu", METADATA_TEXT, REQUIRED | MACHINE | EXPLAINS},
    {"virtual_machine", METADATA_YES, EXPLAINS},
    {"cores", METADATA_NUMBER, REQUIRED},
    {"hardware_threads", METADATA_INTEGER, REQUIRED},
    {"cpu_limit", METADATA_NUMBER, 0},
    {"memory_mib", METADATA_INTEGER, REQUIRED},
    {"memory_limit_mib", METADATA_NUMBER, 0},
    {"memory_ranks", METADATA_INTEGER, REQUIRED},
    {"memory_per_process_mib", METADATA_INTEGER, EXPLAINS},
    {"memory_source", METADATA_TEXT, METADATA_DEFINES},
    {"buffers", METADATA_TEXT, METADATA_DEFINES, "system"},
    {"gpu_library", METADATA_TEXT, EXPLAINS},
    {"gpu_support", METADATA_TEXT, EXPLAINS},
    {"gpu_shared", METADATA_TEXT, 0},
    {"processes", METADATA_INTEGER, REQUIRED | METADATA_SYSTEM},
    {"nodes", METADATA_INTEGER, REQUIRED | MACHINE | EXPLAINS},
    {"ranks_per_node", METADATA_NUMBER, REQUIRED | MACHINE | EXPLAINS},
    {"binding", METADATA_TEXT, EXPLAINS},
    {"placement", METADATA_TEXT, EXPLAINS},
    {"oversubscribed", METADATA_ANSWER, REQUIRED},
    {"more_ranks_than_cores", METADATA_ANSWER, 0},
    {"environment", METADATA_LABEL, REPEATS | EXPLAINS},
    {"environment_differs", METADATA_TEXT, EXPLAINS},
    {"definition", METADATA_TEXT, METADATA_DEFINES},
    {"lmax", METADATA_INTEGER, METADATA_SIZES | EXPLAINS},
    {"note", METADATA_TEXT, REPEATS},
    {"interrupted", METADATA_TEXT, REPEATS},
};

const struct metadata metadata_common = {rows, sizeof rows / sizeof rows[0], NULL};

/* The values of options by their kind. Others are texts, seeds too: they have more bits than a JSON number. A
 * list of one number is a number. */
static const struct {
    enum metadata_kind kind;
    const char *absent; /* value in runs made before the option existed; NULL: unknown */
} of_options[] = {[OPTION_FLAG] = {METADATA_YES, "no"}, [OPTION_INTEGER] = {METADATA_SIGNED},
                  [OPTION_REAL] = {METADATA_REAL},      [OPTION_SECONDS] = {METADATA_REAL},
                  [OPTION_TEXT] = {METADATA_TEXT, ""},  [OPTION_WORDS] = {METADATA_TEXT, ""},
                  [OPTION_TAGGED] = {METADATA_TEXT}};

static bool find_row(const struct metadata *metadata, const char *key, struct metadata_row *row)
{
    for (size_t i = 0; metadata && i < metadata->count; i++)
        if (strcmp(metadata->rows[i].key, key) == 0) {
            *row = metadata->rows[i];
            return true;
        }
    return false;
}

struct metadata_row metadata_find(const struct metadata *metadata, const char *key)
{
    const struct option_table *options = metadata ? metadata->options : NULL;
    struct metadata_row row = {NULL};
    if (find_row(metadata, key, &row) || find_row(&metadata_common, key, &row) || !options ||
        strncmp(key, OPTION_KEY, strlen(OPTION_KEY)) != 0)
        return row;
    for (const struct option_row *o = options->rows; o < options->rows + options->count && !row.key; o++)
        if (strcmp(o->name, key + strlen(OPTION_KEY)) == 0)
            row = (struct metadata_row){key, o->parts == 1 ? METADATA_REAL : of_options[o->kind].kind,
                                        o->uses, of_options[o->kind].absent};
    return row;
}

const char *metadata_expected(enum metadata_kind kind, const char *value)
{
    char *rest;
    if (kind == METADATA_YES)
        return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0 ? NULL : "yes or no";
    if (kind == METADATA_LABEL)
        return strchr(value, '=') ? NULL : "LABEL=VALUE";
    if (kind == METADATA_ANSWER)
        return metadata_expected(METADATA_YES, value) && strcmp(value, "unknown") ? "yes, no or unknown"
                                                                                  : NULL;
    if (kind == METADATA_SIGNED)
        return strtoll(value, &rest, 10), rest > value && !*rest ? NULL : "a whole number";
    if (kind == METADATA_INTEGER)
        return *value == '-' || metadata_expected(METADATA_SIGNED, value) ? "a whole number from 0" : NULL;
    if (kind == METADATA_REAL)
        return strtod(value, &rest), rest > value && !*rest ? NULL : "a number";
    return NULL;
}

bool metadata_is_number(enum metadata_kind kind)
{
    return kind == METADATA_INTEGER || kind == METADATA_SIGNED || kind == METADATA_REAL ||
           kind == METADATA_NUMBER;
}
