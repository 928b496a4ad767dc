/* Tests the default and the listed message sizes, and the buffers for them. */
#include "imb_compat/buffers.h"
#include "imb_compat/sizes.h"

#include <string.h>

#include <stdlib.h>

#include "imb_compat/settings_test.h"
#include "tests/unit.h"

static const struct imb_benchmark *find(const char *name)
{
    const struct imb_benchmark *found = imb_benchmark_find(IMB_MPI1, name);
    found = found ? found : imb_benchmark_find(IMB_RMA, name);
    return found ? found : imb_benchmark_find(IMB_P2P, name);
}

static struct imb_settings with_logs(int least, int most)
{
    struct imb_settings settings = imb_settings_default(IMB_MPI1);
    settings.min_log = least;
    settings.max_log = most;
    return settings;
}

/* Returns the message sizes of a table, separated by spaces. */
static const char *series(const struct imb_settings *settings, const struct imb_sizes *listed,
                          const char *name)
{
    static char text[512];
    struct imb_sizes sizes;
    const struct imb_table table = imb_table_make(settings, find(name), IMB_MODE_NONE, 2, 2);
    imb_sizes_make(&sizes, &table, listed);
    *text = 0;
    for (int i = 0; i < sizes.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", i ? " " : "",
                 (long long)sizes.bytes[i]);
    free(sizes.bytes);
    return text;
}

TEST(defaults_to_powers_of_two)
{
    static const struct {
        int least, most;
        enum imb_type type;
        const char *sizes;
    } rows[] = {
        {0, 3, IMB_BYTE, "0 1 2 4 8"}, {3, 6, IMB_CHAR, "0 8 16 32 64"}, {5, 5, IMB_BYTE, "0 32"},
        {0, 4, IMB_INT, "0 4 8 16"},   {0, 1, IMB_FLOAT, "0"},           {0, 4, IMB_DOUBLE, "0 8 16"},
        {2, 2, IMB_INT, "0 4"},        {0, 0, IMB_BYTE, "0 1"},
    };
    const struct imb_sizes none = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_settings s = with_logs(rows[i].least, rows[i].most);
        s.data_type = (int)rows[i].type;
        assert_string_equal(series(&s, &none, "PingPong"), rows[i].sizes);
    }
    struct imb_settings s = with_logs(0, 2);
    s.zero_size = false;
    assert_string_equal(series(&s, &none, "PingPong"), "1 2 4");
    assert_string_equal(series(&s, &none, "Barrier"), "0");
    assert_string_equal(series(&s, &none, "Fetch_and_op"), "4");
}

TEST(limits_and_rounds_listed_sizes)
{
    struct imb_settings s = with_logs(0, 10);
    struct imb_sizes listed, sizes;
    struct message error;
    assert_int_equal(imb_sizes_listed(&listed, &s, "# c\n16\n2k\r\n\n1M\n7\n7\n0", &error), 0);
    assert_string_equal(series(&s, &listed, "PingPong"), "16 1024 1024 7 7 0");
    assert_string_equal(series(&s, &listed, "Allreduce"), "16 1024 1024 8 8 0");
    const struct imb_table table = imb_table_make(&s, find("PingPong"), IMB_MODE_NONE, 2, 2);
    imb_sizes_make(&sizes, &table, &listed);
    assert_int_equal(sizes.max_wanted, 1 << 20);
    free(sizes.bytes);
    free(listed.bytes);
}

TEST(refuses_files_with_invalid_sizes)
{
    static const char *const rows[][2] = {
        {"", "no size"},          {"# only\n", "no size"}, {"16\nabc\n", "line 2: \"abc\""},
        {"16\n 8 x\n", "line 2"}, {"1 6 # c\n", "line 1"}, {"8\n16k 32\n", "line 2"},
        {"16k32\n", "line 1"},    {"-5", "\"-5\""},        {"3000M", "\"3000M\""},
    };
    struct imb_settings s = with_logs(0, 10);
    s.msglen = "some.txt";
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_sizes listed;
        struct message error = {""};
        assert_int_equal(imb_sizes_listed(&listed, &s, rows[i][0], &error), -1);
        assert_contains(error.text, rows[i][1]);
        assert_contains(error.text, "some.txt");
        free(listed.bytes);
    }
}

