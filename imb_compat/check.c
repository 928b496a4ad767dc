#include "imb_compat/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/ending.h"
#include "common/memory.h"

enum { LARGEST_ITEM = 8, LARGEST_PART = 60, LARGEST_OPERAND = LARGEST_PART + 31 };

/* Returns a byte of a process's send buffer. It differs from the byte of the previous round. */
static unsigned char sent_byte(int rank, int64_t position, int64_t round)
{
    uint32_t mixed = ((uint32_t)position + 1) * 2654435761u + (uint32_t)rank * 40503u;
    return (unsigned char)(mixed >> 24 ^ mixed >> 13 ^ (uint32_t)round * 37);
}

/* Returns the part of an operand that does not depend on the rank. It differs from the part of the previous
 * round. Operands are whole numbers up to 91: a float represents their sum exactly for up to 184365
 * processes. */
static int64_t operand_part(int64_t index, int64_t round)
{
    return (index * 7 + round * 13) % (LARGEST_PART + 1);
}

/* Returns an operand. In a sum of chars, the operands of all but two processes are 0: MPI does not define
 * what happens if a sum overflows, and some libraries return the largest char then. */
static int64_t operand(const struct imb_exchange *e, int rank, int64_t index)
{
    const int64_t part = operand_part(index, e->round);
    if (imb_types[e->type].size > 1)
        return part + rank % 32;
    return (index + e->round + rank) % e->size < 2 ? part + 1 : 0;
}

static int64_t sum_of_operands(const struct imb_exchange *e, int64_t index)
{
    const int64_t part = operand_part(index, e->round);
    const int size = e->size, whole = size / 32, rest = size % 32;
    if (imb_types[e->type].size > 1)
        return size * part + whole * (31 * 32 / 2) + rest * (rest - 1) / 2;
    return (size < 2 ? 1 : 2) * (part + 1);
}

static void put_number(enum imb_type type, int64_t number, unsigned char *item)
{
    if (type == IMB_INT)
        memcpy(item, &(int){(int)number}, sizeof(int));
    else if (type == IMB_FLOAT)
        memcpy(item, &(float){(float)number}, sizeof(float));
    else if (type == IMB_DOUBLE)
        memcpy(item, &(double){(double)number}, sizeof(double));
    else
        item[0] = (unsigned char)(number & 255);
}

static void put_sent(const struct imb_exchange *e, int rank, int64_t index, unsigned char *item)
{
    int size = imb_types[e->type].size;
    if (e->benchmark->flags & IMB_REDUCTION)
        put_number(e->type, operand(e, rank, index), item);
    else
        for (int b = 0; b < size && b < LARGEST_ITEM; b++) /* gcc -O3 does not see that no type is larger */
            item[b] = sent_byte(rank, index * size + b, e->round);
}

bool imb_starts_filled(const struct imb_benchmark *benchmark)
{
    return benchmark->content == IMB_HOLDS_FETCHED || benchmark->content == IMB_HOLDS_SWAPPED ||
           benchmark->content == IMB_HOLDS_REPLACED;
}

/* Neighbour `i` sends its message `i ^ 1` in the opposite direction, that is, to this process. In a dimension
 * of size 2, both neighbours are the same process, whose two messages arrive in the order in which they were
 * sent. */
void imb_grid_origins(int dimensions, const int side[], int rank,
                      struct imb_origin origins[IMB_MAX_NEIGHBOURS])
{
    int neighbours[IMB_MAX_NEIGHBOURS];
    imb_grid_neighbours(dimensions, side, rank, neighbours);
    for (int i = 0; i < 2 * dimensions; i++)
        origins[i] = (struct imb_origin){neighbours[i], side[i / 2] == 2 ? i : i ^ 1};
}

