#include "imb_compat/plan.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"
#include "imb_compat/check.h"
#include "imb_compat/partners.h"

#define PLACES_MAX_BYTES (INT64_C(64) << 20)

enum { PROBE_MAX = 1000, PROBE_MAX_FILES = 50, WARMUP_MIN = 10 };
#define NO_TIME 1e-8 /* seconds; a shorter repetition is below the clock's resolution */

/* ---- which benchmarks ---- */

static const char *const swap_lines[] = {"Uses MPI_INT data type", NULL};
static const char *const passive_lines[] = {
    "The benchmark measures execution time of MPI_Put for 2 cases:",
    "1) The target is waiting in MPI_Barrier call (t_pure value)",
    "2) The target performs computation and then enters MPI_Barrier routine (t_ovrl value)", NULL};

const struct imb_benchmark imb_benchmarks[] = {
#define BENCHMARK(component, name, class, columns, kernel, send, receive, content, ...)                      \
    {IMB_##component, name,          IMB_CLASS_##class,   IMB_COLUMNS_##columns,                             \
     IMB_##send,      IMB_##receive, IMB_HOLDS_##content, __VA_ARGS__},
#define FILE_BENCHMARK(name, class, columns, call, send, receive, ...)                                       \
    BENCHMARK(IO, name, class, columns, call, send, receive, NOTHING, __VA_ARGS__)
#include "imb_compat/benchmarks.def"
};

const size_t imb_benchmark_count = sizeof imb_benchmarks / sizeof imb_benchmarks[0];

const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name)
{
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmarks[i].component == component && strcasecmp(imb_benchmarks[i].name, name) == 0)
            return &imb_benchmarks[i];
    return NULL;
}

/* A selection in progress. */
struct gathering {
    struct imb_selection *selection;
    const struct imb_settings *settings;
    struct message *error;
};

/* Sets the error message for an unknown name. The message states which component has a benchmark with this
 * name, or suggests the most similar name. */
static int refuse_name(const struct gathering *g, const char *name, const char *where)
{
    const char *program = options_program(&imb_options, g->settings), *like = NULL;
    size_t nearest = strlen(name) / 3; /* maximum number of wrong characters */
    for (size_t i = 0; i < imb_benchmark_count; i++) {
        const struct imb_benchmark *b = &imb_benchmarks[i];
        if (strcasecmp(b->name, name) == 0)
            return message_set(g->error, "%s%s is in IMB-%s, not in %s", where, b->name,
                               imb_component_name(b->component), program);
        size_t distance = text_distance(name, b->name);
        if (b->component == g->settings->component && !(b->flags & IMB_HIDDEN) && distance <= nearest) {
            like = distance < nearest || !like ? b->name : like;
            nearest = distance;
        }
    }
    return message_set(g->error, "%sunknown benchmark \"%.80s\": %s%s%s%s -list prints the names", where,
                       name, like ? "did you mean " : "", like ? like : "", like ? "? " : "", program);
}

static int add_names(const struct gathering *g, const struct texts *names, const char *where)
{
    enum imb_component component = g->settings->component;
    for (size_t i = 0; i < names->count; i++) {
        const struct imb_benchmark *found = imb_benchmark_find(component, names->text[i]);
        if (!found)
            return refuse_name(g, names->text[i], where);
        g->selection->benchmarks[g->selection->count++] = found;
    }
    return 0;
}

/* Adds the benchmarks that the input file names: the first word of each line. Skips empty lines and
 * comments. */
static int add_input(const struct gathering *g, const char *text)
{
    size_t before = g->selection->count;
    int failed = 0;
    for (int number = 1; *text && !failed; number++) {
        char name[80], *names[] = {name}, where[160];
        const char *word = text + strspn(text, " \t\r");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, " \t\r\n"), word);
        snprintf(where, sizeof where, "%.100s, line %d: ", g->settings->input, number);
        failed = *name && *name != '#' && add_names(g, &(struct texts){names, 1}, where);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (failed)
        return -1;
    return g->selection->count > before
               ? 0
               : message_set(g->error,
                             "-input: %.200s contains no benchmark name: expected one name per line",
                             g->settings->input);
}

