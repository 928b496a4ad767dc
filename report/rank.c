/* rank: systems side by side, as text and data. Uses comparison, change, interval, outcome,
 * stats. */
#include "report/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "report/change.h"
#include "report/outcome.h"

/* ---- systems ---- */

bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system)
{
    return strcmp(report_meta(run, "mpi"), report_meta(system->first, "mpi")) == 0 &&
           !comparison_other_system(system->first, run, rank->any_host);
}

bool rank_varies(const struct rank *rank, const char *key)
{
    const struct report *first = rank->runs.all.runs;
    for (size_t i = 1; i < rank->runs.all.count; i++)
        if (strcmp(report_meta(&first[i], key), report_meta(first, key)) != 0)
            return true;
    return false;
}

bool rank_differs(const struct rank *rank, const char *key)
{
    const char *const *split = rank->runs.all.runs->row->system;
    while (*split && strcmp(*split, key) != 0)
        split++;
    return *split && rank_varies(rank, key);
}

/* The median of a figure over the runs of a system, and of the rating its interval. */
static void add_median(struct rank *rank, struct rank_system *system, size_t number, double *values)
{
    const struct side *all = &rank->runs.all;
    const char *name = system->first->row->ranked[number];
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++)
        if (rank_is_of(rank, &all->runs[i], system)) {
            const struct sheet_value *value = sheet_find(all->runs[i].sheet, name);
            values[n++] = value ? value->value : NAN;
            if (number == 0 && isnan(values[n - 1]))
                texts_add(&rank->runs.reasons, "%s has no %s", report_name(&all->runs[i]), name);
        }
    double level;
    size_t k = median_rank(n, &level);
    system->figure[number] = stats_median(values, n);
    if (number > 0 || !k || isnan(system->figure[0]))
        return;
    stats_sort(values, n);
    system->low = values[k - 1];
    system->high = values[n - k];
}

static int better_first(const void *a, const void *b)
{
    double left = ((const struct rank_system *)a)->figure[0],
           right = ((const struct rank_system *)b)->figure[0];
    return (left < right) - (left > right);
}

/* Counts a run where it belongs. */
static void place_run(struct rank *rank, const struct report *run)
{
    size_t i = 0, same_host = 0;
    while (i < rank->count && !rank_is_of(rank, run, &rank->system[i]))
        i++;
    struct rank_system *system = &rank->system[i];
    if (i == rank->count) {
        *system = (struct rank_system){.first = run, .low = NAN, .high = NAN};
        rank->count++;
    }
    system->runs++;
    system->valid += report_valid(run);
    for (const struct report *other = rank->runs.all.runs; other < run; other++)
        same_host += rank_is_of(rank, other, system) &&
                     strcmp(report_meta(other, "host"), report_meta(run, "host")) == 0;
    system->hosts += !same_host;
}

/* Runs that changed their level have no one median: noted. `values`: room for all runs. */
static int check_level(struct rank *rank, size_t place, double *values)
{
    const struct rank_system *system = &rank->system[place];
    size_t n = 0;
    for (size_t i = 0; i < rank->runs.all.count; i++) {
        const struct report *run = comparison_run(&rank->runs, i);
        if (rank_is_of(rank, run, system))
            values[n++] = sheet_find(run->sheet, run->row->ranked[0])->value;
    }
    struct change change;
    if (change_find(&change, values, n))
        return -1;
    if (change_is_told(&change))
        texts_add(
            &rank->runs.notes,
            "place %zu: its runs changed their level, %.3f before and %.3f after (see beff_report trend): "
            "its median is of both",
            place + 1, change.before, change.after);
    return 0;
}

/* Of what time a system's median and interval are, and how many runs they take. */
static void add_period(struct rank *rank, size_t place)
{
    const struct rank_system *system = &rank->system[place];
    const char *from = report_meta(system->first, "started"), *to = from,
               *name = system->first->row->ranked[0];
    for (size_t i = 0; i < rank->runs.all.count; i++) {
        const struct report *run = &rank->runs.all.runs[i];
        const char *started = report_meta(run, "started");
        if (!rank_is_of(rank, run, system))
            continue;
        from = strcmp(started, from) < 0 ? started : from;
        to = strcmp(started, to) > 0 ? started : to;
    }
    double level;
    size_t least = median_runs(INTERVAL_LEVEL), more = median_runs(0.99);
    if (median_rank(system->runs, &level))
        texts_add(
            &rank->runs.notes,
            "place %zu: for the period of its %zu runs, started from %s to %s: median %s %.3f MB/s, %.1f %% "
            "interval %.3f to %.3f (95 %% takes %zu runs, 99 %% %zu)",
            place + 1, system->runs, from, to, name, system->figure[0], 100 * level, system->low,
            system->high, least, more);
    else
        texts_add(&rank->runs.notes,
                  "place %zu: for the period of its %zu runs, started from %s to %s: median %s %.3f MB/s; an "
                  "interval of 95 %% takes %zu runs, of 99 %% %zu",
                  place + 1, system->runs, from, to, name, system->figure[0], least, more);
}

