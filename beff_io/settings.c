/* The options of beff_io, and its engine. */
#include "beff_io/settings.h"

#include <stdlib.h>
#include <string.h>

static const char *const verify_choices[] = {"ends", "full", NULL};

#define FIELD(member) offsetof(struct io_settings, member)

static const struct option_row rows[] = {
    {"path", OPTION_TEXT, FIELD(path), "DIR",
     "directory on the file system to be rated; default: the current directory. The run creates its files in "
     "a subdirectory, which it removes at the end",
     .uses = METADATA_SYSTEM},
    {"time", OPTION_SECONDS, FIELD(run.time), "N[s|m|h]", "time limit of the whole run, from start to exit",
     .min = 1, .max = 1e7, .not_valid = "if below 900 s for each partition (600 s with three or more)"},
    {"max-bytes", OPTION_TEXT, FIELD(max_bytes_text), "N[k|M|G|T]",
     "maximum total size of all files; k, M, G and T are powers of 1024; default: half of the free space",
     .uses = METADATA_DEFINES, .not_valid = "if too small for the storage's speed (see --plan)"},
    RUN_OPTIONS("beff_io"),
    {"memory", OPTION_INTEGER, FIELD(memory), "MIB",
     "memory per process in MiB; default: detected (memory of a node or its limit, divided by its processes)",
     .min = 1, .max = 1e9, .title = "What is measured"},
    {"partitions", OPTION_TEXT, FIELD(partitions), "N|NODESxN,...",
     "number of processes in each partition, spread over all nodes, or nodes and processes on each of them "
     "(16x4); default: a small and a medium number, and all"},
    {"rewrite", OPTION_FLAG, FIELD(rewrite), NULL, "rewrite all pattern types; default: only type 0",
     .uses = METADATA_DEFINES},
    {"noshared", OPTION_FLAG, FIELD(noshared), NULL,
     "use the strided view of type 0 for type 1, instead of a shared file pointer", .uses = METADATA_DEFINES,
     .not_valid = ""},
    {"nounique", OPTION_FLAG, FIELD(nounique), NULL, "open files without MPI_MODE_UNIQUE_OPEN",
     .uses = METADATA_DEFINES},
    {"separated-paths", OPTION_WORDS, FIELD(separated_paths), "DIR,...",
     "directories for the files of type 2, such as local disks of the nodes, assigned to processes "
     "round-robin; the default of --max-bytes is then also limited by the smallest of these file systems",
     .uses = METADATA_SYSTEM, .not_valid = ""},
    {"hints", OPTION_TEXT, FIELD(hints), "FILE",
     "file of MPI-IO hints; each line is PROCESSES|all ACCESS|all TYPE|all CHUNK|on_open|Lmax|all KEY VALUE"},
    {"seed", OPTION_SEED, FIELD(seed), "N|random", "seed of the files' content; 0: draw one for each run",
     .min = 0},
    {"drop-caches", OPTION_FLAG, FIELD(drop_caches), NULL,
     "before reads, drop the whole page cache of every node, not only the pages of the file (through "
     "/proc/sys/vm/drop_caches, if permitted)",
     .title = "Caches and checks", .uses = METADATA_DEFINES},
    {"shift-reads", OPTION_FLAG, FIELD(shift_reads), NULL,
     "let each process read data that a process on the next node wrote", .uses = METADATA_DEFINES},
    {"evict", OPTION_FLAG, FIELD(evict), NULL,
     "before the first read, let each node write and read what it must still move so that reads are cold by "
     "data volume (see --cache), for caches that cannot be inspected; takes at most 20 % of --time",
     .uses = METADATA_DEFINES},
    {"cache", OPTION_TEXT, FIELD(cache_text), "N[k|M|G|T]",
     "size of the cache on each node that cannot be inspected: reads are cold if each node moved more than "
     "twice this size since the last write; default: once the memory of the node",
     .uses = METADATA_DEFINES},
    {"keep-caches", OPTION_FLAG, FIELD(keep_caches), NULL,
     "do not drop a file's pages from the memory of the nodes after its last write", .uses = METADATA_DEFINES,
     .not_valid = "if reads may then come from memory"},
    {"verify", OPTION_CHOICE, FIELD(verify), "HOW",
     "how much of each read to check: ends (first and last 8 bytes of every chunk) or full (all bytes)",
     .choices = verify_choices, .uses = METADATA_DEFINES},
    {"types", OPTION_WORDS, FIELD(types), "NAME,...",
     "measure only these pattern types: scatter, shared, separated, segmented, seg_coll",
     .title = "Partial runs, without b_eff_io", .uses = METADATA_DEFINES, .not_valid = ""},
    {"patterns", OPTION_WORDS, FIELD(patterns), "N,...", "measure only these patterns, by number (5,10-16)",
     .uses = METADATA_DEFINES, .not_valid = ""},
    {"access", OPTION_WORDS, FIELD(access), "HOW,...",
     "measure only these access methods: write, rewrite, read; the initial write is always included",
     .uses = METADATA_DEFINES, .not_valid = ""},
    {"keep", OPTION_FLAG, FIELD(keep), NULL, "keep the written files"},
    {"e", OPTION_INTEGER, FIELD(errors), "N", "print at most N data errors for each pattern; all are counted",
     .min = 0, .max = 1e9, .title = "Options of b_eff_io 2.1"},
    {"MT", OPTION_INTEGER, FIELD(total_memory), "MIB", "memory of all processes together in MiB", .min = 1,
     .max = 1e12},
    {"T", OPTION_SECONDS, FIELD(run.time), "N[s|m|h]", "--time", .min = 1, .max = 1e7, .hidden = true},
    {"p", OPTION_TEXT, FIELD(path), "DIR", "--path", .hidden = true},
    {"i", OPTION_TEXT, FIELD(hints), "FILE", "--hints", .hidden = true},
    {"f", OPTION_TEXT, FIELD(run.output), "PREFIX", "--output", .hidden = true},
    {"N", OPTION_TEXT, FIELD(partitions), "N,...", "--partitions", .hidden = true},
    {"MB", OPTION_INTEGER, FIELD(memory), "MIB", "--memory", .min = 1, .max = 1e9, .hidden = true},
    {"help", OPTION_HELP, FIELD(run.help), "[OPTION]",
     "print this help, or the help of one option; allowed anywhere", .title = "Help"},
    {"version", OPTION_FLAG, FIELD(run.version), NULL, "print version and build"},
    {"plan", OPTION_FLAG, FIELD(run.plan), NULL,
     "print patterns, partitions, schedule, expected time and bytes; write no files. Works without mpiexec",
     .title = "Planning"},
    {"processes", OPTION_INTEGER, FIELD(processes), "N",
     "with --plan: number of processes; default: the number started, or the node's cores", .min = 1,
     .max = IO_MAX_PROCESSES},
};