/* Looks up the excluded benchmarks by appending them to the selection, and then removes all their
 * entries. */
static int exclude(const struct gathering *g)
{
    struct imb_selection *s = g->selection;
    const size_t chosen = s->count;
    if (add_names(g, &g->settings->exclude, "-exclude: "))
        return -1;
    const size_t all = s->count;
    s->count = 0;
    for (size_t i = 0; i < chosen; i++) {
        size_t out = chosen;
        while (out < all && s->benchmarks[out] != s->benchmarks[i])
            out++;
        if (out == all)
            s->benchmarks[s->count++] = s->benchmarks[i];
    }
    return s->count ? 0 : message_set(g->error, "-exclude: all selected benchmarks are excluded");
}

int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error)
{
    const struct gathering g = {selection, settings, error};
    const unsigned unwanted =
        settings->compat == IMB_30 ? IMB_BY_NAME_ONLY | IMB_NOT_IN_30 : IMB_BY_NAME_ONLY;
    size_t max = settings->include.count + settings->names.count + settings->exclude.count +
                 (input ? strlen(input) : 0) + imb_benchmark_count;
    *selection =
        (struct imb_selection){.benchmarks = memory_new(max, sizeof *selection->benchmarks, "the benchmarks"),
                               .by_name = settings->names.count > 0 || input};
    if (add_names(&g, &settings->include, "-include: ") || add_names(&g, &settings->names, "") ||
        (input && add_input(&g, input)))
        return -1;
    for (size_t i = 0; i < imb_benchmark_count && !selection->by_name; i++)
        if (imb_benchmarks[i].component == settings->component && !(imb_benchmarks[i].flags & unwanted))
            selection->benchmarks[selection->count++] = &imb_benchmarks[i];
    return exclude(&g);
}

static int by_name(const void *left, const void *right)
{
    const struct imb_benchmark *const *l = left, *const *r = right;
    return strcmp((*l)->name, (*r)->name);
}

void imb_selection_list(enum imb_component component, FILE *out)
{
    const struct imb_benchmark **sorted = memory_new(imb_benchmark_count, sizeof *sorted, "the benchmarks");
    size_t count = 0;
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmarks[i].component == component && !(imb_benchmarks[i].flags & IMB_HIDDEN))
            sorted[count++] = &imb_benchmarks[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "    %s%s\n", sorted[i]->name,
                sorted[i]->flags & IMB_BY_NAME_ONLY ? " (non-default)" : "");
        for (const char *const *line = sorted[i]->lines; line && *line; line++)
            fprintf(out, "        %s\n", *line);
    }
    free(sorted);
}

/* ---- which processes take part ---- */

int imb_stride(const struct imb_settings *settings, int processes)
{
    return settings->stride ? (int)settings->stride : processes / 2;
}

/* Returns the number of processes that take part in a benchmark of IMB-MT or IMB-P2P, or 0 if the benchmark
 * cannot run. All processes take part, except in the pair benchmarks of IMB-MT: there, the stride may leave
 * some processes without a partner. */
static int count_all(const struct imb_benchmark *b, const struct imb_settings *settings, int processes)
{
    int side[IMB_MAX_DIMENSIONS], stride = imb_stride(settings, processes);
    bool pairs = b->class == IMB_CLASS_RATE;
    if (b->component == IMB_MT)
        return !pairs ? processes : stride ? processes - processes % (2 * stride) : 0;
    bool fit = b->class == IMB_CLASS_GRID ? imb_grid_make(b->rate / 2, processes, side) == 0
                                          : processes >= 2 && !(pairs && processes % 2);
    return fit ? processes : 0;
}

