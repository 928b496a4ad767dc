/* Message sizes, buffers, numbers of repetitions. Uses tables, file. */
#include "imb_compat/sizes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imb_compat/file.h"

#define PLACES_MAX_BYTES (INT64_C(64) << 20)

enum { PROBE_MAX = 1000, PROBE_MAX_FILES = 50, WARMUP_MIN = 10 };
#define NO_TIME 1e-8 /* shorter ones are not limited: the clock hardly tells them from nothing */

/* ---- sizes ---- */

/* An empty list with room for so many. */
static int make_room(struct imb_sizes *sizes, size_t most, bool listed)
{
    *sizes = (struct imb_sizes){.bytes = calloc(most, sizeof *sizes->bytes), .listed = listed};
    return sizes->bytes ? 0 : -1;
}

static void append(struct imb_sizes *sizes, int64_t bytes)
{
    sizes->bytes[sizes->count++] = bytes;
}

/* One line of the file: a length and nothing behind it but what follows its suffix; empty, or a comment. */
static int take_line(struct imb_sizes *sizes, const char *file, int number, const char *line,
                     struct message *error)
{
    char text[64];
    size_t length = strcspn(line, "\n");
    if (length && line[length - 1] == '\r')
        length--;
    if (!length || *line == '#')
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    int64_t bytes = imb_length(text);
    if (bytes < 0)
        return message_set(
            error,
            "-msglen: %.200s, line %d: \"%s\" is not a size: expected a whole number from 0 to %d, "
            "optionally followed by K, M or G (KiB, MiB, GiB)",
            file, number, text, 1 << IMB_MAX_LOG);
    append(sizes, bytes);
    return 0;
}

static int take_file(struct imb_sizes *sizes, const char *file, const char *text, struct message *error)
{
    for (int number = 1; *text; number++) {
        if (take_line(sizes, file, number, text, error))
            return -1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return sizes->count ? 0 : message_set(error, "-msglen: no size in %.200s", file);
}

int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error)
{
    const struct option_words *words = &settings->msgsize;
    if (make_room(sizes, words->count + (text ? strlen(text) : 0) + 1, words->count > 0 || text))
        return message_set(error, "out of memory for the sizes");
    for (size_t i = 0; i < words->count; i++)
        append(sizes, imb_length(words->word[i]));
    return text && !words->count ? take_file(sizes, settings->msglen, text, error) : 0;
}

static int64_t round_up(int64_t bytes, int unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static void take_list(struct imb_sizes *sizes, const struct imb_sizes *listed, int64_t most, int unit)
{
    for (int i = 0; i < listed->count; i++) {
        int64_t bytes = listed->bytes[i];
        if (bytes > most && bytes > sizes->most_wanted)
            sizes->most_wanted = bytes;
        append(sizes, round_up(bytes < most ? bytes : most, unit));
    }
}

static void take_powers(struct imb_sizes *sizes, const struct imb_settings *settings, int64_t most, int unit)
{
    most -= most % unit;
    if (settings->zero_size)
        append(sizes, 0);
    for (int64_t bytes = round_up(INT64_C(1) << settings->min_log, unit); bytes < most; bytes *= 2)
        append(sizes, bytes);
    if (most > 0)
        append(sizes, most);
}

int imb_sizes_make(struct imb_sizes *sizes, const struct imb_settings *settings,
                   const struct imb_sizes *listed, const struct imb_benchmark *benchmark, int unit)
{
    enum { POWERS = IMB_MAX_LOG + 3 }; /* with 0 and the largest */
    int64_t most = INT64_C(1) << settings->max_log;
    if (make_room(sizes, POWERS + (size_t)listed->count, listed->listed))
        return -1;
    if (benchmark->class == IMB_CLASS_SYNC)
        append(sizes, 0);
    else if (benchmark->class == IMB_CLASS_ELEMENT)
        append(sizes, unit);
    else if (listed->listed)
        take_list(sizes, listed, most, unit);
    else
        take_powers(sizes, settings, most, unit);
    return 0;
}

void imb_sizes_free(struct imb_sizes *sizes)
{
    free(sizes->bytes);
    *sizes = (struct imb_sizes){0};
}

/* ---- buffers ---- */

enum imb_type imb_type_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark)
{
    if (benchmark->flags & IMB_INTEGER)
        return IMB_INT;
    return (enum imb_type)(benchmark->flags & IMB_REDUCTION ? settings->red_data_type : settings->data_type);
}

int imb_unit_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark)
{
    const int ext_unit = 4; /* the item of reductions, for all */
    int size = imb_types[imb_type_of(settings, benchmark)].size;
    return benchmark->component == IMB_EXT && settings->compat == IMB_2021 && size < ext_unit ? ext_unit
                                                                                              : size;
}

static int64_t space_bytes(enum imb_space space, int64_t x, int processes)
{
    const int64_t bytes[] = {[IMB_X] = x,
                             [IMB_2X] = 2 * x,
                             [IMB_PX] = processes * x,
                             [IMB_PORTION] = imb_portion_of(x, 0, processes).bytes};
    return bytes[space];
}

/* Each copy begins at a whole item. */
static void add_copies(const struct imb_settings *settings, struct imb_buffer *buffer, int64_t item,
                       int64_t repetitions)
{
    buffer->copies = 1;
    buffer->step = buffer->bytes;
    if (!settings->cache || !buffer->bytes || settings->component == IMB_IO)
        return;
    int64_t line = settings->line;
    buffer->step = (buffer->bytes + line - 1) / line * line + line;
    buffer->step = (buffer->step + item - 1) / item * item;
    int64_t copies = (2 * settings->cache + buffer->step - 1) / buffer->step;
    buffer->copies = copies < repetitions ? copies : repetitions;
}

