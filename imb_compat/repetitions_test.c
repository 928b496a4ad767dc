/* Compares the numbers of repetitions with those in captured IMB runs, and tests their limits. */
#include "imb_compat/repetitions.h"

#include "imb_compat/results.h"

#include "imb_compat/settings_test.h"
#include "tests/unit.h"

static struct imb_settings settings_of(enum imb_policy policy)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    s.max_log = 22;
    s.repetitions = 1000;
    s.volume = 40 << 20;
    s.policy = policy;
    return s;
}

static int64_t repetitions(const struct imb_settings *s, const char *name, int64_t bytes, int processes)
{
    const struct imb_benchmark *b = imb_benchmark_find(s->component, name);
    const struct imb_table table = imb_table_make(s, b, IMB_MODE_NONE, processes, processes);
    return imb_repetitions(&table, s->component == IMB_P2P, bytes);
}

/* Compares the numbers of repetitions with those in a captured run. Returns the number of its rows. */
static int expect(const struct imb_settings *s, const char *sample)
{
    char path[80], name[32];
    long long bytes, number;
    size_t size;
    int rows = 0;
    snprintf(path, sizeof path, "tests/fixtures/imb/%s.txt", sample);
    char *text = unit_read(path, &size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (sscanf(line, "# Benchmarking %31s", name) == 1 ||
            sscanf(line, "%lld %lld %*f", &bytes, &number) < 2)
            continue;
        assert_int_equal(repetitions(s, name, bytes, 2), number);
        rows++;
    }
    return rows;
}

TEST(follows_the_policies)
{
    static const struct {
        enum imb_policy policy;
        const char *sample;
    } rows[] = {{IMB_OFF, "iter_policy_off"},
                {IMB_MULTIPLE_NP, "iter_policy_multiple_np"},
                {IMB_AUTO, "iter_policy_auto"},
                {IMB_DYNAMIC, "iter_default_table"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_settings s = settings_of(rows[i].policy);
        assert_in_range(expect(&s, rows[i].sample), 20, 24);
    }
    struct imb_settings s = settings_of(IMB_MULTIPLE_NP);
    s.repetitions = 3;
    assert_int_equal(repetitions(&s, "Bcast", 8, 7), 7); /* at least the number of processes */
    s = settings_of(IMB_DYNAMIC);
    s.volume = 0;
    assert_int_equal(repetitions(&s, "Bcast", 8, 2), 1);
}

TEST(probes)
{
    const struct imb_settings s = settings_of(IMB_DYNAMIC);
    assert_int_equal(imb_repetitions_probe(&s, 20, 1e-6), 20);
    assert_int_equal(imb_repetitions_probe(&s, 5000, 1e-6), 1000);
    assert_int_equal(imb_repetitions_probe(&s, 5000, 0.01), 100);
    assert_int_equal(imb_repetitions_probe(&s, 5000, 7), 1);
}

TEST(keeps_within_the_limit)
{
    struct imb_settings s = settings_of(IMB_DYNAMIC);
    assert_int_equal(imb_repetitions_within(&s, 1000, 1e-3, 1e-3, 10), 1000);
    assert_int_equal(imb_repetitions_within(&s, 1000, 1, 1, 220.5), 201);
    assert_int_equal(imb_repetitions_within(&s, 1000, 1, 1, 50), 41);
    assert_int_equal(imb_repetitions_within(&s, 1000, 1, 1, 10), 6);
    assert_int_equal(imb_repetitions_within(&s, 1000, 1, 1, -3), 1);
    assert_int_equal(imb_repetitions_within(&s, 1000, 1e-6, 5, 10), 1000); /* one probe was disturbed */
    assert_int_equal(imb_repetitions_within(&s, 1000, 5, 1e-6, 10), 1000);
    assert_int_equal(imb_repetitions_within(&s, 1000, 0, 0, 10), 1000);
    s.warm_up = false;
    assert_int_equal(imb_repetitions_within(&s, 1000, 1, 1, 10), 11);
}

/* The repetitions and their warm-up exceed the time by at most two repetitions. */
TEST(leaves_time_for_the_warmup)
{
    struct imb_settings s = settings_of(IMB_DYNAMIC);
    for (int left = 0; left < 500; left++) {
        int64_t n = imb_repetitions_within(&s, 1000, 1, 1, left);
        assert_true(n + imb_repetitions_warmup(&s, n) <= left + 2);
    }
}

TEST(warms_up)
{
    struct imb_settings s = settings_of(IMB_DYNAMIC);
    assert_int_equal(imb_repetitions_warmup(&s, 1000), 100);
    assert_int_equal(imb_repetitions_warmup(&s, 20), 10);
    assert_int_equal(imb_repetitions_warmup(&s, 3), 3);
    s.warm_up = false;
    assert_int_equal(imb_repetitions_warmup(&s, 1000), 0);
}

TEST(repeats_p2p_by_size_only)
{
    struct imb_settings s = imb_settings_default(IMB_P2P);
    s.repetitions = 5000;
    s.volume = 1 << 20;
    assert_int_equal(expect(&s, "p2p/iter_rule"), 7);
    static const int64_t warmups[][2] = {{1, 0}, {2, 1}, {9, 1}, {10, 1}, {29, 2}, {5000, 500}};
    for (size_t i = 0; i < COUNT(warmups); i++)
        assert_int_equal(imb_repetitions_warmup(&s, warmups[i][0]), warmups[i][1]);
}

/* The expected values come from IMB, run with a clock that advances only when it is called. */
TEST(counts_messages)
{
    static const struct {
        enum imb_component component;
        const char *name;
        int team, processes;
        double parts, messages;
    } rows[] = {{IMB_MPI1, "PingPong", 1, 2, 2, 1},  {IMB_MPI1, "Exchange", 1, 4, 1, 4},
                {IMB_MPI1, "Uniband", 1, 4, 1, 128}, {IMB_MT, "PingPongMT", 2, 4, 2, 2},
                {IMB_MT, "ExchangeMT", 2, 4, 1, 8},  {IMB_MT, "UniBandMT", 2, 4, 64, 4},
                {IMB_MT, "BiBandMT", 2, 4, 128, 4},  {IMB_P2P, "PingPong", 1, 4, 2, 2},
                {IMB_P2P, "PingPing", 1, 4, 1, 4},   {IMB_P2P, "Birandom", 1, 4, 2, 4},
                {IMB_P2P, "Stencil3D", 1, 8, 6, 8}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_settings s = imb_settings_default(rows[i].component);
        const struct imb_benchmark *b = imb_benchmark_find(rows[i].component, rows[i].name);
        s.team = rows[i].team;
        s.window_size = 64;
        assert_real(imb_parts(&s, b), rows[i].parts);
        assert_real(imb_messages(&s, b, rows[i].processes), rows[i].messages);
    }
}
