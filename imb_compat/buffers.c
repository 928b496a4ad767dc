#include "imb_compat/buffers.h"

#include <limits.h>

#include "imb_compat/check.h"
#include "imb_compat/sizes.h"

#define PLACES_MAX_BYTES (INT64_C(64) << 20)

/* Sets the number of copies of a buffer and the distance between them. The distance is a whole number of
 * items and leaves at least one unused cache line between copies. */
static void add_copies(const struct imb_settings *settings, struct imb_buffer *buffer, int64_t item,
                       int64_t repetitions)
{
    buffer->copies = 1;
    buffer->step = buffer->bytes;
    if (!settings->cache || !buffer->bytes || settings->component == IMB_IO)
        return;
    buffer->step = imb_round_up(imb_round_up(buffer->bytes, settings->line) + settings->line, item);
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
    struct imb_memory memory = {.bytes = bytes,
                                .repetitions = repetitions,
                                .items = bytes / unit,
                                .stride = stretched ? 2 * unit : unit,
                                .messages = benchmark->class == IMB_CLASS_GRID ? benchmark->rate : 1,
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
    const int64_t sent = memory.send.copies, received = memory.receive.copies;
    if (benchmark->flags & IMB_PERSISTENT)
        memory.requests = sent > received ? sent : received;
    return memory;
}

int64_t imb_copy_of(const struct imb_memory *memory, const struct imb_buffer *buffer, int64_t repetition)
{
    return (memory->requests ? repetition % memory->requests : repetition) % buffer->copies;
}

double imb_memory_gib(const struct imb_memory *memory)
{
    return ((double)(memory->send.step * memory->send.copies) +
            (double)(memory->receive.step * memory->receive.copies)) /
           (double)(1 << 30);
}

bool imb_memory_overflows(const struct imb_memory *memory)
{
    int64_t sent = memory->send.bytes, received = memory->receive.bytes / memory->places;
    return (sent > received ? sent : received) / memory->messages / memory->stride > INT_MAX;
}
