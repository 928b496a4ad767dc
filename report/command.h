/* The commands of beff_report: one table. A command is one row and one function; help, manual page and
 * parsing are made from its options. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "common/json.h"
#include "common/options.h"
#include "report/report.h"

/* Exit statuses. */
enum report_status {
    REPORT_FINE = 0,
    REPORT_DIFFERS = 1,  /* verify: something is wrong; compare, trend: worse */
    REPORT_USAGE = 2,    /* bad command line */
    REPORT_REFUSED = 3,  /* a run cannot be read, or a verdict is refused */
    REPORT_UNDECIDED = 5 /* compare --threshold, trend: more runs are needed */
};

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* Runs between two --. */
struct report_side {
    size_t end;        /* number of the first run behind it */
    const char *label; /* NULL: none was given */
};
enum { REPORT_MAX_SIDES = 64 };

/* The options of all commands; each uses its own. */
struct report_settings {
    struct texts runs;                         /* directories or protocol files */
    struct report_side side[REPORT_MAX_SIDES]; /* compare, rank: of these runs */
    int sides;                                 /* at least 1 */
    bool separated;                            /* a -- was given */
    const char *label;                         /* of the side that is parsed */
    int64_t require;                           /* rank: VALID runs of each system */
    double at_least;                           /* rank: MB/s; 0: no rule */
    int format;                                /* enum report_format */
    const char *threshold_text;
    double threshold; /* 0.05 for 5 %; NaN: not given */
    bool all, quiet, allow_invalid, any_host;
    const char *help;   /* NULL: not asked for */
    int picture;        /* plot: number in draw_formats */
    bool mono, column;  /* plot, compare, trend, rank: how pictures look */
    const char *output; /* html: the page */
    const char *plots;  /* compare, trend, rank: the folder for plots; NULL: none */
};

struct report_command {
    const char *name;
    struct option_table options; /* `program` is "beff_report NAME"; purpose: the line in the list */
    int sides;                   /* runs -- runs ... are allowed so often; 2: required; 0: runs alone */
    /* Prints to standard output what was asked for, to standard error what failed. */
    enum report_status (*run)(const struct report_settings *settings);
};

extern const struct report_command report_command_verify, report_command_show, report_command_compare,
    report_command_trend, report_command_rank, report_command_plot, report_command_html;

/* Adds to the run's findings what differs from what follows from its records: in checksum, end and result
 * lines of run.prot, and in summary.txt, run.json and patterns/NAME.dat; to `unchecked` what cannot be
 * compared. */
void verify_run(struct report *report);

/* The damage and the findings as lines, "FILE:LINE: TEXT", what nothing can be computed with first; many are
 * not all listed, but counted. */
void verify_faults(struct report *report, struct texts *lines);

/* ---- for the rows ---- */

#define REPORT_FIELD(member) offsetof(struct report_settings, member)

/* Options that several commands have. */
#define REPORT_CHOICE(member, words, help)                                                                   \
    {                                                                                                        \
        "format", OPTION_CHOICE, REPORT_FIELD(member), "FORMAT", help, .choices = words                      \
    }
#define REPORT_FLAG(name, member, help)                                                                      \
    {                                                                                                        \
        name, OPTION_FLAG, REPORT_FIELD(member), NULL, help                                                  \
    }
#define REPORT_FORMAT REPORT_CHOICE(format, report_formats, "text, json or csv")
#define REPORT_INVALID                                                                                       \
    REPORT_FLAG("allow-invalid", allow_invalid, "accept runs that are NOT VALID; data errors remain errors")
#define REPORT_ANY_HOST                                                                                      \
    REPORT_FLAG("any-host", any_host,                                                                        \
                "take other hosts of the same kind for the same system: batch jobs, containers")
#define REPORT_PLOTS(what)                                                                                   \
    {                                                                                                        \
        "plots", OPTION_TEXT, REPORT_FIELD(plots), "FOLDER", what                                            \
    }
#define REPORT_LOOKS                                                                                         \
    REPORT_FLAG("mono", mono, "plots in black and grey; lines differ by dashes and points"),                 \
        REPORT_FLAG("column", column, "plots 8.5 cm wide, for one column of a paper, without a caption")
#define REPORT_HELP                                                                                          \
    {                                                                                                        \
        "help", OPTION_HELP, REPORT_FIELD(help), "[OPTION]", "print this text, or that of one option"        \
    }

/* Of the notes of compare, trend and rank. */
#define REPORT_LEFT_OUT                                                                                      \
    "Left out, with the reason: a run that cannot be read, is NOT VALID (unless --allow-invalid), or is a\n" \
    "copy of another run, even if its times were multiplied by noise. A run that fails only criteria that\n" \
    "a longer run would meet is used, with a note: runs of equal time still compare.\n"

/* The row of a command: report_command_NAME, with `rows`, `notes` and NAME_command() of its file. */
#define REPORT_COMMAND(command, takes, does, ...)                                                            \
    const struct report_command report_command_##command = {                                                 \
        .name = #command,                                                                                    \
        .options = {.program = "beff_report " #command,                                                      \
                    .synopsis = takes,                                                                       \
                    .purpose = does,                                                                         \
                    .notes = notes,                                                                          \
                    .rows = rows,                                                                            \
                    .count = sizeof rows / sizeof rows[0],                                                   \
                    .arguments = &report_runs},                                                              \
        .run = command##_command,                                                                            \
        __VA_ARGS__}

extern const char *const report_formats[];  /* by enum report_format */
extern const struct option_row report_runs; /* the arguments */

struct report_settings report_settings_default(void);

/* Parses what follows the command's name; argv[0] is that name. 0, or -1 with one line that names the
 * culprit. The settings are freed by options_free with the command's options. */
int report_command_parse(const struct report_command *command, struct report_settings *settings, int argc,
                         char *const *argv, struct message *error);

/* One line to standard error, with the program's name before it. */
void report_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The error as such a line: REPORT_REFUSED. */
enum report_status report_refuse(const struct message *error);

#endif
