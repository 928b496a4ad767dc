/* Tests which lines of a hints file are accepted, the messages for invalid lines, and the shares of
 * aggregators. */
#include "tests/unit.h"

#include "beff_io/hints.h"

TEST(lines_select_files_and_patterns)
{
    struct hints h;
    struct message error;
    assert_int_equal(hints_read(&h,
                                "# all\nall all all all a 1\n\n2 read seg_coll 1024 b 2 # two\n"
                                "all write scatter on_open c 3#\nall all all Lmax d 4\n",
                                "hints", &error),
                     0);
    assert_int_equal(h.count, 4);
    assert_string_equal(h.hint[2].value, "3#");
    assert_true(hint_applies(&h.hint[0], 3, ACCESS_READ, TYPE_SHARED, -1, 99));
    assert_true(hint_applies(&h.hint[0], 3, ACCESS_READ, TYPE_SHARED, 7, 99));
    assert_true(hint_applies(&h.hint[1], 2, ACCESS_READ, TYPE_SEG_COLL, 1024, 99));
    assert_false(hint_applies(&h.hint[1], 2, ACCESS_READ, TYPE_SEG_COLL, 1032, 99));
    assert_false(hint_applies(&h.hint[1], 2, ACCESS_READ, TYPE_SEG_COLL, -1, 99));
    assert_false(hint_applies(&h.hint[1], 3, ACCESS_READ, TYPE_SEG_COLL, 1024, 99));
    assert_true(hint_applies(&h.hint[2], 4, ACCESS_WRITE, TYPE_SCATTER, -1, 99));
    assert_false(hint_applies(&h.hint[2], 4, ACCESS_READ, TYPE_SCATTER, -1, 99));
    assert_true(hint_applies(&h.hint[3], 4, ACCESS_READ, TYPE_SCATTER, 99, 99));
    free(h.hint);
}

TEST(messages_name_the_invalid_line)
{
    static const struct {
        const char *line, *message;
    } bad[] = {{"all all all all key", "hints:2: expected six words: "},
               {"all all all all key value more", "hints:2: expected six words: "},
               {"0 all all all k v", "hints:2: invalid number of processes \"0\": expected "},
               {"all reads all all k v", "hints:2: invalid access method \"reads\": expected "},
               {"all all mixed all k v", "hints:2: invalid type \"mixed\": expected "},
               {"all all all tiny k v", "hints:2: invalid chunk \"tiny\": expected "}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct hints h;
        struct message error;
        char text[256];
        snprintf(text, sizeof text, "all all all all a 1\n%s\n", bad[i].line);
        assert_int_equal(hints_read(&h, text, "hints", &error), -1);
        assert_contains(error.text, bad[i].message);
        free(h.hint);
    }
}

TEST(views_must_not_request_larger_buffers_than_opening)
{
    static const struct {
        const char *text;
        int status;
    } rows[] = {
        {"all all scatter 1048576 cb_buffer_size 16777216\n", 0},
        {"all all scatter 1048576 cb_buffer_size 16777217\n", -1},
        {"all all all on_open cb_buffer_size 2097152\nall all scatter Lmax cb_buffer_size 4194304\n", -1},
        {"all all all on_open cb_buffer_size 4194304\nall all scatter Lmax cb_buffer_size 4194304\n", 0},
        {"all all all all cb_buffer_size 99999999\n", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hints h;
        struct message error;
        assert_int_equal(hints_read(&h, rows[i].text, "hints", &error), rows[i].status);
        if (rows[i].status)
            assert_contains(error.text, "cb_buffer_size");
        free(h.hint);
    }
}

/* Writes a list of the ranks 0, `step`, 2 * `step` ..., and cuts it as ROMIO does. */
static void list_ranks(char *list, size_t most, int count, int step)
{
    size_t used = 0;
    *list = 0;
    for (int i = 0; i < count && used < most; i++)
        used += (size_t)snprintf(list + used, most - used, "%d ", i * step);
}

TEST(aggregators_transfer_the_data_of_all_processes)
{
    enum { MOST = 1024 };
    static const int counts[] = {1, 4, 282, 283, 284, 285, 286, 1000, 10000};
    char list[MOST];
    for (size_t i = 0; i < COUNT(counts); i++) {
        list_ranks(list, MOST, counts[i], 1);
        for (int rank = 0; rank < 10000; rank++)
            assert_near(hints_share(list, MOST, counts[i], rank, 10000),
                        rank < counts[i] ? 10000.0 / counts[i] : 0, 1e-12);
    }
    list_ranks(list, MOST, 3, 8);
    assert_near(hints_share(list, MOST, 3, 8, 24), 8, 1e-12);
    assert_true(hints_share(list, MOST, 3, 1, 24) == 0);
    assert_true(hints_share("", MOST, 0, 1, 24) == 1);
}
