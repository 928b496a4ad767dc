/* Tests beff's command line: defaults, accepted and refused values, and that the help is complete. */
#include "beff/settings.h"

#include "beff/record.h"
#include "tests/unit.h"

enum { MAX_ARGUMENTS = 8 };

static int parse(struct beff_settings *s, const char *const *arguments, struct message *error)
{
    char *argv[MAX_ARGUMENTS + 2] = {(char *)"beff"};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
    *error = (struct message){""};
    return engine_parse(&beff_engine, s, argc, argv, error);
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(has_the_defaults_of_the_definition)
{
    struct beff_settings s;
    struct message error;
    assert_int_equal(parse(&s, (const char *const[]){NULL}, &error), 0);
    assert_real(s.run.time, 0);
    assert_int_equal(s.polygons, 30);
    assert_int_equal(s.seed, BEFF_SEED);
    assert_int_equal(s.memory, 0);
    assert_int_equal(s.max_loops, 0);
    assert_int_equal(s.processes, 0);
    assert_int_equal(s.rank, -1);
    assert_null(s.run.output);
    assert_false(s.run.force || s.run.quiet || s.run.json || s.run.plan || s.run.help || s.run.version);
    assert_int_equal(s.run.progress, PROGRESS_AUTO);
}

TEST(accepts_every_option)
{
    struct beff_settings s;
    struct message error;
    assert_int_equal(
        parse(&s, ARGUMENTS("--time", "60.5", "--memory=1024", "--seed=9223372036854775807", "--force"),
              &error),
        0);
    assert_real(s.run.time, 60.5);
    assert_int_equal(s.memory, 1024);
    assert_true(s.seed == INT64_MAX);
    assert_true(s.run.force);
    assert_int_equal(
        parse(&s, ARGUMENTS("--polygons", "999", "--max-loops", "300", "--output", "here", "--quiet"),
              &error),
        0);
    assert_int_equal(s.polygons, 999);
    assert_int_equal(s.max_loops, 300);
    assert_string_equal(s.run.output, "here");
    assert_true(s.run.quiet);
    assert_int_equal(
        parse(&s, ARGUMENTS("--plan", "--processes=1000000", "--rank=5", "--ranks-per-node=8", "--json"),
              &error),
        0);
    assert_true(s.run.plan && s.run.json);
    assert_int_equal(s.processes, 1000000);
    assert_int_equal(s.rank, 5);
    assert_int_equal(s.ranks_per_node, 8);
    assert_int_equal(parse(&s, ARGUMENTS("--clock", "system"), &error), 0);
    assert_int_equal(s.run.clock, RUN_CLOCK_SYSTEM);
    assert_int_equal(s.max_loops, 0);
    assert_int_equal(parse(&s, ARGUMENTS("--clock", "simulated", "--memory", "16"), &error), 0);
    assert_int_equal(s.run.clock, RUN_CLOCK_SIMULATED);
    assert_int_equal(s.max_loops, 1);
    for (int i = PROGRESS_AUTO; i <= PROGRESS_NEVER; i++) {
        assert_int_equal(parse(&s, ARGUMENTS("--progress", progress_words[i]), &error), 0);
        assert_int_equal(s.run.progress, i);
    }
}

TEST(accepts_the_spellings_of_b_eff_3_6)
{
    struct beff_settings s;
    struct message error;
    assert_int_equal(parse(&s, ARGUMENTS("-f", "prefix", "-yrange", "1:1000"), &error), 0);
    assert_string_equal(s.run.output, "prefix");
    assert_string_equal(s.yrange, "1:1000");
    assert_int_equal(parse(&s, ARGUMENTS("-memory", "512", "-time", "30", "-seed", "random"), &error), 0);
    assert_int_equal(s.memory, 512);
    assert_real(s.run.time, 30);
}

TEST(equal_methods_have_one_spelling)
{
    static const char *const rows[][2] = {{"Alltoallv,nonblocking,Sendrecv", NULL},
                                          {"Alltoallv,Sendrecv", "Sendrecv,Alltoallv"},
                                          {"nonblocking,Sendrecv", "Sendrecv,nonblocking"},
                                          {"Alltoallv,nonblocking", "nonblocking,Alltoallv"},
                                          {"Sendrecv,Sendrecv", "Sendrecv"},
                                          {"nonblocking", "nonblocking"},
                                          {"Alltoallv", "Alltoallv"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct beff_settings s;
        struct message error;
        unsigned skipped = 0;
        assert_int_equal(parse(&s, ARGUMENTS("--methods", rows[i][0]), &error), 0);
        if (rows[i][1])
            assert_string_equal(s.methods, rows[i][1]);
        else
            assert_null(s.methods);
        assert_int_equal(methods_skipped(rows[i][0], &skipped), 0);
        assert_int_equal(s.skipped, skipped);
    }
}

TEST(refuses_invalid_values)
{
    static const struct {
        const char *arguments[MAX_ARGUMENTS], *culprit, *allowed;
    } rows[] = {
        {{"--time", "0.5"}, "--time", "from 1 to"},
        {{"--memory", "0"}, "--memory", "from 1 to"},
        {{"--polygons", "0"}, "--polygons", "from 1 to 999"},
        {{"--polygons", "1000"}, "--polygons", "from 1 to 999"},
        {{"--max-loops", "0"}, "--max-loops", "from 1 to"},
        {{"--seed", "x"}, "--seed", "random"},
        {{"--progress", "always"}, "--progress", "auto line log never"},
        {{"--plan", "--processes", "1"}, "--processes", "from 2 to"},
        {{"--plan", "--rank", "-1"}, "--rank", "from 0 to"},
        {{"--methods", "Sendrecv,Alltoall"}, "--methods", "expected Sendrecv, nonblocking or Alltoallv"},
        {{"--plan", "--ranks-per-node", "0"}, "--ranks-per-node", "from 1 to"},
        {{"--processes", "8"}, "--processes", "--plan"},
        {{"--rank", "0"}, "--rank", "--plan"},
        {{"--ranks-per-node", "8"}, "--ranks-per-node", "--plan"},
        {{"--yrange", "wide"}, "--yrange \"wide\"", "MAX or MIN:MAX"},
        {{"--yrange", "5:1"}, "--yrange \"5:1\"", "MAX or MIN:MAX"},
        {{"--yrange", "1:2:3"}, "--yrange \"1:2:3\"", "MAX or MIN:MAX"},
        {{"--yrange", "0"}, "--yrange \"0\"", "MAX or MIN:MAX"},
        {{"--clock", "real"}, "--clock", "system simulated"},
        {{"--clock", "simulated"}, "--clock simulated", "--memory"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct beff_settings s;
        struct message error;
        if (parse(&s, rows[i].arguments, &error) != -1)
            fail_msg("row %zu was accepted: %s", i, rows[i].culprit);
        assert_contains(error.text, rows[i].culprit);
        assert_contains(error.text, rows[i].allowed);
        assert_null(strchr(error.text, '\n'));
    }
}

TEST(explains_every_option)
{
    struct beff_settings defaults = beff_defaults;
    char *help = NULL;
    size_t help_size;
    FILE *out = open_memstream(&help, &help_size);
    struct message error;
    options_help(&beff_options, &defaults, &defaults, "", out, &error);
    fclose(out);
    for (size_t i = 0; i < beff_options.count; i++) {
        const char *name = beff_options.rows[i].name;
        char *in_help = text_format("  %s%s ", name[1] ? "--" : "-", name);
        assert_int_equal(strstr(help, in_help) != NULL, !beff_options.rows[i].hidden);
        assert_true(strlen(beff_options.rows[i].help) > 5);
        free(in_help);
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(name, beff_options.rows[other].name);
    }
    assert_null(strstr(help, "--clock"));
    assert_contains(help, "default: 180");
    assert_contains(help, "(default 30)");
    assert_contains(help, "Exit status: 0");
    free(help);
}