static struct imb_memory memory(const struct imb_settings *s, const char *name, int size, int64_t bytes,
                                int64_t repetitions)
{
    const struct imb_table table = imb_table_make(s, find(name), IMB_MODE_NONE, size, size);
    return imb_memory_make(&table, bytes, repetitions, s->check);
}

TEST(sizes_buffers)
{
    struct imb_settings s = with_logs(0, 22);
    struct imb_memory m = memory(&s, "Allgather", 4, 100, 10);
    assert_int_equal(m.send.bytes, 100);
    assert_int_equal(m.receive.bytes, 400);
    m = memory(&s, "Exchange", 4, 1 << 20, 10);
    assert_close(imb_memory_gib(&m), 3.0 / 1024);
    s.check = true; /* both messages are compared */
    m = memory(&s, "Exchange", 4, 100, 10);
    assert_int_equal(m.receive.bytes, 200);
    assert_int_equal(m.second, 100);
    m = memory(&s, "Uniband", 4, 100, 10);
    assert_int_equal(m.places, 256);
    m = memory(&s, "Uniband", 4, 4 << 20, 10);
    assert_int_equal(m.places, 16);
    m = memory(&s, "Uniband", 4, 1 << 28, 10);
    assert_int_equal(m.places, 1);
}

/* If windows are checked, each repetition has its own place, up to a total of 64 MiB. */
TEST(gives_each_checked_repetition_a_place)
{
    struct imb_settings s = with_logs(0, 22);
    assert_int_equal(memory(&s, "Unidir_put", 2, 100, 50).receive.copies, 1);
    s.check = true;
    struct imb_memory m = memory(&s, "Unidir_put", 2, 100, 50);
    assert_int_equal(m.receive.copies, 50);
    assert_int_equal(m.send.copies, 1);
    assert_int_equal(memory(&s, "All_put_all", 4, 4 << 20, 50).receive.copies, 4);
    assert_int_equal(memory(&s, "Unidir_put", 2, 1 << 27, 50).receive.copies, 1);
    assert_int_equal(memory(&s, "Unidir_put", 2, 0, 50).receive.copies, 1);
    m = memory(&s, "Exchange_get", 4, 100, 1);
    assert_int_equal(m.receive.bytes, 200);
    assert_int_equal(m.second, 100);
}

static struct imb_table table_of(const struct imb_settings *s, enum imb_component component, const char *name)
{
    return imb_table_make(s, imb_benchmark_find(component, name), IMB_MODE_NONE, 2, 2);
}

TEST(uses_the_unit_of_the_component)
{
    struct imb_settings s = imb_settings_default(IMB_EXT);
    assert_int_equal(table_of(&s, IMB_EXT, "Unidir_Put").unit, 4);
    assert_int_equal(table_of(&s, IMB_EXT, "Accumulate").unit, 4);
    assert_int_equal(table_of(&s, IMB_RMA, "Unidir_put").unit, 1);
    assert_int_equal(table_of(&s, IMB_RMA, "Accumulate").unit, 4);
    s.compat = IMB_30;
    assert_int_equal(table_of(&s, IMB_EXT, "Unidir_Put").unit, 1);
    assert_int_equal(table_of(&s, IMB_EXT, "Accumulate").unit, 4);
    assert_int_equal(table_of(&s, IMB_RMA, "Compare_and_swap").type, IMB_INT);
}

TEST(keeps_copies_out_of_the_cache)
{
    struct imb_settings s = with_logs(0, 22);
    s.cache = 1 << 20;
    s.line = 64;
    struct imb_memory m = memory(&s, "PingPong", 2, 100, 1000000);
    assert_int_equal(m.send.step, 192); /* two lines, and one line between copies */
    assert_int_equal(m.send.copies, (2 << 20) / 192 + 1);
    m = memory(&s, "PingPong", 2, 100, 7);
    assert_int_equal(m.receive.copies, 7);
    m = memory(&s, "PingPong", 2, 0, 7);
    assert_int_equal(m.receive.copies, 1);
    s.line = 3;
    m = memory(&s, "Accumulate", 2, 100, 7);
    assert_int_equal(m.receive.step, 108); /* 105 rounded up to whole items */
}