struct imb_exchange imb_exchange_make(const struct imb_table *table, const struct imb_memory *memory,
                                      int rank)
{
    const struct imb_benchmark *b = table->benchmark;
    const int size = table->groups.size;
    const bool threads = imb_components[table->settings->component].work == IMB_THREADS;
    const int stride = threads ? imb_stride(table->settings, table->groups.processes) : size / 2;
    struct imb_exchange e = {.benchmark = b,
                             .type = table->type,
                             .rank = rank,
                             .size = size,
                             .near = imb_neighbours_of(rank, size, stride, threads ? stride : 1),
                             .items = b->content == IMB_HOLDS_OWN_ITEM && memory->items ? 1 : memory->items,
                             .first = rank * memory->items,
                             .stride = memory->stride,
                             .places = (int)memory->places,
                             .overlaid = b->content == IMB_HOLDS_NEIGHBOURS && !memory->second};
    const bool grid = b->class == IMB_CLASS_GRID;
    int side[IMB_MAX_DIMENSIONS];
    if (b->content != IMB_HOLDS_DRAWN)
        return e;
    if (grid) {
        e.neighbour_count = e.places = b->rate;
        imb_grid_make(b->rate / 2, size, side);
        imb_grid_neighbours(b->rate / 2, side, rank, e.neighbours);
    }
    e.origins = memory_new((size_t)e.places, sizeof *e.origins, "the origins of messages");
    for (int i = 0; i < e.places; i++)
        e.origins[i].rank = -1;
    if (grid)
        imb_grid_origins(b->rate / 2, side, rank, e.origins);
    return e;
}

void imb_fill(const struct imb_exchange *e, char *buffer, int64_t items)
{
    for (int64_t i = 0; i < items; i++)
        put_sent(e, e->rank, i, (unsigned char *)buffer + i * e->stride);
}

/* ---- expected content of the receive buffer ---- */

/* States for each content which blocks of the receive buffer are compared, which process sends their items,
 * and whether the sender sends each process a different part of its buffer. */
static const struct {
    enum { NONE, ONE, TWO, EACH, PLACES, ALL_PLACES, ONE_OF_ROOT } blocks;
    enum { OWN, PARTNER, LEFT, SIDES, BLOCK, ROOT, SUM, FETCHED, SWAPPED, PASSED_ON, DRAWN } source;
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
    [IMB_HOLDS_OWN_SUM] = {ONE, OWN}, /* the second operand is 0 */
    [IMB_HOLDS_OWN_ITEM] = {ONE, OWN},
    [IMB_HOLDS_OTHERS] = {EACH, BLOCK},
    [IMB_HOLDS_FETCHED] = {ONE, FETCHED},
    [IMB_HOLDS_SWAPPED] = {ONE, SWAPPED},
    [IMB_HOLDS_REPLACED] = {ONE, PASSED_ON},
    [IMB_HOLDS_DRAWN] = {ALL_PLACES, DRAWN},
};

static int block_count(const struct imb_exchange *e, int root)
{
    unsigned flags = e->benchmark->flags;
    bool upper = e->rank >= e->near.partner;
    const int counts[] = {[ONE] = 1,
                          [TWO] = 2,
                          [EACH] = e->size,
                          [PLACES] = upper || flags & IMB_BOTH_WAYS ? e->places : 0,
                          [ALL_PLACES] = e->places,
                          [ONE_OF_ROOT] = e->rank != root};
    if ((flags & IMB_AT_ROOT && e->rank != root) || (flags & IMB_AT_LAST && e->rank != e->size - 1))
        return 0;
    return counts[holdings[e->benchmark->content].blocks];
}

/* Returns the process whose items a block of the receive buffer holds, or an IMB_SOURCE_ constant. Sets
 * `first` to the number of the block's first item in the send buffer. */
