/* An engine: the part of a measuring program that does not use MPI. Its table is used by the run and by the
 * report. */
#ifndef COMMON_ENGINE_H
#define COMMON_ENGINE_H

#include "common/options.h"
#include "common/progress.h"
#include "common/protocol.h"
#include "common/sheet.h"

/* Exit statuses of the programs that measure; their help explains them. */
enum exit_status { EXIT_OK = 0, EXIT_ERRORS = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3, EXIT_STOPPED = 4 };

/* Writes a message to `error` and evaluates to `status`. */
#define EXIT_WITH(status, error, ...) (message_set(error, __VA_ARGS__), (status))

/* The clock of a run: the system's, or a simulator's, in which only messages take time. */
enum run_clock { RUN_CLOCK_SYSTEM, RUN_CLOCK_SIMULATED };

/* The settings that all engines with a run directory share; the first member of an engine's settings. */
struct run_settings {
    double time; /* T in seconds */
    const char *output;
    bool force, quiet, json, tables, plan, list, version;
    const char *help; /* option for which help is requested; "" for all options; NULL for no help */
    int progress;     /* enum progress_when */
    int clock;        /* enum run_clock */
    const char *buffers, *device; /* memory of the messages and number of the GPU, see space_open() */
};

/* Rows for these settings. `name` is the start of the default directory's name. */
#define RUN_ROW(option, kind, argument, ...)                                                                 \
    {                                                                                                        \
#option, OPTION_##kind, offsetof(struct run_settings, option), argument, __VA_ARGS__                 \
    }
#define RUN_OPTIONS(name)                                                                                    \
    RUN_ROW(output, TEXT, "DIR",                                                                             \
            "directory for record and results, which must be new or empty; default protocols/runs/" name     \
            "-HOST-nPROCESSES-TIME"),                                                                        \
        RUN_ROW(force, FLAG, NULL, "replace an earlier run in the output directory"),                        \
        RUN_ROW(quiet, FLAG, NULL, "print only the last line of the result", .title = "Printed"),            \
        RUN_ROW(tables, FLAG, NULL, "print all tables, as in summary.txt, instead of one screen"),           \
        RUN_ROW(json, FLAG, NULL, "print the result, or the plan, as JSON"),                                 \
        RUN_ROW(                                                                                             \
            progress, CHOICE, "WHEN",                                                                        \
            "progress on standard error: auto (one updated line on a terminal, otherwise nothing), line "    \
            "(one updated line even through a launcher, which hides the terminal), log (a new line now "     \
            "and then) or never",                                                                            \
            .choices = progress_words)

/* Row for engines that measure messages in GPU memory. */
#define RUN_DEVICE(option, parts)                                                                            \
    RUN_ROW(device, TEXT, "auto|N",                                                                          \
            "with " option ": number of the GPU; auto (default): by the rank on the node",                   \
            .in_parts = parts)

struct engine {
    const char *program;
    const char *basis; /* for --version: the definition or the program that the results follow */
    const struct record_type *type;

    /* ---- the command line ---- */

    size_t settings_size;
    const void *defaults; /* the settings before parsing */
    const struct option_table *options;
    /* Refuses invalid combinations of options and completes the settings. */
    int (*check)(void *settings, struct message *error);
    /* Prints the plan for `processes` processes (0 if no launcher started the program). NULL: the engine has
     * no option for it. */
    int (*plan)(const void *settings, int64_t processes, FILE *out, struct message *error);
    void (*list)(const void *settings, FILE *out); /* prints the names of the benchmarks; NULL: no option */

    /* ---- results: from the protocol only ---- */

    size_t results_size; /* of a struct whose first member is a struct sheet */
    /* Computes the results in zeroed memory. The protocol must outlive them. The caller frees
     * them also after an error. */
    int (*results_make)(void *results, const struct protocol *protocol, struct message *error);
    void (*results_free)(void *results);
    /* Checks the order of the records. NULL: any order is right. */
    int (*verify)(const void *results, struct message *error);
    /* Makes the table for the engine's data file number `i`, from 0 to the sheet's `data_count` - 1. */
    void (*table)(const void *results, int i, struct table *table);
};

/* Parses a command line into `settings` (settings_size bytes). */
int engine_parse(const struct engine *engine, void *settings, int argc, char *const *argv,
                 struct message *error);

/* Answers a command line that requires no measurement: prints the error if parsing `failed`, or else the
 * help, the version or the plan. Returns the exit status, or -1 if there is something to measure. */
int engine_answer(const struct engine *engine, const void *settings, int failed, int processes,
                  struct message *error);

/* Returns the seconds of T that are reserved for the end: writing files, freeing memory, ending MPI. */
double engine_reserve(double time);

/* Returns true if the durations of the run by the two clocks, in seconds, agree to 0.1 %
 * (docs/definition-beff-1.md 5). */
bool engine_clocks_agree(double mpi, double system);

/* Returns the results of a protocol, to be freed by engine_free_results(), or NULL with a message in `error`.
 * The results of another definition than the engine's, and stated results that the engine does not compute,
 * are shown as stated. */
struct sheet *engine_results(const struct engine *engine, const struct protocol *protocol,
                             struct message *error);
void engine_free_results(const struct engine *engine, struct sheet *results);

/* Writes the settings to a protocol, each as metadata `option_NAME`. A time limit is written only if it is
 * not the default, because `time_s` always has it. */
void engine_describe_settings(const struct engine *engine, const void *settings, struct protocol *protocol);

/* Makes table number `i` of the files patterns/NAME.dat, with the file's name. The sheet's tables come first
 * (the table by_size is in sizes.dat), then the engine's tables. Returns false if there is none. */
bool engine_table(const struct engine *engine, const struct sheet *sheet, int i, struct table *table);

#endif