const struct option_table io_options = {
    .program = "beff_io",
    .synopsis = "[OPTION]...      (start it with mpiexec -n PROCESSES)",
    .purpose =
        "beff_io measures the effective I/O bandwidth b_eff_io of a parallel file system through MPI-IO.",
    .notes =
        "Exit status: 0 measured and rated; 1 measured, but with errors in the data, clock or files,\n"
        "or without a rating; 2 usage; 3 unsuitable environment (no space, no permission, out of memory);\n"
        "4 stopped by a signal; all measurements are kept.\n"
        "NOT VALID for comparison alone is not an error: the reasons are printed with the result.\n",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};

const struct io_settings io_defaults = {.run = {.time = 1800}, .errors = 3};

/* Parses a number of bytes with an optional unit. Returns -1 if the text is invalid. */
static int64_t parse_bytes(const char *text)
{
    char *rest;
    double number = strtod(text, &rest);
    const char *units = "kMGT", *unit = *rest ? strchr(units, *rest == 'K' ? 'k' : *rest) : NULL;
    if (rest == text || (*rest && (!unit || rest[1])))
        return -1;
    for (long power = unit ? unit - units + 1 : 0; power > 0; power--)
        number *= 1024;
    return number >= 1 && number < 9e18 ? (int64_t)number : -1;
}

/* ---- selection ---- */

/* Selects the patterns in a list of types (if `types` is set), or in a list of numbers and ranges. */
static int select_patterns(const struct texts *list, bool types, struct io_selection *selection,
                           struct message *error)
{
    bool wanted[IO_PATTERNS] = {false};
    for (size_t w = 0; w < list->count; w++) {
        char *entry = list->text[w], *rest;
        long first = strtol(entry, &rest, 10), last = *rest == '-' ? strtol(rest + 1, &rest, 10) : first;
        enum io_type type = io_type_find(entry);
        if (types && type == IO_TYPES)
            return message_set(
                error,
                "invalid --types \"%.32s\": expected scatter, shared, separated, segmented or seg_coll",
                entry);
        if (!types && (*rest || rest == entry || first < 0 || last < first || last >= IO_PATTERNS))
            return message_set(
                error, "invalid --patterns \"%.32s\": expected numbers from 0 to %d, or ranges (10-16)",
                entry, IO_PATTERNS - 1);
        if (types) {
            first = io_first(type);
            last = first + io_count(type) - 1;
        }
        for (long i = first; i <= last; i++)
            wanted[i] = true;
    }
    for (int i = 0; i < IO_PATTERNS; i++)
        selection->pattern[i] = selection->pattern[i] && wanted[i];
    return 0;
}

