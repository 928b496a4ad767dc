/* Message sizes, buffers, numbers of repetitions. Uses tables, file. */
#include "imb_compat/sizes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imb_compat/file.h"

#define PLACES_MAX_BYTES (INT64_C(64) << 20)

enum { PROBE_MAX = 1000, PROBE_MAX_FILES = 50, WARMUP_MIN = 10 };
#define NO_TIME 1e-8 /* the clock does not resolve less: no limit follows */

/* ---- sizes ---- */

/* An empty list with room for so many. */
static int make_room(struct imb_sizes *sizes, size_t max, bool listed)
{
    *sizes = (struct imb_sizes){.bytes = calloc(max, sizeof *sizes->bytes), .listed = listed};
    return sizes->bytes ? 0 : -1;
}

static void append(struct imb_sizes *sizes, int64_t bytes)
{
    sizes->bytes[sizes->count++] = bytes;
}

/* The sizes of a file: in each line a length and nothing behind it but what follows its suffix; empty lines,
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
            return message_set(
                error,
                "-msglen: %.200s, line %d: \"%s\" is not a size: expected a whole number from 0 to %d, "
                "optionally followed by K, M or G (KiB, MiB, GiB)",
                file, number, line, 1 << IMB_MAX_LOG);
        else
            append(sizes, bytes);
        text += length + (text[length] == '\n');
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

static int64_t round_up(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

int imb_sizes_make(struct imb_sizes *sizes, const struct imb_settings *settings,
                   const struct imb_sizes *listed, const struct imb_benchmark *benchmark, int unit)
{
    enum { POWERS = IMB_MAX_LOG + 3 }; /* with 0 and the largest */
    const int64_t max = INT64_C(1) << settings->max_log, last = max - max % unit;
    if (make_room(sizes, POWERS + (size_t)listed->count, listed->listed))
        return -1;
    if (benchmark->class == IMB_CLASS_SYNC || benchmark->class == IMB_CLASS_ELEMENT) {
        append(sizes, benchmark->class == IMB_CLASS_SYNC ? 0 : unit);
        return 0;
    }
    for (int i = 0; i < listed->count; i++) {
        int64_t bytes = listed->bytes[i];
        if (bytes > max && bytes > sizes->max_wanted)
            sizes->max_wanted = bytes;
        append(sizes, round_up(bytes < max ? bytes : max, unit));
    }
    if (listed->listed)
        return 0;
    if (settings->zero_size)
        append(sizes, 0);
    for (int64_t bytes = round_up(INT64_C(1) << settings->min_log, unit); bytes < last; bytes *= 2)
        append(sizes, bytes);
    if (last > 0)
        append(sizes, last);
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

/* The copies of a buffer: each begins at a whole item, and lies a line behind the one before. */
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

/* As many places of so many bytes as there is room for: from 1 to `max`. */
static int64_t places_of(int64_t bytes, int64_t max)
{
    int64_t places = bytes ? PLACES_MAX_BYTES / bytes : max;
    return places < 1 ? 1 : places < max ? places : max;
}

/* Places for all that is compared, where messages or repetitions would come to the same one. */
static void add_places(struct imb_memory *memory, const struct imb_settings *settings,
                       const struct imb_benchmark *benchmark, int64_t message, int64_t repetitions)
{
    struct imb_buffer *receive = &memory->receive;
    if (benchmark->content == IMB_HOLDS_NEIGHBOURS && benchmark->receive != IMB_2X) {
        memory->second = message;
        receive->bytes += message;
    }
    if (benchmark->content == IMB_HOLDS_WINDOW)
        memory->places = places_of(message, settings->window_size);
    else if (benchmark->component == IMB_IO && benchmark->flags & IMB_WRITES)
        receive->bytes = memory->send.bytes; /* what was written is read back */
    else if (benchmark->component == IMB_IO && imb_starts_together(benchmark))
        memory->places = repetitions;
    receive->bytes *= memory->places;
}

struct imb_memory imb_memory_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                  int size, int64_t bytes, int64_t repetitions)
{
    int unit = imb_types[imb_type_of(settings, benchmark)].size;
    bool stretched = !(benchmark->flags & IMB_REDUCTION) && settings->contig_type >= IMB_RESIZE;
    int64_t message = stretched ? 2 * bytes : bytes;
    const int64_t spaces[] = {[IMB_X] = message,
                              [IMB_2X] = 2 * message,
                              [IMB_PX] = size * message,
                              [IMB_PORTION] = imb_portion_of(message, 0, size).bytes};
    bool whole = settings->compat == IMB_30 && benchmark->flags & IMB_FIRST_SPLIT;
    struct imb_memory memory = {.items = bytes / unit,
                                .stride = stretched ? 2 * unit : unit,
                                .places = 1,
                                .second = benchmark->receive == IMB_2X ? message : 0,
                                .send.bytes = spaces[whole ? IMB_X : benchmark->send],
                                .receive.bytes = spaces[benchmark->receive]};
    if (settings->check)
        add_places(&memory, settings, benchmark, message, repetitions);
    add_copies(settings, &memory.send, memory.stride, repetitions);
    add_copies(settings, &memory.receive, memory.stride, repetitions);
    if (settings->check && benchmark->epoch != IMB_NO_EPOCH && memory.receive.step) {
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

enum imb_policy imb_policy_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark)
{
    if (settings->policy == IMB_AUTO)
        return benchmark->flags & IMB_ROOTED ? IMB_MULTIPLE_NP : IMB_DYNAMIC;
    return (enum imb_policy)settings->policy;
}

int64_t imb_repetitions(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                        enum imb_mode mode, bool listed, int64_t bytes, int processes)
{
    int64_t max = settings->repetitions;
    enum imb_policy policy = imb_policy_of(settings, benchmark);
    if (policy == IMB_OFF)
        return max;
    if (policy == IMB_MULTIPLE_NP) {
        /* Falls, to half of it where all processes together move 2^max bytes, in multiples of the processes.
         */
        double largest = (double)(INT64_C(1) << settings->max_log), x = fmax((double)bytes, 4);
        int64_t wanted = (int64_t)round((double)max * largest / (processes * x + largest));
        int64_t multiple = wanted / processes * processes;
        return multiple < processes ? processes : multiple;
    }
    bool few = mode == IMB_MODE_NON_AGGREGATE || benchmark->flags & IMB_FEW;
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
    double max = floor(1 + without_warmup(settings, fmax(0, left) / seconds));
    return max < (double)repetitions ? (int64_t)max : repetitions;
}

int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions)
{
    if (!settings->warm_up || settings->component == IMB_IO)
        return 0;
    int64_t min = repetitions < WARMUP_MIN ? repetitions : WARMUP_MIN;
    return repetitions / 10 < min ? min : repetitions / 10;
}
