#include "imb_compat/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/space.h"

const struct imb_component_row imb_components[IMB_COMPONENTS] = {
    [IMB_MPI1] = {"MPI-1 part", IMB_MESSAGES, .adaptive = true, .trailing_spaces = true,
                  .space_after_red = true, .in_30 = true},
    [IMB_EXT] = {"MPI-2 part", IMB_MESSAGES, .adaptive = true, .in_30 = true},
    [IMB_NBC] = {"MPI-NBC part", IMB_MESSAGES, .adaptive = true},
    [IMB_RMA] = {"MPI-RMA part", IMB_MESSAGES, .adaptive = true, .trailing_spaces = true,
                 .aggregate_last = true},
    [IMB_IO] = {"MPI-IO part", IMB_FILES, .adaptive = true, .in_30 = true},
    [IMB_MPI4] = {"MPI-4 part", IMB_MESSAGES, .adaptive = true, .space_after_op = true},
    [IMB_MT] = {"MT part    ", IMB_THREADS, .bare = true, .rule = 67, .table_rule = 78},
    [IMB_P2P] = {"IMB-P2P part", IMB_MESSAGES, .bare = true, .rule = 61},
    [IMB_MPI1_GPU] = {"MPI-1 part (GPU)", IMB_MESSAGES, .adaptive = true, .trailing_spaces = true,
                      .space_after_red = true, .gpu = true},
    [IMB_RMA_GPU] = {"RMA part (GPU), Technical preview", IMB_MESSAGES, .adaptive = true,
                     .trailing_spaces = true, .aggregate_last = true, .gpu = true},
};

const struct imb_type_row imb_types[IMB_TYPES] = {
    [IMB_CHAR] = {"MPI_CHAR", 1},     [IMB_INT] = {"MPI_INT", 4},   [IMB_FLOAT] = {"MPI_FLOAT", 4},
    [IMB_DOUBLE] = {"MPI_DOUBLE", 8}, [IMB_BYTE] = {"MPI_BYTE", 1},
};

const char *const imb_thread_words[] = {"single", "funneled", "serialized", "multiple", NULL};
static const char *const policy_words[] = {"dynamic", "multiple_np", "auto", "off", NULL};
static const char *const aggregate_words[] = {"multi", "aggregate", "non_aggregate", NULL};
static const char *const type_words[] = {"char", "int", "float", "double", "byte", NULL};
static const char *const red_type_words[] = {"char", "int", "float", "double", NULL};
static const char *const contig_words[] = {"base", "base_vec", "resize", "resize_vec", NULL};
static const char *const compat_words[] = {"2021", "3.0", NULL};

#define FIELD(member) offsetof(struct imb_settings, member)
enum {
    GPU = 1 << IMB_MPI1_GPU | 1 << IMB_RMA_GPU,
    MPI1 = 1 << IMB_MPI1 | 1 << IMB_MPI1_GPU,
    RMA = 1 << IMB_RMA | 1 << IMB_RMA_GPU,
    MPI4 = 1 << IMB_MPI4,
    MT = 1 << IMB_MT,
    P2P = 1 << IMB_P2P,
    TWO_SIDED = MPI1 | 1 << IMB_NBC | MPI4,
    WITHOUT_FILES = TWO_SIDED | RMA,
    MODES = 1 << IMB_EXT | RMA | 1 << IMB_IO,
    ON_REQUEST = 1 << IMB_EXT | 1 << IMB_NBC | MPI4 | P2P, /* GPU memory by -mem_alloc_type only */
    ADAPTIVE = TWO_SIDED | MODES                           /* the components whose row says so */
};

#define MEM_MAX 1e6 /* in GiB; practically unlimited */

static const char *const barrier_words[] = {"on", "off", "special", NULL};
/* Places of the messages, and their memory kinds; NULL: system memory. */
enum { IN_SYSTEM, IN_DEVICE };
static const char *const memory_words[] = {"cpu", "device", "host", "shared", NULL};
static const char *const memory_kinds[] = {NULL, "gpu:device", "gpu:host", "gpu:managed"};

