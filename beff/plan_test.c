/* Tests the output of --plan as text. */
#include "beff/settings.h"

#include <inttypes.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "tests/unit.h"

static char *plan_text(const struct beff_settings *settings)
{
    char *text = NULL;
    size_t size;
    struct message error;
    FILE *out = open_memstream(&text, &size);
    if (beff_plan(settings, 4, out, &error))
        fail_msg("%s", error.text);
    fclose(out);
    return text;
}

static struct beff_settings make_settings(int64_t processes)
{
    struct beff_settings settings = beff_defaults;
    settings.processes = processes;
    settings.memory = 1024;
    settings.run.plan = true;
    return settings;
}

TEST(prints_the_plan_as_text)
{
    static const char *const parts[] = {
        "processes                           7\n",
        "seed                                20010917\n",
        "memory per process                  1024 MiB\n",
        "Lmax                                8388608 B\n",
        " 2048, 4096, 10624,\n                                    27554, 71468, ",
        "Sendrecv, nonblocking, Alltoallv",
        "repetitions in a complete pass      3\n",
        "a complete pass takes at least      30.9 s\n",
        "the run takes at most               180 s\n",
        "ring-3*2&+1",
        "ring-2*4&-1",
        "random-30",
        "worst-cycle",
        "cart3d-all",
        "pingpong"};
    struct beff_settings settings = make_settings(7);
    char *text = plan_text(&settings);
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_contains(text, parts[i]);
    assert_null(strstr(text, "left"));
    free(text);
    settings.rank = 0;
    text = plan_text(&settings);
    assert_contains(text, "ring-3*2&+1                 yes          10  2*2 3*1     1      1\n");
    assert_contains(text, "ping-pong of ranks 0 and 1  no            2  -           -      1\n");
    free(text);
}

/* On links of 25 MB/s, a pass of 16 processes takes longer than the default time. */
TEST(prints_the_time_between_nodes_and_the_kind_of_pass)
{
    static const struct {
        double time;
        int64_t per_node;
        const char *has, *lacks;
    } rows[] = {
        {200, 4, "of these to compare the nodes       16 s\n", "under load"},
        {200, 16, "the run takes at most               200 s\n", "of these"},
        {10, 4, "a valid result needs --time", "shortened"},
        {0, 4, "the pass in this time is            shortened, and valid\n", "needs --time"},
        {1e5, 4, "the run takes at most               100000 s\n", "shortened"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct beff_settings settings = make_settings(16);
        settings.run.time = rows[i].time;
        settings.ranks_per_node = rows[i].per_node;
        settings.link = 25;
        char *text = plan_text(&settings);
        assert_contains(text, rows[i].has);
        assert_null(strstr(text, rows[i].lacks));
        free(text);
    }
}

TEST(refuses_a_rank_out_of_range)
{
    static const int64_t ranks[] = {4, 5, 100000000};
    for (size_t i = 0; i < 2 * COUNT(ranks); i++) {
        struct beff_settings settings = make_settings(i % 2 ? 4 : 0); /* given, or as many as were started */
        struct message error = {""};
        FILE *out = fopen("/dev/null", "w");
        settings.rank = ranks[i / 2];
        settings.run.json = i > 2;
        assert_int_equal(beff_plan(&settings, 4, out, &error), -1);
        assert_contains(error.text, "--rank");
        assert_contains(error.text, "0 to 3");
        fclose(out);
    }
}

TEST(keeps_large_seeds_in_json)
{
    struct beff_settings settings = make_settings(4);
    settings.run.json = true;
    settings.seed = INT64_MAX;
    char *text = plan_text(&settings);
    assert_contains(text, "\"seed\": 9223372036854775807,");
    free(text);
}
