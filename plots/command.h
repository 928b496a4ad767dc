/* The commands of beff_report: one table. A command is one row and one function; help, manual page and
 * parsing are made from its options. Pure. */
#ifndef PLOTS_COMMAND_H
#define PLOTS_COMMAND_H

#include "common/options.h"

/* Exit statuses. */
enum report_status {
    REPORT_FINE = 0,
    REPORT_DIFFERS = 1,  /* verify: something is wrong; compare: worse by more than --threshold */
    REPORT_USAGE = 2,    /* bad command line */
    REPORT_REFUSED = 3,  /* a run can't be read, or a verdict is refused */
    REPORT_UNDECIDED = 5 /* compare --threshold: more runs are needed */
};

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MD };

/* The options of all commands; each uses its own. */
struct report_settings {
    struct option_words runs; /* directories or protocol files */
    size_t first_side;        /* compare: how many of them stand before -- */
    int format;               /* enum report_format */
    const char *table;
    const char *threshold_text;
    double threshold; /* 0.05 for 5 %; NaN: not given */
    bool all, quiet, help;
    int picture; /* plot: enum script_format */
    bool mono;
    const char *output; /* html: the page */
    const char *plots;  /* compare: the folder for plots; NULL: none */
};

struct report_command {
    const char *name;
    struct option_table options; /* `program` is "beff_report NAME"; purpose: the line in the list */
    size_t least_runs;           /* that have to be named */
    bool two_sides;              /* runs -- runs */
    /* Prints to standard output what was asked for, to standard error what failed. */
    enum report_status (*run)(const struct report_settings *settings);
};

extern const struct report_command report_commands[];
extern const size_t report_command_count;

/* NULL if there is none of that name. */
const struct report_command *report_command_find(const char *name);

struct report_settings report_settings_default(void);

/* Parses what follows the command's name; argv[0] is that name. 0, or -1 with one line that names the
 * culprit. The settings are freed by options_free with the command's options. */
int report_command_parse(const struct report_command *command, struct report_settings *settings, int argc,
                         char *const *argv, struct message *error);

/* One line to standard error, with the program's name before it. */
void report_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- the commands ---- */

enum report_status report_verify(const struct report_settings *settings);
enum report_status report_show(const struct report_settings *settings);
enum report_status report_compare(const struct report_settings *settings);
enum report_status report_plot(const struct report_settings *settings);
enum report_status report_html(const struct report_settings *settings);

#endif
