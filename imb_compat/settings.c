/* The components, and the option table that they share. */
#include "imb_compat/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "imb_compat/format.h"
#include "imb_compat/plan.h"

const struct imb_component_row imb_components[IMB_COMPONENTS] = {
    [IMB_MPI1] = {"MPI-1 part", .blanks = true, .blank_after_red = true, .in_first = true},
    [IMB_EXT] = {"MPI-2 part", .in_first = true},
    [IMB_NBC] = {"MPI-NBC part"},
    [IMB_RMA] = {"MPI-RMA part", .blanks = true, .aggregate_last = true},
    [IMB_IO] = {"MPI-IO part", .in_first = true},
    [IMB_MPI4] = {"MPI-4 part", .blank_ends = true},
    [IMB_MT] = {"MT part    ", .bare = true, .rule = 67, .table_rule = 78},
    [IMB_P2P] = {"IMB-P2P part", .bare = true, .rule = 61},
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
    MPI1 = 1 << IMB_MPI1,
    MPI4 = 1 << IMB_MPI4,
    MT = 1 << IMB_MT,
    P2P = 1 << IMB_P2P,
    TWO_SIDED = MPI1 | 1 << IMB_NBC | MPI4,
    WITHOUT_FILES = TWO_SIDED | 1 << IMB_RMA,
    ADAPTIVE = (1 << IMB_MT) - 1, /* sizes and repetitions are adapted, on several numbers of processes */
    MODES = 1 << IMB_EXT | 1 << IMB_RMA | 1 << IMB_IO
};

#define MEM_MAX 1e6 /* GiB: no limit */

static const char *const barrier_words[] = {"on", "off", "special", NULL};
static const char *const datatype_words[] = {"int", "char", NULL};
static const char *const malloc_words[] = {"serial", "continuous", "parallel", NULL};