static int source_of(const struct imb_exchange *e, int root, int block, int64_t *first)
{
    const struct imb_neighbours *n = &e->near;
    const struct imb_origin origin = e->origins ? e->origins[block] : (struct imb_origin){0, 0};
    const int sources[] = {[OWN] = e->rank,
                           [PARTNER] = n->partner,
                           [LEFT] = n->left,
                           [SIDES] = block ? n->right : n->left,
                           [BLOCK] = block,
                           [ROOT] = root,
                           [SUM] = IMB_SOURCE_SUM,
                           [FETCHED] = e->rank ? IMB_SOURCE_SUM : n->partner,
                           [SWAPPED] = e->before && !e->rank ? e->rank : n->partner,
                           [PASSED_ON] = (int)((n->left + e->size - e->before % e->size) % e->size),
                           [DRAWN] = origin.rank < 0 ? IMB_SOURCE_NONE : origin.rank};
    bool second = e->benchmark->content == IMB_HOLDS_NEIGHBOURS && e->benchmark->send == IMB_2X && block;
    *first = second ? e->items : holdings[e->benchmark->content].part ? e->first : origin.message * e->items;
    return sources[holdings[e->benchmark->content].source];
}

/* Returns true if each repetition adds to the result of the previous repetition. */
static bool adds_up(const struct imb_benchmark *b)
{
    return b->content == IMB_HOLDS_OWN_SUM || (b->flags & IMB_REDUCTION && b->epoch != IMB_NO_EPOCH);
}

/* Computes the expected value of an item. `index` is the number of the item in the source's send buffer. */
static void put_expected(const struct imb_exchange *e, int source, int64_t index, unsigned char *item)
{
    if (!adds_up(e->benchmark) && source != IMB_SOURCE_SUM) {
        put_sent(e, source, index, item);
        return;
    }
    int64_t number = source == IMB_SOURCE_SUM ? sum_of_operands(e, index) : operand(e, source, index);
    if (adds_up(e->benchmark)) /* fetched items contain only rank 0's additions */
        number += e->before * (e->benchmark->content == IMB_HOLDS_FETCHED ? operand(e, 0, index) : number);
    put_number(e->type, number, item);
}

/* Returns true if the type can represent the sum exactly. */
static bool is_exact(const struct imb_exchange *e)
{
    const double max[IMB_TYPES] = {[IMB_CHAR] = SCHAR_MAX,
                                   [IMB_BYTE] = SCHAR_MAX,
                                   [IMB_INT] = INT_MAX,
                                   [IMB_FLOAT] = 1 << FLT_MANT_DIG,
                                   [IMB_DOUBLE] = 0x1p53};
    const double sums = adds_up(e->benchmark) ? (double)(e->before + 1) : 1;
    const double sum =
        imb_types[e->type].size > 1 ? (double)LARGEST_OPERAND * e->size : 2 * (LARGEST_PART + 1);
    return !(e->benchmark->flags & IMB_REDUCTION) || sums * sum <= max[e->type];
}

void imb_mismatch_add(struct imb_mismatch *mismatch, const struct imb_mismatch *more)
{
    const int64_t wrong = mismatch->wrong + more->wrong;
    if (!mismatch->wrong)
        *mismatch = *more;
    mismatch->wrong = wrong;
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
    int size = imb_types[e->type].size, blocks = is_exact(e) ? block_count(e, root) : 0;
    unsigned char expected[LARGEST_ITEM];
    for (int block = e->overlaid; block < blocks; block++) {
        int64_t first;
        int source = source_of(e, root, block, &first);
        if (source == IMB_SOURCE_NONE || (e->benchmark->content == IMB_HOLDS_OTHERS && block == e->rank))
            continue;
        for (int64_t i = 0; i < e->items; i++) {
            int64_t position = ((e->overlaid ? 0 : block) * e->items + i) * e->stride;
            put_expected(e, source, first + i, expected);
            imb_compare(expected, buffer + position, size, position, source, mismatch);
        }
    }
}

/* ---- files: portions, names and placement ---- */

