/* Message sizes and buffers. Uses settings, file. */
#include "imb_compat/sizes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "imb_compat/file.h"

#define PLACES_MOST_BYTES (INT64_C(64) << 20)

/* ---- sizes ---- */

static int append(struct imb_sizes *sizes, int64_t bytes)
{
    int64_t *more = realloc(sizes->bytes, ((size_t)sizes->count + 1) * sizeof *more);
    if (!more)
        return -1;
    sizes->bytes = more;
    sizes->bytes[sizes->count++] = bytes;
    return 0;
}

/* One line of the file: a length and nothing behind it but what follows its suffix; empty, or a comment. */
static int take_line(struct imb_sizes *sizes, const char *file, int number, const char *line, size_t length,
                     struct message *error)
{
    char text[64];
    if (length && line[length - 1] == '\r')
        length--;
    if (!length || *line == '#')
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), line);
    int64_t bytes = imb_length(text);
    if (bytes < 0)
        return message_set(
            error,
            "-msglen: %.200s, line %d: \"%s\" is not a size: expected a whole number from 0 to %d, "
            "optionally followed by K, M or G (KiB, MiB, GiB)",
            file, number, text, 1 << IMB_MOST_LOG);
    return append(sizes, bytes) ? message_set(error, "out of memory for the sizes") : 0;
}

static int take_file(struct imb_sizes *sizes, const char *file, const char *text, struct message *error)
{
    for (int number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        if (take_line(sizes, file, number, text, length, error))
            return -1;
        text += length + (text[length] == '\n');
    }
    return sizes->count ? 0 : message_set(error, "-msglen: no size in %.200s", file);
}

int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error)
{
    *sizes = (struct imb_sizes){.listed = settings->msgsize.count > 0 || text};
    for (size_t i = 0; i < settings->msgsize.count; i++)
        if (append(sizes, imb_length(settings->msgsize.word[i])))
            return message_set(error, "out of memory for the sizes");
    return text && !settings->msgsize.count ? take_file(sizes, settings->msglen, text, error) : 0;
}

static int64_t round_up(int64_t bytes, int unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static int take_list(struct imb_sizes *sizes, const struct imb_sizes *listed, int64_t most, int unit)
{
    for (int i = 0; i < listed->count; i++) {
        int64_t bytes = listed->bytes[i];
        if (bytes > most && bytes > sizes->most_wanted)
            sizes->most_wanted = bytes;
        if (append(sizes, round_up(bytes < most ? bytes : most, unit)))
            return -1;
    }
    return 0;
}

int imb_sizes_make(struct imb_sizes *sizes, const struct imb_settings *settings,
                   const struct imb_sizes *listed, const struct imb_benchmark *benchmark, int unit)
{
    int64_t most = INT64_C(1) << settings->max_log;
    *sizes = (struct imb_sizes){.listed = listed->listed};
    if (benchmark->class == IMB_CLASS_SYNC)
        return append(sizes, 0);
    if (benchmark->class == IMB_CLASS_ELEMENT)
        return append(sizes, unit);
    if (listed->listed)
        return take_list(sizes, listed, most, unit);
    most -= most % unit;
    if (settings->zero_size && append(sizes, 0))
        return -1;
    for (int64_t bytes = round_up(INT64_C(1) << settings->min_log, unit); bytes < most; bytes *= 2)
        if (append(sizes, bytes))
            return -1;
    return most > 0 ? append(sizes, most) : 0;
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

/* Bytes of a buffer. */
static int64_t space_bytes(enum imb_space space, int64_t x, int processes)
{
    switch (space) {
    case IMB_NOTHING:
        return 0;
    case IMB_X:
        return x;
    case IMB_2X:
        return 2 * x;
    case IMB_PX:
        return processes * x;
    case IMB_PORTION:
        return imb_portion_of(x, 0, processes).bytes;
    }
    return 0;
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
    int64_t places = buffer->step ? PLACES_MOST_BYTES / buffer->step : 1;
    if (places > repetitions)
        places = repetitions;
    if (places > buffer->copies)
        buffer->copies = places;
}

static int64_t window_places(const struct imb_settings *settings, int64_t bytes)
{
    int64_t places = bytes ? PLACES_MOST_BYTES / bytes : settings->window_size;
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
