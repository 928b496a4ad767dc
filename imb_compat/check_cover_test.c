/* Portions that cover a file once, or not. */
#include "imb_compat/check.h"

#include "tests/unit.h"

enum { SEED = 5, ROUNDS = 40, MAX_SIZE = 5, MOST_BYTES = 64 * ROUNDS };

struct reading {
    int64_t x, done[MAX_SIZE], entries[MAX_SIZE * ROUNDS];
    int size;
    char file[MOST_BYTES];
};

/* The next portion of a process, read at `at`. */
static int64_t read_portion(struct reading *r, int rank, int64_t at)
{
    int64_t bytes = imb_portion_of(r->x, rank, r->size).bytes;
    r->entries[rank * ROUNDS + r->done[rank]++] = imb_cover_entry(SEED, r->file + at, bytes, ROUNDS * r->x);
    return bytes;
}

/* All of a file, with processes in an order that mixes them; before part number `spoilt` its byte is damaged,
 * or (negative) the part -`spoilt` is read in the place of the one before it. */
static void read_all(struct reading *r, int64_t x, int size, int spoilt)
{
    int64_t at = 0, before = 0;
    *r = (struct reading){.x = x, .size = size};
    imb_content_fill(SEED, 0, r->file, ROUNDS * x);
    for (int part = 1, turn = 0; at < ROUNDS * x; turn += 1 + turn % 3) {
        int rank = turn % size;
        while (r->done[rank] == ROUNDS || !imb_portion_of(x, rank, size).bytes)
            rank = (rank + 1) % size;
        if (part == spoilt)
            r->file[at] ^= 8;
        int64_t bytes = read_portion(r, rank, part == -spoilt ? before : at);
        before = at;
        at += bytes;
        part++;
    }
}

static struct imb_mismatch checked(const struct reading *r)
{
    struct imb_mismatch mismatch = {0};
    int64_t next[MAX_SIZE] = {0};
    struct imb_cover cover = {r->x, r->size, SEED, ROUNDS, r->entries, next, 0};
    imb_cover_check(&cover, &mismatch);
    return mismatch;
}

static const int64_t blocks[] = {5, 6, 7, 8, 9, 12, 13, 16, 20, 23, 30, 31, 64};

static void any_order_is_right(void **state)
{
    (void)state;
    static struct reading r;
    for (size_t i = 0; i < COUNT(blocks); i++)
        for (int size = 2; size <= MAX_SIZE; size++) {
            read_all(&r, blocks[i], size, 0);
            assert_int_equal(checked(&r).wrong, 0);
        }
}

/* A damaged byte of a long portion is the reader's to count. */
static void damage_of_short_portions_is_found(void **state)
{
    (void)state;
    static struct reading r;
    for (size_t i = 0; i < COUNT(blocks); i++)
        for (int size = 2; size <= MAX_SIZE; size++)
            for (int part = 1; part <= 40 && !imb_cover_finds(imb_portion_of(blocks[i], 0, size).bytes);
                 part++) {
                read_all(&r, blocks[i], size, part);
                assert_true(checked(&r).wrong > 0);
            }
}

static void a_part_that_is_read_twice_is_found(void **state)
{
    (void)state;
    static struct reading r;
    for (size_t i = 0; i < COUNT(blocks); i++)
        for (int size = 2; size <= MAX_SIZE; size++)
            for (int part = 2; part <= 40; part += 7) {
                read_all(&r, blocks[i], size, -part);
                assert_true(checked(&r).wrong > 0);
            }
    read_all(&r, 64, 2, -2); /* 32 bytes */
    struct imb_mismatch mismatch = checked(&r);
    assert_true(mismatch.wrong == 32 && mismatch.position == 32 && mismatch.source == IMB_SOURCE_MISSING);
}

static void a_portion_that_is_nowhere_is_not_counted_again(void **state)
{
    (void)state;
    static struct reading r;
    read_all(&r, 64, 2, 0);
    r.entries[7] = -1;
    assert_int_equal(checked(&r).wrong, 0);
    r.entries[8] = r.entries[9];
    assert_int_equal(checked(&r).wrong, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_right),
        cmocka_unit_test(damage_of_short_portions_is_found),
        cmocka_unit_test(a_part_that_is_read_twice_is_found),
        cmocka_unit_test(a_portion_that_is_nowhere_is_not_counted_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