struct imb_portion imb_portion_of(int64_t x, int rank, int size)
{
    int64_t items = (x + IMB_FILE_ITEM - 1) / IMB_FILE_ITEM, each = items / size, more = items % size;
    int64_t first = IMB_FILE_ITEM * (rank * each + (rank < more ? rank : more));
    int64_t last = first + IMB_FILE_ITEM * (each + (rank < more));
    first = first < x ? first : x;
    last = last < x ? last : x;
    return (struct imb_portion){first, last - first};
}

void imb_file_name(char name[IMB_FILE_NAME_SIZE], int group, int rank)
{
    char *end = ending_put(name, "IMB_out");
    if (group >= 0)
        end = ending_put_number(ending_put(end, "_g"), group);
    if (rank >= 0)
        end = ending_put_number(ending_put(end, "_"), rank);
    *end = 0;
}

struct imb_placing imb_placing_of(const struct imb_benchmark *b, int64_t x, int rank, int size)
{
    struct imb_portion own = imb_portion_of(x, rank, size);
    if (b->flags & IMB_PRIVATE)
        return (struct imb_placing){.step = own.bytes};
    bool own_view = b->flags & IMB_OWN_POINTER && own.bytes && own.bytes < x;
    return (struct imb_placing){.first = own.offset,
                                .step = x,
                                .stride = own_view ? x : 0,
                                .any_order = b->flags & IMB_SHARED_POINTER &&
                                             b->class != IMB_CLASS_COLLECTIVE && size > 1 &&
                                             imb_portion_of(x, 1, size).bytes};
}

/* ---- items ---- */

/* Permutes the 32-bit integers (C. Wellons' lowbias32); unmix() is the inverse. */
static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static uint32_t unmix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x43021123u;
    x = (x ^ x >> 15 ^ x >> 30) * 0x1d69e2a5u;
    return x ^ x >> 16;
}

/* Loads an item. Item n of the content generated from a seed is mix(mix(seed) + n), so n can be computed from
 * the item and the seed. */
static uint32_t load(const char *buffer)
{
    uint32_t item;
    memcpy(&item, buffer, sizeof item);
    return item;
}

void imb_content_fill(uint32_t seed, int64_t position, char *buffer, int64_t bytes)
{
    const uint32_t start = mix(seed);
    int64_t number = position / IMB_FILE_ITEM, done = 0, skip = position % IMB_FILE_ITEM;
    while (done < bytes) {
        uint32_t item = mix(start + (uint32_t)number++);
        int64_t length = IMB_FILE_ITEM - skip < bytes - done ? IMB_FILE_ITEM - skip : bytes - done;
        memcpy(buffer + done, (const char *)&item + skip, (size_t)length);
        done += length;
        skip = 0;
    }
}

void imb_content_check(uint32_t seed, int64_t position, const char *buffer, int64_t bytes, int64_t at,
                       struct imb_mismatch *mismatch)
{
    char expected[4096];
    for (int64_t start = 0, length; start < bytes; start += length) {
        length = bytes - start < (int64_t)sizeof expected ? bytes - start : (int64_t)sizeof expected;
        imb_content_fill(seed, position + start, expected, length);
        if (memcmp(expected, buffer + start, (size_t)length) != 0)
            imb_compare(expected, buffer + start, length, at + start, IMB_SOURCE_FILE, mismatch);
    }
}

/* ---- portions in any order ---- */

int64_t imb_content_find(uint32_t seed, const char *buffer, int64_t bytes, int64_t extent)
{
    enum { BEGINNING = 3 * IMB_FILE_ITEM - 1 }; /* contains two whole items at any offset */
    int64_t best = -1, min = bytes;
    for (int64_t i = 0; i + IMB_FILE_ITEM <= (bytes < BEGINNING ? bytes : BEGINNING) && min; i++) {
        struct imb_mismatch tried = {0};
        int64_t place = IMB_FILE_ITEM * (int64_t)(unmix(load(buffer + i)) - mix(seed)) - i;
        if (place < 0 || place + bytes > extent)
            continue;
        imb_content_check(seed, place, buffer, bytes, 0, &tried);
        if (tried.wrong < min) {
            min = tried.wrong;
            best = place;
        }
    }
    return best;
}