/* Neighbours in the table whose intervals do not tell them apart. */
static void add_notes(struct rank *rank)
{
    for (size_t i = 1; i < rank->count; i++) {
        const struct rank_system *a = &rank->system[i - 1], *b = &rank->system[i];
        if (!(a->low > b->high))
            texts_add(&rank->runs.notes, "places %zu and %zu are not told apart: %s", i, i + 1,
                      isnan(a->low) || isnan(b->low) ? "an interval is missing (6 runs at least)"
                                                     : "their intervals overlap");
    }
    static const char *const said[][2] = {
        {"processes", "the numbers of processes differ: the ratings are of systems of different size"},
        {"time_s", "the scheduled times differ: a longer time rates higher or lower by itself"}};
    for (size_t k = 0; k < sizeof said / sizeof said[0]; k++)
        if (rank_differs(rank, said[k][0]))
            texts_add(&rank->runs.notes, "%s", said[k][1]);
}

static int make_systems(struct rank *rank, struct message *error)
{
    const struct side *all = &rank->runs.all;
    rank->system = calloc(all->count, sizeof *rank->system);
    double *values = calloc(all->count, sizeof *values);
    int failed = rank->system && values ? 0 : -1;
    for (size_t i = 0; i < all->count && !failed; i++)
        place_run(rank, &all->runs[i]);
    for (size_t i = 0; i < rank->count; i++)
        for (size_t k = 0; k < RANK_FIGURES && rank->system[i].first->row->ranked[k]; k++)
            add_median(rank, &rank->system[i], k, values);
    if (!failed)
        qsort(rank->system, rank->count, sizeof *rank->system, better_first);
    for (size_t i = 0; i < rank->count && !failed && !rank->runs.reasons.count; i++) {
        add_period(rank, i);
        failed = check_level(rank, i, values);
    }
    free(values);
    if (failed)
        return message_set(error, "out of memory");
    add_notes(rank);
    return 0;
}

int rank_make(struct rank *rank, char *const *paths, size_t count, bool any_host, bool allow_invalid,
              struct message *error)
{
    *rank = (struct rank){.any_host = any_host};
    int failed = comparison_gather(&rank->runs, paths, count, true, allow_invalid, error);
    if (!failed && !rank->runs.all.runs[0].row->ranked)
        texts_add(&rank->runs.reasons, "%s rates nothing", rank->runs.all.runs[0].engine->program);
    if (!failed && rank->runs.reasons.count == 0)
        failed = make_systems(rank, error);
    if (!failed && (rank->runs.reasons.incomplete || rank->runs.notes.incomplete))
        failed = message_set(error, "out of memory");
    if (failed)
        rank_free(rank);
    return failed ? -1 : 0;
}

void rank_free(struct rank *rank)
{
    free(rank->system);
    comparison_free(&rank->runs);
    *rank = (struct rank){0};
}

/* ---- the table ---- */

struct rank_row {
    double place, runs, valid, processes, time, figure[RANK_FIGURES], low, high;
    const char *host, *nodes, *mpi, *cpu;
    char name[CELL_TEXT_SIZE];
};

static void fill_system(const struct table *table, int number, void *cells)
{
    const struct rank *rank = table->context;
    const struct rank_system *system = &rank->system[number];
    struct rank_row *row = cells;
    *row = (struct rank_row){.place = number + 1,
                             .runs = (double)system->runs,
                             .valid = (double)system->valid,
                             .processes = protocol_number(&system->first->protocol, "processes"),
                             .time = protocol_number(&system->first->protocol, "time_s"),
                             .low = system->low,
                             .high = system->high,
                             .nodes = report_meta(system->first, "nodes"),
                             .mpi = report_meta(system->first, "mpi"),
                             .cpu = report_meta(system->first, "cpu")};
    memcpy(row->figure, system->figure, sizeof row->figure);
    const char *host = report_meta(system->first, "host");
    if (system->hosts > 1)
        snprintf(row->name, sizeof row->name, "%.40s and %zu more", host, system->hosts - 1);
    row->host = system->hosts > 1 ? row->name : host;
}

static void add_column(struct rank_table *t, const char *name, const char *unit, enum cell_kind kind,
                       size_t offset)
{
    t->columns[t->table.column_count++] = (struct table_column){name, unit, kind, 3, offset};
}

