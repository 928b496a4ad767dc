/* Implements the command rank: assigns runs to systems, chooses the usable runs, and ranks the systems. */
#include "report/rank.h"
#include "common/inference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/stats.h"

/* ---- systems and their names ---- */

/* Returns the paths that were given for a system. */
static struct texts paths_of(const struct report_settings *settings, size_t s)
{
    size_t start = !settings->separated ? s : s ? settings->side[s - 1].end : 0;
    size_t end = settings->separated ? settings->side[s].end : s + 1;
    return (struct texts){settings->runs.text + start, end - start};
}

/* Returns the number of paths that exist, so that a mistyped path does not count as a run. */
static int64_t count_existing(struct texts paths)
{
    int64_t count = 0;
    for (size_t i = 0; i < paths.count; i++)
        count += access(paths.text[i], F_OK) == 0;
    return count;
}

/* Returns the length of the common prefix of the paths. */
static size_t common_length(const struct texts *paths)
{
    const char *name = paths->text[0];
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    for (size_t i = 1; i < paths->count; i++)
        for (size_t k = 0; k < length; k++)
            if (name[k] != paths->text[i][k])
                length = k;
    return length;
}

static void name_system(struct rank_system *system, const struct texts *paths, const char *label,
                        bool by_directory)
{
    const char *name = label ? label : paths->text[0];
    size_t length = label ? strlen(label) : common_length(paths), room = sizeof system->name - 1;
    while (!label && by_directory && length > 0 && name[length - 1] != '/')
        length--;
    while (!label && (by_directory || paths->count > 1) && length > 0 &&
           strchr(by_directory ? "/" : "0123456789/-_. ", name[length - 1]))
        length--;
    if (!length && !by_directory)
        length = strlen(name);
    bool several = !label && paths->count > 1 && !common_length(paths);
    size_t cut = length > room ? length - room + 3 : 0; /* paths differ at their end */
    snprintf(system->name, sizeof system->name, "%s%.*s%s", cut ? "..." : "", (int)(length - cut), name + cut,
             several && !by_directory ? " ..." : "");
    finding_clean(system->name);
}

/* Names each system. A system with a label gets the label as its name. The others are named after the
 * directories of their runs or, if these names are not all different, after the common prefix of the names of
 * their runs. */
static void name_systems(struct rank *rank, const struct report_settings *settings, bool by_directory)
{
    bool distinct = true;
    for (size_t s = 0; s < rank->count; s++) {
        struct texts paths = paths_of(settings, s);
        struct rank_system *system = &rank->system[s];
        const char *label = settings->separated || rank->count == 1 ? settings->side[s].label : NULL;
        name_system(system, &paths, label, by_directory);
        distinct = distinct && *system->name;
        for (size_t k = 0; k < s; k++)
            distinct = distinct && strcmp(rank->system[k].name, system->name) != 0;
    }
    if (by_directory && !distinct)
        name_systems(rank, settings, false);
}

/* ---- choosing the runs ---- */

bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system)
{
    return rank->of[run - rank->runs.run] == system->number;
}

/* Returns true if `key` has METADATA_SYSTEM and its value is not the same in all systems. */
static bool differ(const struct rank *rank, const char *key)
{
    const struct report *first = NULL;
    for (size_t s = 0; s < rank->count; s++) {
        const struct report *other = rank->system[s].first;
        if (other && first && metadata_find(other->protocol.type->metadata, key).uses & METADATA_SYSTEM &&
            strcmp(report_meta(other, key), report_meta(first, key)) != 0)
            return true;
        first = first ? first : other;
    }
    return false;
}

#define SKIP(ranked, number, ...)                                                                            \
    ((ranked)->of[number] = RANK_SKIPPED,                                                                    \
     grouped_add(&(ranked)->runs.skipped, report_name(&(ranked)->runs.run[number]), __VA_ARGS__))

/* Returns a run with the most common definition. Sets `tied` to a run with another definition that is equally
 * common, or to the same run if there is no such definition. */
