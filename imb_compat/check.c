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

/* How many blocks the receive buffer has, whose items they are, and whether only this process's part of them.
 */
static const struct {
    enum { NONE, ONE, TWO, EACH, PLACES, ONE_OF_ROOT } blocks;
    enum { OWN, PARTNER, LEFT, SIDES, BLOCK, ROOT, SUM, FETCHED } source;
    bool part;
} holdings[] = {
    [IMB_HOLDS_NOTHING] = {NONE},
    [IMB_HOLDS_PARTNER] = {ONE, PARTNER},
    [IMB_HOLDS_LEFT] = {ONE, LEFT},
    [IMB_HOLDS_NEIGHBOURS] = {TWO, SIDES},
    [IMB_HOLDS_WINDOW] = {PLACES, PARTNER},
    [IMB_HOLDS_ALL] = {EACH, BLOCK},
    [IMB_HOLDS_PARTS] = {EACH, BLOCK, .part = true},
    [IMB_HOLDS_ROOT] = {ONE_OF_ROOT, ROOT},
    [IMB_HOLDS_ROOT_PART] = {ONE, ROOT, .part = true},
    [IMB_HOLDS_SUM] = {ONE, SUM},
    [IMB_HOLDS_SUM_PART] = {ONE, SUM, .part = true},
    [IMB_HOLDS_OWN_SUM] = {ONE, OWN}, /* with zeros */
    [IMB_HOLDS_OWN_ITEM] = {ONE, OWN},
    [IMB_HOLDS_OTHERS] = {EACH, BLOCK},
    [IMB_HOLDS_FETCHED] = {ONE, FETCHED},
    [IMB_HOLDS_SWAPPED] = {ONE, PARTNER},
};

static int block_count(const struct imb_exchange *e, int root)
{
    unsigned flags = e->benchmark->flags;
    bool upper = e->rank >= e->size / 2;
    const int counts[] = {[ONE] = 1,
                          [TWO] = 2,
                          [EACH] = e->size,
                          [PLACES] = upper || flags & IMB_BOTH_WAYS ? e->blocks_apart : 0,
                          [ONE_OF_ROOT] = e->rank != root};
    if ((flags & IMB_AT_ROOT && e->rank != root) || (flags & IMB_AT_LAST && e->rank != e->size - 1))
        return 0;
    return counts[holdings[e->benchmark->content].blocks];
}

/* Where a block of the receive buffer came from: its first item in the send buffer, and the process that sent
 * it, or IMB_SOURCE_SUM. */
static int source_of(const struct imb_exchange *e, int root, int block, int64_t *first)
{
    int half = e->size / 2, left = (e->rank + e->size - 1) % e->size, right = (e->rank + 1) % e->size;
    int partner = e->rank < half ? e->rank + half : e->rank - half;
    const int sources[] = {[OWN] = e->rank,        [PARTNER] = partner,
                           [LEFT] = left,          [SIDES] = block ? right : left,
                           [BLOCK] = block,        [ROOT] = root,
                           [SUM] = IMB_SOURCE_SUM, [FETCHED] = e->rank ? IMB_SOURCE_SUM : partner};
    bool second = e->benchmark->content == IMB_HOLDS_NEIGHBOURS && block;
    *first = second ? e->items : holdings[e->benchmark->content].part ? e->first : 0;
    return sources[holdings[e->benchmark->content].source];
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
        int64_t first;
        int source = source_of(e, root, block, &first);
        if (e->benchmark->content == IMB_HOLDS_OTHERS && block == e->rank)
            continue;
        for (int64_t i = 0; i < e->items; i++) {
            int64_t position = (block * e->items + i) * e->stride;
            if (source == IMB_SOURCE_SUM)
                put_number(e->type, sum_of_operands(e->size, first + i), expected);
            else
                put_sent(e, source, first + i, expected);
            imb_compare(expected, buffer + position, size, position, source, mismatch);
        }
    }
}