static const struct option_row rows[] = {
    {"list", OPTION_FLAG, FIELD(run.plan), NULL, "print the names of the benchmarks"},
    {"include", OPTION_WORDS, FIELD(include), "NAME[,NAME...]",
     "benchmarks to run before the others; if no names are given, the default list follows",
     .in_parts = ADAPTIVE | MT},
    {"exclude", OPTION_WORDS, FIELD(exclude), "NAME[,NAME...]",
     "benchmarks that are left out, however they were chosen", .in_parts = ADAPTIVE | MT},
    {"input", OPTION_TEXT, FIELD(input), "FILE",
     "benchmarks to run, one name per line, after those of the command line; # starts a comment",
     .in_parts = ADAPTIVE | MT},
    {"npmin", OPTION_INTEGER, FIELD(npmin), "N",
     "process counts run from N, doubled each time, up to all that were started (default 2, IMB-IO: 1)",
     .min = 1, .max = 1e9, .in_parts = ADAPTIVE},
    {"multi", OPTION_INTEGER, FIELD(multi), "MODE",
     "as many groups as fit run at once: 0 prints the worst group, 1 a row for each; -1: one group",
     .min = -1, .max = 1, .in_parts = ADAPTIVE},
    {"map", OPTION_NUMBERS, FIELD(map), "PxQ",
     "renumber the processes: consecutive ones are P apart; P times Q processes", .min = 1, .max = 1e9,
     .separator = 'x', .parts = 2, .whole = true, .defaults = {1, 1}, .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"thread_level", OPTION_CHOICE, FIELD(threads), "LEVEL",
     "level of thread support asked of MPI: single, funneled, serialized, multiple",
     .choices = imb_thread_words, .in_parts = ADAPTIVE | MT, .uses = METADATA_DEFINES},
    {"msglog", OPTION_NUMBERS, FIELD(msglog), "[MIN:]MAX",
     "message sizes: 0, then powers of two from 2^MIN to 2^MAX", .min = 0, .max = IMB_MAX_LOG,
     .separator = ':', .parts = 2, .whole = true, .defaults = {0, 22}, .title = "Messages",
     .in_parts = ADAPTIVE},
    {"msgsize", OPTION_WORDS, FIELD(msgsize), "SIZE[,SIZE...]",
     "message sizes; takes precedence over -msglen", .in_parts = MPI1},
    {"msglen", OPTION_TEXT, FIELD(msglen), "FILE",
     "message sizes, one per line, with K or M as suffix; # starts a comment", .in_parts = ADAPTIVE},
    {"zero_size", OPTION_SWITCH, FIELD(zero_size), "on|off", "also messages of 0 bytes",
     .in_parts = TWO_SIDED},
    {"data_type", OPTION_CHOICE, FIELD(data_type), "TYPE",
     "type of what is transferred: byte, char, int, float, double", .choices = type_words, .in_parts = MPI1,
     .uses = METADATA_DEFINES},
    {"red_data_type", OPTION_CHOICE, FIELD(red_data_type), "TYPE",
     "type of reductions: char, int, float, double", .choices = red_type_words, .in_parts = MPI1,
     .uses = METADATA_DEFINES},
    {"contig_type", OPTION_CHOICE, FIELD(contig_type), "TYPE",
     "base; base_vec: a vector of the whole message; resize: items twice as far apart; resize_vec: both",
     .choices = contig_words, .in_parts = MPI1, .uses = METADATA_DEFINES},
    {"window_size", OPTION_INTEGER, FIELD(window_size), "N",
     "messages under way in Uniband and Biband (default 256), UniBandMT and BiBandMT (64)", .min = 1,
     .max = 1e6, .in_parts = MPI1 | MT, .uses = METADATA_DEFINES},
    {"off_cache", OPTION_NUMBERS, FIELD(off_cache), "SIZE[,LINE]",
     "keep messages out of the cache of SIZE MiB with lines of LINE bytes; -1: of 8 MiB; -1,0: off (IMB-IO: "
     "no effect)",
     .min = -1, .max = 1e6, .separator = ',', .parts = 2, .defaults = {-1, 0}, .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"mem", OPTION_NUMBERS, FIELD(mem_limit), "GIB",
     "memory for message buffers, per process (with -compat 3.0 there is no limit unless it is given)",
     .min = 1e-9, .max = MEM_MAX, .separator = ',', .parts = 1, .defaults = {1}},
    {"iter", OPTION_NUMBERS, FIELD(iter), "COUNT[,VOLUME[,SINGLE]]",
     "repetitions at most; MiB that one size moves at most; repetitions where each is completed by itself",
     .min = 0, .max = 2147483647, .separator = ',', .parts = 3, .whole = true, .defaults = {1000, 40, 100},
     .title = "Repetitions and time", .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"time", OPTION_SECONDS, FIELD(time), "N[s|m|h]",
     "time for one size; a table has this times the number of its sizes", .min = 1e-9, .max = 1e9,
     .in_parts = ADAPTIVE | P2P},
    {"iter_policy", OPTION_CHOICE, FIELD(policy), "POLICY",
     "how the number of repetitions follows from size and time: dynamic, multiple_np (falls with the size, a "
     "multiple of the processes), auto (multiple_np for rooted ones), off (always COUNT)",
     .choices = policy_words, .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"aggregate_mode", OPTION_CHOICE, FIELD(aggregate_mode), "MODE",
     "benchmarks with two modes: aggregate (completed together), non_aggregate (each repetition by "
     "itself) or multi (both)",
     .choices = aggregate_words, .in_parts = MODES, .uses = METADATA_DEFINES},
    {"warm_up", OPTION_SWITCH, FIELD(warm_up), "on|off",
     "untimed repetitions before the timed ones (IMB-IO: no effect)", .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"sync", OPTION_SWITCH, FIELD(sync), "on|off", "an untimed barrier after every call of a collective",
     .in_parts = WITHOUT_FILES, .uses = METADATA_DEFINES},
    {"imb_barrier", OPTION_SWITCH, FIELD(imb_barrier), "on|off",
     "make that barrier of messages instead of MPI_Barrier (IMB-IO: no effect)", .in_parts = ADAPTIVE,
     .uses = METADATA_DEFINES},
    {"root_shift", OPTION_SWITCH, FIELD(root_shift), "on|off",
     "the root moves to the next process after every repetition", .in_parts = WITHOUT_FILES,
     .uses = METADATA_DEFINES},
    {"msg_pause", OPTION_SWITCH, FIELD(msg_pause), "on|off", "a pause after each size", .in_parts = ADAPTIVE},
    {"repeat", OPTION_INTEGER, FIELD(repetitions), "N", "timed repetitions", .min = 1, .max = 2147483647,
     .in_parts = MT, .title = "Threads", .uses = METADATA_DEFINES},
    {"warmup", OPTION_INTEGER, FIELD(warmup), "N", "untimed repetitions before the timed ones", .min = 0,
     .max = 2147483647, .in_parts = MT, .uses = METADATA_DEFINES},
    {"stride", OPTION_INTEGER, FIELD(stride), "N",
     "distance between partners, up to half of the processes; 0: half of them", .min = 0, .max = 1e9,
     .in_parts = MT, .uses = METADATA_DEFINES},
    {"barrier", OPTION_CHOICE, FIELD(barrier), "KIND",
     "between repetitions of collectives and before the others: on (MPI_Barrier), off, special (of messages)",
     .choices = barrier_words, .in_parts = MT, .uses = METADATA_DEFINES},
    {"count", OPTION_TAGGED, FIELD(sizes), "N[,N...]",
     "items of a message; given again, it adds to the list (default 1,2,4,8)", .in_parts = MT},
    {"datatype", OPTION_CHOICE, FIELD(datatype), "TYPE", "type of the items: int or char",
     .choices = datatype_words, .in_parts = MT, .uses = METADATA_DEFINES},
    {"malloc_align", OPTION_INTEGER, FIELD(malloc_align), "BYTES", "buffers start at a multiple of it",
     .min = 1, .max = 1 << 30, .in_parts = MT, .uses = METADATA_DEFINES},
    {"malloc_algo", OPTION_CHOICE, FIELD(malloc_algo), "HOW",
     "serial: the main thread makes and touches all buffers; continuous: in one block; parallel: each thread "
     "its "
     "own",
     .choices = malloc_words, .in_parts = MT, .uses = METADATA_DEFINES},
    {"noheader", OPTION_FLAG, FIELD(no_header), NULL, "leave the title out", .in_parts = MT},
    {"check", OPTION_FLAG, FIELD(check), "on|off",
     "compare all received data in untimed repetitions before the others, and the result of the last timed "
     "repetition",
     .in_parts = MT, .uses = METADATA_DEFINES},
    {"iter", OPTION_NUMBERS, FIELD(iter), "MAX[,NUMERATOR]",
     "repetitions at most; MiB that a process sends at most with one size", .min = 1, .max = 2147483647,
     .in_parts = P2P, .separator = ',', .parts = 2, .whole = true, .defaults = {100000, 800},
     .title = "Messages between all processes", .uses = METADATA_DEFINES},
    {"msglog", OPTION_TAGGED, FIELD(sizes), "[MIN:]MAX",
     "message sizes from 2^MIN to 2^MAX; without MIN 0 and those from 2^0 on (default 22); in place of sizes "
     "before it",
     .in_parts = P2P},
    {"msgsz", OPTION_TAGGED, FIELD(sizes), "SIZE", "one more message size, with K, M or G as suffix",
     .in_parts = P2P},
    {"msglen", OPTION_TAGGED, FIELD(sizes), "FILE",
     "message sizes, one per line; in place of sizes before it; # starts a comment", .in_parts = P2P},
    {"msgwr", OPTION_SWITCH, FIELD(writes), "on|off", "write a byte of every 64 before a message is sent",
     .in_parts = P2P, .uses = METADATA_DEFINES},
    {"msgrd", OPTION_SWITCH, FIELD(reads), "on|off", "read a byte of every 64 after a message is received",
     .in_parts = P2P, .uses = METADATA_DEFINES},
    {"pause", OPTION_INTEGER, FIELD(pause), "MICROSECONDS", "sleep before and after each size", .min = -1e9,
     .max = 1e9, .in_parts = P2P, .uses = METADATA_DEFINES},
    {"check", OPTION_FLAG, FIELD(check), NULL,
     "compare all data that are received or written to files in untimed repetitions before the others, and "
     "what the last timed repetition leaves behind",
     .title = "Beyond IMB", .in_parts = (ADAPTIVE | P2P), .uses = METADATA_DEFINES},
    {"time-total", OPTION_SECONDS, FIELD(time_total), "N[s|m|h]",
     "time for the whole run; what does not fit is left out and named", .min = 1e-3, .max = 1e9},
    {"prot", OPTION_TEXT, FIELD(prot), "FILE", "write a protocol of all rows as the run goes on"},
    {"json", OPTION_TEXT, FIELD(json), "FILE", "write all rows as JSON"},
    {"force", OPTION_FLAG, FIELD(run.force), NULL, "replace existing files of -prot and -json"},
    {"raw", OPTION_FLAG, FIELD(raw), NULL, "with -json or -prot: record each repetition, timed by itself",
     .uses = METADATA_DEFINES},
    {"info", OPTION_TEXT, FIELD(info), "FILE",
     "give MPI these hints for files and windows: lines KEY VALUE; # starts a comment", .in_parts = MODES},
    {"compat", OPTION_CHOICE, FIELD(compat), "RELEASE", "behave as this release: 2021 or 3.0",
     .choices = compat_words, .in_parts = ADAPTIVE, .uses = METADATA_DEFINES},
    {"help", OPTION_HELP, FIELD(run.help), "[OPTION]",
     "print this text, or that of one option; allowed anywhere", .title = "Help"},
    {"version", OPTION_FLAG, FIELD(run.version), NULL, "print version and build"},
};

