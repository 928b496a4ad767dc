/* Tests that the content of every chunk identifies its place, access method and run, and that no 4 KiB block
 * occurs twice. */
#include "tests/unit.h"

#include "beff_io/content.h"

enum { BLOCK = 4096 };

static struct io_place place_of(int64_t disk, int64_t memory, int64_t processes)
{
    return (struct io_place){
        .rank_step = disk, .chunk_step = disk * processes, .disk = disk, .memory = memory};
}

static char *area_for(const struct content *content)
{
    char *area = malloc((size_t)content_area(content->place->memory));
    assert_non_null(area);
    content_fill(content, area);
    return area;
}

struct wrong {
    int64_t count, first;
};

static void note(void *context, const struct content_mismatch *mismatch)
{
    struct wrong *wrong = context;
    assert_true(mismatch->expected != mismatch->found);
    if (wrong->count++ == 0)
        wrong->first = mismatch->offset;
}

static struct wrong check(const struct content *content, int64_t call, const char *data, bool all)
{
    struct wrong wrong = {0, -1};
    char *kept = malloc((size_t)content_kept(content, all));
    assert_non_null(kept);
    if (all)
        memcpy(kept, data, (size_t)content_kept(content, all));
    else
        content_keep(content, data, kept);
    content_check(content, call, kept, all, note, &wrong);
    free(kept);
    return wrong;
}

TEST(written_data_pass_the_check)
{
    static const int64_t sizes[][2] = {{8, 8},           {1024, 1 << 20},     {1032, (1 << 20) + 8192},
                                       {32776, 1048832}, {1 << 20, 2 << 20},  {1048584, 1048584},
                                       {1032, 1032},     {16 << 20, 16 << 20}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct io_place place = place_of(sizes[i][0], sizes[i][1], 3);
        struct content content = content_of(7, false, 5, 3, 1, &place);
        char *area = area_for(&content);
        for (int64_t call = 0; call < 20; call++) { /* overwrites earlier stamps in the area */
            const char *data = content_stamp(&content, area, call);
            assert_true(data >= area && data + place.memory <= area + content_area(place.memory));
            assert_int_equal(check(&content, call, data, true).count, 0);
            assert_int_equal(check(&content, call, data, false).count, 0);
        }
        free(area);
    }
}

TEST(buffers_of_whole_pages_are_aligned)
{
    struct io_place place = place_of(32768, 1 << 20, 2);
    struct content content = content_of(7, false, 4, 2, 0, &place);
    char *area = area_for(&content);
    for (int64_t call = 0; call < 20; call++)
        assert_int_equal((content_stamp(&content, area, call) - area) % BLOCK, 0);
    free(area);
}

/* Without `all`, content_check() compares two words of every chunk. Both must be wrong. */
TEST(data_of_another_place_or_run_are_detected)
{
    struct io_place place = place_of(1032, 1032, 2);
    struct content content = content_of(7, false, 5, 2, 1, &place);
    char *area = area_for(&content);
    const char *data = content_stamp(&content, area, 4);
    struct content others[] = {content_of(8, false, 5, 2, 1, &place), content_of(7, true, 5, 2, 1, &place),
                               content_of(7, false, 6, 2, 1, &place), content_of(7, false, 5, 4, 1, &place),
                               content_of(7, false, 5, 2, 0, &place)};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(check(&others[i], 4, data, false).count, 2);
    assert_int_equal(check(&content, 5, data, false).count, 2);
    assert_int_equal(check(&content, 4 + content.slots, data, false).count, 2);
    free(area);
}

TEST(wrong_words_are_counted_and_placed)
{
    struct io_place place = place_of(4096, 8192, 2);
    struct content content = content_of(7, false, 5, 2, 1, &place);
    char *area = area_for(&content), *data = area + (content_stamp(&content, area, 3) - area);
    data[17] ^= 1;
    data[8191] ^= 1;
    struct wrong wrong = check(&content, 3, data, true);
    assert_int_equal(wrong.count, 2);
    assert_int_equal(wrong.first, 4096 + 3 * 2 * 8192 + 16);
    wrong = check(&content, 3, data, false);
    assert_int_equal(wrong.count, 1);
    assert_int_equal(wrong.first, 4096 + 3 * 2 * 8192 + 8192 + 4088);
    free(area);
}

/* ---- blocks of a file ---- */

struct blocks {
    uint64_t *print; /* fingerprint of each block */
    size_t count, most;
    char block[BLOCK];
    size_t filled;
};

static uint64_t fingerprint(const char *block)
{
    uint64_t even = 0, odd = 0, word[2]; /* two independent chains of multiplications, for speed */
    for (size_t i = 0; i < BLOCK; i += sizeof word) {
        memcpy(word, block + i, sizeof word);
        even = (even ^ word[0]) * UINT64_C(0x9E3779B97F4A7C15);
        odd = (odd ^ word[1]) * UINT64_C(0x9E3779B97F4A7C15);
        even ^= even >> 29;
        odd ^= odd >> 29;
    }
    return even ^ odd * UINT64_C(0x9E3779B97F4A7C15);
}

/* Appends bytes to the file. */
static void append(struct blocks *blocks, const char *data, size_t bytes)
{
    while (bytes) {
        size_t part = BLOCK - blocks->filled < bytes ? BLOCK - blocks->filled : bytes;
        memcpy(blocks->block + blocks->filled, data, part);
        data += part;
        bytes -= part;
        blocks->filled = (blocks->filled + part) % BLOCK;
        if (!blocks->filled) {
            assert_true(blocks->count < blocks->most);
            blocks->print[blocks->count++] = fingerprint(blocks->block);
        }
    }
}

/* Appends a file of consecutive chunks: each process makes `calls` calls of one chunk. */
static void write_file(struct blocks *blocks, uint64_t seed, bool rewritten, int64_t processes, int64_t disk,
                       int64_t calls)
{
    struct io_place place = place_of(disk, disk, processes);
    struct content content[4];
    char *area[4];
    for (int64_t rank = 0; rank < processes; rank++) {
        content[rank] = content_of(seed, rewritten, 1, processes, rank, &place);
        area[rank] = area_for(&content[rank]);
    }
    for (int64_t call = 0; call < calls; call++)
        for (int64_t rank = 0; rank < processes; rank++)
            append(blocks, content_stamp(&content[rank], area[rank], call), (size_t)disk);
    for (int64_t rank = 0; rank < processes; rank++)
        free(area[rank]);
}

static int compare(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

TEST(no_block_occurs_twice)
{
    struct blocks blocks = {.most = 2000000};
    blocks.print = malloc(blocks.most * sizeof *blocks.print);
    assert_non_null(blocks.print);
    write_file(&blocks, 1, false, 1, 32776, 135000); /* 4.4 GB of one process */
    write_file(&blocks, 1, false, 4, 1024, 100000);  /* each block has chunks of four processes */
    write_file(&blocks, 1, false, 3, 1032, 100000);
    write_file(&blocks, 1, true, 1, 32776, 4000);  /* the rewrite */
    write_file(&blocks, 2, false, 1, 32776, 4000); /* another run */
    assert_true(blocks.count > 1200000);
    qsort(blocks.print, blocks.count, sizeof *blocks.print, compare);
    for (size_t i = 1; i < blocks.count; i++)
        assert_true(blocks.print[i] != blocks.print[i - 1]);
    free(blocks.print);
}