int imb_process_counts(const struct imb_benchmark *benchmark, const struct imb_settings *settings,
                       int processes, int counts[IMB_MAX_COUNTS])
{
    bool two = benchmark->class == IMB_CLASS_PAIR || benchmark->class == IMB_CLASS_ELEMENT;
    bool pairs = two || benchmark->class == IMB_CLASS_RATE;
    if (benchmark->component >= IMB_MT) {
        counts[0] = count_all(benchmark, settings, processes);
        return counts[0] > 0;
    }
    if (pairs && processes < 2)
        return 0;
    if (two || benchmark->class == IMB_CLASS_ALONE) {
        counts[0] = two ? 2 : 1;
        return 1;
    }
    int max = processes - (pairs ? processes % 2 : 0);
    int64_t npmin = settings->npmin, min = pairs ? npmin - npmin % 2 : npmin;
    int count = 0;
    for (int64_t n = pairs && min < 2 ? 2 : min; n < max; n *= 2)
        counts[count++] = (int)n;
    counts[count++] = max;
    return count;
}

int imb_processes_fit(const struct imb_settings *settings, int processes, struct message *error)
{
    int64_t p = settings->map_p, q = settings->map_q;
    if (settings->stride > processes / 2)
        return message_set(error, "invalid -stride %d: expected at most half of the %d processes",
                           (int)settings->stride, processes);
    if ((!p && !q) || p * q == processes)
        return 0;
    return message_set(error, "invalid -map %dx%d: expected P times Q to be %d, the number of processes",
                       (int)p, (int)q, processes);
}

/* The map has P rows and Q columns. Row i, column j has rank i + jP. Numbers run along the rows. */
int imb_map_number(int rank, int p, int q)
{
    return p ? rank % p * q + rank / p : rank;
}

int imb_map_rank(int number, int p, int q)
{
    return p ? number / q + number % q * p : number;
}

/* Divides the processes into groups. Drops a map with one row or one column, which changes nothing and is not
 * printed by IMB. */
static struct imb_groups groups_of(const struct imb_settings *settings, int processes, int size)
{
    bool mapped = settings->map_p > 1 && settings->map_q > 1;
    int count = settings->multi < 0 ? 1 : processes / size;
    return (struct imb_groups){.processes = processes,
                               .size = size,
                               .count = count,
                               .active = size * count,
                               .map_p = mapped ? settings->map_p : 0,
                               .map_q = mapped ? settings->map_q : 0};
}

int imb_groups_rank(const struct imb_groups *groups, int group, int i)
{
    return imb_map_rank(group * groups->size + i, groups->map_p, groups->map_q);
}

int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MAX_MODES])
{
    bool together = benchmark->flags & IMB_HAS_AGGREGATE, singly = benchmark->flags & IMB_HAS_NON_AGGREGATE;
    int chosen = settings->aggregate_mode;
    if (together && singly && chosen == IMB_RUN_BOTH_MODES) {
        bool last = imb_components[benchmark->component].aggregate_last;
        modes[last] = IMB_MODE_AGGREGATE;
        modes[!last] = IMB_MODE_NON_AGGREGATE;
        return IMB_MAX_MODES;
    }
    modes[0] = singly && (!together || chosen == IMB_RUN_NON_AGGREGATE) ? IMB_MODE_NON_AGGREGATE
               : together                                               ? IMB_MODE_AGGREGATE
                                                                        : IMB_MODE_NONE;
    return 1;
}

const char *const imb_mode_names[] = {
    [IMB_MODE_NONE] = "-", [IMB_MODE_AGGREGATE] = "AGGREGATE", [IMB_MODE_NON_AGGREGATE] = "NON-AGGREGATE"};

/* ---- tables ---- */