static const struct option_row names_row = {"benchmark", OPTION_WORDS, FIELD(names), "BENCHMARK..."};

static const struct option_part parts[IMB_COMPONENTS + 1] = {
    [IMB_MPI1] = {"IMB-MPI1", NULL},
    [IMB_EXT] = {"IMB-EXT", NULL},
    [IMB_IO] =
        {"IMB-IO",
         "IMB-IO creates files in the working directory and removes them: IMB_out, or IMB_out_gGROUP with\n"
         "-multi; _RANK follows where each process has its own. A file of such a name that is there already\n"
         "is never touched: status 3, as for too little space. A failed write or read ends the run: status "
         "1.\n"},
    [IMB_NBC] = {"IMB-NBC", NULL},
    [IMB_RMA] = {"IMB-RMA", NULL},
    [IMB_MPI4] = {"IMB-MPI4",
                  "IMB-MPI4 requires an MPI with persistent collectives (MPI 4.0): status 3 without them.\n"},
    [IMB_MT] = {"IMB-MT", "With -thread_level multiple, IMB-MT has as many threads as OpenMP starts "
                          "(OMP_NUM_THREADS): status 3\n"
                          "without OpenMP.\n"},
    [IMB_P2P] = {"IMB-P2P", NULL, .any_case = true},
};