static const char *const datatype_words[] = {"int", "char", NULL};
static const char *const malloc_words[] = {"serial", "continuous", "parallel", NULL};

static const struct option_row rows[] = {
    {"list", OPTION_FLAG, FIELD(run.list), NULL, "print the names of the benchmarks"},
    {"l", OPTION_FLAG, FIELD(run.list), .hidden = true, .in_parts = P2P},
    {"include", OPTION_WORDS, FIELD(include), "NAME[,NAME...]",
     "benchmarks to run before all others; if no others are named, the default list follows",
     .in_parts = ADAPTIVE | MT},
    {"exclude", OPTION_WORDS, FIELD(exclude), "NAME[,NAME...]",
     "benchmarks to skip, even if another option names them", .in_parts = ADAPTIVE | MT},
    {"input", OPTION_TEXT, FIELD(input), "FILE",
     "names of benchmarks to run, after those on the command line; # starts a comment",
     .in_parts = ADAPTIVE | MT},
    {"npmin", OPTION_INTEGER, FIELD(npmin), "N",
     "smallest number of processes, which is doubled until all started processes take part (default 2, "
     "IMB-IO: 1; IMB-P2P: no effect, all processes always take part)",
     .min = 1, .max = 1e9, .in_parts = ADAPTIVE | P2P},
    {"multi", OPTION_INTEGER, FIELD(multi), "MODE",
     "run as many groups as possible at once: 0 prints one row for all groups, 1 prints a row for each "
     "group; -1 runs only one group",
     .min = -1, .max = 1, .in_parts = ADAPTIVE},
    {"map", OPTION_NUMBERS, FIELD(map), "PxQ",
     "renumber the P times Q processes: the ranks of consecutive processes are P apart", .min = 1, .max = 1e9,
     .separator = 'x', .parts = 2, .whole = true, .defaults = {1, 1}, .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"thread_level", OPTION_CHOICE, FIELD(threads), "LEVEL",
     "thread support requested from MPI: single, funneled, serialized, multiple", .choices = imb_thread_words,
     .in_parts = ADAPTIVE | MT, .uses = METADATA_DEFINES},
    {"msglog", OPTION_NUMBERS, FIELD(msglog), "[MIN:]MAX",
     "message sizes: 0, then powers of two from 2^MIN to 2^MAX", .min = 0, .max = IMB_MAX_LOG,
     .separator = ':', .parts = 2, .whole = true, .defaults = {0, 22}, .title = "Messages",
     .in_parts = ADAPTIVE},
    {"msgsize", OPTION_WORDS, FIELD(msgsize), "SIZE[,SIZE...]",
     "message sizes; takes precedence over -msglen", .in_parts = MPI1},
    {"msglen", OPTION_TEXT, FIELD(msglen), "FILE",
     "message sizes, one per line, optionally with suffix K or M; # starts a comment", .in_parts = ADAPTIVE},
    {"zero_size", OPTION_SWITCH, FIELD(zero_size), "on|off", "include messages of 0 bytes",
     .in_parts = TWO_SIDED},
    {"data_type", OPTION_CHOICE, FIELD(data_type), "TYPE",
     "data type of messages: byte, char, int, float, double", .choices = type_words, .in_parts = MPI1,
     .uses = METADATA_DEFINES},
    {"red_data_type", OPTION_CHOICE, FIELD(red_data_type), "TYPE",
     "data type of reductions: char, int, float, double", .choices = red_type_words, .in_parts = MPI1,
     .uses = METADATA_DEFINES},
    {"contig_type", OPTION_CHOICE, FIELD(contig_type), "TYPE",
     "base: the data type itself; base_vec: one vector for the whole message; resize: items twice as far "
     "apart; resize_vec: both",
     .choices = contig_words, .in_parts = MPI1, .uses = METADATA_DEFINES},
    {"mem_alloc_type", OPTION_CHOICE, FIELD(gpu_memory), "TYPE",
     "memory of the messages: device (of a GPU), shared (moves between processor and GPU), host (system "
     "memory that the GPU's driver allocates), cpu (system memory)",
     .choices = memory_words, .in_parts = GPU},
    {"mem_alloc_type", OPTION_CHOICE, FIELD(memory), "TYPE",
     "memory of the messages: cpu, or, in a GPU, device, shared or host", .choices = memory_words,
     .in_parts = ON_REQUEST},
    RUN_DEVICE("-mem_alloc_type", GPU | ON_REQUEST),
    {"window_size", OPTION_INTEGER, FIELD(window_size), "N",
     "messages in flight in Uniband and Biband (default 256), UniBandMT and BiBandMT (64)", .min = 1,
     .max = 1e6, .in_parts = MPI1 | MT, .uses = METADATA_DEFINES},
    {"off_cache", OPTION_NUMBERS, FIELD(off_cache), "SIZE[,LINE]",
     "keep messages out of a cache of SIZE MiB with lines of LINE bytes; SIZE -1 means 8 MiB; -1,0 means off "
     "(IMB-IO: no effect)",
     .min = -1, .max = 1e6, .separator = ',', .parts = 2, .defaults = {-1, 0}, .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"mem", OPTION_NUMBERS, FIELD(mem_limit), "GIB",
     "maximum memory for the message buffers of a process (-compat 3.0: no limit by default)", .min = 1e-9,
     .max = MEM_MAX, .separator = ',', .parts = 1, .defaults = {1}, .not_valid = "if a size is skipped"},
    {"iter", OPTION_NUMBERS, FIELD(iter), "COUNT[,VOLUME[,SINGLE]]",
     "maximum repetitions; maximum MiB per size; maximum repetitions in non-aggregate mode", .min = 0,
     .max = 2147483647, .separator = ',', .parts = 3, .whole = true, .defaults = {1000, 40, 100},
     .title = "Repetitions and time", .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"time", OPTION_SECONDS, FIELD(time), "N[s|m|h]",
     "time limit for one size; the limit for a table is N multiplied by the number of its sizes", .min = 1e-9,
     .max = 1e9, .in_parts = ADAPTIVE | P2P, .not_valid = "if a size is skipped"},
    {"iter_policy", OPTION_CHOICE, FIELD(policy), "POLICY",
     "rule for the number of repetitions: dynamic (from size and time), multiple_np (a multiple of the "
     "number of processes, smaller for larger sizes), auto (multiple_np for rooted collectives, otherwise "
     "dynamic), off (always COUNT)",
     .choices = policy_words, .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"aggregate_mode", OPTION_CHOICE, FIELD(aggregate_mode), "MODE",
     "mode of benchmarks with two modes: aggregate (repetitions completed together), non_aggregate "
     "(completed separately) or multi (both)",
     .choices = aggregate_words, .in_parts = MODES, .uses = METADATA_DEFINES},
    {"warm_up", OPTION_SWITCH, FIELD(warm_up), "on|off",
     "untimed repetitions before the timed ones (IMB-IO: no effect)", .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"sync", OPTION_SWITCH, FIELD(sync), "on|off", "an untimed barrier after every call of a collective",
     .in_parts = WITHOUT_FILES, .uses = METADATA_DEFINES},
    {"imb_barrier", OPTION_SWITCH, FIELD(imb_barrier), "on|off",
     "use a barrier made of messages instead of MPI_Barrier for -sync (IMB-IO: no effect)",
     .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"root_shift", OPTION_SWITCH, FIELD(root_shift), "on|off",
     "move the root to the next process after every repetition", .in_parts = WITHOUT_FILES,
     .uses = METADATA_DEFINES},
    {"msg_pause", OPTION_SWITCH, FIELD(msg_pause), "on|off", "pause after each size", .in_parts = ADAPTIVE},
    {"repeat", OPTION_INTEGER, FIELD(repetitions), "N", "timed repetitions", .min = 1, .max = 2147483647,
     .in_parts = MT, .title = "Threads", .uses = METADATA_DEFINES},
    {"warmup", OPTION_INTEGER, FIELD(warmup), "N", "untimed repetitions before the timed ones", .min = 0,
     .max = 2147483647, .in_parts = MT, .uses = METADATA_DEFINES},
    {"stride", OPTION_INTEGER, FIELD(stride), "N",
     "distance between partners, at most half of the processes; 0: half of the processes", .min = 0,
     .max = 1e9, .in_parts = MT, .uses = METADATA_DEFINES},
    {"barrier", OPTION_CHOICE, FIELD(barrier), "KIND",
     "barrier between repetitions of collectives and before other benchmarks: on (MPI_Barrier), off, special "
     "(made of messages)",
     .choices = barrier_words, .in_parts = MT, .uses = METADATA_DEFINES},
    {"count", OPTION_TAGGED, FIELD(sizes), "N[,N...]",
     "items in a message; may be repeated to extend the list (default 1,2,4,8)", .in_parts = MT},
    {"datatype", OPTION_CHOICE, FIELD(datatype), "TYPE", "type of the items: int or char",
     .choices = datatype_words, .in_parts = MT, .uses = METADATA_DEFINES},
    {"malloc_align", OPTION_INTEGER, FIELD(malloc_align), "BYTES", "alignment of the buffers", .min = 1,
     .max = 1 << 30, .in_parts = MT, .uses = METADATA_DEFINES},
    {"malloc_algo", OPTION_CHOICE, FIELD(malloc_algo), "HOW",
     "serial: the main thread allocates and touches all buffers; continuous: like serial, but in one block; "
     "parallel: each thread allocates its own buffers",
     .choices = malloc_words, .in_parts = MT, .uses = METADATA_DEFINES},
    {"noheader", OPTION_FLAG, FIELD(no_header), NULL, "omit the title", .in_parts = MT},
    {"check", OPTION_FLAG, FIELD(check), "[on|off]",
     "compare all received data in untimed repetitions before the timed ones, and the result of the last "
     "timed repetition",
     .in_parts = MT, .uses = METADATA_DEFINES},
    {"iter", OPTION_NUMBERS, FIELD(iter), "MAX[,NUMERATOR]",
     "maximum repetitions; maximum MiB that a process sends per size", .min = 1, .max = 2147483647,
     .in_parts = P2P, .separator = ',', .parts = 2, .whole = true, .defaults = {100000, 800},
     .title = "Messages between all processes", .uses = METADATA_DEFINES},
    {"msglog", OPTION_TAGGED, FIELD(sizes), "[MIN:]MAX",
     "message sizes from 2^MIN to 2^MAX; without MIN, 0 and 2^0 to 2^MAX (default 22); replaces all sizes "
     "given before it",
     .in_parts = P2P},
    {"msgsz", OPTION_TAGGED, FIELD(sizes), "SIZE",
     "additional message size, optionally with suffix K, M or G", .in_parts = P2P},
    {"msglen", OPTION_TAGGED, FIELD(sizes), "FILE",
     "message sizes, one per line; # starts a comment; replaces all sizes given before it", .in_parts = P2P},
    {"msgwr", OPTION_SWITCH, FIELD(writes), "on|off", "write one byte in every 64 before a message is sent",
     .in_parts = P2P, .uses = METADATA_DEFINES},
    {"msgrd", OPTION_SWITCH, FIELD(reads), "on|off", "read one byte in every 64 after a message is received",
     .in_parts = P2P, .uses = METADATA_DEFINES},
    {"pause", OPTION_INTEGER, FIELD(pause), "MICROSECONDS", "sleep before and after each size", .min = -1e9,
     .max = 1e9, .in_parts = P2P, .uses = METADATA_DEFINES},
    {"check", OPTION_FLAG, FIELD(check), "[on|off]",
     "compare all data received or written to files in untimed repetitions before the timed ones, and the "
     "result of the last timed repetition",
     .title = "Beyond IMB", .in_parts = (ADAPTIVE | P2P), .uses = METADATA_DEFINES},
    {"time-total", OPTION_SECONDS, FIELD(time_total), "N[s|m|h]",
     "time limit for the whole run; benchmarks and sizes that do not fit are skipped and listed", .min = 1e-3,
     .max = 1e9, .not_valid = "if a size is skipped"},
    {"prot", OPTION_TEXT, FIELD(prot), "FILE", "write a record of all rows during the run"},
    {"json", OPTION_TEXT, FIELD(json), "FILE", "write all rows as JSON"},
    {"force", OPTION_FLAG, FIELD(run.force), NULL, "replace existing files of -prot and -json"},
    {"raw", OPTION_FLAG, FIELD(raw), NULL, "with -json or -prot: record each repetition, timed separately",
     .uses = METADATA_DEFINES},
    {"info", OPTION_TEXT, FIELD(info), "FILE",
     "MPI hints for files and windows, one KEY VALUE per line; # starts a comment", .in_parts = MODES},
    {"compat", OPTION_CHOICE, FIELD(compat), "RELEASE",
     "behave like this release of IMB: 2021 or 3.0 (3.0 sets -root_shift on and -sync off)",
     .choices = compat_words, .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"help", OPTION_HELP, FIELD(run.help), "[OPTION]",
     "print this help, or the help of one option; allowed anywhere", .title = "Help"},
    {"version", OPTION_FLAG, FIELD(run.version), NULL, "print version and build"},
};