static size_t most_common(const struct runs *all, size_t *tied)
{
    size_t common = 0, most = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t like = 0;
        for (size_t j = 0; j < all->count; j++)
            like += !runs_other_definition(&all->run[i], &all->run[j]);
        if (like > most) {
            most = like;
            common = *tied = i;
        } else if (like == most && runs_other_definition(&all->run[common], &all->run[i])) {
            *tied = i;
        }
    }
    return common;
}

/* Skips runs without a rating, runs with data errors, and runs that do not have the most common definition.
 * If two definitions are equally common, skips all runs. */
static void check_runs(struct rank *rank)
{
    const struct runs *all = &rank->runs;
    size_t tied = 0, common = most_common(all, &tied);
    for (size_t i = 0; i < all->count; i++) {
        const struct report *run = &all->run[i];
        const char *name = run->row->ranked ? run->row->ranked[0] : NULL,
                   *key = runs_other_definition(&all->run[common], run);
        const struct sheet_value *rating = name ? sheet_find(run->sheet, name) : NULL;
        size_t other = key ? common : tied;
        key = key ? key : runs_other_definition(&all->run[tied], run);
        if (!name)
            SKIP(rank, i, "%s has no rating", run->engine->program);
        else if (run->sheet->errors)
            SKIP(rank, i, "data errors: %lld", (long long)run->sheet->errors);
        else if (!rating || isnan(rating->value))
            SKIP(rank, i, "%s is missing", name);
        else if (key && tied != common)
            SKIP(rank, i,
                 "not comparable: %s differs, %.60s here, %.60s in %s; no definition is the most common", key,
                 report_meta(run, key), report_meta(&all->run[other], key), report_name(&all->run[other]));
        else if (key)
            SKIP(rank, i, "not comparable: %s differs, %.60s here, %.60s in most runs", key,
                 report_meta(run, key), report_meta(&all->run[common], key));
    }
}

/* Handles two runs on one host, with the same number of processes, that overlap in time and so disturbed each
 * other. If they belong to one system, skips the later run. If they belong to two systems, only adds a
 * note, because a bidder must not be able to remove the runs of another bidder by stating false times. */
static void check_overlap(struct rank *rank, size_t i, size_t k)
{
    const struct report *run = &rank->runs.run[i], *before = &rank->runs.run[k];
    if (rank->of[i] == RANK_SKIPPED || rank->of[k] == RANK_SKIPPED ||
        strcmp(report_meta(before, "host"), report_meta(run, "host")) != 0 ||
        strcmp(report_meta(before, "processes"), report_meta(run, "processes")) != 0 ||
        !(report_time(run, "started") < report_time(before, "finished")))
        return;
    if (rank->of[i] == rank->of[k])
        SKIP(rank, i, "was started at %.40s, before %s finished at %.40s: the runs disturbed each other",
             report_meta(run, "started"), report_name(before), report_meta(before, "finished"));
    else
        grouped_add(
            &rank->runs.notes, report_name(run),
            "was started at %.40s, before %s of another system finished at %.40s on a host of the same name",
            report_meta(run, "started"), report_name(before), report_meta(before, "finished"));
}

/* Returns the key that shows that two runs come from different systems, or NULL. */
static const char *other_system(const struct report *a, const struct report *b)
{
    return strcmp(report_meta(a, "mpi"), report_meta(b, "mpi")) != 0 ? "mpi" : runs_other_system(a, b, true);
}

/* Adds a run to its system. Skips the run if it does not come from the same system as the first run. */
static void add_run(struct rank *rank, size_t i)
{
    const struct report *run = &rank->runs.run[i];
    struct rank_system *system = &rank->system[rank->of[i]];
    const char *key = system->first ? other_system(system->first, run) : NULL;
    if (key) {
        SKIP(rank, i, "not the same system as %s: %s is %.60s there, %.60s here", report_name(system->first),
             key, report_meta(system->first, key), report_meta(run, key));
        return;
    }
    system->first = system->first ? system->first : run;
    system->used++;
}

/* ---- figures ---- */

/* Copies the values that a figure has in the runs of a system to `values`. Returns the number of values. */
static size_t values_of(const struct rank *rank, const struct rank_system *system, const char *name,
                        double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < rank->runs.count; i++) {
        const struct sheet_value *value = sheet_find(rank->runs.run[i].sheet, name);
        if (rank->of[i] == system->number && value && !isnan(value->value))
            values[n++] = value->value;
    }
    return n;
}