static const char *unit_of(const struct rank *rank, const char *name)
{
    const struct sheet_value *value = sheet_find(rank->runs.all.runs[0].sheet, name);
    return value ? value->unit : "";
}

#define CELL(member) offsetof(struct rank_row, member)

void rank_table_make(struct rank_table *t, const struct rank *rank)
{
    const char *const *ranked = rank->runs.all.runs[0].row->ranked;
    *t = (struct rank_table){.table = {.name = "systems",
                                       .title =
                                           "Systems by rating: medians of their runs, and the 95 % interval "
                                           "of the rating's",
                                       .columns = t->columns,
                                       .rows = (int)rank->count,
                                       .fill = fill_system,
                                       .context = rank}};
    add_column(t, "place", "", CELL_INTEGER, CELL(place));
    add_column(t, "host", "", CELL_TEXT, CELL(host));
    add_column(t, "nodes", "", CELL_TEXT, CELL(nodes));
    add_column(t, "processes", "", CELL_INTEGER, CELL(processes));
    if (rank_differs(rank, "time_s"))
        add_column(t, "time", "s", CELL_INTEGER, CELL(time));
    add_column(t, "runs", "", CELL_INTEGER, CELL(runs));
    add_column(t, "valid", "", CELL_INTEGER, CELL(valid));
    for (size_t k = 0; ranked && k < RANK_FIGURES && ranked[k]; k++) {
        add_column(t, ranked[k], unit_of(rank, ranked[k]), CELL_REAL, CELL(figure) + k * sizeof(double));
        if (k == 0) {
            add_column(t, "low", unit_of(rank, ranked[0]), CELL_REAL, CELL(low));
            add_column(t, "high", unit_of(rank, ranked[0]), CELL_REAL, CELL(high));
        }
    }
    add_column(t, "mpi", "", CELL_TEXT, CELL(mpi));
    add_column(t, "cpu", "", CELL_TEXT, CELL(cpu));
}

static enum report_status tell(const struct rank *rank, const struct report_settings *settings)
{
    static const struct texts none = {0}; /* data errors are among the reasons */
    struct rank_table t;
    struct message error;
    const struct outcome outcome = {.threshold = "",
                                    .status = rank->runs.reasons.count ? REPORT_REFUSED : REPORT_FINE,
                                    .notes = &rank->runs.notes,
                                    .reasons = &rank->runs.reasons,
                                    .errors = &none,
                                    .tables = &t.table,
                                    .table_count = 1};
    rank_table_make(&t, rank);
    if ((settings->plots && rank->count && settings->pictures->rank(rank, settings, &error)) ||
        (settings->format == FORMAT_HTML && settings->pictures->rank_page(rank, &t.table, &error)))
        return report_refuse(&error);
    return outcome_put(&outcome, settings->format, stdout);
}

/* ---- the command ---- */

static enum report_status rank_command(const struct report_settings *settings)
{
    struct rank rank;
    struct message error;
    if (rank_make(&rank, settings->runs.word, settings->runs.count, settings->any_host,
                  settings->allow_invalid, &error))
        return report_refuse(&error);
    if (rank.runs.reasons.count)
        rank.count = 0;
    enum report_status status = tell(&rank, settings);
    rank_free(&rank);
    return status;
}

static const char *const formats[] = {"text", "json", "csv", "html", NULL};

static const struct option_row rows[] = {
    REPORT_CHOICE(format, formats, "text, json, csv or html"),
    REPORT_ANY_HOST,
    REPORT_INVALID,
    REPORT_PLOTS("draw the systems there, and the runs by processes and time where these differ (SVG)"),
    REPORT_LOOKS,
    REPORT_HELP};

static const char notes[] =
    "RUN...: several runs of each system. Runs are of one system if they agree in processor, nodes,\n"
    "processes, hosts (as far as the protocol has them; not with --any-host), MPI, and what else of a\n"
    "machine comparing needs: of beff_io also time, partitions, path, storage and hints in force. A row\n"
    "has the medians of a system's runs; low and high are the 95 % interval of the rating's median from\n"
    "the ranks of its runs (sign test), from 6 runs on. Where the level of a row's runs changed (see\n"
    "trend), or the intervals of neighbours overlap or are missing, a note says so.\n\n"
    "Refused, with the reasons: runs of different definitions (but for what belongs to the system),\n"
    "reduced runs beside whole ones, data errors, a run given twice, runs NOT VALID for another reason\n"
    "than their time (--allow-invalid), imb_compat, which rates nothing.\n\n"
    "Exit status: 0; 2 usage; 3 refused, or a run can't be read.\n";

REPORT_COMMAND(rank, "[--format text|json|csv|html] [OPTION]... RUN...",
               "list systems by their rating, from several runs of each");