static const struct option_row names_row = {"benchmark", OPTION_WORDS, FIELD(names), "BENCHMARK..."};

static const struct option_part parts[IMB_COMPONENTS + 1] = {
    [IMB_MPI1] = {"IMB-MPI1", NULL},
    [IMB_EXT] = {"IMB-EXT", NULL},
    [IMB_IO] =
        {"IMB-IO",
         "IMB-IO creates files in the working directory and removes them: IMB_out, or IMB_out_gGROUP with\n"
         "-multi; _RANK is added if each process has its own file. If such a file already exists, or if\n"
         "there is too little space, the run does not start (status 3). A failed write or read ends the run\n"
         "(status 1).\n"},
    [IMB_NBC] = {"IMB-NBC", NULL},
    [IMB_RMA] = {"IMB-RMA", NULL},
    [IMB_MPI4] = {"IMB-MPI4",
                  "IMB-MPI4 requires persistent collectives (MPI 4.0). If MPI has none, it exits with\n"
                  "status 3.\n"},
    [IMB_MT] = {"IMB-MT", "With -thread_level multiple, OpenMP sets the number of threads per process\n"
                          "(OMP_NUM_THREADS). Without OpenMP, such a run exits with status 3.\n"},
    [IMB_P2P] = {"IMB-P2P", NULL, .any_case = true},
    [IMB_MPI1_GPU] = {"IMB-MPI1-GPU", NULL},
    [IMB_RMA_GPU] = {"IMB-RMA-GPU", NULL},
};