/* Computes the medians of a system and the interval of its rating. `values` has room for all runs. */
static void add_figures(struct rank *rank, struct rank_system *system, double *values)
{
    const char *const *ranked = system->first ? system->first->row->ranked : NULL;
    for (size_t k = 0; k < RANK_FIGURES; k++)
        system->figure[k] = NAN;
    system->low = system->high = system->noise = NAN;
    if (!ranked)
        return;
    for (size_t k = 0; k < RANK_FIGURES && ranked[k]; k++)
        system->figure[k] = stats_median(values, values_of(rank, system, ranked[k], values));
    system->noise = stats_median(values, values_of(rank, system, RUNS_NOISE, values));
    double level;
    size_t n = values_of(rank, system, ranked[0], values), k = median_rank(n, &level);
    stats_sort(values, n);
    if (k) {
        system->low = values[k - 1];
        system->high = values[n - k];
    }
}

/* Judges whether a system has enough runs, and whether the lower end of its interval meets --at-least. Adds
 * the reason if the system is not eligible. */
static void judge(struct rank *rank, struct rank_system *system, const struct report_settings *settings)
{
    struct grouped *reasons = &rank->runs.reasons;
    int64_t runs = system->valid < system->used ? system->valid : system->used;
    bool ruled = settings->require > 0 || settings->at_least > 0;
    system->eligible = false;
    if (!system->used)
        grouped_add(reasons, NULL, "%s is not eligible: it has no usable run", system->name);
    else if (runs < settings->require)
        grouped_add(reasons, NULL, "%s is not eligible: %lld VALID run%s, fewer than --require %lld",
                    system->name, (long long)runs, PLURAL(runs), (long long)settings->require);
    else if (settings->at_least > 0 && isnan(system->low))
        grouped_add(
            reasons, NULL,
            "%s is not eligible: --at-least needs an interval, and an interval needs 6 runs (used: %lld)",
            system->name, (long long)system->used);
    else
        system->eligible = true;
    system->passed = system->eligible && !(system->low < settings->at_least);
    system->rule = !ruled ? "" : !system->eligible ? "not eligible" : system->passed ? "pass" : "FAIL";
}

/* Orders systems by rating, best first. Systems that are not eligible come last. */
static int better_first(const void *a, const void *b)
{
    const struct rank_system *left = a, *right = b;
    double x = left->first ? left->figure[0] : 0, y = right->first ? right->figure[0] : 0;
    return left->eligible != right->eligible ? right->eligible - left->eligible : (x < y) - (x > y);
}

/* ---- notes ---- */

/* Adds a note with the period in which a system's runs were measured, and with their median and interval. */
static void add_period(struct rank *rank, const struct rank_system *system)
{
    const char *from = NULL, *to = NULL;
    char interval[160] = "no interval";
    double level;
    for (size_t i = 0; i < rank->runs.count; i++) {
        const struct report *run = runs_by_start(&rank->runs, i);
        if (rank_is_of(rank, run, system)) {
            from = from ? from : report_meta(run, "started");
            to = report_meta(run, "started");
        }
    }
    if (!isnan(system->low) && median_rank((size_t)system->used, &level))
        snprintf(interval, sizeof interval, "%.1f %% interval %.4g to %.4g", 100 * level, system->low,
                 system->high);
    grouped_add(&rank->runs.notes, NULL,
                "%s: %" PRId64
                " run%s, started %s%s%s%s: median %s %.4g MB/s, %s (6 runs give a 95 %% interval, 8 runs a "
                "99 %% interval)",
                system->name, system->used, PLURAL(system->used), from == to ? "" : "between ", from,
                from == to ? "" : " and ", from == to ? "" : to, system->first->row->ranked[0],
                system->figure[0], interval);
}

