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

static void release_30_has_no_memory_limit_by_default(void **state)
{
    (void)state;
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

static void has_the_defaults_of_imb(void **state)
{
    (void)state;
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

static void accepts_the_syntax_of_imb(void **state)
{
    (void)state;
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

static void refuses_invalid_values(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "-npmin 0",
        "-npmin 2abc",
        "-iter 0",
        "-iter -7",
        "-iter 1,2,0",
        "-iter 1,2,3,4",
        "-iter 1,,2",
        "-iter 1.5",
        "-msglog 5:2",
        "-msglog 0:31",
        "-msglog 1:2:3",
        "-msglog x",
        "-off_cache 1,0",
        "-off_cache -3",
        "-off_cache 1,.5",
        "-map 2",
        "-map 2,1",
        "-map axb",
        "-time 0",
        "-time nan",
        "-mem -1",
        "-sync Onn",
        "-msgsize 4,x",
        "-msgsize 1,,2",
        "-window_size 0",
        "-data_type x",
        "-red_data_type byte",
        "-raw",
        "-compat 2",
        "-npmin",
        "-multi 7",
        "-multi -2",
        "-map 0x0",
        "-prot a -json a",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct imb_settings s;
        struct message error = {""};
        if (parse(IMB_MPI1, lines[i], &s, &error) == 0)
            fail_msg("%s was accepted", lines[i]);
        char option[32];
        snprintf(option, sizeof option, "%.*s", (int)strcspn(lines[i], " "), lines[i]);
        assert_contains(error.text, option);
        forget(&s);
    }
}

static void accepts_only_options_of_the_component(void **state)
{
    (void)state;
    struct imb_settings s;
    struct message error;
    assert_int_equal(parse(IMB_NBC, "-window_size 4", &s, &error), -1);
    assert_int_equal(parse(IMB_NBC, "-compat 3.0", &s, &error), -1);
    assert_int_equal(parse(IMB_NBC, "-root_shift on", &s, &error), 0);
}

static void reads_lengths(void **state)
{
    (void)state;
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

static void finds_the_component(void **state)
{
    (void)state;
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

static void reads_info(void **state)
{
    (void)state;
    struct texts lines;
    struct message error;
    assert_int_equal(read_info("# comment\n\n  cb_size \t 12\r\nabc a b\nab 1", &lines, &error), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_defaults_of_imb),
        cmocka_unit_test(release_30_has_no_memory_limit_by_default),
        cmocka_unit_test(accepts_the_syntax_of_imb),
        cmocka_unit_test(refuses_invalid_values),
        cmocka_unit_test(accepts_only_options_of_the_component),
        cmocka_unit_test(reads_lengths),
        cmocka_unit_test(finds_the_component),
        cmocka_unit_test(reads_info),
    };
    return cmocka_run_group_tests_name("imb_settings", tests, NULL, NULL);
}
