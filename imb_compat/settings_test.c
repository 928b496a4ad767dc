/* Tests the command line: IMB's syntax, the defaults, and invalid values. */
#include "imb_compat/settings.h"

#include "tests/unit.h"

enum { MAX_WORDS = 24 };

/* Parses a line as the arguments of a command line. Returns the parser's result. */
static int parse(enum imb_component component, const char *line, struct imb_settings *settings,
                 struct message *error)
{
    static char text[256];
    char *argv[MAX_WORDS + 1] = {"imb_compat", (char *)(uintptr_t)imb_component_name(component)};
    int argc = 2;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word && argc < MAX_WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    return engine_parse(&imb_engine, settings, argc, argv, error);
}

static void forget(struct imb_settings *settings)
{
    options_free(&imb_options, settings);
}

static struct imb_settings parsed(const char *line)
{
    struct imb_settings settings;
    struct message error;
    if (parse(IMB_MPI1, line, &settings, &error))
        fail_msg("%s: %s", line, error.text);
    return settings;
}

TEST(release_30_has_no_memory_limit_by_default)
{
    struct imb_settings s = parsed("-compat 3.0");
    assert_true(s.mem > 1e5);
    forget(&s);
    s = parsed("-compat 3.0 -mem 1");
    assert_real(s.mem, 1);
    forget(&s);
    s = parsed("-mem 0.25");
    assert_real(s.mem, 0.25);
    forget(&s);
}

/* Parses a line for a component. */
static struct imb_settings parsed_for(enum imb_component component, const char *line)
{
    struct imb_settings settings;
    struct message error;
    if (parse(component, line, &settings, &error))
        fail_msg("%s %s: %s", imb_component_name(component), line, error.text);
    return settings;
}

TEST(each_component_has_a_row_a_part_and_the_options_of_its_kind)
{
    for (int c = 0; c < IMB_COMPONENTS; c++) {
        const struct imb_component_row *row = &imb_components[c];
        struct message error;
        struct imb_settings s;
        size_t benchmarks = 0;
        if (!row->part || row->work == IMB_NO_WORK || !imb_options.parts[c].name)
            fail_msg("component %d has no row in imb_components or imb_options", c);
        assert_true(strstr(IMB_COMPONENT_NAMES, imb_component_name(c)));
        for (size_t i = 0; i < imb_benchmark_count; i++)
            benchmarks += imb_benchmark_in(&imb_benchmarks[i], c);
        if (!benchmarks)
            fail_msg("%s has no benchmarks", imb_options.parts[c].name);
        s = parsed_for(c, "-check -time-total 9");
        assert_true(s.check);
        forget(&s);
        if (row->adaptive != !parse(c, "-iter_policy off -off_cache 1 -multi 0 -warm_up off", &s, &error))
            fail_msg("%s: .adaptive contradicts ADAPTIVE of its options", imb_options.parts[c].name);
        forget(&s);
        if (row->gpu != !parse(c, "-mem_alloc_type device", &s, &error) && !s.run.buffers)
            fail_msg("%s: .gpu contradicts GPU of its options", imb_options.parts[c].name);
        forget(&s);
    }
}