/* Adds notes about neighbours in the table whose intervals overlap, and about differences between systems. */
static void add_notes(struct rank *rank)
{
    for (size_t i = 1; i < rank->count; i++) {
        const struct rank_system *a = &rank->system[i - 1], *b = &rank->system[i];
        if (!b->eligible)
            break;
        if (isnan(a->low) || isnan(b->low))
            grouped_add(&rank->runs.notes, NULL,
                        "ranks %zu and %zu cannot be distinguished: an interval is missing", i, i + 1);
        else if (!(a->low > b->high))
            grouped_add(&rank->runs.notes, NULL,
                        "ranks %zu and %zu are statistically tied: their intervals overlap", i, i + 1);
    }
    static const char *const differences[][2] = {
        {"processes", "the numbers of processes differ, so the ratings compare systems of different sizes"},
        {"time_s", "the scheduled times differ, and b_eff_io depends on the scheduled time"}};
    for (size_t k = 0; k < sizeof differences / sizeof differences[0]; k++)
        if (differ(rank, differences[k][0]))
            grouped_add(&rank->runs.notes, NULL, "%s", differences[k][1]);
}

/* Adds notes about runs that break the rules of docs/procurement.md, as far as one can tell without the call
 * for tenders. */
static void note_rules(struct rank *rank)
{
    struct runs *all = &rank->runs;
    for (size_t n = 0; n < all->count; n++) {
        size_t i = all->order[n], before = n;
        const struct report *run = &all->run[i];
        const char *name = report_name(run);
        if (rank->of[i] == RANK_SKIPPED)
            continue;
        if (protocol_is(&run->protocol, "memory_source", "given"))
            grouped_add(&all->notes, name,
                        "--memory was given, so Lmax may not follow from the machine's memory");
        if (protocol_number(&run->protocol, "option_max-loops") > 0)
            grouped_add(&all->notes, name, "--max-loops was given");
        while (before > 0 && rank->of[all->order[before - 1]] != rank->of[i])
            before--;
        if (before > 0 &&
            report_time(run, "started") < report_time(runs_by_start(all, before - 1), "started") + 3600)
            grouped_add(&all->notes, name, "started less than an hour after another run of the system");
    }
}

void rank_make(struct rank *rank, const struct report_settings *settings)
{
    *rank = (struct rank){.count = settings->separated ? (size_t)settings->sides : settings->runs.count};
    struct report_settings own = *settings;
    own.apart = !settings->separated;
    runs_load(&rank->runs, &own);
    const struct runs *all = &rank->runs;
    double *values = memory_new(all->count, sizeof *values, "the ranking");
    rank->of = memory_new(all->count, sizeof *rank->of, "the ranking");
    rank->system = memory_new(rank->count, sizeof *rank->system, "the ranking");
    for (size_t s = 0; s < rank->count; s++)
        rank->system[s] =
            (struct rank_system){.number = s, .submitted = count_existing(paths_of(settings, s))};
    name_systems(rank, settings, settings->separated);
    for (size_t i = 0; i < all->count; i++) {
        rank->of[i] = runs_side(&own, all->given[i]);
        rank->system[rank->of[i]].valid += sheet_valid(all->run[i].sheet);
    }
    check_runs(rank);
    for (size_t n = 1; n < all->count; n++)
        for (size_t k = 0; k < n; k++)
            check_overlap(rank, all->order[n], all->order[k]);
    for (size_t i = 0; i < all->count; i++)
        if (rank->of[i] != RANK_SKIPPED)
            add_run(rank, i);
    for (size_t s = 0; s < rank->count; s++) {
        add_figures(rank, &rank->system[s], values);
        judge(rank, &rank->system[s], settings);
    }
    free(values);
    qsort(rank->system, rank->count, sizeof *rank->system, better_first);
    for (size_t s = 0; s < rank->count; s++)
        if (rank->system[s].first)
            add_period(rank, &rank->system[s]);
    add_notes(rank);
    if (settings->require > 0 || settings->at_least > 0)
        note_rules(rank);
}

void rank_free(struct rank *rank)
{
    free(rank->of);
    free(rank->system);
    runs_free(&rank->runs);
    *rank = (struct rank){0};
}

/* ---- the table ---- */

struct rank_row {
    struct rank_system system;
    double place, processes, time, lmax;
    const char *host, *nodes, *mpi, *cpu;
};

