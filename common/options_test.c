/* Tests the parsing of command lines, the help, and values as text. */
#include "common/options.h"

#include <inttypes.h>

#include "tests/unit.h"

struct settings {
    bool flag, force, forget;
    int64_t number, wide;
    double real;
    uint64_t seed;
    int choice;
    const char *text, *letter;
};

static const char *const choices[] = {"auto", "log", "never", NULL};

#define FIELD(member) offsetof(struct settings, member)

static const struct option_row option_rows[] = {
    {"flag", OPTION_FLAG, FIELD(flag), NULL, "a flag"},
    {"force", OPTION_FLAG, FIELD(force), NULL, "another flag"},
    {"forget", OPTION_FLAG, FIELD(forget), NULL, "one that starts the same"},
    {"number", OPTION_INTEGER, FIELD(number), "N", "a number", .min = -5, .max = 100,
     .not_valid = "if below 3"},
    {"wide", OPTION_INTEGER, FIELD(wide), "N", "a wide number", .min = -1e300, .max = 1e300},
    {"real", OPTION_SECONDS, FIELD(real), "SECONDS", "a real number", .min = 0.5, .max = 1e6},
    {"seed", OPTION_SEED, FIELD(seed), "N|random", "a seed"},
    {"choice", OPTION_CHOICE, FIELD(choice), "WHEN", "a choice", .choices = choices, .title = "Less common"},
    {"text", OPTION_TEXT, FIELD(text), "DIR", "a text", .not_valid = ""},
    {"t", OPTION_TEXT, FIELD(letter), "PREFIX", "a short option"},
};

static const struct option_table table = {
    .program = "tool",
    .purpose = "tool shows options.",
    .synopsis = "[OPTION]...",
    .notes = "Notes: -none\n.dot\n",
    .rows = option_rows,
    .count = COUNT(option_rows),
};

static const struct settings defaults = {.number = 7, .real = 1.5, .seed = 11};

enum { MOST_ARGUMENTS = 8 };

static int parse(struct settings *settings, const char *const *arguments, struct message *error)
{
    char *argv[MOST_ARGUMENTS + 2] = {(char *)"tool"};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
    *settings = defaults;
    *error = (struct message){""};
    return options_parse(&table, argc, argv, settings, error);
}

/* Returns all values as one line, to be freed. */
static char *show(const struct settings *s)
{
    return text_format("%s%s%s number %" PRId64 " real %g seed %" PRIu64 " choice %d text %s letter %s",
                       s->flag ? "flag " : "", s->force ? "force " : "", s->forget ? "forget " : "",
                       s->number, s->real, s->seed, s->choice, s->text ? s->text : "-",
                       s->letter ? s->letter : "-");
}

#define PLAIN " number 7 real 1.5 seed 11 choice 0 text - letter -"

