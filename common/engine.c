#include "common/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/version.h"

/* Time reserved for the end, in seconds and as a share of T; the longer one counts. */
#define RESERVE_SECONDS 0.3
#define RESERVE_SHARE   0.01

int engine_parse(const struct engine *engine, void *settings, int argc, char *const *argv,
                 struct message *error)
{
    memcpy(settings, engine->defaults, engine->settings_size);
    if (options_parse(engine->options, argc, argv, settings, error))
        return -1;
    return ((const struct run_settings *)settings)->help ? 0 : engine->check(settings, error);
}

int engine_answer(const struct engine *engine, const void *settings, int failed, int processes,
                  struct message *error)
{
    const struct run_settings *run = settings;
    if (!failed) {
        if (run->help)
            failed = options_help(engine->options, engine->defaults, settings, run->help, stdout, error);
        else if (run->version)
            version_print(stdout, engine->program, engine->basis, engine->type->definition);
        else if (run->plan)
            failed = engine->plan(settings, processes, stdout, error);
        else if (run->list)
            engine->list(settings, stdout);
        else
            return -1;
    }
    if (failed)
        fprintf(stderr, "%s: %s\n", options_program(engine->options, settings), error->text);
    return failed ? EXIT_USAGE : EXIT_OK;
}

double engine_reserve(double time)
{
    return fmax(RESERVE_SECONDS, isfinite(time) ? RESERVE_SHARE * time : 0);
}

bool engine_clocks_agree(double mpi, double system)
{
    return fabs(mpi - system) <= 1e-3 * system;
}

/* Adds the criterion about the clocks. A run that was cut short does not state the clocks. */
static void judge_clocks(struct sheet *sheet, const struct protocol *p)
{
    double mpi = protocol_number(p, "clock_mpi_s"), system = protocol_number(p, "clock_system_s");
    const char *both = protocol_get(p, "clocks"); /* both, in format 1 */
    if (both) {
        char *rest;
        mpi = strtod(both, &rest);
        system = strtod(rest, NULL);
    }
    if (isfinite(mpi) && isfinite(system))
        sheet_criterion(sheet, engine_clocks_agree(mpi, system) ? CRITERION_REACHED : CRITERION_MISSED,
                        "clock accurate to 0.1 %% (MPI_Wtime %.6g s, system %.6g s)", mpi, system);
}

static void make_unknown(struct sheet *sheet, const struct protocol *p)
{
    const char *definition = protocol_text(p, "definition");
    *sheet = (struct sheet){.protocol = p, .headline_name = "", .unknown = true};
    snprintf(sheet->headline, sizeof sheet->headline,
             "this program does not know the definition %.40s: results as stated by the run, no verdict",
             definition);
}

static void add_stated(struct sheet *sheet, const struct protocol *p)
{
    for (const struct protocol_result *stated = p->results; stated < p->results + p->result_count; stated++) {
        if (sheet_find(sheet, stated->name))
            continue;
        sheet_detail(sheet, stated->name, stated->name, stated->unit, stated->value);
        sheet_use(sheet, SHEET_STATED);
    }
}

struct sheet *engine_results(const struct engine *engine, const struct protocol *protocol,
                             struct message *error)
{
    struct sheet *results = memory_new(1, engine->results_size, "the results");
    const char *note;
    if (!protocol_is_known(protocol)) {
        make_unknown(results, protocol);
    } else if (engine->results_make(results, protocol, error)) {
        engine_free_results(engine, results);
        return NULL;
    } else {
        judge_clocks(results, protocol);
        for (size_t i = 0; (note = protocol_next(protocol, "note", &i));)
            texts_add(&results->notes, "%s", note);
    }
    add_stated(results, protocol);
    const char *differs = protocol_get(protocol, "environment_differs");
    if (differs)
        texts_add(&results->notes, "the environment differs: %s", differs);
    if (engine->type->definition && protocol_is(protocol, "virtual_machine", "yes"))
        texts_add(&results->notes, "a virtual machine: its host can slow or move the processors without any "
                                   "sign in a single run; compare runs from several hours");
    return results;
}

void engine_free_results(const struct engine *engine, struct sheet *results)
{
    if (results)
        engine->results_free(results);
    free(results);
}

/* ---- files ---- */

void engine_describe_settings(const struct engine *engine, const void *settings, struct protocol *protocol)
{
    const struct option_table *table = engine->options;
    const struct run_settings *given = settings, *defaults = engine->defaults;
    for (size_t i = 0; i < table->count; i++) {
        bool is_default = table->rows[i].offset == offsetof(struct run_settings, time) &&
                          !(fabs(given->time - defaults->time) > 0);
        char *key = text_format(OPTION_KEY "%s", table->rows[i].name);
        char *value = option_value(&table->rows[i], settings);
        if (option_is_kept(table, &table->rows[i], settings) && !is_default)
            protocol_meta(protocol, key, value);
        free(key);
        free(value);
    }
}

bool engine_table(const struct engine *engine, const struct sheet *sheet, int i, struct table *table)
{
    static const char by[] = "by_";
    if (i >= sheet->table_count + sheet->data_count)
        return false;
    if (i >= sheet->table_count) {
        engine->table(sheet, i - sheet->table_count, table);
        return true;
    }
    *table = sheet->tables[i];
    const char *name = sheet->tables[i].name;
    if (strncmp(name, by, strlen(by)) == 0)
        snprintf(table->name, sizeof table->name, "%.*s%s", (int)sizeof table->name - 2, name + strlen(by),
                 name[strlen(name) - 1] == 's' ? "" : "s");
    return true;
}