static void fill_system(const struct table *table, int number, void *cells)
{
    const struct rank_system *system = &((const struct rank *)table->context)->system[number];
    TABLE_FITS(struct rank_row);
    struct rank_row *row = cells;
    *row = (struct rank_row){.system = *system,
                             .place = NAN,
                             .processes = NAN,
                             .time = NAN,
                             .lmax = NAN,
                             .host = "",
                             .nodes = "",
                             .mpi = "",
                             .cpu = ""};
    if (!system->first)
        return;
    const struct protocol *p = &system->first->protocol;
    *row = (struct rank_row){.system = *system,
                             .place = system->eligible ? (double)number + 1 : (double)NAN,
                             .processes = protocol_number(p, "processes"),
                             .time = protocol_number(p, "time_s"),
                             .lmax = protocol_number(p, "lmax"),
                             .host = report_meta(system->first, "host"),
                             .nodes = report_meta(system->first, "nodes"),
                             .mpi = report_meta(system->first, "mpi"),
                             .cpu = report_meta(system->first, "cpu")};
}

/* The text output has three tables, each of which fits on a screen. JSON and CSV have one table with all
 * columns. */
enum { RANK_RATING = 1, RANK_OTHERS = 2, RANK_MACHINES = 4, RANK_ALL = 7 };

struct rank_table {
    struct table table; /* named "systems" */
    struct table_column columns[RANK_FIGURES + 16];
    int part; /* RANK_RATING, RANK_OTHERS, RANK_MACHINES or RANK_ALL */
};

static void add_column(struct rank_table *t, int parts, const char *name, const char *unit,
                       enum cell_kind kind, size_t offset)
{
    if (t->part & parts)
        t->columns[t->table.column_count++] = (struct table_column){name, unit, kind, 3, offset};
}

static const char *unit_of(const struct report *run, const char *name)
{
    const struct sheet_value *value = sheet_find(run->sheet, name);
    return value ? value->unit : "";
}

#define CELL(member) offsetof(struct rank_row, member)

static struct table make_table(struct rank_table *t, const struct rank *rank, int part)
{
    static const char *const titles[] = {
        [RANK_RATING] = "Systems by rating: median of the runs, and interval of at least 95 % (low, high)",
        [RANK_OTHERS] = "Other figures: medians of the runs",
        [RANK_MACHINES] = "Machines",
        [RANK_ALL] = ""};
    const struct report *first = rank->system[0].first; /* NULL: no system has runs */
    const char *const *ranked = first ? first->row->ranked : NULL;
    *t = (struct rank_table){.table = {.name = "systems",
                                       .columns = t->columns,
                                       .rows = (int)rank->count,
                                       .fill = fill_system,
                                       .context = rank},
                             .part = part};
    snprintf(t->table.title, sizeof t->table.title, "%s", titles[part]);
    add_column(t, RANK_ALL, "rank", "", CELL_INTEGER, CELL(place));
    add_column(t, RANK_ALL, "system", "", CELL_NAME, CELL(system.name));
    add_column(t, RANK_MACHINES, "host", "", CELL_TEXT, CELL(host));
    add_column(t, RANK_MACHINES, "nodes", "", CELL_TEXT, CELL(nodes));
    add_column(t, RANK_MACHINES, "processes", "", CELL_INTEGER, CELL(processes));
    add_column(t, RANK_MACHINES, "lmax", "B", CELL_INTEGER, CELL(lmax));
    if (differ(rank, "time_s"))
        add_column(t, RANK_RATING, "time", "s", CELL_INTEGER, CELL(time));
    add_column(t, RANK_RATING, "submitted", "", CELL_COUNT, CELL(system.submitted));
    add_column(t, RANK_RATING, "valid", "", CELL_COUNT, CELL(system.valid));
    add_column(t, RANK_RATING, "used", "", CELL_COUNT, CELL(system.used));
    for (size_t k = 0; ranked && k < RANK_FIGURES && ranked[k]; k++) {
        add_column(t, k ? RANK_OTHERS : RANK_RATING, ranked[k], unit_of(first, ranked[k]), CELL_REAL,
                   CELL(system.figure) + k * sizeof(double));
        if (k == 0) {
            add_column(t, RANK_RATING, "low", unit_of(first, ranked[0]), CELL_REAL, CELL(system.low));
            add_column(t, RANK_RATING, "high", unit_of(first, ranked[0]), CELL_REAL, CELL(system.high));
        }
    }
    add_column(t, RANK_RATING, "noise", "%", CELL_REAL, CELL(system.noise));
    if (*rank->system[0].rule || *rank->system[rank->count - 1].rule)
        add_column(t, RANK_RATING, "rule", "", CELL_TEXT, CELL(system.rule));
    add_column(t, RANK_MACHINES, "mpi", "", CELL_TEXT, CELL(mpi));
    add_column(t, RANK_MACHINES, "cpu", "", CELL_TEXT, CELL(cpu));
    return t->table;
}

