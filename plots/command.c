/* The table of commands and their options. Uses options. */
#include "plots/command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plots/finding.h"
#include "plots/script.h"

#define FIELD(member) offsetof(struct report_settings, member)
#define ROWS(table)   .rows = table, .count = sizeof table / sizeof table[0]

static const char *const format_choices[] = {
    [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv", [FORMAT_MD] = "md", NULL};

/* What several commands have. */
#define OPTION_FORMAT                                                                                        \
    {                                                                                                        \
        "format", OPTION_CHOICE, FIELD(format), "FORMAT", "text, json, csv or md (Markdown)",                \
            .choices = format_choices                                                                        \
    }
#define OPTION_HELP                                                                                          \
    {                                                                                                        \
        "help", OPTION_FLAG, FIELD(help), NULL, "print this text"                                            \
    }

static const struct option_row runs = {"RUN", OPTION_PATHS, FIELD(runs), "RUN",
                                       "directory of a run, or a protocol's file"};

static const struct option_row verify_rows[] = {
    {"quiet", OPTION_FLAG, FIELD(quiet), NULL, "print only what is wrong"}, OPTION_HELP};

static const struct option_row show_rows[] = {
    OPTION_FORMAT,
    {"table", OPTION_TEXT, FIELD(table), "NAME",
     "only this table: one of the sheet's, or of those in patterns/"},
    OPTION_HELP};

static const struct option_row compare_rows[] = {
    OPTION_FORMAT,
    {"threshold", OPTION_TEXT, FIELD(threshold_text), "PERCENT",
     "the exit status tells whether the rating got worse by more than this, such as 5%"},
    {"all", OPTION_FLAG, FIELD(all), NULL,
     "also every pattern with every size, changed or not (json and csv always have them)"},
    {"plots", OPTION_TEXT, FIELD(plots), "FOLDER", "draw both sides over one another there (SVG)"},
    OPTION_HELP};

static const struct option_row plot_rows[] = {
    {"format", OPTION_CHOICE, FIELD(picture), "FORMAT", "svg, png, pdf or eps", .choices = script_formats},
    {"mono", OPTION_FLAG, FIELD(mono), NULL, "black and grey: dashes and points tell the lines apart"},
    OPTION_HELP};

static const struct option_row html_rows[] = {
    {"o", OPTION_TEXT, FIELD(output), "FILE", "the page to write, default page.html"}, OPTION_HELP};

static const char verify_notes[] =
    "Checks format, checksum, completeness, every record by itself and against its pattern; computes every\n"
    "figure again from the records alone and holds it against the result lines of run.prot, run.json,\n"
    "summary.txt and patterns/*.dat. Of a run by a program of another commit only the figures that both "
    "have\n"
    "are compared.\n\n"
    "Exit status: 0 nothing differs; 1 something does, and is named with file and line; 2 usage.\n";

static const char show_notes[] =
    "Everything is computed from the records of run.prot; no other file of the run is read.\n"
    "csv: blocks of rows with an empty line between them, each headed by the table's name; with --table one\n"
    "block alone, without that name. json: run.json as it is described in protocols/README.md.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read.\n";

static const char compare_notes[] =
    "RUNS -- RUNS: several runs before, several after (beff_report compare old-* -- new-*). Of every "
    "figure:\n"
    "the ratio after / before, as the median of the ratios of all pairs, and a 95 % interval around it from\n"
    "the ranks of these ratios (Hodges and Lehmann; the exact distribution of Mann and Whitney). Nothing is\n"
    "assumed but that the runs of a side are independent and that the sides differ by a factor; no normal\n"
    "distribution. Better or worse is said where the interval does not hold 1. Fewer than 4 runs a side\n"
    "(3 and 5, 2 and 8) can never decide anything at 95 %: a verdict is refused. It is refused, too, where\n"
    "the definitions differ, and it is said in what.\n\n"
    "Exit status: 0 compared; 2 usage; 3 refused, or a run can't be read. With --threshold PERCENT:\n"
    "0 the rating did not get worse by more than PERCENT; 1 it did; 5 the interval holds both: more runs "
    "are\n"
    "needed. (imb_compat rates nothing: there it is the geometric mean of all times.)\n";

static const char plot_notes[] =
    "Draws the figures of each run into its folder plots/ with gnuplot (5.0 or later), and leaves each "
    "script\n"
    "with its data beside them, NAME.gp: gnuplot NAME.gp > NAME.svg. beff: rings, random polygons, methods,\n"
    "additional patterns, latency model, repetitions; beff_io: chunk sizes and numbers of processes; "
    "imb_compat:\n"
    "time and bandwidth of each benchmark.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read, a file can't be written, or gnuplot is missing.\n";

static const char html_notes[] =
    "One file that needs no network and no other file: rating sheets, verdicts with their reasons, "
    "environment,\n"
    "plots (by gnuplot, 5.0 or later), all tables, and how to compute the numbers again. Several runs, such "
    "as\n"
    "beff's and beff_io's of one machine, stand side by side. It is laid out for A4 when it is printed.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read, the page can't be written, or gnuplot is missing (the "
    "page is\n"
    "made without plots then).\n";

const struct report_command report_commands[] = {
    {"verify",
     {.program = "beff_report verify",
      .synopsis = "[--quiet] RUN...",
      .purpose = "compute everything again from the records, and say what differs",
      .notes = verify_notes,
      ROWS(verify_rows),
      .arguments = &runs},
     1,
     false,
     report_verify},
    {"show",
     {.program = "beff_report show",
      .synopsis = "[--format text|json|csv|md] [--table NAME] RUN...",
      .purpose = "print the rating sheet and all tables",
      .notes = show_notes,
      ROWS(show_rows),
      .arguments = &runs},
     1,
     false,
     report_show},
    {"compare",
     {.program = "beff_report compare",
      .synopsis = "[--threshold PERCENT] [--format text|json|csv|md] [--plots FOLDER] RUN... -- RUN...",
      .purpose = "say what got better, worse, or can't be told, from several runs before and after",
      .notes = compare_notes,
      ROWS(compare_rows),
      .arguments = &runs},
     2,
     true,
     report_compare},
    {"plot",
     {.program = "beff_report plot",
      .synopsis = "[--format svg|png|pdf|eps] [--mono] RUN...",
      .purpose = "draw the figures of each run into its folder plots/",
      .notes = plot_notes,
      ROWS(plot_rows),
      .arguments = &runs},
     1,
     false,
     report_plot},
    {"html",
     {.program = "beff_report html",
      .synopsis = "[-o FILE] RUN...",
      .purpose = "make one page of a few runs, with everything in it",
      .notes = html_notes,
      ROWS(html_rows),
      .arguments = &runs},
     1,
     false,
     report_html},
};

const size_t report_command_count = sizeof report_commands / sizeof report_commands[0];

const struct report_command *report_command_find(const char *name)
{
    for (size_t i = 0; i < report_command_count; i++)
        if (strcmp(report_commands[i].name, name) == 0)
            return &report_commands[i];
    return NULL;
}

struct report_settings report_settings_default(void)
{
    return (struct report_settings){.threshold = NAN, .output = "page.html"};
}

static int parse_threshold(struct report_settings *settings, struct message *error)
{
    const char *text = settings->threshold_text;
    if (!text)
        return 0;
    char *rest;
    double percent = strtod(text, &rest);
    if (rest == text || (*rest && strcmp(rest, "%") != 0) || !(percent >= 0 && percent < 100))
        return message_set(
            error,
            "--threshold: \"%.80s\" is not allowed: it takes a percentage from 0 to below 100, "
            "such as 5%%",
            text);
    settings->threshold = percent / 100;
    return 0;
}

/* Options may stand on both sides of the --. */
static int parse_sides(const struct report_command *command, struct report_settings *settings, int argc,
                       char *const *argv, struct message *error)
{
    int middle = 1;
    while (middle < argc && strcmp(argv[middle], "--") != 0)
        middle++;
    if (options_parse(&command->options, middle, argv, settings, error))
        return -1;
    settings->first_side = settings->runs.count;
    return middle < argc ? options_parse(&command->options, argc - middle, argv + middle, settings, error)
                         : 0;
}

int report_command_parse(const struct report_command *command, struct report_settings *settings, int argc,
                         char *const *argv, struct message *error)
{
    *settings = report_settings_default();
    int failed = command->two_sides ? parse_sides(command, settings, argc, argv, error)
                                    : options_parse(&command->options, argc, argv, settings, error);
    if (failed || settings->help)
        return failed;
    if (command->two_sides && (settings->first_side == 0 || settings->first_side == settings->runs.count))
        return message_set(error, "%s takes runs, --, and runs (see %s --help)", command->name,
                           command->options.program);
    if (settings->runs.count < command->least_runs)
        return message_set(error,
                           "%s takes at least one run: a directory or a protocol's file (see %s --help)",
                           command->name, command->options.program);
    return parse_threshold(settings, error);
}

void report_say(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    finding_clean(text);
    fprintf(stderr, "beff_report: %s\n", text);
}