struct imb_table imb_table_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                enum imb_mode mode, int processes, int size)
{
    const unsigned flags = benchmark->flags;
    const int ext_unit = 4; /* IMB-EXT uses the item size of reductions for all benchmarks */
    bool files = benchmark->component == IMB_IO, reads = files && !(flags & IMB_WRITES);
    struct imb_table table = {.settings = settings, .benchmark = benchmark, .mode = mode};
    if (size)
        table.groups = groups_of(settings, processes, size);
    table.type = flags & IMB_INTEGER
                     ? IMB_INT
                     : (enum imb_type)(flags & IMB_REDUCTION ? settings->red_data_type : settings->data_type);
    table.unit = imb_types[table.type].size;
    if (benchmark->component == IMB_EXT && settings->compat == IMB_2021 && table.unit < ext_unit)
        table.unit = ext_unit;
    bool pure = flags & IMB_NONBLOCKING && !(flags & IMB_OVERLAPPED);
    /* As in IMB, Ireduce_pure and Reduce_persist_pure do not count as rooted. */
    bool rooted = flags & IMB_ROOTED && !(pure && flags & IMB_REDUCTION);
    if (benchmark->component == IMB_MT)
        table.unit *= settings->team;
    table.policy = settings->policy != IMB_AUTO ? (enum imb_policy)settings->policy
                   : rooted                     ? IMB_MULTIPLE_NP
                                                : IMB_DYNAMIC;
    table.started_together = files && flags & IMB_OVERLAPPED && benchmark->class != IMB_CLASS_COLLECTIVE;
    table.completed_together = (mode == IMB_MODE_AGGREGATE || flags & IMB_AT_END) &&
                               (!reads || table.started_together); /* a blocking read completes by itself */
    return table;
}

void imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                     const struct imb_selection *selection, int processes)
{
    *tables = (struct imb_tables){0};
    for (size_t b = 0; b < selection->count; b++) {
        const struct imb_benchmark *benchmark = selection->benchmarks[b];
        int counts[IMB_MAX_COUNTS];
        enum imb_mode modes[IMB_MAX_MODES];
        int count = imb_process_counts(benchmark, settings, processes, counts);
        int mode_count = imb_modes_of(settings, benchmark, modes);
        for (int i = 0; i == 0 || i < count * mode_count; i++) {
            array_grow(&tables->table, tables->count, sizeof *tables->table);
            tables->table[tables->count++] = imb_table_make(settings, benchmark, modes[i % mode_count],
                                                            processes, count ? counts[i / mode_count] : 0);
        }
    }
}

/* ---- sizes ---- */

static void add_size(struct imb_sizes *sizes, int64_t bytes)
{
    array_grow(&sizes->bytes, (size_t)sizes->count, sizeof *sizes->bytes);
    sizes->bytes[sizes->count++] = bytes;
}

/* Adds the sizes in the text of a file, one per line, in the syntax of imb_length(). Skips empty lines and
 * comments. */
static int take_file(struct imb_sizes *sizes, const char *file, const char *text, struct message *error)
{
    for (int number = 1; *text; number++) {
        char line[64];
        size_t length = strcspn(text, "\n"), shown = length && text[length - 1] == '\r' ? length - 1 : length;
        snprintf(line, sizeof line, "%.*s", (int)shown, text);
        int64_t bytes = imb_length(line);
        if (!shown || *line == '#')
            ;
        else if (bytes < 0)
            return message_set(error, IMB_NO_SIZE("-msglen: %.200s, line %d: \"%s\" is not a size"), file,
                               number, line, 1 << IMB_MAX_LOG);
        else
            add_size(sizes, bytes);
        text += length + (text[length] == '\n');
    }
    return sizes->count
               ? 0
               : message_set(error, "-msglen: %.200s contains no size: expected one size per line", file);
}

/* Adds the powers of two from 2^min to 2^max. */
static void add_powers(struct imb_sizes *sizes, int64_t min, int64_t max)
{
    for (int64_t log = min; log <= max; log++)
        add_size(sizes, INT64_C(1) << log);
}