TEST(accepts)
{
    static const struct {
        const char *arguments[MOST_ARGUMENTS], *expected;
    } rows[] = {
        {{NULL}, PLAIN},
        {{"--flag"}, "flag " PLAIN},
        {{"-flag"}, "flag " PLAIN},
        {{"--flag", "--flag"}, "flag " PLAIN},
        {{"--number", "8"}, " number 8 real 1.5 seed 11 choice 0 text - letter -"},
        {{"--number=8"}, " number 8 real 1.5 seed 11 choice 0 text - letter -"},
        {{"-number", "8"}, " number 8 real 1.5 seed 11 choice 0 text - letter -"},
        {{"-number=8"}, " number 8 real 1.5 seed 11 choice 0 text - letter -"},
        {{"--number", "-5"}, " number -5 real 1.5 seed 11 choice 0 text - letter -"},
        {{"--number", "100"}, " number 100 real 1.5 seed 11 choice 0 text - letter -"},
        {{"--number", "8", "--number", "9"}, " number 9 real 1.5 seed 11 choice 0 text - letter -"},
        {{"--real", "0.5"}, " number 7 real 0.5 seed 11 choice 0 text - letter -"},
        {{"--real", "5m"}, " number 7 real 300 seed 11 choice 0 text - letter -"},
        {{"--real", "1.5h"}, " number 7 real 5400 seed 11 choice 0 text - letter -"},
        {{"--real", "90s"}, " number 7 real 90 seed 11 choice 0 text - letter -"},
        {{"--real", "1e3"}, " number 7 real 1000 seed 11 choice 0 text - letter -"},
        {{"--seed", "0"}, " number 7 real 1.5 seed 0 choice 0 text - letter -"},
        {{"--choice", "never"}, " number 7 real 1.5 seed 11 choice 2 text - letter -"},
        {{"--choice", "never", "--choice", "log"}, " number 7 real 1.5 seed 11 choice 1 text - letter -"},
        {{"--text", "a b"}, " number 7 real 1.5 seed 11 choice 0 text a b letter -"},
        {{"--text", "--flag"}, " number 7 real 1.5 seed 11 choice 0 text --flag letter -"},
        {{"--text=x=y"}, " number 7 real 1.5 seed 11 choice 0 text x=y letter -"},
        {{"-t", "p"}, " number 7 real 1.5 seed 11 choice 0 text - letter p"},
        {{"-text", "p"}, " number 7 real 1.5 seed 11 choice 0 text p letter -"},
        {{"--flag", "--"}, "flag " PLAIN},
        {{"--force", "--forget", "--flag"}, "flag force forget " PLAIN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings settings;
        struct message error;
        if (parse(&settings, rows[i].arguments, &error))
            fail_msg("row %zu refused: %s", i, error.text);
        char *found = show(&settings);
        assert_string_equal(found, rows[i].expected);
        free(found);
    }
}

/* Each error states the option and the expected values in one line. */
TEST(refuses)
{
    static const struct {
        const char *arguments[MOST_ARGUMENTS], *culprit, *allowed;
    } rows[] = {
        {{"--number", ""}, "--number \"\"", "a whole number from -5 to 100"},
        {{"--number", "101"}, "--number \"101\"", "a whole number from -5 to 100"},
        {{"--number", "-6"}, "--number \"-6\"", "a whole number from -5 to 100"},
        {{"--number", "8x"}, "--number \"8x\"", "a whole number"},
        {{"--number", "8 "}, "--number \"8 \"", "a whole number"},
        {{"--number", "8.0"}, "--number \"8.0\"", "a whole number"},
        {{"--number", "0x8"}, "--number \"0x8\"", "a whole number"},
        {{"--number", "99999999999999999999"}, "--number \"99999999999999999999\"", "a whole number"},
        {{"--wide", "99999999999999999999"}, "--wide \"99999999999999999999\"", "a whole number"},
        {{"--wide", "-99999999999999999999"}, "--wide \"-99999999999999999999\"", "a whole number"},
        {{"--real", "5min"}, "--real \"5min\"", "as 5m"},
        {{"--real", "m"}, "--real \"m\"", "as 5m"},
        {{"--real", "5 m"}, "--real \"5 m\"", "as 5m"},
        {{"--real", "300h"},
         "--real \"300h\"",
         "a number from 0.5 to 1000000, in seconds, or with s, m or h"},
        {{"--real", "nan"}, "--real \"nan\"", "a number from 0.5 to 1000000"},
        {{"--real", "inf"}, "--real \"inf\"", "a number from 0.5 to 1000000"},
        {{"--real", "-inf"}, "--real \"-inf\"", "a number"},
        {{"--real", "1e999"}, "--real \"1e999\"", "a number"},
        {{"--real", "0.49"}, "--real \"0.49\"", "a number"},
        {{"--real", "-1"}, "--real \"-1\"", "a number"},
        {{"--real", ""}, "--real \"\"", "a number"},
        {{"--real", "1,5"}, "--real \"1,5\"", "a number"},
        {{"--seed", "-1"}, "--seed \"-1\"", "or random"},
        {{"--seed", "18446744073709551616"}, "--seed \"18446744073709551616\"", "or random"},
        {{"--seed", "1.5"}, "--seed \"1.5\"", "or random"},
        {{"--seed", ""}, "--seed \"\"", "or random"},
        {{"--seed", "Random"}, "--seed \"Random\"", "or random"},
        {{"--choice", "sometimes"}, "--choice \"sometimes\"", "auto log never"},
        {{"--choice", "nev"}, "--choice \"nev\"", "auto log never"},
        {{"--choice", ""}, "--choice \"\"", "auto log never"},
        {{"--text", ""}, "--text \"\"", "not empty"},
        {{"--text="}, "--text \"\"", "not empty"},
        {{"-t", ""}, "-t \"\"", "not empty"},
        {{"--number"}, "--number", "requires a value: N"},
        {{"-number"}, "--number", "requires a value: N"},
        {{"--flag", "--text"}, "--text", "requires a value: DIR"},
        {{"-t"}, "-t", "requires a value: PREFIX"},
        {{"--flag=yes"}, "--flag=yes", "takes no value"},
        {{"--flag", "-force=1"}, "-force=1", "takes no value"},
        {{"--what"}, "unknown option \"--what\"", "see tool --help"},
        {{"--flag", "--what=3", "--force"}, "\"--what=3\"", "see tool --help"},
        {{"-what", "3"}, "\"-what\"", "see tool --help"},
        {{"-w", "3"}, "unknown option \"-w\"", ": could be --wide"}, /* abbreviations are refused */
        {{"--num", "8"}, "unknown option \"--num\"", "could be --number"},
        {{"--num=8"}, "unknown option \"--num=8\"", "could be --number"},
        {{"--num=8", "--flag"}, "unknown option \"--num=8\"", "could be --number"},
        {{"-z"}, "\"-z\"", "see tool --help"},
        {{"-tp"}, "\"-tp\"", "see tool --help"},
        {{"-:"}, "\"-:\"", "see tool --help"},
        {{"--fo"}, "unknown option \"--fo\"", "could be --"},
        {{"-fo"}, "\"-fo\"", "could be --"},
        {{"file"}, "\"file\"", "unexpected argument"},
        {{"--flag", "file", "--force"}, "\"file\"", "unexpected argument"},
        {{"file", "--what"}, "\"--what\"", "see tool --help"},
        {{"--", "--flag"}, "\"--flag\"", "unexpected argument"},
        {{""}, "\"\"", "unexpected argument"},
        {{"-"}, "\"-\"", "unexpected argument"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings settings;
        struct message error;
        if (parse(&settings, rows[i].arguments, &error) != -1)
            fail_msg("row %zu accepted: %s", i, rows[i].culprit);
        assert_contains(error.text, rows[i].culprit);
        assert_contains(error.text, rows[i].allowed);
        assert_null(strchr(error.text, '\n'));
    }
}

TEST(cuts_long_values)
{
    static char value[5000];
    memset(value, '9', sizeof value - 1);
    struct settings settings;
    struct message error;
    assert_int_equal(parse(&settings, (const char *const[]){"--number", value, NULL}, &error), -1);
    assert_contains(error.text, "a whole number from -5 to 100");
    assert_int_equal(parse(&settings, (const char *const[]){value, NULL}, &error), -1);
    assert_contains(error.text, "unexpected argument");
}

TEST(accepts_the_extremes)
{
    struct settings settings;
    struct message error;
    assert_int_equal(parse(&settings, (const char *const[]){"--seed", "9223372036854775807", NULL}, &error),
                     0);
    assert_true(settings.seed == INT64_MAX);
    assert_int_equal(parse(&settings, (const char *const[]){"--wide", "-9223372036854775808", NULL}, &error),
                     0);
    assert_true(settings.wide == INT64_MIN);
    assert_int_equal(parse(&settings, (const char *const[]){"--wide", "9223372036854775807", NULL}, &error),
                     0);
    assert_true(settings.wide == INT64_MAX);
}

TEST(draws_a_random_seed)
{
    struct settings settings;
    struct message error;
    uint64_t seeds[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(parse(&settings, (const char *const[]){"--seed", "random", NULL}, &error), 0);
        seeds[i] = settings.seed;
        assert_true(settings.seed <= INT64_MAX);
    }
    assert_false(seeds[0] == seeds[1] && seeds[1] == seeds[2]);
}

/* Parsing does not change the arguments, so they can be parsed again. */
TEST(keeps_the_arguments)
{
    char *argv[] = {(char *)"tool", (char *)"x", (char *)"--flag", NULL}, *before[4];
    memcpy(before, argv, sizeof argv);
    for (int i = 0; i < 2; i++) {
        struct settings settings = defaults;
        struct message error;
        assert_int_equal(options_parse(&table, 3, argv, &settings, &error), -1);
        assert_true(settings.flag);
        assert_memory_equal(argv, before, sizeof argv);
    }
}

TEST(formats_values)
{
    struct settings s = {
        .force = true, .number = -3, .real = 0.1, .seed = UINT64_MAX, .choice = 1, .text = "a b"};
    static const char *const expected[] = {
        "no", "yes", "no", "-3", "0", "0.10000000000000001", "18446744073709551615", "log", "a b", ""};
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        char *value = option_value(&option_rows[i], &s);
        assert_string_equal(value, expected[i]);
        free(value);
    }
}

TEST(formats_a_percentage_as_it_is_given)
{
    static const struct option_row row = {.name = "share", .kind = OPTION_PERCENT, .max = 100};
    char *value = option_value(&row, &(double){0.03});
    assert_string_equal(value, "3%");
    free(value);
}

static char *print_help(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    options_help(&table, &defaults, &defaults, "", out, &(struct message){""});
    fclose(out);
    return text;
}

TEST(prints_help_for_every_option)
{
    char *help = print_help();
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        char *name = text_format("\n  %s%s%s%s", option_rows[i].name[1] ? "--" : "-", option_rows[i].name,
                                 option_rows[i].argument ? " " : "",
                                 option_rows[i].argument ? option_rows[i].argument : "");
        assert_contains(help, name);
        assert_contains(help, option_rows[i].help);
        free(name);
    }
    assert_contains(help, "Usage: tool [OPTION]...");
    assert_contains(help, "\n\nOptions:\n  --flag ");
    assert_contains(help, "\n\nLess common:\n  --choice WHEN");
    assert_contains(help, "a number (default 7); NOT VALID for comparison if below 3");
    assert_contains(help, "a text; NOT VALID for comparison\n");
    assert_contains(help, "a real number (default 1.5)");
    assert_contains(help, "a seed (default 11)");
    assert_contains(help, "a choice (default auto)");
    assert_null(strstr(help, "a flag (default"));
    assert_contains(help, table.notes);
    for (char *line = help; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 100);
    free(help);
}