bool imb_contains_item(int64_t x, int64_t bytes)
{
    return bytes >= (x % IMB_FILE_ITEM ? 2 * IMB_FILE_ITEM - 1 : IMB_FILE_ITEM);
}

/* Returns the sum of `count` consecutive numbers, modulo 2^64. */
static uint64_t sum_of_numbers(uint64_t first, uint64_t count)
{
    return count * first + (count % 2 ? count * ((count - 1) / 2) : count / 2 * (count - 1));
}

void imb_tally_add(struct imb_tally *tally, int64_t place, int64_t bytes)
{
    tally->bytes += (uint64_t)bytes;
    tally->places += sum_of_numbers((uint64_t)place, (uint64_t)bytes);
}

void imb_tally_check(const struct imb_tally *tally, int64_t extent, int64_t times,
                     struct imb_mismatch *mismatch)
{
    uint64_t bytes = (uint64_t)extent, n = (uint64_t)times;
    if (tally->bytes != n * bytes || tally->places != n * sum_of_numbers(0, bytes))
        if (mismatch->wrong++ == 0)
            mismatch->source = IMB_SOURCE_MISSING;
}

/* Returns the portion that contains item number `item` of a block. */
static struct imb_portion portion_with(int64_t x, int size, int64_t item)
{
    int64_t items = (x + IMB_FILE_ITEM - 1) / IMB_FILE_ITEM, each = items / size, more = items % size;
    int64_t in_longer = more * (each + 1);
    int64_t rank = item < in_longer ? item / (each + 1) : more + (item - in_longer) / each;
    return imb_portion_of(x, (int)rank, size);
}

/* Returns the portion that begins at the start of the buffer, or a portion of 0 bytes if there is none. One
 * of the portion's first two items is enough to find it. */
static struct imb_portion portion_here(uint32_t seed, int64_t x, int size, const char *buffer,
                                       int64_t available)
{
    const struct imb_portion none = {0, 0};
    const int64_t items = (x + IMB_FILE_ITEM - 1) / IMB_FILE_ITEM;
    char expected[IMB_FILE_ITEM];
    for (int64_t i = 0; i < 2 && (i + 1) * IMB_FILE_ITEM <= available; i++) {
        int64_t first = (int64_t)(unmix(load(buffer + i * IMB_FILE_ITEM)) - mix(seed)) - i;
        if (first < 0 || first >= items)
            continue;
        struct imb_portion p = portion_with(x, size, first);
        if (p.offset == first * IMB_FILE_ITEM && p.bytes >= (i + 1) * IMB_FILE_ITEM && p.bytes <= available)
            return p;
    }
    struct imb_portion last = portion_with(x, size, items - 1);
    if (last.bytes >= IMB_FILE_ITEM || last.bytes > available)
        return none;
    imb_content_fill(seed, last.offset, expected, last.bytes);
    return memcmp(buffer, expected, (size_t)last.bytes) == 0 ? last : none;
}

int64_t imb_portion_check(uint32_t seed, int64_t x, int size, const char *buffer, int64_t available,
                          int64_t at, struct imb_tally *tally, struct imb_mismatch *mismatch)
{
    struct imb_portion p = portion_here(seed, x, size, buffer, available);
    int64_t skipped = 0;
    if (p.bytes) {
        imb_content_check(seed, p.offset, buffer, p.bytes, at, mismatch);
        imb_tally_add(tally, p.offset, p.bytes);
        return p.bytes;
    }
    while (++skipped < available && !portion_here(seed, x, size, buffer + skipped, available - skipped).bytes)
        ;
    imb_content_check(seed, 0, buffer, skipped, at, mismatch);
    return skipped;
}