const struct option_table imb_options = {
    .program = "imb_compat",
    .synopsis = "[OPTION]... [BENCHMARK...]",
    .purpose = "imb_compat measures MPI with the benchmarks, options and output of the Intel MPI Benchmarks.",
    .notes =
        "Components: " IMB_COMPONENT_NAMES ". Each is also a program: IMB-MPI1 is imb_compat MPI1.\n"
        "Start it with mpiexec -n PROCESSES. -list prints the benchmarks of a component, -help its options.\n"
        "Exit status: 0 completed; 1 measured, but with errors in the data or the clock, or benchmarks or\n"
        "sizes were skipped for lack of time, memory or processes; 2 usage; 3 unsuitable environment;\n"
        "4 stopped by a signal.\n",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .arguments = &names_row,
    .single_dash = true,
    .parts = parts,
    .part = FIELD(component),
    .part_word = "COMPONENT"};

const char *imb_component_name(enum imb_component component)
{
    return strchr(parts[component].name, '-') + 1;
}

const struct imb_settings imb_defaults = {.component = IMB_COMPONENTS,
                                          .multi = -1,
                                          .repetitions = 1000,
                                          .warmup = 100,
                                          .malloc_align = 64,
                                          .writes = true,
                                          .reads = true,
                                          .pause = 100000,
                                          .team = 1,
                                          .time = 10,
                                          .sync = true,
                                          .zero_size = true,
                                          .warm_up = true,
                                          .gpu_memory = IN_DEVICE,
                                          .data_type = IMB_BYTE,
                                          .red_data_type = IMB_FLOAT};