/* ---- switches, several numbers, words, arguments ---- */

struct lists {
    bool on;
    struct option_numbers pair, reals;
    struct texts words, arguments;
};

#define LIST_FIELD(member) offsetof(struct lists, member)

static const struct option_row list_rows[] = {
    {"on", OPTION_SWITCH, LIST_FIELD(on), "on|off", "a switch"},
    {"pair", OPTION_NUMBERS, LIST_FIELD(pair), "N:M", "two numbers", .min = 0, .max = 9, .separator = ':',
     .parts = 2, .whole = true, .defaults = {1, 7}},
    {"reals", OPTION_NUMBERS, LIST_FIELD(reals), "X,Y,Z", "three numbers", .min = -1, .max = 9,
     .separator = ',', .parts = 3, .defaults = {0.5, 2, 3}},
    {"words", OPTION_WORDS, LIST_FIELD(words), "WORD,...", "words"},
};
static const struct option_row argument_row = {"argument", OPTION_WORDS, LIST_FIELD(arguments), "ARGUMENT"};
static const struct option_table list_table = {.program = "tool",
                                               .purpose = "tool shows options.",
                                               .synopsis = "[OPTION]...",
                                               .notes = "",
                                               .rows = list_rows,
                                               .count = COUNT(list_rows),
                                               .arguments = &argument_row,
                                               .single_dash = true};