/* Selects the access methods in a list. The initial write is always selected, because rewrites and reads
 * need its files. */
static int select_access(const struct texts *list, struct io_selection *selection, struct message *error)
{
    for (int a = ACCESS_REWRITE; a < IO_ACCESSES; a++)
        selection->access[a] = false;
    for (size_t i = 0; i < list->count; i++) {
        enum io_access access = io_access_find(list->text[i]);
        if (access == IO_ACCESSES)
            return message_set(error, "invalid --access \"%.32s\": expected write, rewrite or read",
                               list->text[i]);
        selection->access[access] = true;
    }
    return 0;
}

static int select_all(struct io_settings *s, struct message *error)
{
    struct io_selection *selection = &s->selection;
    *selection = io_select_all(s->rewrite);
    if ((s->types.count && select_patterns(&s->types, true, selection, error)) ||
        (s->patterns.count && select_patterns(&s->patterns, false, selection, error)) ||
        (s->access.count && select_access(&s->access, selection, error)))
        return -1;
    for (int i = 0; i < IO_PATTERNS; i++)
        if (selection->pattern[i])
            return 0;
    return message_set(error, "no pattern to measure: --types and --patterns have no pattern in common");
}

static int check_path(const char *option, const char *path, struct message *error)
{
    if (!path || !strchr(path, ':'))
        return 0;
    return message_set(error,
                       "invalid --%s \"%.200s\": expected a path without a colon, because MPI-IO takes the "
                       "part before a colon for a type of file system; use a symbolic link without a colon; "
                       "with MPICH, the variable ROMIO_FSTYPE_FORCE chooses a type",
                       option, path);
}

int io_settings_check(void *settings, struct message *error)
{
    struct io_settings *s = settings;
    if (check_path("path", s->path, error))
        return -1;
    for (size_t i = 0; i < s->separated_paths.count; i++)
        if (check_path("separated-paths", s->separated_paths.text[i], error))
            return -1;
    if (s->max_bytes_text && (s->max_bytes = parse_bytes(s->max_bytes_text)) < 0)
        return message_set(error,
                           "invalid --max-bytes \"%.80s\": expected a number >= 1, optionally followed by k, "
                           "M, G or T (powers of 1024)",
                           s->max_bytes_text);
    if (s->cache_text && (s->cache = parse_bytes(s->cache_text)) < 0)
        return message_set(
            error, "invalid --cache \"%.80s\": expected a number >= 1, optionally followed by k, M, G or T",
            s->cache_text);
    if (!s->run.plan && s->processes)
        return message_set(
            error,
            "--processes is allowed only with --plan; in a run, mpiexec -n sets the number of processes");
    if (select_all(s, error))
        return -1;
    struct io_task task; /* the number of processes is not known yet */
    if (s->partitions && io_partitions(&task, IO_MAX_PROCESSES, s->partitions, error))
        return -1;
    if (s->shift_reads && s->separated_paths.count)
        return message_set(error, "--shift-reads cannot be combined with --separated-paths: a process may "
                                  "not reach the file of a process on another node");
    return 0;
}

int64_t io_memory_mib(const struct io_settings *settings, int64_t processes)
{
    int64_t share = settings->total_memory / processes;
    return settings->memory ? settings->memory : settings->total_memory && !share ? 1 : share;
}

bool io_needs_locks(const struct io_settings *settings)
{
    bool shared = false;
    for (int i = io_first(TYPE_SHARED); i < io_first(TYPE_SHARED) + io_count(TYPE_SHARED); i++)
        shared = shared || settings->selection.pattern[i];
    return shared && !settings->noshared;
}

int64_t io_max_bytes(const struct io_settings *settings, int64_t free_bytes)
{
    return settings->max_bytes ? settings->max_bytes : (int64_t)(IO_SPACE_SHARE * (double)free_bytes);
}
