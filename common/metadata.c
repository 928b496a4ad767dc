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
    {"format", METADATA_TEXT, 0, NULL, "beff-protocol-1"},
    {"program", METADATA_TEXT, 0, NULL, "beff, beff_io or imb_compat"},
    {"command", METADATA_TEXT, REQUIRED, NULL, "command line"},
    {"started", METADATA_TEXT, REQUIRED, NULL, "start of the run, UTC"},
    {"finished", METADATA_TEXT, 0, NULL, "end of the run, UTC"},
    {"elapsed_s", METADATA_REAL, 0, "s", "time from the start of T to the end of measuring"},
    {"launch_s", METADATA_REAL, 0, "s",
     "time from the start of the first process to the start of the last process"},
    {"clocks", METADATA_TEXT, 0, "s",
     "time of the whole run by MPI_Wtime and by the system's clock, on the process where they differ most"},
    {"clock_resolution_s", METADATA_REAL, 0, "s", "resolution of the clock"},
    {"version", METADATA_TEXT, EXPLAINS, NULL, "version of the program"},
    {"commit", METADATA_TEXT, REQUIRED | EXPLAINS, NULL, "commit that the program was built from"},
    {"compiler", METADATA_TEXT, EXPLAINS, NULL, "compiler of the program"},
    {"flags", METADATA_TEXT, 0, NULL, "compiler flags"},
    {"mpi", METADATA_TEXT, REQUIRED | MACHINE | EXPLAINS, NULL, "MPI library and its version"},
    {"mpi_version", METADATA_TEXT, 0, NULL, "MPI standard that the library implements"},
    {"host", METADATA_TEXT, REQUIRED | EXPLAINS, NULL, "name of rank 0's node"},
    {"uname", METADATA_TEXT, 0, NULL, "system, host, release, version and machine of rank 0's node"},
    {"kernel", METADATA_TEXT, EXPLAINS, NULL, "kernel release of rank 0's node"},
    {"cpu", METADATA_TEXT, REQUIRED | MACHINE | EXPLAINS, NULL, "processor of rank 0's node"},
    {"virtual_machine", METADATA_YES, EXPLAINS, NULL,
     "whether the processor of rank 0's node reports a hypervisor"},
    {"cores", METADATA_NUMBER, REQUIRED, NULL, "cores of rank 0's node that its processes may run on"},
    {"hardware_threads", METADATA_INTEGER, REQUIRED, NULL, "online hardware threads of rank 0's node"},
    {"cpu_limit", METADATA_NUMBER, 0, NULL, "quota of the control group in processors, or none"},
    {"memory_mib", METADATA_INTEGER, REQUIRED, "MiB", "physical memory of rank 0's node"},
    {"memory_limit_mib", METADATA_NUMBER, 0, "MiB", "smallest limit of the control group, or none"},
    {"memory_ranks", METADATA_INTEGER, REQUIRED, NULL,
     "largest number of processes that share the memory of one kernel"},
    {"memory_per_process_mib", METADATA_INTEGER, EXPLAINS, "MiB",
     "memory per process: given, or the usable memory divided by memory_ranks"},
    {"memory_source", METADATA_TEXT, METADATA_DEFINES, NULL,
     "source of the memory per process: given, detected or unknown"},
    {"processes", METADATA_INTEGER, REQUIRED | METADATA_SYSTEM, NULL, "number of processes"},
    {"nodes", METADATA_INTEGER, REQUIRED | MACHINE | EXPLAINS, NULL, "number of nodes"},
    {"ranks_per_node", METADATA_NUMBER, REQUIRED | MACHINE | EXPLAINS, NULL,
     "processes on a node: one number, or MIN-MAX"},
    {"binding", METADATA_TEXT, EXPLAINS, NULL,
     "hardware threads that rank 0 may run on; \"(others differ)\" if other ranks of a node have others"},
    {"placement", METADATA_TEXT, EXPLAINS, NULL,
     "how ranks are placed on nodes: block, cyclic or other, and a hash of the map from ranks to nodes"},
    {"oversubscribed", METADATA_YES, REQUIRED, NULL,
     "whether a node has more processes than hardware threads that they may use"},
    {"more_ranks_than_cores", METADATA_YES, 0, NULL, "whether a node has more processes than cores"},
    {"environment", METADATA_LABEL, REPEATS | EXPLAINS, NULL,
     "a fact about rank 0's node: a variable, an interface's speed, the CPU governor, NUMA balancing"},
    {"environment_differs", METADATA_TEXT, EXPLAINS, NULL,
     "number of nodes with a different environment, and the differences on the first of them"},
    {"definition", METADATA_TEXT, METADATA_DEFINES, NULL,
     "name of the definition; results of different definitions are not comparable"},
    {"lmax", METADATA_INTEGER, METADATA_SIZES | EXPLAINS, "B", "largest message, or beff_io's M_PART"},
    {"note", METADATA_TEXT, REPEATS, NULL, "a remark that is printed with the result"},
    {"interrupted", METADATA_TEXT, REPEATS, NULL, "the reason why a run did not complete"},
};

const struct metadata metadata_common = {rows, sizeof rows / sizeof rows[0], NULL};

static enum metadata_kind kind_of(const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_FLAG:
        return METADATA_YES;
    case OPTION_INTEGER:
        return METADATA_INTEGER;
    case OPTION_REAL:
    case OPTION_SECONDS:
        return METADATA_REAL;
    case OPTION_NUMBERS:
        return row->parts == 1 ? METADATA_REAL : METADATA_TEXT;
    default: /* seeds too: they have more bits than a JSON number */
        return METADATA_TEXT;
    }
}

/* Returns the value of an option in runs that lack it, because it did not exist; NULL: unknown. */
static const char *absent_of(const struct option_row *row)
{
    return row->absent                                             ? row->absent
           : row->kind == OPTION_FLAG                              ? "no"
           : row->kind == OPTION_TEXT || row->kind == OPTION_WORDS ? ""
                                                                   : NULL;
}

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
    for (size_t i = 0; i < options->count && !row.key; i++)
        if (strcmp(options->rows[i].name, key + strlen(OPTION_KEY)) == 0)
            row = (struct metadata_row){key,  kind_of(&options->rows[i]), options->rows[i].uses,
                                        NULL, options->rows[i].help,      absent_of(&options->rows[i])};
    return row;
}

const char *metadata_expected(enum metadata_kind kind, const char *value)
{
    char *rest;
    if (kind == METADATA_YES)
        return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0 ? NULL : "yes or no";
    if (kind == METADATA_LABEL)
        return strchr(value, '=') ? NULL : "LABEL=VALUE";
    if (kind == METADATA_INTEGER)
        return strtoll(value, &rest, 10), rest > value && !*rest ? NULL : "a whole number";
    if (kind == METADATA_REAL)
        return strtod(value, &rest), rest > value && !*rest ? NULL : "a number";
    return NULL;
}

bool metadata_is_number(enum metadata_kind kind)
{
    return kind == METADATA_INTEGER || kind == METADATA_REAL || kind == METADATA_NUMBER;
}