const struct option_table imb_options = {
    .program = "imb_compat",
    .synopsis = "[OPTION]... [BENCHMARK...]",
    .purpose = "imb_compat measures MPI with the benchmarks, options and output of the Intel MPI Benchmarks.",
    .notes =
        "Components: " IMB_COMPONENT_NAMES ". Each is also a program: IMB-MPI1 is imb_compat MPI1.\n"
        "Start it with mpiexec -n PROCESSES. The list of benchmarks: -list. The options of a component: "
        "-help.\n"
        "Exit status: 0 completed; 1 measured, but with data errors, or something was left out for lack\n"
        "of time, memory or processes; 2 usage; 3 unsuitable environment; 4 stopped by a signal.\n",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .arguments = &names_row,
    .single_dash = true,
    .parts = parts,
    .part = FIELD(component),
    .part_word = "COMPONENT"};

enum imb_component imb_component_find(const char *name)
{
    return (enum imb_component)options_find_part(&imb_options, name);
}

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
                                          .data_type = IMB_BYTE,
                                          .red_data_type = IMB_FLOAT};

/* ---- what follows from several options ---- */

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

/* Release 3.0 had numbers of its own for files; what is given on the command line holds. */
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

/* Defaults that differ, and what IMB-MT and IMB-P2P have not got. */
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
        return s->names.count
                   ? message_set(error, "unknown component \"%.80s\": expected one of " IMB_COMPONENT_NAMES,
                                 s->names.text[0])
                   : message_set(error, "missing component: expected one of " IMB_COMPONENT_NAMES);
    bool single = s->msglog.given == 1; /* the largest alone */
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
        return message_set(error,
                           "invalid -root_shift \"on\": expected off, because a persistent request keeps its "
                           "root");
    if (s->map.given == 1)
        return message_set(error, "invalid -map \"%g\": expected PxQ, two whole numbers", s->map.value[0]);
    if (s->raw && !s->json && !s->prot)
        return message_set(error, "-raw requires -json or -prot");
    if (s->json && s->prot && strcmp(s->json, s->prot) == 0)
        return message_set(error, "-prot and -json name the same file \"%.200s\": name two files", s->json);
    if (s->compat == IMB_30 && !imb_components[s->component].in_first)
        return message_set(error, "-compat: 3.0 had no %s", parts[s->component].name);
    if (s->min_log > s->max_log)
        return message_set(error, "invalid -msglog %d:%d: expected MIN:MAX with MIN not above MAX",
                           (int)s->min_log, (int)s->max_log);
    for (size_t i = 0; i < s->msgsize.count; i++)
        if (imb_length(s->msgsize.text[i]) < 0)
            return message_set(error, IMB_NO_SIZE("invalid -msgsize \"%.80s\""), s->msgsize.text[i],
                               1 << IMB_MAX_LOG);
    return resolve_off_cache(s, error);
}