/* ---- the command ---- */

static enum report_status rank_command(const struct report_settings *settings)
{
    struct rank rank;
    struct rank_table made[3];
    rank_make(&rank, settings);
    bool text = settings->format == FORMAT_TEXT, used = rank.system[0].first;
    const struct table tables[] = {make_table(&made[0], &rank, text ? RANK_RATING : RANK_ALL),
                                   make_table(&made[1], &rank, RANK_OTHERS),
                                   make_table(&made[2], &rank, RANK_MACHINES)};
    enum report_status status = REPORT_FINE;
    for (size_t s = 0; s < rank.count && status != REPORT_REFUSED; s++)
        status = !rank.system[s].eligible ? REPORT_REFUSED : rank.system[s].passed ? status : REPORT_DIFFERS;
    status = output_put(
        &(struct output){
            .runs = &rank.runs, .status = status, .tables = tables, .table_count = text && used ? 3 : 1},
        settings->format);
    rank_free(&rank);
    return status;
}

static const struct option_row rows[] = {REPORT_FORMAT,
                                         {"label", OPTION_TEXT, REPORT_FIELD(label), "NAME",
                                          "name of the system; give it before or among the system's runs"},
                                         {"require", OPTION_INTEGER, REPORT_FIELD(require), "N",
                                          "minimum number of VALID runs of each system", .max = 1000},
                                         {"at-least", OPTION_REAL, REPORT_FIELD(at_least), "MB/s",
                                          "minimum for the lower end of each system's interval", .max = 1e15},
                                         REPORT_INVALID,
                                         REPORT_HELP};

static const char notes[] =
    "Give several runs of each system, with -- between the systems. Without --, each run is a system of its\n"
    "own; `rank -- RUN...` treats all runs as one system. A system is named by --label, by the directory of\n"
    "its runs, or, if several systems share a directory, by the common prefix of the names of its runs. The\n"
    "tables have the medians of the runs that are used. With 6 or more runs, low and high are the ends of\n"
    "an interval of at least 95 % for the median of the rating, computed from the ranks of the runs (sign\n"
    "test). Notes name the neighbours in the table whose intervals overlap.\n\n"
    "A system is not eligible, and is listed last, if none of its runs is used, if it has fewer VALID runs\n"
    "than --require, or if --at-least is given and there is no interval. Systems that share a run (one is a\n"
    "copy) are disputed and listed last, because the records do not show which system made the run. With\n"
    "--require or --at-least, notes name the runs that were made with --memory or --max-loops, or less than\n"
    "an hour after another run of the system. The seed, the time limit and the number of processes that a\n"
    "call for tenders demands are not checked.\n\n" REPORT_SKIPPED
    "A run is also skipped if it has data errors, if another run of its system was running on the same\n"
    "host, if its definition differs from the definition of most runs, or if it differs from the first run\n"
    "of its system in processor, nodes, processes, MPI or anything else that determines the result\n"
    "(beff_io: time, partitions, path, storage, hints in force). Runs of imb_compat have no rating.\n\n"
    "Exit status: 0 all systems pass; 1 a system fails --at-least; 2 usage; 3 a system is not eligible,\nor "
    "disputed.\n";

REPORT_COMMAND(rank, "[OPTION]... RUN... [-- RUN...]...",
               "list systems by their rating, from several runs of each", .sides = REPORT_MAX_SIDES);
