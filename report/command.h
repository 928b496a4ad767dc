/* The commands of beff_report and their options. Adding a command takes one row and one function; its help,
 * manual page and parsing are derived from its options. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "common/json.h"
#include "common/options.h"
#include "report/report.h"

/* Exit statuses. */
enum report_status {
    REPORT_FINE = 0,
    REPORT_DIFFERS = 1,  /* verify: faults; compare: a result got worse; rank: a side fails; nodes: slow */
    REPORT_USAGE = 2,    /* bad command line */
    REPORT_REFUSED = 3,  /* a run cannot be read, or a verdict is refused */
    REPORT_UNDECIDED = 5 /* compare --threshold: more runs are needed */
};

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_JUNIT, FORMAT_LINE };

/* One side: the runs between two "--". */
struct report_side {
    size_t end;        /* index of the first run after this side */
    const char *label; /* NULL if none was given */
};
enum { REPORT_MAX_SIDES = 512 };

/* The options of all commands. Each command uses only some of them. */
struct report_settings {
    struct texts runs;                         /* directories or protocol files */
    struct report_side side[REPORT_MAX_SIDES]; /* sides of these runs, for compare and rank */
    int sides;                                 /* number of sides, at least 1 */
    bool separated;                            /* a -- was given */
    const char *label;                         /* label of the side that is being parsed */
    int64_t require;                           /* rank: minimum of VALID runs per side */
    double median, at_least;                   /* rank: minima of median and interval, MB/s; 0: no rule */
    int format;                                /* enum report_format */
    double threshold;                          /* 0.05 for 5 %; NaN if not given */
    bool all, quiet, allow_invalid;
    bool any;             /* nodes: list nodes that were slow in any run */
    double warn;          /* nodes: smallest deviation of a marginal node that counts; NaN if not given */
    struct texts factors; /* compare: keys that were changed on purpose */
    int64_t look;         /* compare: number of the look at pairs; 0: no pairs */
    double between;       /* assumed standard deviation between sessions, as a share */
    struct texts history; /* compare: folders of old runs */
    bool looks;           /* compare: the look follows from the number of pairs */
    const char *tables;   /* compare: folder for the tables; NULL: none */
    const char *file;     /* pack: file to write */
    const char *site;     /* pack: the questionnaire */
    bool replace_hosts;   /* pack: replace the names of hosts */
    bool packs;           /* rank: the arguments are files of pack, --table */
    const char *help;     /* option to explain, or "" for all; NULL if no help was requested */
};

struct report_command {
    const char *name;
    struct option_table options; /* `program` is "beff_report NAME"; `purpose` is listed by --help */
    int sides;                   /* maximum number of sides; 2: exactly two; 0: -- ends the options */
    /* Prints the result to standard output and errors to standard error. */
    enum report_status (*run)(const struct report_settings *settings);
};

extern const struct report_command report_command_verify, report_command_show, report_command_compare,
    report_command_rank, report_command_nodes, report_command_tables, report_command_pack;

/* ---- macros that define commands and their options ---- */

#define REPORT_FIELD(member) offsetof(struct report_settings, member)

/* The members of options that several commands share. */
#define REPORT_HELP                                                                                          \
    "help", OPTION_HELP, REPORT_FIELD(help), "[OPTION]", "print this help, or the help of one option"
#define REPORT_ALL                                                                                           \
    "all", OPTION_FLAG, REPORT_FIELD(all), NULL,                                                             \
        "name all runs that a message is about, not only the first ten"
#define REPORT_INVALID                                                                                       \
    "allow-invalid", OPTION_FLAG, REPORT_FIELD(allow_invalid), NULL,                                         \
        "accept runs that are NOT VALID; data errors remain errors"
#define REPORT_LABEL                                                                                         \
    "label", OPTION_TEXT, REPORT_FIELD(label), "NAME",                                                       \
        "name of the side; give it before or among the runs of the side"
#define REPORT_BETWEEN                                                                                       \
    "between-sessions", OPTION_PERCENT, REPORT_FIELD(between), "PERCENT",                                    \
        "assumed standard deviation between sessions (batch jobs, or runs on the same host within an "       \
        "hour), for sides with fewer than 4 sessions that do not alternate",                                 \
        .max = 99

/* Part of the help of compare and rank. */
#define REPORT_SKIPPED                                                                                       \
    "A run is skipped, and the reason is printed, if it cannot be read, if it is NOT VALID (unless\n"        \
    "--allow-invalid is given), or if its records equal those of an earlier run: a copy under another\n"     \
    "name or date is no second measurement. A run that has a rating and lacks only time is used, with a\n"   \
    "note: of beff, a run without a complete pass; of beff_io, a run with too little scheduled time. All\n"  \
    "runs must then have the same time limit, and those of beff are rated from equally many repetitions.\n"

/* Defines the row report_command_NAME of a command from `rows`, `notes` and NAME_command() in its file. */
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

extern const char *const report_formats[];  /* indexed by enum report_format */
extern const struct option_row report_runs; /* the arguments RUN... */

extern const struct report_settings report_defaults;

/* Parses the arguments after a command's name, which is argv[0]. In either case, free the settings with
 * options_free(). */
int report_command_parse(const struct report_command *command, struct report_settings *settings, int argc,
                         char *const *argv, struct message *error);

/* Prints one line to standard error, after the program's name. */
void report_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints an error like report_say(). Returns REPORT_REFUSED. */
enum report_status report_refuse(const struct message *error);

/* Replaces the program by the script beff_pack (report/packs), with words and files as its arguments. Returns
 * only if this fails. */
enum report_status report_run_script(struct texts *words, const struct texts *files);

#endif
