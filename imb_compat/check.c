/* Contents of messages. Uses benchmarks, settings. */
#include "imb_compat/check.h"

#include <string.h>

enum { LARGEST_ITEM = 8 };

/* The byte at a place of the send buffer of a process. */
static unsigned char sent_byte(int rank, int64_t position)
{
    uint32_t mixed = ((uint32_t)position + 1) * 2654435761u + (uint32_t)rank * 40503u;
    return (unsigned char)(mixed >> 24 ^ mixed >> 13);
}

/* Operands: whole numbers to 91. Their sum is exact in a float for up to 184000 processes, and wraps alike in
 * a char. */
static int64_t operand_part(int64_t index)
{
    return index * 7 % 61;
}

static int64_t operand(int rank, int64_t index)
{
    return operand_part(index) + rank % 32;
}

static int64_t sum_of_operands(int size, int64_t index)
{
    int whole = size / 32, rest = size % 32;
    return size * operand_part(index) + whole * (31 * 32 / 2) + rest * (rest - 1) / 2;
}

static void put_number(enum imb_type type, int64_t number, unsigned char *item)
{
    switch (type) {
    case IMB_INT:
        memcpy(item, &(int){(int)number}, sizeof(int));
        break;
    case IMB_FLOAT:
        memcpy(item, &(float){(float)number}, sizeof(float));
        break;
    case IMB_DOUBLE:
        memcpy(item, &(double){(double)number}, sizeof(double));
        break;
    case IMB_CHAR:
    case IMB_BYTE:
    case IMB_TYPES:
        item[0] = (unsigned char)(number & 255);
        break;
    }
}

static void put_sent(const struct imb_exchange *e, int rank, int64_t index, unsigned char *item)
{
    int size = imb_types[e->type].size;
    if (e->benchmark->flags & IMB_REDUCTION)
        put_number(e->type, operand(rank, index), item);
    else
        for (int b = 0; b < size; b++)
            item[b] = sent_byte(rank, index * size + b);
}

bool imb_starts_filled(const struct imb_benchmark *benchmark)
{
    return benchmark->content == IMB_HOLDS_FETCHED || benchmark->content == IMB_HOLDS_SWAPPED;
}

void imb_fill(const struct imb_exchange *e, char *buffer, int64_t items)
{
    for (int64_t i = 0; i < items; i++)
        put_sent(e, e->rank, i, (unsigned char *)buffer + i * e->stride);
}

/* ---- what must have arrived ---- */

/* Where a block of the receive buffer came from. */
struct origin {
    bool sum;      /* over all processes */
    int source;    /* else: the process that sent it */
    int64_t index; /* its first item in the send buffer */
};

static int block_count(const struct imb_exchange *e, int root)
{
    if (e->benchmark->flags & IMB_AT_ROOT && e->rank != root)
        return 0;
    if (e->benchmark->flags & IMB_AT_LAST && e->rank != e->size - 1)
        return 0;
    switch (e->benchmark->content) {
    case IMB_HOLDS_NOTHING:
        return 0;
    case IMB_HOLDS_NEIGHBOURS:
        return 2;
    case IMB_HOLDS_WINDOW:
        return e->rank >= e->size / 2 || e->benchmark->flags & IMB_BOTH_WAYS ? e->blocks_apart : 0;
    case IMB_HOLDS_ALL:
    case IMB_HOLDS_OTHERS:
    case IMB_HOLDS_PARTS:
        return e->size;
    case IMB_HOLDS_ROOT:
        return e->rank != root;
    default:
        return 1;
    }
}

static struct origin origin_of(const struct imb_exchange *e, int root, int block)
{
    int half = e->size / 2, left = (e->rank + e->size - 1) % e->size, right = (e->rank + 1) % e->size;
    switch (e->benchmark->content) {
    case IMB_HOLDS_FETCHED:
        if (e->rank)
            return (struct origin){.sum = true};
        return (struct origin){.source = e->size - 1};
    case IMB_HOLDS_PARTNER:
    case IMB_HOLDS_SWAPPED:
    case IMB_HOLDS_WINDOW:
        return (struct origin){.source = e->rank < half ? e->rank + half : e->rank - half};
    case IMB_HOLDS_LEFT:
        return (struct origin){.source = left};
    case IMB_HOLDS_NEIGHBOURS:
        return block ? (struct origin){.source = right, .index = e->items} : (struct origin){.source = left};
    case IMB_HOLDS_ALL:
    case IMB_HOLDS_OTHERS:
        return (struct origin){.source = block};
    case IMB_HOLDS_PARTS:
        return (struct origin){.source = block, .index = e->rank * e->items};
    case IMB_HOLDS_ROOT:
        return (struct origin){.source = root};
    case IMB_HOLDS_ROOT_PART:
        return (struct origin){.source = root, .index = e->rank * e->items};
    case IMB_HOLDS_SUM:
        return (struct origin){.sum = true};
    case IMB_HOLDS_SUM_PART:
        return (struct origin){.sum = true, .index = e->first};
    case IMB_HOLDS_OWN_SUM: /* with zeros */
    case IMB_HOLDS_OWN_ITEM:
    case IMB_HOLDS_NOTHING:
        break;
    }
    return (struct origin){.source = e->rank};
}

void imb_compare(const void *expected, const void *found, int64_t bytes, int64_t position, int source,
                 struct imb_mismatch *mismatch)
{
    const unsigned char *e = expected, *f = found;
    for (int64_t b = 0; b < bytes; b++)
        if (e[b] != f[b] && mismatch->wrong++ == 0) {
            mismatch->position = position + b;
            mismatch->source = source;
            mismatch->expected = e[b];
            mismatch->found = f[b];
        }
}

void imb_check(const struct imb_exchange *e, const char *buffer, int root, struct imb_mismatch *mismatch)
{
    int size = imb_types[e->type].size, blocks = block_count(e, root);
    unsigned char expected[LARGEST_ITEM];
    for (int block = 0; block < blocks; block++) {
        struct origin from = origin_of(e, root, block);
        if (e->benchmark->content == IMB_HOLDS_OTHERS && block == e->rank)
            continue;
        for (int64_t i = 0; i < e->items; i++) {
            int64_t position = (block * e->items + i) * e->stride;
            if (from.sum)
                put_number(e->type, sum_of_operands(e->size, from.index + i), expected);
            else
                put_sent(e, from.source, from.index + i, expected);
            imb_compare(expected, buffer + position, size, position, from.sum ? IMB_SOURCE_SUM : from.source,
                        mismatch);
        }
    }
}