/* ---- derived settings ---- */

#define COMPONENTS                                                                                           \
    IMB_COMPONENT_NAMES " as the first word, or a program's name that contains it, such as IMB-MPI1"

static int resolve_off_cache(struct imb_settings *s, struct message *error)
{
    const struct option_numbers *given = &s->off_cache;
    double cache = given->value[0], line = given->given > 1 ? given->value[1] : 64;
    if (!given->given || cache == 0 || (cache == -1 && given->given == 2 && line == 0))
        return 0;
    if (cache < 0 && cache != -1)
        return message_set(error, "invalid -off_cache %g: expected a size in MiB, or -1", cache);
    if (!(line >= 1 && line == (double)(int64_t)line))
        return message_set(
            error, "invalid -off_cache line size %g: expected a whole number of bytes, at least 1", line);
    s->cache = (int64_t)((cache < 0 ? 8 : cache) * 1048576);
    s->line = (int64_t)line;
    return 0;
}

/* Sets the behaviour and the defaults of release 3.0. Replaces the values of -root_shift and -sync. Keeps
 * values of -mem, -iter and -msglog that were given on the command line. */
static void resolve_release(struct imb_settings *s)
{
    static const double repetitions[] = {50, 16, 10}, max_log = 24;
    s->root_shift = true;
    s->sync = false;
    if (!s->mem_limit.given)
        s->mem_limit.value[0] = MEM_MAX;
    if (s->component != IMB_IO)
        return;
    for (int i = s->iter.given; i < 3; i++)
        s->iter.value[i] = repetitions[i];
    if (!s->msglog.given)
        s->msglog.value[1] = max_log;
}