/* Every repetition has a place of its own, until there are too many. */
static void add_places(struct imb_buffer *buffer, int64_t repetitions)
{
    int64_t places = buffer->step ? PLACES_MAX_BYTES / buffer->step : 1;
    if (places > repetitions)
        places = repetitions;
    if (places > buffer->copies)
        buffer->copies = places;
}

static int64_t window_places(const struct imb_settings *settings, int64_t bytes)
{
    int64_t places = bytes ? PLACES_MAX_BYTES / bytes : settings->window_size;
    return places < 1 ? 1 : places < settings->window_size ? places : settings->window_size;
}

/* Files: what was written is read back; what is read all at once goes to places of its own. */
static void add_file_places(struct imb_memory *memory, const struct imb_benchmark *benchmark,
                            int64_t repetitions)
{
    if (benchmark->flags & IMB_WRITES) {
        memory->receive.bytes = memory->send.bytes;
    } else if (imb_starts_together(benchmark)) {
        memory->places = repetitions;
        memory->receive.bytes *= repetitions;
    }
}

struct imb_memory imb_memory_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                  int size, int64_t bytes, int64_t repetitions)
{
    int unit = imb_types[imb_type_of(settings, benchmark)].size;
    bool stretched = !(benchmark->flags & IMB_REDUCTION) && settings->contig_type >= IMB_RESIZE;
    int64_t message = stretched ? 2 * bytes : bytes;
    bool whole = settings->compat == IMB_30 && benchmark->flags & IMB_FIRST_SPLIT;
    struct imb_memory memory = {.items = bytes / unit,
                                .stride = stretched ? 2 * unit : unit,
                                .places = 1,
                                .send.bytes = space_bytes(whole ? IMB_X : benchmark->send, message, size),
                                .receive.bytes = space_bytes(benchmark->receive, message, size)};
    if (benchmark->receive == IMB_2X)
        memory.second = message;
    else if (settings->check && benchmark->content == IMB_HOLDS_NEIGHBOURS) {
        memory.second = message;
        memory.receive.bytes += message;
    }
    if (settings->check && benchmark->content == IMB_HOLDS_WINDOW) {
        memory.places = window_places(settings, message);
        memory.receive.bytes *= memory.places;
    }
    if (settings->check && benchmark->component == IMB_IO)
        add_file_places(&memory, benchmark, repetitions);
    add_copies(settings, &memory.send, memory.stride, repetitions);
    add_copies(settings, &memory.receive, memory.stride, repetitions);
    if (settings->check && benchmark->epoch != IMB_NO_EPOCH)
        add_places(&memory.receive, repetitions);
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
    int64_t most = memory->send.bytes > memory->receive.bytes ? memory->send.bytes : memory->receive.bytes;
    return most / memory->stride > INT_MAX;
}

/* ---- repetitions ---- */

enum imb_policy imb_policy_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark)
{
    if (settings->policy == IMB_AUTO)
        return benchmark->flags & IMB_ROOTED ? IMB_MULTIPLE_NP : IMB_DYNAMIC;
    return (enum imb_policy)settings->policy;
}

/* Falls from the first number, half of it where all processes together move 2^max bytes, in multiples of the
 * processes. */
static int64_t multiple_of_processes(const struct imb_settings *settings, int64_t bytes, int processes)
{
    double most = (double)(INT64_C(1) << settings->max_log);
    double x = fmax((double)bytes, 4);
    int64_t wanted = (int64_t)round((double)settings->repetitions * most / (processes * x + most));
    int64_t multiple = wanted / processes * processes;
    return multiple < processes ? processes : multiple;
}

int64_t imb_repetitions(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                        enum imb_mode mode, bool listed, int64_t bytes, int processes)
{
    int64_t most = settings->repetitions;
    switch (imb_policy_of(settings, benchmark)) {
    case IMB_OFF:
        return most;
    case IMB_MULTIPLE_NP:
        return multiple_of_processes(settings, bytes, processes);
    case IMB_DYNAMIC:
    case IMB_AUTO:
        break;
    }
    bool few = mode == IMB_MODE_NON_AGGREGATE || benchmark->flags & IMB_FEW;
    if (few && (listed || settings->few_repetitions < most))
        most = settings->few_repetitions;
    if (bytes == 0)
        return most;
    int64_t by_volume = settings->volume / bytes;
    return by_volume < 1 ? 1 : by_volume < most ? by_volume : most;
}

int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds)
{
    int64_t most = settings->component == IMB_IO ? PROBE_MAX_FILES : PROBE_MAX;
    if (seconds >= 1 / (double)most)
        most = (int64_t)fmax(1, round(1 / seconds));
    return most < repetitions ? most : repetitions;
}

/* Repetitions that fit, of `all` with those of the warm-up. */
static double without_warmup(const struct imb_settings *settings, double all)
{
    if (!settings->warm_up || settings->component == IMB_IO)
        return all;
    if (all < 2 * WARMUP_MIN)
        return all / 2;
    return all < 11 * WARMUP_MIN ? all - WARMUP_MIN : all / 1.1;
}

int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left)
{
    double seconds = fmin(first, second);
    if (seconds < NO_TIME)
        return repetitions;
    double most = floor(1 + without_warmup(settings, fmax(0, left) / seconds));
    return most < (double)repetitions ? (int64_t)most : repetitions;
}

int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions)
{
    if (!settings->warm_up || settings->component == IMB_IO)
        return 0;
    int64_t least = repetitions < WARMUP_MIN ? repetitions : WARMUP_MIN;
    return repetitions / 10 < least ? least : repetitions / 10;
}