static int take_msglog(struct imb_sizes *sizes, const char *value, struct message *error)
{
    int64_t log[2] = {0, -1};
    char *rest;
    bool single = !strchr(value, ':'), good = *value != '-';
    log[single] = strtoll(value, &rest, 10);
    good = good && rest != value;
    if (good && !single) {
        char *second = rest + 1;
        log[1] = strtoll(second, &rest, 10);
        good = rest != second;
    }
    if (!good || *rest || log[0] < 0 || log[1] < log[0] || log[1] > IMB_MAX_LOG)
        return message_set(error,
                           "invalid -msglog \"%.80s\": expected [MIN:]MAX, whole numbers from 0 to %d with "
                           "MIN not above MAX",
                           value, IMB_MAX_LOG);
    sizes->count = 0;
    if (single)
        add_size(sizes, 0);
    add_powers(sizes, log[0], log[1]);
    return 0;
}

static int take_counts(struct imb_sizes *sizes, const char *value, int64_t unit, struct message *error)
{
    for (;; value++) {
        char *rest;
        int64_t count = strtoll(value, &rest, 10);
        if (rest == value || *value == '-' || (*rest && *rest != ',') || count < 0 || count > INT_MAX)
            return message_set(error,
                               "invalid -count \"%.80s\": expected whole numbers from 0 to %d, separated by "
                               "commas",
                               value, INT_MAX);
        add_size(sizes, count * unit);
        value = rest;
        if (!*value)
            return 0;
    }
}

/* Applies the options of IMB-MT and IMB-P2P that add sizes, in the order given. */
static int take_options(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                        struct message *error)
{
    const bool threads = settings->component == IMB_MT;
    const int64_t unit = imb_types[settings->data_type].size * settings->team;
    for (size_t i = 0; i < settings->sizes.count; i++) {
        const char *option = settings->sizes.text[i], *value = strchr(option, '=') + 1;
        int64_t bytes = 0;
        if (threads ? take_counts(sizes, value, unit, error)
                    : strncmp(option, "msglog", 6) == 0 && take_msglog(sizes, value, error))
            return -1;
        if (strncmp(option, "msgsz", 5) == 0) {
            if ((bytes = imb_length(value)) < 0)
                return message_set(error, IMB_NO_SIZE("invalid -msgsz \"%.80s\""), value, 1 << IMB_MAX_LOG);
            add_size(sizes, bytes);
        }
        if (value == settings->msglen) { /* the last -msglen replaces all sizes before it */
            sizes->count = 0;
            if (take_file(sizes, settings->msglen, text, error))
                return -1;
        }
    }
    if (!sizes->count && threads)
        for (int64_t count = 1; count <= 8; count *= 2)
            add_size(sizes, count * unit);
    else if (!sizes->count)
        return take_msglog(sizes, "22", error);
    return 0;
}

int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error)
{
    const struct texts *words = &settings->msgsize;
    *sizes = (struct imb_sizes){.listed = words->count > 0 || text || settings->component >= IMB_MT};
    if (settings->component >= IMB_MT)
        return take_options(sizes, settings, text, error);
    for (size_t i = 0; i < words->count; i++)
        add_size(sizes, imb_length(words->text[i]));
    return text && !words->count ? take_file(sizes, settings->msglen, text, error) : 0;
}