TEST(gives_persistent_requests_their_copies)
{
    struct imb_settings s = imb_settings_default(IMB_MPI4);
    s.cache = 1 << 20;
    s.line = 64;
    for (int size = 2; size <= 6; size++) {
        const struct imb_benchmark *gather = imb_benchmark_find(IMB_MPI4, "Gatherv_persist");
        const struct imb_table table = imb_table_make(&s, gather, IMB_MODE_NONE, size, size);
        const struct imb_memory m = imb_memory_make(&table, 65536, 100, false);
        assert_int_equal(m.requests, m.send.copies);
        for (int64_t i = 0; i < 100;
             i++) { /* a repetition uses the copies of its request's first repetition */
            assert_int_equal(imb_copy_of(&m, &m.send, i), i % m.requests);
            assert_int_equal(imb_copy_of(&m, &m.receive, i), i % m.requests % m.receive.copies);
        }
    }
    struct imb_settings plain = with_logs(0, 22);
    plain.cache = 1 << 20;
    plain.line = 64;
    struct imb_memory m = memory(&plain, "Gather", 3, 65536, 100);
    assert_int_equal(imb_copy_of(&m, &m.receive, m.send.copies), m.send.copies % m.receive.copies);
}

TEST(detects_counts_that_overflow)
{
    struct imb_settings s = with_logs(0, 30);
    struct imb_memory m = memory(&s, "Alltoall", 2, 1 << 30, 1);
    assert_true(imb_memory_overflows(&m));
    s.data_type = IMB_INT;
    m = memory(&s, "Alltoall", 2, 1 << 30, 1);
    assert_false(imb_memory_overflows(&m));
    m = memory(&s, "PingPong", 2, 1 << 30, 1);
    assert_false(imb_memory_overflows(&m));
    s = imb_settings_default(IMB_P2P); /* each of the 4 or 6 messages has its own count */
    m = memory(&s, "Stencil2D", 8, 1 << 30, 1);
    assert_false(imb_memory_overflows(&m));
    m = memory(&s, "Stencil3D", 8, INT64_C(1) << 31, 1);
    assert_true(imb_memory_overflows(&m));
}

/* Returns the sizes for the options of IMB-MT (with 2 threads) or IMB-P2P, or the error message. */
static const char *sizes_of(enum imb_component component, const char *options, const char *file)
{
    static char text[600];
    static struct message error;
    struct imb_settings s = imb_settings_default(component);
    struct imb_sizes sizes;
    char copy[200];
    snprintf(copy, sizeof copy, "%s", options);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        texts_add(&s.sizes, "%s", word);
    s.team = component == IMB_MT ? 2 : 1;
    s.iter = (struct option_numbers){.value = {1, 1, 1}};
    assert_int_equal(imb_settings_check(&s, &error), 0);
    int failed = imb_sizes_listed(&sizes, &s, file, &error);
    *text = 0;
    for (int i = 0; !failed && i < sizes.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", i ? " " : "",
                 (long long)sizes.bytes[i]);
    free(sizes.bytes);
    texts_free(&s.sizes);
    return failed ? error.text : text;
}

TEST(applies_size_options_in_order)
{
    assert_string_equal(sizes_of(IMB_MT, "", NULL), "8 16 32 64");
    assert_string_equal(sizes_of(IMB_MT, "count=5,0 count=2", NULL), "40 0 16");
    assert_string_equal(sizes_of(IMB_P2P, "msglog=3", NULL), "0 1 2 4 8");
    assert_string_equal(sizes_of(IMB_P2P, "msgsz=4 msglog=2:3 msgsz=5k msgsz=1kB", NULL), "4 8 5120 1024");
    assert_string_equal(sizes_of(IMB_P2P, "msgsz=4 msglen=f msgsz=9", "# c\n1k\n\n3\n"), "1024 3 9");
    assert_contains(sizes_of(IMB_P2P, "", NULL), "0 1 2 4 8 16 ");
    assert_contains(sizes_of(IMB_P2P, "", NULL), " 4194304");
    static const char *const bad[] = {"msglog=5:3", "msglog=0:48", "msglog=2:x", "msglog=3:4:5", "msglog=-1",
                                      "msglog=",    "msgsz=1.5k",  "msgsz=-4",   "msgsz=4g"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_contains(sizes_of(IMB_P2P, bad[i], NULL), "invalid -");
    static const char *const bad_counts[] = {"count=", "count=1,", "count=-1", "count=1.5",
                                             "count=3000000000"};
    for (size_t i = 0; i < COUNT(bad_counts); i++)
        assert_contains(sizes_of(IMB_MT, bad_counts[i], NULL), "invalid -count");
}