/* Parses the words of a line. Returns all values as one line, or the error. */
static const char *parse_lists(const char *line)
{
    static char text[512];
    char copy[256], *argv[16] = {(char *)"tool"};
    int argc = 1;
    struct lists lists = {0};
    struct message error;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    *text = 0;
    if (options_parse(&list_table, argc, argv, &lists, &error))
        snprintf(text, sizeof text, "%s", error.text);
    else {
        char *arguments = option_value(&argument_row, &lists);
        for (size_t i = 0; i < COUNT(list_rows); i++) {
            char *value = option_value(&list_rows[i], &lists);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", value);
            free(value);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "[%s] %d", arguments, lists.pair.given);
        free(arguments);
    }
    options_free(&list_table, &lists);
    return text;
}

TEST(accepts_lists_and_arguments)
{
    static const char *const rows[][2] = {
        {"", "off 1:7 0.5,2,3  [] 0"},
        {"-on yes -pair 3:4", "on 3:4 0.5,2,3  [] 2"},
        {"-pair 3", "off 3:7 0.5,2,3  [] 1"},
        {"-pair 3:4 --pair=5 -on 1 -on NO", "off 5:7 0.5,2,3  [] 1"},
        {"-reals -1,.25", "off 1:7 -1,0.25,3  [] 0"},
        {"a -words b,c d,e -words f f", "off 1:7 0.5,2,3 f [a,d,e,f] 0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(parse_lists(rows[i][0]), rows[i][1]);
}

TEST(refuses_invalid_lists)
{
    static const char *const rows[][2] = {
        {"-on Onn", "-on \"Onn\""},
        {"-pair 1:2:3", "-pair \"1:2:3\""},
        {"-pair 1:", "-pair \"1:\""},
        {"-pair 10", "N:M"},
        {"-pair 1.5", "whole numbers"},
        {"-pair 0x1", "-pair"},
        {"-pair 1,2", "-pair"},
        {"-reals nan", "-reals"},
        {"-reals 1,,2", "-reals"},
        {"-words a,,b", "-words \"a,,b\""},
        {"-words ,", "-words"},
        {"a,", "-argument"},
        {"-words", "-words requires a value"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_contains(parse_lists(rows[i][0]), rows[i][1]);
}

TEST(accepts_paths_verbatim)
{
    static const struct option_row path_row = {"path", OPTION_PATHS, LIST_FIELD(arguments), "PATH"};
    struct option_table table = list_table;
    struct lists lists = {0};
    struct message error;
    char *argv[] = {"program", "a,b", ",", "c d", NULL}, *empty[] = {"program", "", NULL};
    table.arguments = &path_row;
    assert_int_equal(options_parse(&table, 4, argv, &lists, &error), 0);
    assert_int_equal(lists.arguments.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(lists.arguments.text[i], argv[i + 1]);
    options_free(&table, &lists);
    assert_int_equal(options_parse(&table, 2, empty, &lists, &error), -1);
    assert_contains(error.text, "not empty");
    options_free(&table, &lists);
    table =
        (struct option_table){.program = "list", .rows = &path_row, .count = 1}; /* each option adds a path */
    char *options[] = {"program", "--path", "a,b", "--path=c d", NULL},
         *nothing[] = {"program", "--path=", NULL};
    assert_int_equal(options_parse(&table, 4, options, &lists, &error), 0);
    assert_int_equal(lists.arguments.count, 2);
    assert_string_equal(lists.arguments.text[0], "a,b");
    assert_string_equal(lists.arguments.text[1], "c d");
    options_free(&table, &lists);
    assert_int_equal(options_parse(&table, 2, nothing, &lists, &error), -1);
    assert_contains(error.text, "--path");
    options_free(&table, &lists);
}

TEST(prints_help_for_one_option)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct lists none = {0};
    struct message error;
    assert_int_equal(options_help(&list_table, &none, &none, "-pair", out, &error), 0);
    assert_int_equal(options_help(&list_table, &none, &none, "nothing", out, &error), -1);
    assert_contains(error.text, "-help: unknown option \"nothing\"");
    fclose(out);
    assert_string_equal(text, "  -pair N:M               two numbers (default 1:7)\n");
    free(text);
}

struct toaster {
    int part;
    int64_t slices;
    const char *help;
    struct texts breads;
};

enum { NEW = 1 << 1 };

static const struct option_row toaster_rows[] = {
    {"slices", OPTION_INTEGER, offsetof(struct toaster, slices), "N", "toasted at once", .min = 1, .max = 4},
    {"slices", OPTION_INTEGER, offsetof(struct toaster, slices), "N", "toasted at once", .min = 1, .max = 9,
     .in_parts = NEW},
    {"help", OPTION_HELP, offsetof(struct toaster, help), "[OPTION]", "this text"},
};
static const struct option_row bread_row = {"bread", OPTION_WORDS, offsetof(struct toaster, breads),
                                            "BREAD..."};
static const struct option_part toaster_parts[] = {{"T-old", NULL}, {"T-new", "It is new.\n"}, {NULL, NULL}};
static const struct option_table toaster = {.program = "toast",
                                            .synopsis = "[OPTION]... BREAD...",
                                            .purpose = "It toasts.",
                                            .notes = "Hot.\n",
                                            .rows = toaster_rows,
                                            .count = COUNT(toaster_rows),
                                            .arguments = &bread_row,
                                            .parts = toaster_parts,
                                            .part = offsetof(struct toaster, part),
                                            .part_word = "AGE"};

/* Parses arguments that follow the program's name. */
static int toast(struct toaster *settings, char **argv, struct message *error)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    *settings = (struct toaster){0};
    return options_parse(&toaster, argc, argv, settings, error);
}

TEST(finds_the_part)
{
    struct toaster s;
    struct message error;
    char *by_name[] = {"/bin/T-new", "white", NULL}, *by_word[] = {"toast", "NEW", "white", NULL};
    char *unnamed[] = {"toast", "white", NULL}, *full[] = {"toast", "t-old", NULL};
    char **const lines[] = {by_name, by_word, unnamed, full};
    const int parts[] = {1, 1, 2, 0}, breads[] = {1, 1, 1, 0};
    const char *const programs[] = {"T-new", "T-new", "toast", "T-old"};
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_int_equal(toast(&s, lines[i], &error), 0);
        assert_int_equal(s.part, parts[i]);
        assert_int_equal(s.breads.count, breads[i]);
        assert_string_equal(options_program(&toaster, &s), programs[i]);
        assert_true(option_is_kept(&toaster, &toaster_rows[0], &s));
        assert_false(
            option_is_kept(&toaster, &toaster_rows[1], &s)); /* another spelling, or missing in the part */
        options_free(&toaster, &s);
    }
}

TEST(prints_help_for_a_part)
{
    char *none[] = {"toast", "--nonsense", "-h", NULL}, *one[] = {"toast", "new", "--help", "slices", NULL};
    struct toaster s;
    const struct toaster defaults = {.part = 2};
    struct message error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(toast(&s, none, &error), 0);
    assert_string_equal(s.help, "");
    assert_int_equal(options_help(&toaster, &defaults, &s, s.help, out, &error), 0);
    assert_int_equal(toast(&s, one, &error), 0);
    assert_string_equal(s.help, "slices");
    assert_int_equal(options_help(&toaster, &defaults, &s, "", out, &error), 0);
    fclose(out);
    assert_contains(text, "Usage: toast AGE [OPTION]... BREAD...\n\nIt toasts.\n\nHot.\nIt is new.\n");
    assert_contains(text, "Usage: T-new [OPTION]... BREAD...\n\nIt toasts.\n\nOptions:\n  --slices N");
    free(text);
}