/* Sets the defaults of a component, and the settings for which IMB-MT and IMB-P2P have no option. */
static void resolve_component(struct imb_settings *s)
{
    bool threads = s->component == IMB_MT, partners = s->component == IMB_P2P;
    if (!s->npmin)
        s->npmin = s->component == IMB_IO ? 1 : 2;
    if (!s->window_size)
        s->window_size = threads ? 64 : 256;
    if (threads || partners)
        s->few_repetitions = s->repetitions;
    if (threads)
        s->data_type = s->red_data_type = s->datatype ? IMB_CHAR : IMB_INT;
    if (partners)
        s->imb_barrier = true;
    s->run.buffers = memory_kinds[imb_components[s->component].gpu ? s->gpu_memory : s->memory];
    for (size_t i = 0; partners && i < s->sizes.count; i++)
        if (strncmp(s->sizes.text[i], IMB_MSGLEN, strlen(IMB_MSGLEN)) == 0)
            s->msglen = s->sizes.text[i] + strlen(IMB_MSGLEN);
}

int imb_settings_check(void *settings, struct message *error)
{
    struct imb_settings *s = settings;
    if (s->component == IMB_COMPONENTS && s->run.version)
        return 0;
    if (s->component == IMB_COMPONENTS)
        return s->names.count ? message_set(error, "unknown component \"%.80s\": expected one of " COMPONENTS,
                                            s->names.text[0])
                              : message_set(error, "missing component: expected one of " COMPONENTS);
    bool single = s->msglog.given == 1; /* only MAX was given */
    if (s->compat == IMB_30)
        resolve_release(s);
    bool map = s->map.value[0] > 1 || s->map.value[1] > 1;
    s->map_p = map ? (int)s->map.value[0] : 0;
    s->map_q = map ? (int)s->map.value[1] : 0;
    s->run.time = s->time_total > 0 ? s->time_total : INFINITY;
    if (s->component != IMB_MT)
        s->repetitions = (int64_t)s->iter.value[0];
    s->few_repetitions = (int64_t)s->iter.value[2];
    s->volume = (int64_t)s->iter.value[1] * 1048576;
    s->mem = s->mem_limit.value[0];
    s->min_log = single ? 0 : (int64_t)s->msglog.value[0];
    s->max_log = (int64_t)s->msglog.value[!single];
    resolve_component(s);
    if (s->repetitions < 1 || s->few_repetitions < 1)
        return message_set(error, "invalid -iter \"%d\": expected at least 1 repetition",
                           (int)(s->repetitions < 1 ? s->iter.value[0] : s->iter.value[2]));
    if (s->root_shift && s->component == IMB_MPI4)
        return message_set(
            error, "invalid -root_shift \"on\": expected off, because a persistent request keeps its root");
    if (s->map.given == 1)
        return message_set(error, "invalid -map \"%g\": expected PxQ, two whole numbers", s->map.value[0]);
    if (s->raw && !s->json && !s->prot)
        return message_set(error, "-raw requires -json or -prot");
    if (s->json && s->prot && strcmp(s->json, s->prot) == 0)
        return message_set(error, "-prot and -json name the same file \"%.200s\": name two files", s->json);
    if (s->compat == IMB_30 && !imb_components[s->component].in_30)
        return message_set(error, "-compat: release 3.0 has no %s", parts[s->component].name);
    if (s->min_log > s->max_log)
        return message_set(error, "invalid -msglog %d:%d: expected MIN:MAX with MIN not above MAX",
                           (int)s->min_log, (int)s->max_log);
    for (size_t i = 0; i < s->msgsize.count; i++)
        if (imb_length(s->msgsize.text[i]) < 0)
            return message_set(error, IMB_NO_SIZE("invalid -msgsize \"%.80s\""), s->msgsize.text[i],
                               1 << IMB_MAX_LOG);
    if (space_check("-mem_alloc_type", NULL, s->run.device, error))
        return -1;
    return resolve_off_cache(s, error);
}

