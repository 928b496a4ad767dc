/* What a program of the suite is, apart from MPI: one table for each engine, which the run and the report
 * both use. Pure. */
#ifndef COMMON_ENGINE_H
#define COMMON_ENGINE_H

#include "common/options.h"
#include "common/progress.h"
#include "common/protocol.h"
#include "common/sheet.h"

/* Exit statuses of the programs that measure (docs/definition.md 3.3). */
enum exit_status { EXIT_OK = 0, EXIT_ERRORS = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3, EXIT_STOPPED = 4 };

/* The status, with a line that says why. */
#define EXIT_WITH(status, error, ...) (message_set(error, __VA_ARGS__), (status))

/* Whose time a run keeps: that of the system, or that of a simulator, for which only messages take time. */
enum run_clock { RUN_CLOCK_SYSTEM, RUN_CLOCK_SIMULATED };

/* Settings that every engine with a run directory has; the first member of its own. */
struct run_settings {
    double time; /* T, seconds */
    const char *output;
    bool force, quiet, json, tables, plan, version;
    const char *help; /* NULL: not asked for; the option that it is asked for, or "" */
    int progress;     /* enum progress_when */
    int clock;        /* enum run_clock */
};

/* The rows of options that every such engine has; `name`: of the directory that --output has by default. */
#define RUN_ROW(option, kind, argument, ...)                                                                 \
    {                                                                                                        \
#option, OPTION_##kind, offsetof(struct run_settings, option), argument, __VA_ARGS__                 \
    }
#define RUN_OPTIONS(name)                                                                                    \
    RUN_ROW(output, TEXT, "DIR",                                                                             \
            "directory for protocol and results; default protocols/runs/" name                               \
            "-HOST-nPROCESSES-TIME. It must not exist, or be empty"),                                        \
        RUN_ROW(force, FLAG, NULL, "replace an earlier run in the output directory"),                        \
        RUN_ROW(quiet, FLAG, NULL, "print only the last line of the result", .title = "Printed"),            \
        RUN_ROW(tables, FLAG, NULL, "print all tables, as in summary.txt; default: what fits on a screen"),  \
        RUN_ROW(json, FLAG, NULL, "print the result, or the plan, as JSON"),                                 \
        RUN_ROW(                                                                                             \
            progress, CHOICE, "WHEN",                                                                        \
            "progress on standard error: auto (one updated line if that is a terminal), line (one updated "  \
            "line in any case, as launchers hide the terminal), log (a line now and then), never",           \
            .choices = progress_words)

struct engine {
    const char *program;
    const char *definition; /* what "the same definition" means when results are compared: "beff-1" */
    const char *basis;      /* what --version says that the program measures by */
    const struct record_type *type;

    /* ---- the command line ---- */

    size_t settings_size;
    const void *defaults; /* the settings before parsing */
    const struct option_table *options;
    /* Refuses combinations that make no sense, completes the settings. 0, or -1 with one line. */
    int (*check)(void *settings, struct message *error);
    /* Prints what --plan asks for, for as many processes as were started, 0: none. 0, or -1 with one line. */
    int (*plan)(const void *settings, int64_t processes, FILE *out, struct message *error);

    /* ---- results: from the protocol alone ---- */

    size_t results_size; /* a struct whose first member is the struct sheet */
    /* Makes the results in zeroed memory; the protocol must live as long as they do. Returns 0, or -1 with a
     * message. They are freed in either case. */
    int (*results_make)(void *results, const struct protocol *protocol, struct message *error);
    void (*results_free)(void *results);
    /* Number `i` of the sheet's `data_count`. */
    void (*table)(const void *results, int i, struct table *table);
};

/* Reads a command line into settings of settings_size. 0, or -1 with one line that names the culprit. */
int engine_parse(const struct engine *engine, void *settings, int argc, char *const *argv,
                 struct message *error);

/* Prints what needs no measurement: the error if parsing `failed`, help, manual page, version, plan. The exit
 * status, or -1 if none of that was asked for. */
int engine_answer(const struct engine *engine, const void *settings, int failed, int processes,
                  struct message *error);

/* Seconds of the run by both clocks (`clocks` in the metadata), and whether they agree to 0.1 %: a clock that
 * a system keeps in time always does (docs/definition.md 3.1). */
bool engine_clocks_agree(double mpi, double system);

/* The results in memory of their own; NULL with one line. */
struct sheet *engine_results(const struct engine *engine, const struct protocol *protocol,
                             struct message *error);
void engine_free_results(const struct engine *engine, struct sheet *results);

/* Writes the settings as metadata `option_NAME` of a protocol. */
void engine_describe_settings(const struct option_table *table, const void *settings,
                              struct protocol *protocol);

/* The files of a run other than run.prot; those from ENGINE_TABLES on are patterns/NAME.dat: the sheet's
 * tables (by_size is sizes.dat), then the engine's. */
enum { ENGINE_SUMMARY, ENGINE_JSON, ENGINE_TABLES };

static inline int engine_file_count(const struct sheet *sheet)
{
    return ENGINE_TABLES + sheet->table_count + sheet->data_count;
}

/* The name of number `i` in the run's directory, in `name`, which is returned. */
enum { ENGINE_FILE_NAME = 96 };
const char *engine_file_name(const struct engine *engine, const struct sheet *sheet, int i,
                             char name[ENGINE_FILE_NAME]);

/* Writes it; run.json with the records, or without them. */
void engine_write_file(const struct engine *engine, const struct sheet *sheet, int i, bool records,
                       FILE *out);

#endif