static int64_t round_up(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

void imb_sizes_make(struct imb_sizes *sizes, const struct imb_table *table, const struct imb_sizes *listed)
{
    const struct imb_settings *settings = table->settings;
    const enum imb_class class = table->benchmark->class;
    const int unit = table->unit;
    const bool cut = settings->component < IMB_MT;
    const int64_t max = INT64_C(1) << settings->max_log, last = max - max % unit;
    *sizes = (struct imb_sizes){.listed = listed->listed};
    if (class == IMB_CLASS_SYNC || class == IMB_CLASS_ELEMENT) {
        add_size(sizes, class == IMB_CLASS_SYNC ? 0 : unit);
        return;
    }
    for (int i = 0; i < listed->count; i++) {
        int64_t bytes = listed->bytes[i];
        if (cut && bytes > max && bytes > sizes->max_wanted)
            sizes->max_wanted = bytes;
        add_size(sizes, round_up(cut && bytes > max ? max : bytes, unit));
    }
    if (listed->listed)
        return;
    if (settings->zero_size)
        add_size(sizes, 0);
    for (int64_t bytes = round_up(INT64_C(1) << settings->min_log, unit); bytes < last; bytes *= 2)
        add_size(sizes, bytes);
    if (last > 0)
        add_size(sizes, last);
}

/* ---- buffers ---- */

/* Sets the number of copies of a buffer and the distance between them. The distance is a whole number of
 * items and leaves at least one unused cache line between copies. */
static void add_copies(const struct imb_settings *settings, struct imb_buffer *buffer, int64_t item,
                       int64_t repetitions)
{
    buffer->copies = 1;
    buffer->step = buffer->bytes;
    if (!settings->cache || !buffer->bytes || settings->component == IMB_IO)
        return;
    buffer->step = round_up(round_up(buffer->bytes, settings->line) + settings->line, item);
    int64_t copies = (2 * settings->cache + buffer->step - 1) / buffer->step;
    buffer->copies = copies < repetitions ? copies : repetitions;
}

/* Returns the number of places of `bytes` bytes that fit into PLACES_MAX_BYTES, at least 1 and at most
 * `max`. */
static int64_t places_of(int64_t bytes, int64_t max)
{
    int64_t places = bytes ? PLACES_MAX_BYTES / bytes : max;
    return places < 1 ? 1 : places < max ? places : max;
}

/* Adds space to the receive buffer, so that each message of the checked repetitions has its own place. */
static void add_places(struct imb_memory *memory, const struct imb_table *table, int64_t message,
                       int64_t repetitions)
{
    const struct imb_benchmark *benchmark = table->benchmark;
    struct imb_buffer *receive = &memory->receive;
    if (benchmark->content == IMB_HOLDS_NEIGHBOURS && benchmark->receive != IMB_2X) {
        memory->second = message;
        receive->bytes += message;
    }
    if (benchmark->content == IMB_HOLDS_DRAWN && benchmark->class != IMB_CLASS_GRID)
        memory->places = places_of(message, table->groups.size);
    else if (benchmark->content == IMB_HOLDS_WINDOW)
        memory->places = places_of(message, table->settings->window_size);
    else if (benchmark->component == IMB_IO && !(benchmark->flags & IMB_WRITES))
        memory->places = repetitions;
    receive->bytes *= memory->places;
}

struct imb_memory imb_memory_make(const struct imb_table *table, int64_t bytes, int64_t repetitions,
                                  bool checked)
{
    const struct imb_settings *settings = table->settings;
    const struct imb_benchmark *benchmark = table->benchmark;
    int size = table->groups.size, unit = imb_types[table->type].size;
    bool stretched = !(benchmark->flags & IMB_REDUCTION) && settings->contig_type >= IMB_RESIZE;
    int64_t message = stretched ? 2 * bytes : bytes;
    const int64_t spaces[] = {
        [IMB_X] = message,         [IMB_2X] = 2 * message,
        [IMB_4X] = 4 * message,    [IMB_6X] = 6 * message,
        [IMB_PX] = size * message, [IMB_PORTION] = imb_portion_of(message, 0, size).bytes};
    bool whole = settings->compat == IMB_30 && benchmark->flags & IMB_SPLIT_30;
    struct imb_memory memory = {.items = bytes / unit,
                                .stride = stretched ? 2 * unit : unit,
                                .places = 1,
                                .second = benchmark->receive == IMB_2X ? message : 0,
                                .send.bytes = spaces[whole ? IMB_X : benchmark->send],
                                .receive.bytes = spaces[benchmark->receive]};
    if (settings->check && benchmark->component == IMB_IO && benchmark->flags & IMB_WRITES)
        memory.receive.bytes = memory.send.bytes; /* written data are read back into this buffer */
    if (checked)
        add_places(&memory, table, message, repetitions);
    add_copies(settings, &memory.send, memory.stride, repetitions);
    add_copies(settings, &memory.receive, memory.stride, repetitions);
    if (checked && benchmark->epoch != IMB_NO_EPOCH && memory.receive.step) {
        int64_t places = places_of(memory.receive.step, repetitions);
        if (places > memory.receive.copies)
            memory.receive.copies = places;
    }
    return memory;
}

double imb_memory_gib(const struct imb_memory *memory)
{
    return ((double)(memory->send.step * memory->send.copies) +
            (double)(memory->receive.step * memory->receive.copies)) /
           (double)(1 << 30);
}

bool imb_memory_overflows(const struct imb_memory *memory)
{
    int64_t max = memory->send.bytes > memory->receive.bytes ? memory->send.bytes : memory->receive.bytes;
    return max / memory->stride > INT_MAX;
}

/* ---- repetitions ---- */

int64_t imb_repetitions(const struct imb_table *table, bool listed, int64_t bytes)
{
    const struct imb_settings *settings = table->settings;
    int64_t max = settings->repetitions;
    if (table->policy == IMB_OFF || settings->component == IMB_MT)
        return max;
    if (settings->component == IMB_P2P) {
        double by_volume = bytes ? round((double)settings->volume / (double)bytes) : INFINITY;
        return by_volume < (double)max ? (int64_t)fmax(by_volume, 1) : max;
    }
    if (table->policy == IMB_MULTIPLE_NP) {
        const int processes = table->groups.size;
        /* The number of repetitions is a multiple of the number of processes. It decreases with the size, and
         * is half of the maximum if all processes together transfer 2^max bytes. */
        double largest = (double)(INT64_C(1) << settings->max_log), x = fmax((double)bytes, 4);
        int64_t wanted = (int64_t)round((double)max * largest / (processes * x + largest));
        int64_t multiple = wanted / processes * processes;
        return multiple < processes ? processes : multiple;
    }
    bool few = table->mode == IMB_MODE_NON_AGGREGATE || table->benchmark->flags & IMB_FEW;
    if (few && (listed || settings->few_repetitions < max))
        max = settings->few_repetitions;
    int64_t by_volume = bytes ? settings->volume / bytes : max;
    return by_volume < 1 ? 1 : by_volume < max ? by_volume : max;
}

int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds)
{
    int64_t max = settings->component == IMB_IO ? PROBE_MAX_FILES : PROBE_MAX;
    if (seconds >= 1 / (double)max)
        max = (int64_t)fmax(1, round(1 / seconds));
    return max < repetitions ? max : repetitions;
}

int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left)
{
    double seconds = fmin(first, second);
    if (seconds < NO_TIME)
        return repetitions;
    double all = fmax(0, left) / seconds; /* including the warm-up */
    if (settings->warm_up && settings->component != IMB_IO)
        all = all < 2 * WARMUP_MIN ? all / 2 : all < 11 * WARMUP_MIN ? all - WARMUP_MIN : all / 1.1;
    double max = floor(1 + all);
    return max < (double)repetitions ? (int64_t)max : repetitions;
}

int64_t imb_repetitions_checked(int64_t repetitions)
{
    int64_t min = repetitions < WARMUP_MIN ? repetitions : WARMUP_MIN;
    return repetitions / 10 < min ? min : repetitions / 10;
}

int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions)
{
    if (settings->component == IMB_MT)
        return settings->warmup;
    if (settings->component == IMB_P2P)
        return repetitions < 2 ? 0 : repetitions < 10 ? 1 : repetitions / 10;
    return settings->warm_up && settings->component != IMB_IO ? imb_repetitions_checked(repetitions) : 0;
}
