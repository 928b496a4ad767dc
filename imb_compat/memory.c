/* Sizes of message buffers. Uses settings, file. */
#include "imb_compat/memory.h"

#include <limits.h>

#include "imb_compat/file.h"

#define PLACES_MOST_BYTES (INT64_C(64) << 20)

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
