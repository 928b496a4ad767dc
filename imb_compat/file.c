/* Names, portions and places in files; contents, mixtures, portions that cover a file. Uses check. */
#include "imb_compat/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char of_group[16] = "", of_rank[16] = "";
    if (group >= 0)
        snprintf(of_group, sizeof of_group, "_g%d", group);
    if (rank >= 0)
        snprintf(of_rank, sizeof of_rank, "_%d", rank);
    snprintf(name, IMB_FILE_NAME_SIZE, "IMB_out%s%s", of_group, of_rank);
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

/* Two bijections of 32 bits, one the other's inverse (C. Wellons' lowbias32). */
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

/* Item n of a seed is mix(mix(seed) + n): item 0 alone gives the seed, any item of a known seed its number.
 */
static void store(uint32_t item, unsigned char bytes[IMB_FILE_ITEM])
{
    for (int b = 0; b < IMB_FILE_ITEM; b++)
        bytes[b] = (unsigned char)(item >> 8 * b);
}

static uint32_t load(const char *buffer)
{
    const unsigned char *b = (const unsigned char *)buffer;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void imb_content_fill(uint32_t seed, int64_t position, char *buffer, int64_t bytes)
{
    const uint32_t start = mix(seed);
    int64_t number = position / IMB_FILE_ITEM, done = 0, skip = position % IMB_FILE_ITEM;
    while (done < bytes) {
        unsigned char item[IMB_FILE_ITEM];
        int64_t length = IMB_FILE_ITEM - skip < bytes - done ? IMB_FILE_ITEM - skip : bytes - done;
        store(mix(start + (uint32_t)number++), item);
        memcpy(buffer + done, item + skip, (size_t)length);
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

static int64_t wrong_bytes(uint32_t seed, int64_t position, const char *buffer, int64_t bytes)
{
    struct imb_mismatch mismatch = {0};
    imb_content_check(seed, position, buffer, bytes, 0, &mismatch);
    return mismatch.wrong;
}

/* ---- finding ---- */

int64_t imb_content_find(uint32_t seed, const char *buffer, int64_t bytes, int64_t extent)
{
    int64_t best = -1, min = bytes;
    int64_t tries = bytes < 64 ? bytes : 64; /* the first items may be damaged */
    for (int64_t i = 0; i + IMB_FILE_ITEM <= tries && min; i++) {
        int64_t position = IMB_FILE_ITEM * (int64_t)(unmix(load(buffer + i)) - mix(seed)) - i;
        if (position < 0 || position + bytes > extent)
            continue;
        int64_t wrong = wrong_bytes(seed, position, buffer, bytes);
        if (wrong < min) {
            min = wrong;
            best = position;
        }
    }
    return best;
}

/* ---- mixtures ---- */

/* Whose portion begins here by its first item; -1 if that names none. */
static int writer_named(const struct imb_mixture *m, const char *buffer, int64_t available)
{
    if (available < IMB_FILE_ITEM)
        return -1;
    uint32_t rank = unmix(unmix(load(buffer))) - m->seed;
    if (rank >= (uint32_t)m->size || !m->left[rank])
        return -1;
    int64_t bytes = imb_portion_of(m->x, (int)rank, m->size).bytes;
    return bytes >= IMB_FILE_ITEM && bytes <= available ? (int)rank : -1;
}

/* Whose portion has the fewest wrong bytes: one that is damaged, or shorter than an item. */
static int writer_likely(const struct imb_mixture *m, const char *buffer, int64_t available)
{
    int best = -1;
    double min = 2;
    for (int rank = 0; rank < m->size; rank++) {
        int64_t bytes = imb_portion_of(m->x, rank, m->size).bytes;
        if (!m->left[rank] || !bytes || bytes > available)
            continue;
        double share = (double)wrong_bytes(m->seed + (uint32_t)rank, 0, buffer, bytes) / (double)bytes;
        if (share < min) {
            min = share;
            best = rank;
        }
    }
    return best;
}

int64_t imb_mixture_take(struct imb_mixture *m, const char *buffer, int64_t available, int64_t at,
                         struct imb_mismatch *mismatch)
{
    int rank = writer_named(m, buffer, available);
    if (rank < 0)
        rank = writer_likely(m, buffer, available);
    if (rank < 0)
        return 0;
    int64_t bytes = imb_portion_of(m->x, rank, m->size).bytes;
    m->left[rank]--;
    imb_content_check(m->seed + (uint32_t)rank, 0, buffer, bytes, at, mismatch);
    return bytes;
}

/* ---- portions that cover a file: one that is long enough is found by its content; a shorter one occurs in
 * many places, so it has to fit where the others leave room ---- */

enum { FOUND_MIN = 2 * IMB_FILE_ITEM - 1 }; /* bytes: it holds a whole item wherever it starts */

bool imb_cover_finds(int64_t bytes)
{
    return bytes >= FOUND_MIN;
}

int64_t imb_cover_entry(uint32_t seed, const char *portion, int64_t bytes, int64_t extent)
{
    int64_t entry = 0;
    if (imb_cover_finds(bytes))
        return imb_content_find(seed, portion, bytes, extent);
    memcpy(&entry, portion, (size_t)bytes);
    return entry;
}

struct walk {
    const struct imb_cover *cover;
    int64_t lost;  /* bytes of portions that are nowhere: they are counted already */
    int64_t *next; /* of each process: its portion that comes next */
};

/* The bytes of a long portion that starts here; 0: there is none, and `room` gets the bytes up to the next.
 */
static int64_t take_long(struct walk *w, int64_t at, int64_t *room)
{
    const struct imb_cover *c = w->cover;
    *room = c->repetitions * c->x - at;
    for (int rank = 0; rank < c->size; rank++) {
        int64_t bytes = imb_portion_of(c->x, rank, c->size).bytes;
        for (int64_t ahead = -1; imb_cover_finds(bytes) && ahead < 0 && w->next[rank] < c->repetitions;) {
            int64_t entry = c->entries[rank * c->repetitions + w->next[rank]];
            ahead = entry - at;
            w->next[rank] += ahead <= 0;
            w->lost += entry < 0 ? bytes : 0;
            if (ahead == 0)
                return bytes;
            if (ahead > 0 && ahead < *room)
                *room = ahead;
        }
    }
    return 0;
}

/* Takes the short portion that fits best into the next `room` bytes; returns its bytes, 0: none is left. */
static int64_t take_short(struct walk *w, int64_t at, int64_t room, struct imb_mismatch *mismatch)
{
    const struct imb_cover *c = w->cover;
    int64_t best_bytes = 0, entry = 0;
    int best = -1;
    double min = 2;
    for (int rank = 0; rank < c->size && min > 0; rank++) { /* the longer ones come first */
        struct imb_mismatch tried = {0};
        int64_t bytes = imb_portion_of(c->x, rank, c->size).bytes;
        if (!bytes || bytes > room || imb_cover_finds(bytes) || w->next[rank] == c->repetitions)
            continue;
        const int64_t *own = &c->entries[rank * c->repetitions + w->next[rank]];
        imb_content_check(c->seed, at, (const char *)own, bytes, at, &tried);
        if ((double)tried.wrong / (double)bytes < min) {
            min = (double)tried.wrong / (double)bytes;
            best = rank;
            best_bytes = bytes;
            entry = *own;
        }
    }
    if (best >= 0) {
        imb_content_check(c->seed, at, (const char *)&entry, best_bytes, at, mismatch);
        w->next[best]++;
    }
    return best_bytes;
}

static void count_missing(struct walk *w, int64_t at, int64_t bytes, struct imb_mismatch *mismatch)
{
    int64_t known = bytes < w->lost ? bytes : w->lost;
    w->lost -= known;
    if (bytes > known && !mismatch->wrong) {
        mismatch->position = at;
        mismatch->source = IMB_SOURCE_MISSING;
    }
    mismatch->wrong += bytes - known;
}

int imb_cover_check(const struct imb_cover *cover, struct imb_mismatch *mismatch)
{
    struct walk w = {.cover = cover, .next = calloc((size_t)cover->size, sizeof *w.next)};
    if (!w.next)
        return -1;
    for (int64_t at = 0, room, taken; at < cover->repetitions * cover->x; at += taken) {
        taken = take_long(&w, at, &room);
        if (!taken)
            taken = take_short(&w, at, room, mismatch);
        if (!taken)
            count_missing(&w, at, taken = room, mismatch);
    }
    free(w.next);
    return 0;
}