TEST(messages_are_in_gpu_memory_by_default_or_on_request)
{
    static const struct {
        enum imb_component component;
        const char *line, *kind;
    } rows[] = {{IMB_MPI1_GPU, "", "gpu:device"},
                {IMB_RMA_GPU, "-mem_alloc_type shared", "gpu:managed"},
                {IMB_MPI1_GPU, "-mem_alloc_type host", "gpu:host"},
                {IMB_MPI1_GPU, "-mem_alloc_type cpu", NULL},
                {IMB_MPI1, "", NULL},
                {IMB_NBC, "", NULL},
                {IMB_NBC, "-mem_alloc_type device", "gpu:device"},
                {IMB_IO, "", NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_settings s = parsed_for(rows[i].component, rows[i].line);
        if (rows[i].kind)
            assert_string_equal(s.run.buffers, rows[i].kind);
        else
            assert_null(s.run.buffers);
        forget(&s);
    }
}

TEST(has_the_defaults_of_imb)
{
    struct imb_settings s = parsed("");
    assert_int_equal(s.npmin, 2);
    assert_int_equal(s.multi, -1);
    assert_int_equal(s.repetitions, 1000);
    assert_int_equal(s.volume, 40 << 20);
    assert_int_equal(s.min_log, 0);
    assert_int_equal(s.max_log, 22);
    assert_int_equal(s.window_size, 256);
    assert_int_equal(s.cache, 0);
    assert_int_equal(s.map_p, 0);
    assert_real(s.time, 10);
    assert_real(s.mem, 1);
    assert_true(s.sync && s.zero_size && s.warm_up);
    assert_false(s.root_shift || s.imb_barrier || s.msg_pause || s.check);
    assert_int_equal(s.data_type, IMB_BYTE);
    assert_int_equal(s.red_data_type, IMB_FLOAT);
    forget(&s);
}

TEST(accepts_the_syntax_of_imb)
{
    struct imb_settings s = parsed("-iter 20,4 -iter 30 -msglog 3 -off_cache -1 -map 2x3 -multi -1 -sync NO");
    assert_int_equal(s.repetitions, 30);
    assert_int_equal(s.volume, 40 << 20); /* the last option replaces the first one completely */
    assert_int_equal(s.min_log, 0);
    assert_int_equal(s.max_log, 3);
    assert_int_equal(s.cache, 8 << 20);
    assert_int_equal(s.line, 64);
    assert_int_equal(s.map_p, 2);
    assert_int_equal(s.map_q, 3);
    assert_false(s.sync);
    forget(&s);
    s = parsed("-off_cache 0.5,128 -msglog 5:5 -iter 1,4096 PingPong -npmin 1 Bcast,Reduce");
    assert_int_equal(s.cache, 1 << 19);
    assert_int_equal(s.line, 128);
    assert_int_equal(s.min_log, 5);
    assert_true(s.volume == INT64_C(4096) << 20);
    assert_int_equal(s.names.count, 3);
    assert_string_equal(s.names.text[2], "Reduce");
    forget(&s);
    s = parsed("-off_cache -1,0 -map 1x1");
    assert_int_equal(s.cache, 0);
    assert_int_equal(s.map_q, 0);
    forget(&s);
}

static void refuse(const char *option, const char *value)
{
    struct imb_settings s;
    struct message error = {""};
    char line[64];
    snprintf(line, sizeof line, "%s %s", option, value);
    if (parse(IMB_MPI1, line, &s, &error) == 0)
        fail_msg("%s was accepted", line);
    assert_contains(error.text, option);
    forget(&s);
}

TEST(refuses_invalid_values)
{
    static const struct {
        const char *option, *values;
    } rows[] = {{"-npmin", "0 2abc abc -1"},
                {"-iter", "0 -7 1,2,0 1,2,3,4 1,,2 1.5 20, , lots"},
                {"-msglog", "5:2 0:31 1:2:3 x -1:3 :"},
                {"-off_cache", "1,0 -3 1,.5 big 1,2,3"},
                {"-map", "2 2,1 axb 0x0 -2x-1"},
                {"-time", "0 nan inf -1 soon"},
                {"-mem", "-1 0"},
                {"-multi", "7 -2 on"},
                {"-sync", "Onn"},
                {"-msgsize", "4,x 1,,2 abc 99999999999 -4 4x"},
                {"-window_size", "0 -3"},
                {"-data_type", "x"},
                {"-red_data_type", "byte"},
                {"-contig_type", "odd"},
                {"-iter_policy", "nosuch"},
                {"-thread_level", "wrong nompinit nompiinit"},
                {"-compat", "2"},
                {"-time-total", "0"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char values[64], *rest;
        snprintf(values, sizeof values, "%s", rows[i].values);
        for (char *word = strtok_r(values, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            refuse(rows[i].option, word);
    }
    refuse("-raw", "");
    refuse("-npmin", ""); /* no value */
    refuse("-prot", "a -json a");
}

TEST(accepts_only_options_of_the_component)
{
    struct imb_settings s;
    struct message error;
    assert_int_equal(parse(IMB_NBC, "-window_size 4", &s, &error), -1);
    assert_int_equal(parse(IMB_NBC, "-compat 3.0", &s, &error), -1);
    assert_int_equal(parse(IMB_MPI1, "-aggregate_mode multi", &s, &error), -1);
    assert_int_equal(parse(IMB_NBC, "-root_shift on", &s, &error), 0);
}

TEST(takes_check_with_and_without_a_value)
{
    static const struct {
        enum imb_component component;
        const char *line;
        bool check;
    } rows[] = {{IMB_MPI1, "-check PingPong", true}, {IMB_MPI1, "-check on PingPong", true},
                {IMB_MPI1, "-check yes", true},      {IMB_MPI1, "-check=on", true},
                {IMB_MPI1, "-check off", false},     {IMB_MT, "-check -count 1", true},
                {IMB_MT, "-check on", true},         {IMB_P2P, "-npmin 2 -check", true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_settings s;
        struct message error;
        assert_int_equal(parse(rows[i].component, rows[i].line, &s, &error), 0);
        assert_int_equal(s.check, rows[i].check);
        assert_int_equal(s.names.count, strstr(rows[i].line, "PingPong") != NULL);
        forget(&s);
    }
}

TEST(reads_lengths)
{
    assert_int_equal(imb_length("0"), 0);
    assert_int_equal(imb_length("16k"), 16384);
    assert_int_equal(imb_length("2M"), 2 << 20);
    assert_int_equal(imb_length("1G"), 1 << 30);
    assert_int_equal(imb_length("1kB"), 1024);
    static const char *const bad[] = {"",           "-4", "k", "16.5", "16 x", "2G", "99999999999999999999",
                                      "1073741825", " 1"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(imb_length(bad[i]), -1);
}

TEST(finds_the_component)
{
    struct imb_settings s;
    struct message error;
    char *program[] = {"/usr/bin/IMB-NBC", "-npmin", "1"}, *word[] = {"imb_compat", "rma"},
         *unknown[] = {"imb_compat", "P1"}, *version[] = {"imb_compat", "-version"};
    assert_int_equal(engine_parse(&imb_engine, &s, 3, program, &error), 0);
    assert_int_equal(s.component, IMB_NBC);
    assert_int_equal(s.npmin, 1);
    assert_int_equal(engine_parse(&imb_engine, &s, 2, word, &error), 0);
    assert_int_equal(s.component, IMB_RMA);
    assert_int_equal(engine_parse(&imb_engine, &s, 2, unknown, &error), -1);
    assert_contains(error.text, "unknown component \"P1\"");
    forget(&s);
    assert_int_equal(engine_parse(&imb_engine, &s, 1, word, &error), -1);
    assert_contains(error.text, "missing component");
    assert_int_equal(engine_parse(&imb_engine, &s, 2, version, &error), 0);
    assert_string_equal(imb_component_name(IMB_IO), "IO");
}

static int read_info(const char *text, struct texts *lines, struct message *error)
{
    *lines = (struct texts){0};
    return imb_info_read(lines, "hints", text, 8, 6, error);
}

TEST(reads_info)
{
    struct texts lines;
    struct message error;
    assert_int_equal(read_info("# comment\n\n  cb_size \t 12 # a comment\r\nabc a b\nab 1", &lines, &error),
                     0);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.text[0], "cb_size 12");
    assert_string_equal(lines.text[1], "abc a b");
    assert_string_equal(lines.text[2], "ab 1"); /* not the same key as abc */
    texts_free(&lines);
    static const struct {
        const char *text, *reason;
    } rows[] = {{"", "hints contains no line"},
                {"# key value\n", "hints contains no line"},
                {"a 1\nkey\n", "hints, line 2"},
                {"key \t \n", "hints, line 1"},
                {"keyistoo 1\n", "at most 7"},
                {"key 123456\n", "at most 5"},
                {"key a\x01\n", "printable"},
                {"key \xc3\xa4\n", "printable"},
                {"a 1\nb 2\na 3\n", "line 3: duplicate key \"a\""}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(read_info(rows[i].text, &lines, &error), -1);
        assert_contains(error.text, rows[i].reason);
        texts_free(&lines);
    }
}