int imb_info_read(struct texts *lines, const char *file, const char *text, int key_limit, int value_limit,
                  struct message *error)
{
    const char *const blanks = " \t\r";
    for (int number = 1; *text; number++) {
        const char *end = text + strcspn(text, "\n"), *next = end + (*end == '\n'), *start = text;
        start += strspn(start, blanks);
        while (end > start && strchr(blanks, end[-1]))
            end--;
        const int key = (int)strcspn(start, " \t\r\n");
        const char *value = start + key + strspn(start + key, blanks);
        const int length = end > value ? (int)(end - value) : 0;
        bool printable = true;
        for (const char *c = start; c < end; c++)
            printable = printable && (isprint((unsigned char)*c) || *c == '\t');
        text = next;
        if (start == end || *start == '#')
            continue;
        if (!length || !printable || key >= key_limit || length >= value_limit)
            return message_set(
                error,
                "-info: %.200s, line %d is not KEY VALUE in printable characters: expected a key of "
                "at most %d of them, a blank and a value of at most %d",
                file, number, key_limit - 1, value_limit - 1);
        for (size_t i = 0; i < lines->count; i++)
            if (strncmp(lines->text[i], start, (size_t)key + 1) == 0)
                return message_set(error, "-info: %.200s, line %d: the key \"%.*s\" is there twice", file,
                                   number, key, start);
        texts_add(lines, "%.*s %.*s", key, start, length, value);
    }
    return lines->count ? 0 : message_set(error, "-info: %.200s has no line KEY VALUE", file);
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
    }
    return number > IMB_MAX_BYTES >> shift ? -1 : number << shift;
}

/* What -list prints. */
static int list(const void *settings, int64_t processes, FILE *out, struct message *error)
{
    (void)processes;
    (void)error;
    imb_put_list(((const struct imb_settings *)settings)->component, out);
    return 0;
}

const struct engine imb_engine = {
    .program = "imb_compat",
    .basis = "output of IMB " IMB_RELEASE " or 3.0",
    .type = &imb_record_type,
    .settings_size = sizeof(struct imb_settings),
    .defaults = &imb_defaults,
    .options = &imb_options,
    .check = imb_settings_check,
    .plan = list,
    .results_size = sizeof(struct imb_results),
    .results_make = imb_results_make,
    .results_free = imb_results_free,
    .table = imb_series_table,
};
