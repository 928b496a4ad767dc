/* Tests the figures that --plan prints as text and JSON. */
#include "beff_io/settings.h"

#include "beff_io/patterns.h"
#include "tests/unit.h"

static char *plan_text(const struct io_settings *settings)
{
    char *text = NULL;
    size_t size;
    struct message error;
    FILE *out = open_memstream(&text, &size);
    if (io_plan(settings, 2, out, &error))
        fail_msg("%s", error.text);
    fclose(out);
    return text;
}

static struct io_settings make_settings(int64_t processes)
{
    struct io_settings settings = io_defaults;
    settings.processes = processes;
    settings.memory = 1024;
    settings.selection = io_select_all(false);
    settings.run.plan = true;
    return settings;
}

/* With 1024 MiB per process, M_PART is 8 MiB. With 16 processes, the partitions have 2, 8 and 16 processes.
 * Each partition gets 600 s, so a pattern with U = 4 gets 600 * 4 / 150 s. */
TEST(prints_the_plan_as_text)
{
    static const char *const parts[] = {"processes                           16\n",
                                        "M_PART                              8388608 B\n",
                                        "partitions                          2, 8, 16 processes\n",
                                        "the run takes at most               1800 s\n",
                                        "time of each partition              600 s\n",
                                        "time units per partition            150\n",
                                        "   8388608    8388608      4   16.000\n",
                                        "           -          -      0    0.000\n"};
    struct io_settings settings = make_settings(16);
    char *text = plan_text(&settings);
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_contains(text, parts[i]);
    assert_null(strstr(text, "Expected at"));
    free(text);
}

TEST(refuses_partitions_larger_than_the_run)
{
    struct io_settings settings = make_settings(4);
    struct message error;
    settings.partitions = "1,5";
    assert_int_equal(io_plan(&settings, 0, stdout, &error), -1);
    assert_contains(error.text, "5");
}

/* Returns the plan as JSON. The caller frees it. */
static char *plan_json(struct io_settings *settings)
{
    settings->run.json = true;
    return plan_text(settings);
}

static double real(const char *plan, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *place = strstr(plan, quoted);
    assert_non_null(place);
    return strtod(place + strlen(quoted), NULL);
}

TEST(expects_at_most_the_time_and_the_bytes_given)
{
    struct io_settings settings = make_settings(1);
    settings.run.time = 150;
    settings.max_bytes = INT64_C(10) << 30;
    char *plan = plan_json(&settings);
    assert_true(real(plan, "seconds_expected") == 150);
    assert_true(real(plan, "bytes_expected") == (double)settings.max_bytes);
    free(plan);
}

/* The minimum is one call of each pattern on each process of each partition. A call of a pattern that fills
 * its segment counts as 1 MB. */
TEST(prints_the_minimum_number_of_bytes)
{
    struct io_settings settings = make_settings(4); /* partitions 2, 3, 4 */
    struct io_pattern patterns[IO_PATTERNS];
    int64_t once = 0;
    io_patterns(8 << 20, patterns);
    for (int i = 0; i < IO_PATTERNS; i++)
        once += patterns[i].fill ? 1 << 20 : patterns[i].memory;
    char *plan = plan_json(&settings);
    assert_true(real(plan, "bytes_min") == (double)(once * (2 + 3 + 4)));
    free(plan);
}