int imb_info_read(struct texts *hints, const char *file, const char *text, int key_limit, int value_limit,
                  struct message *error)
{
    struct text_lines lines = {text};
    while (text_next(&lines)) {
        const char *line = lines.line;
        const int key = (int)strcspn(line, " \t\r");
        const char *value = line + key + strspn(line + key, " \t\r");
        bool good = *value && key < key_limit && strlen(value) < (size_t)value_limit;
        for (const char *c = line; *c; c++)
            good = good && (isprint((unsigned char)*c) || *c == '\t');
        if (!good)
            return message_set(error,
                               "-info: %.200s, line %d is not KEY VALUE in printable characters: expected a "
                               "key of at most %d characters, a space and a value of at most %d characters",
                               file, lines.number, key_limit - 1, value_limit - 1);
        for (size_t i = 0; i < hints->count; i++)
            if (strncmp(hints->text[i], line, (size_t)key) == 0 && hints->text[i][key] == ' ')
                return message_set(error, "-info: %.200s, line %d: duplicate key \"%.*s\"", file,
                                   lines.number, key, line);
        texts_add(hints, "%.*s %s", key, line, value);
    }
    return hints->count ? 0
                        : message_set(error, "-info: %.200s contains no line of the form KEY VALUE", file);
}

int64_t imb_length(const char *text)
{
    char *rest;
    if (*text < '0' || *text > '9')
        return -1;
    int64_t number = strtoll(text, &rest, 10);
    const char *const suffixes = "kKmMgG";
    int shift = 0;
    if (*rest) {
        const char *suffix = strchr(suffixes, *rest);
        if (!suffix)
            return -1;
        shift = 10 * ((int)(suffix - suffixes) / 2 + 1);
        if (rest[1] && strcasecmp(rest + 1, "B") != 0)
            return -1;
    }
    return number > IMB_MAX_BYTES >> shift ? -1 : number << shift;
}
