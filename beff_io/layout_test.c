/* Offsets, repeat factors of a known run of release 2.1. */
#include "tests/unit.h"

#include "beff_io/layout.h"

/* Repeat factors that release 2.1 printed on 2 processes with M_PART = 8 MB (T = 20 s). */
static const int64_t written[25] = {1,     10,  41,   91, 42, 41, 41, 41,   42,    1,    9,     46, 654,
                                    10158, 681, 9349, 43, 1,  10, 84, 1225, 26074, 1205, 21204, 78};

static void make(struct io_layout *layout, struct io_pattern *patterns)
{
    int64_t planned[IO_PATTERNS] = {0};
    io_patterns(io_mpart(1024), patterns);
    io_layout_start(layout, 2, patterns);
    for (int i = 0; i < 25; i++) {
        io_layout_follow(layout, patterns, i);
        layout->place[i].written = written[i];
    }
    layout->ran[0] = layout->ran[1] = layout->ran[2] = true;
    for (int i = 25; i < IO_PATTERNS; i++)
        planned[i] = io_layout_repeat(layout, patterns, &patterns[i]);
    io_layout_segments(layout, patterns, planned);
}

static void repeat_factors_and_segment_of_release_2_1(void **state)
{
    (void)state;
    static const int64_t factors[] = {1, 10, 84, 1225, 26074, 1205, 21204, 42, 1};
    struct io_pattern patterns[IO_PATTERNS];
    struct io_layout layout;
    make(&layout, patterns);
    for (int t = TYPE_SEGMENTED; t <= TYPE_SEG_COLL; t++)
        for (int i = 0; i < 9; i++)
            assert_int_equal(layout.place[io_first((enum io_type)t) + i].planned, factors[i]);
    assert_int_equal(layout.segment, INT64_C(330) << 20);
    assert_int_equal(layout.place[33].memory, 756328);
}

static void a_type_that_did_not_run_is_left_out(void **state)
{
    (void)state;
    struct io_pattern patterns[IO_PATTERNS];
    struct io_layout layout;
    make(&layout, patterns);
    layout.ran[TYPE_SEPARATED] = false;
    assert_int_equal(io_layout_repeat(&layout, patterns, &patterns[27]), 91);
    assert_int_equal(io_layout_repeat(&layout, patterns, &patterns[32]), 42);
    layout.place[3].left_out = true;
    assert_int_equal(io_layout_repeat(&layout, patterns, &patterns[27]), 460);
}

/* Every byte of every file belongs to at most one chunk; types 0 to 2 have no holes. */
static void chunks_do_not_overlap(void **state)
{
    (void)state;
    struct io_pattern patterns[IO_PATTERNS];
    struct io_layout layout;
    make(&layout, patterns);
    for (int i = 0; i < IO_PATTERNS; i++)
        layout.place[i].written = layout.place[i].planned > 3 || i < 25 ? 3 : layout.place[i].planned;
    for (int i = 0; i < 25; i++)
        io_layout_follow(&layout, patterns, i);
    for (int t = 0; t < IO_TYPES; t++) {
        int64_t end = io_file_end(&layout, (enum io_type)t), covered = 0;
        unsigned char *marks = calloc((size_t)end / 8 + 1, 1);
        assert_non_null(marks);
        for (int i = io_first((enum io_type)t); i < io_first((enum io_type)t) + io_count((enum io_type)t);
             i++) {
            const struct io_place *place = &layout.place[i];
            for (int64_t rank = 0; rank < (t == TYPE_SEPARATED ? 1 : 2); rank++)
                for (int64_t c = 0; c < place->written * (place->memory / place->disk); c++) {
                    int64_t at = io_chunk_offset(place, rank, c);
                    assert_true(at >= 0 && at + place->disk <= end);
                    for (int64_t b = at / 8; b < (at + place->disk) / 8; b++)
                        assert_int_equal(marks[b]++, 0);
                    covered += place->disk;
                }
        }
        if (t <= TYPE_SEPARATED)
            assert_int_equal(covered, end);
        free(marks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeat_factors_and_segment_of_release_2_1),
                                       cmocka_unit_test(a_type_that_did_not_run_is_left_out),
                                       cmocka_unit_test(chunks_do_not_overlap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
