/* Compares the table of patterns with the definition, the partitions with a fixture, and the repeat factors
 * with a run of release 2.1. */
#include "beff_io/patterns.h"

#include "tests/unit.h"

TEST(sums_of_the_definition)
{
    static const int units[IO_TYPES] = {22, 12, 10, 10, 10}, counts[IO_TYPES] = {9, 8, 8, 9, 9};
    struct io_pattern p[IO_PATTERNS];
    int sum[IO_TYPES] = {0}, timed = 0;
    io_patterns(io_mpart(1024), p);
    for (int i = 0; i < IO_PATTERNS; i++) {
        assert_int_equal(p[i].number, i);
        sum[p[i].type] += p[i].units;
        timed += p[i].units > 0;
        assert_true(p[i].fill ? p[i].disk == 0 : p[i].memory % p[i].disk == 0 && p[i].disk % 8 == 0);
    }
    for (int t = 0; t < IO_TYPES; t++) {
        assert_int_equal(sum[t], units[t]);
        assert_int_equal(io_count((enum io_type)t), counts[t]);
    }
    assert_int_equal(timed, 36);
    assert_int_equal(io_units(false), 150);
    assert_int_equal(io_units(true), 192);
}

TEST(mpart_is_memory_divided_by_128_within_limits)
{
    assert_int_equal(io_mpart(1), 2 << 20);
    assert_int_equal(io_mpart(1024), 8 << 20);
    assert_int_equal(io_mpart(12051), INT64_C(12051) * 8192);
    assert_int_equal(io_mpart(1 << 20), 1 << 30);
}

static void fixture_row(const char *line)
{
    struct io_task found;
    struct message error;
    char text[64] = "";
    assert_int_equal(io_partitions(&found, strtoll(line, NULL, 10), NULL, &error), 0);
    for (int i = 0; i < found.partition_count; i++)
        text_append(text, sizeof text, "%s%lld", i ? "," : "", (long long)found.partitions[i]);
    assert_string_equal(text, strchr(line, '\t') + 1);
}

TEST(partitions_of_the_fixture)
{
    assert_true(unit_fixture("partitions.tsv", fixture_row) > 30);
}

TEST(partitions_from_a_list)
{
    struct io_task found;
    struct message error;
    assert_int_equal(io_partitions(&found, 8, "8,2x3,1x4", &error), 0);
    assert_int_equal(found.partition_count, 3);
    static const int64_t processes[] = {8, 6, 4}, nodes[] = {0, 2, 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(found.partitions[i], processes[i]);
        assert_int_equal(found.nodes[i], nodes[i]);
    }
    static const char *const bad[] = {"",    "0",   "9",   "2,,4",  "2,", "2,2", "x",    "-1",
                                      "2x5", "2x0", "0x2", "4,2x2", "2x", "x2",  "2x2x2"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(io_partitions(&found, 8, bad[i], &error), -1);
}

/* ---- offsets and repeat factors ---- */

/* Numbers of calls that release 2.1 printed for the patterns of types 0 to 2, on 2 processes with M_PART =
 * 8 MB (T = 20 s). */
static const int64_t written[25] = {1,     10,  41,   91, 42, 41, 41, 41,   42,    1,    9,     46, 654,
                                    10158, 681, 9349, 43, 1,  10, 84, 1225, 26074, 1205, 21204, 78};

static struct io_task task;
static struct io_layout layout;

static int make(void **state)
{
    (void)state;
    task = (struct io_task){.partitions = {2}, .partition_count = 1, .selection = io_select_all(false)};
    io_patterns(io_mpart(1024), task.patterns);
    layout = (struct io_layout){.task = &task, .processes = 2};
    for (int i = 0; i < 25; i++)
        layout.calls[ACCESS_WRITE][i] = written[i];
    return 0;
}

TEST_WITH(repeat_factors_and_segment_of_release_2_1, make, NULL)
{
    static const int64_t factors[] = {1, 10, 84, 1225, 26074, 1205, 21204, 42, 1};
    io_layout_plan(&layout, INT64_MAX / 4);
    for (int t = TYPE_SEGMENTED; t <= TYPE_SEG_COLL; t++)
        for (int i = 0; i < 9; i++)
            assert_int_equal(layout.planned[io_first((enum io_type)t) + i], factors[i]);
    assert_int_equal(io_layout_place(&layout, 33).rank_step, INT64_C(330) << 20);
    assert_int_equal(io_layout_place(&layout, 33).memory, 756328);
}

TEST_WITH(unwritten_patterns_do_not_limit_the_repeat_factor, make, NULL)
{
    for (int i = io_first(TYPE_SEPARATED); i < io_first(TYPE_SEGMENTED); i++)
        layout.calls[ACCESS_WRITE][i] = 0;
    assert_int_equal(io_layout_repeat(&layout, 27), 91);
    assert_int_equal(io_layout_repeat(&layout, 32), 42);
    layout.calls[ACCESS_WRITE][3] = 0;
    assert_int_equal(io_layout_repeat(&layout, 27), 460);
    layout.calls[ACCESS_WRITE][11] = 0;
    assert_true(io_layout_repeat(&layout, 27) == INT64_MAX);
}

/* A plan does not exceed the given number of bytes, and bytes that a pattern does not need go to the
 * following patterns. Each pattern has at least one call, except patterns that fill their segment. */
TEST_WITH(a_plan_does_not_exceed_its_bytes, make, NULL)
{
    for (int64_t bytes = 0; bytes < INT64_C(1) << 31; bytes = 3 * bytes + (1 << 20)) {
        int64_t beyond = 0;
        make(NULL);
        io_layout_plan(&layout, bytes);
        for (int i = 25; i < IO_PATTERNS; i++) {
            assert_true(layout.planned[i] >= (task.patterns[i].fill ? 0 : 1));
            beyond += (layout.planned[i] - 1) * task.patterns[i].memory * 2;
        }
        assert_true(beyond <= bytes && (bytes < 1 << 28 || beyond > bytes / 2 || beyond > INT64_C(1) << 30));
    }
}

/* Every byte of every file belongs to at most one chunk. The files of types 0 to 2 have no holes. */
TEST_WITH(chunks_do_not_overlap, make, NULL)
{
    io_layout_plan(&layout, INT64_MAX / 4);
    for (int i = 0; i < IO_PATTERNS; i++)
        layout.calls[ACCESS_WRITE][i] = layout.planned[i] > 3 || i < 25 ? 3 : layout.planned[i];
    for (int t = 0; t < IO_TYPES; t++) {
        int64_t end = io_file_end(&layout, (enum io_type)t), covered = 0;
        unsigned char *marks = calloc((size_t)end / 8 + 1, 1);
        assert_non_null(marks);
        for (int i = io_first((enum io_type)t); i < io_first((enum io_type)t) + io_count((enum io_type)t);
             i++) {
            struct io_place place = io_layout_place(&layout, i);
            for (int64_t rank = 0; rank < (t == TYPE_SEPARATED ? 1 : 2); rank++)
                for (int64_t c = 0; c < layout.calls[ACCESS_WRITE][i] * (place.memory / place.disk); c++) {
                    int64_t at = io_chunk_offset(&place, rank, c);
                    assert_true(at >= 0 && at + place.disk <= end);
                    for (int64_t b = at / 8; b < (at + place.disk) / 8; b++)
                        assert_int_equal(marks[b]++, 0);
                    covered += place.disk;
                }
        }
        if (t <= TYPE_SEPARATED)
            assert_int_equal(covered, end);
        free(marks);
    }
}
