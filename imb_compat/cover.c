/* Portions that cover a file. Uses content, file. */
#include "imb_compat/cover.h"

#include <stdlib.h>
#include <string.h>

#include "imb_compat/content.h"
#include "imb_compat/file.h"

enum { FOUND_LEAST = 2 * IMB_FILE_ITEM - 1 }; /* bytes: it holds a whole item wherever it stands */

bool imb_cover_finds(int64_t bytes)
{
    return bytes >= FOUND_LEAST;
}

int64_t imb_cover_entry(uint32_t seed, const char *portion, int64_t bytes, int64_t extent)
{
    int64_t entry = 0;
    if (imb_cover_finds(bytes))
        return imb_content_find(seed, portion, bytes, extent);
    memcpy(&entry, portion, (size_t)bytes);
    return entry;
}

/* A portion that was found. */
struct part {
    int64_t start, end;
};

struct walk {
    const struct imb_cover *cover;
    struct part *parts; /* by their starts */
    int64_t count;
    int64_t lost;  /* bytes of portions that are nowhere: they are counted already */
    int64_t *next; /* of each process: the short portion that comes next */
};

static int by_start(const void *first, const void *second)
{
    int64_t a = ((const struct part *)first)->start, b = ((const struct part *)second)->start;
    return (a > b) - (a < b);
}

static void collect(struct walk *w)
{
    const struct imb_cover *c = w->cover;
    for (int rank = 0; rank < c->size; rank++) {
        int64_t bytes = imb_portion_of(c->x, rank, c->size).bytes;
        for (int64_t i = 0; imb_cover_finds(bytes) && i < c->repetitions; i++) {
            int64_t at = c->entries[rank * c->repetitions + i];
            if (at < 0)
                w->lost += bytes;
            else
                w->parts[w->count++] = (struct part){at, at + bytes};
        }
    }
    qsort(w->parts, (size_t)w->count, sizeof *w->parts, by_start);
}

/* The share of wrong bytes if the next short portion of a process stands here; more than 1: it has none. */
static double share_wrong(const struct walk *w, int rank, int64_t at, int64_t bytes,
                          struct imb_mismatch *mismatch)
{
    const struct imb_cover *c = w->cover;
    if (!bytes || imb_cover_finds(bytes) || w->next[rank] == c->repetitions)
        return 2;
    int64_t entry = c->entries[rank * c->repetitions + w->next[rank]], before = mismatch->wrong;
    imb_content_check(c->seed, at, (const char *)&entry, bytes, at, mismatch);
    return (double)(mismatch->wrong - before) / (double)bytes;
}

/* Takes the short portion that fits best into the next `room` bytes; returns its bytes, 0: none is left. */
static int64_t take_short(struct walk *w, int64_t at, int64_t room, struct imb_mismatch *mismatch)
{
    const struct imb_cover *c = w->cover;
    int best = -1;
    double least = 2;
    for (int rank = 0; rank < c->size && least > 0; rank++) { /* the longer ones come first */
        struct imb_mismatch tried = {0};
        int64_t bytes = imb_portion_of(c->x, rank, c->size).bytes;
        double share = bytes <= room ? share_wrong(w, rank, at, bytes, &tried) : 2;
        if (share < least) {
            least = share;
            best = rank;
        }
    }
    if (best < 0)
        return 0;
    int64_t bytes = imb_portion_of(c->x, best, c->size).bytes;
    share_wrong(w, best, at, bytes, mismatch);
    w->next[best]++;
    return bytes;
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

static void walk_file(struct walk *w, struct imb_mismatch *mismatch)
{
    const int64_t extent = w->cover->repetitions * w->cover->x;
    for (int64_t at = 0, i = 0; at < extent;) {
        if (i < w->count && w->parts[i].start <= at) {
            at = w->parts[i].end > at ? w->parts[i].end : at;
            i++;
            continue;
        }
        int64_t room = (i < w->count ? w->parts[i].start : extent) - at;
        int64_t taken = take_short(w, at, room, mismatch);
        if (!taken)
            count_missing(w, at, taken = room, mismatch);
        at += taken;
    }
}

int imb_cover_check(const struct imb_cover *cover, struct imb_mismatch *mismatch)
{
    struct walk w = {.cover = cover};
    w.parts = calloc((size_t)(cover->repetitions * cover->size), sizeof *w.parts);
    w.next = calloc((size_t)cover->size, sizeof *w.next);
    bool enough = w.parts && w.next;
    if (enough) {
        collect(&w);
        walk_file(&w, mismatch);
    }
    free(w.parts);
    free(w.next);
    return enough ? 0 : -1;
}
