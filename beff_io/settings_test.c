/* Tests beff_io's command line: defaults, its options, the options of release 2.1, and invalid arguments. */
#include "beff_io/settings.h"

#include "tests/unit.h"

enum { MOST_ARGUMENTS = 9 };

static int parse(struct io_settings *s, const char *const *arguments, struct message *error)
{
    char *argv[MOST_ARGUMENTS + 2] = {(char *)"beff_io"};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
    *error = (struct message){""};
    return engine_parse(&beff_io_engine, s, argc, argv, error);
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(has_the_defaults_of_the_definition)
{
    struct io_settings s;
    struct message error;
    assert_int_equal(parse(&s, (const char *const[]){NULL}, &error), 0);
    assert_real(s.run.time, 1800);
    assert_int_equal(s.errors, 3);
    assert_int_equal(s.max_bytes, 0);
    assert_int_equal(s.verify, VERIFY_ENDS);
    assert_null(s.path);
    assert_null(s.partitions);
    assert_false(s.rewrite || s.noshared || s.nounique || s.keep || s.drop_caches);
}

/* An old command line and its modern form have the same result. */
TEST(accepts_the_spellings_of_release_2_1)
{
    struct io_settings old, modern;
    struct message error;
    assert_int_equal(
        parse(&old, ARGUMENTS("-MB", "512", "-noshared", "-T", "600", "-p", "/scratch", "-N"), &error), -1);
    assert_int_equal(
        parse(&old, ARGUMENTS("-MB", "512", "-noshared", "-T", "600", "-p", "/scratch", "-keep"), &error), 0);
    assert_int_equal(parse(&modern,
                           ARGUMENTS("--memory=512", "--noshared", "--time=600", "--path=/scratch", "--keep"),
                           &error),
                     0);
    assert_real(old.run.time, modern.run.time);
    assert_int_equal(old.memory, modern.memory);
    assert_string_equal(old.path, modern.path);
    assert_true(old.noshared && modern.noshared && old.keep && modern.keep);
    assert_int_equal(
        parse(&old, ARGUMENTS("-MT", "4096", "-nounique", "-rewrite", "-N", "1,3,8", "-e", "9"), &error), 0);
    assert_int_equal(old.total_memory, 4096);
    assert_true(old.nounique && old.rewrite);
    assert_string_equal(old.partitions, "1,3,8");
    assert_int_equal(old.errors, 9);
    assert_int_equal(parse(&old, ARGUMENTS("-i", "hints", "-f", "prefix"), &error), 0);
    assert_string_equal(old.hints, "hints");
    assert_string_equal(old.run.output, "prefix");
}

TEST(reads_bytes_with_units)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } rows[] = {{"1", 1},        {"4096", 4096},      {"2k", 2048},        {"2K", 2048},
                {"3M", 3 << 20}, {"1.5G", 3LL << 29}, {"2T", 2LL << 40},   {"0", -1},
                {"-5", -1},      {"5X", -1},          {"5MB", -1},         {"", -1},
                {"G", -1},       {"nan", -1},         {"9999999999T", -1}, {"1e3", 1000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct io_settings s;
        struct message error;
        int status = parse(&s, ARGUMENTS("--max-bytes", rows[i].text), &error);
        if (status != (rows[i].bytes < 0 ? -1 : 0) || (status == 0 && s.max_bytes != rows[i].bytes))
            fail_msg("--max-bytes %s: status %d, %lld bytes", rows[i].text, status, (long long)s.max_bytes);
        if (status)
            assert_contains(error.text, "--max-bytes");
    }
}

TEST(limits_the_files_to_half_of_the_free_space)
{
    struct io_settings s = {.max_bytes = 0};
    assert_int_equal(io_max_bytes(&s, 1000), 500);
    s.max_bytes = 7;
    assert_int_equal(io_max_bytes(&s, 1000), 7);
}

TEST(rejects_invalid_arguments)
{
    static const struct {
        const char *arguments[4], *culprit;
    } rows[] = {
        {{"--time", "0.5"}, "time"},          {{"-T", "soon"}, "T"},  {{"--verify", "some"}, "verify"},
        {{"--processes", "4"}, "--plan"},     {{"-N", "1,2x"}, "-N"}, {{"--memory", "0"}, "memory"},
        {{"--nonsense"}, "nonsense"},         {{"extra"}, "extra"},   {{"-e", "-1"}, "e"},
        {{"--progress", "maybe"}, "progress"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct io_settings s;
        struct message error;
        assert_int_equal(parse(&s, rows[i].arguments, &error), -1);
        assert_contains(error.text, rows[i].culprit);
    }
}

static bool selects(const struct io_settings *s, enum io_access access, int pattern)
{
    struct io_pattern patterns[IO_PATTERNS];
    io_patterns(io_mpart(256), patterns);
    return io_selected(&s->selection, access, &patterns[pattern]);
}

/* Tests the selection by --types, --patterns and --access. */
TEST(selects_part_of_a_run)
{
    struct io_settings s;
    struct message error;
    assert_int_equal(parse(&s, ARGUMENTS("--types", "scatter,segmented", "--patterns", "3,25-30"), &error),
                     0);
    assert_true(selects(&s, ACCESS_WRITE, 3) && selects(&s, ACCESS_REWRITE, 3) &&
                selects(&s, ACCESS_READ, 25));
    assert_false(selects(&s, ACCESS_WRITE, 2) || selects(&s, ACCESS_READ, 34) ||
                 selects(&s, ACCESS_REWRITE, 25));
    options_free(beff_io_engine.options, &s);
    assert_int_equal(parse(&s, ARGUMENTS("--access", "read"), &error), 0);
    assert_true(selects(&s, ACCESS_WRITE, 0) && selects(&s, ACCESS_READ, 0) &&
                !selects(&s, ACCESS_REWRITE, 0));
    options_free(beff_io_engine.options, &s);
    static const char *const refused[][4] = {{"--types", "tape"},    {"--patterns", "43"},
                                             {"--patterns", "5-3"},  {"--patterns", "x"},
                                             {"--access", "append"}, {"--types", "shared", "--patterns", "3"},
                                             {"--path", "a:b"},      {"--separated-paths", "a,b:c"}};
    for (size_t i = 0; i < COUNT(refused); i++) {
        const char *const arguments[] = {refused[i][0], refused[i][1], refused[i][2], refused[i][3], NULL};
        assert_int_equal(parse(&s, arguments, &error), -1);
        assert_contains(error.text, refused[i][0]);
        options_free(beff_io_engine.options, &s);
    }
}
