/* rank: systems side by side, as text and data. */
#include "report/rank.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "report/pictures.h"

/* ---- which runs compare ---- */

bool rank_is_of(const struct rank *rank, const struct report *run, const struct rank_system *system)
{
    return rank->of[run - rank->runs.run] == system->number;
}

/* Whether systems differ in these metadata, which distinguish systems. */
static bool differ(const struct rank *rank, const char *key)
{
    const struct report *first = rank->count ? rank->system[0].first : NULL;
    const char *const *own = first ? first->row->system : NULL;
    while (own && *own && strcmp(*own, key) != 0)
        own++;
    for (size_t s = 1; own && *own && s < rank->count; s++)
        if (strcmp(report_meta(rank->system[s].first, key), report_meta(first, key)) != 0)
            return true;
    return false;
}

#define LEAVE_OUT(ranked, number, ...)                                                                       \
    ((ranked)->of[number] = RANK_LEFT_OUT,                                                                   \
     grouped_add(&(ranked)->runs.left_out, report_name(&(ranked)->runs.run[number]), __VA_ARGS__))

/* Runs without a rating or with data errors, and those of another definition than most. */
static void check_runs(struct rank *rank)
{
    const struct runs *all = &rank->runs;
    size_t common = 0, like_common = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t like = 0;
        for (size_t j = 0; j < all->count; j++)
            like += !runs_other_definition(&all->run[i], &all->run[j]);
        common = like > like_common ? i : common;
        like_common = like > like_common ? like : like_common;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct report *run = &all->run[i];
        const char *name = run->row->ranked ? run->row->ranked[0] : NULL,
                   *key = runs_other_definition(&all->run[common], run);
        const struct sheet_value *rating = name ? sheet_find(run->sheet, name) : NULL;
        if (!name)
            LEAVE_OUT(rank, i, "%s rates nothing", run->engine->program);
        else if (run->sheet->errors)
            LEAVE_OUT(rank, i, "data errors: %lld", (long long)run->sheet->errors);
        else if (!rating || isnan(rating->value))
            LEAVE_OUT(rank, i, "has no %s", name);
        else if (key)
            LEAVE_OUT(rank, i, "does not compare: %s differs, %.60s here, %.60s in most runs", key,
                      report_meta(run, key), report_meta(&all->run[common], key));
    }
}

/* Runs of one host with as many processes that were measured at the same time disturbed one another. */
static void check_overlaps(struct rank *rank)
{
    const struct report *runs = rank->runs.run;
    for (size_t n = 1; n < rank->runs.count; n++) {
        size_t i = rank->runs.order[n];
        for (size_t k = 0; k < n && rank->of[i] != RANK_LEFT_OUT; k++) {
            const struct report *before = &runs[rank->runs.order[k]];
            if (rank->of[rank->runs.order[k]] != RANK_LEFT_OUT &&
                strcmp(report_meta(before, "host"), report_meta(&runs[i], "host")) == 0 &&
                strcmp(report_meta(before, "processes"), report_meta(&runs[i], "processes")) == 0 &&
                report_time(&runs[i], "started") < report_time(before, "finished"))
                LEAVE_OUT(
                    rank, i, "was started at %.40s, before %s finished at %.40s: they disturbed one another",
                    report_meta(&runs[i], "started"), report_name(before), report_meta(before, "finished"));
        }
    }
}

/* ---- systems ---- */

/* The metadata in which they are of several systems; NULL: they are of one. */
static const char *other_system(const struct rank *rank, const struct report *a, const struct report *b)
{
    return strcmp(report_meta(a, "mpi"), report_meta(b, "mpi")) != 0
               ? "mpi"
               : runs_other_system(a, b, rank->any_host);
}

/* Puts a run where it belongs: to the system of its side, or of its metadata. */
static void place_run(struct rank *rank, const struct report_settings *settings, size_t i)
{
    const struct report *run = &rank->runs.run[i];
    const char *key = NULL;
    size_t s = 0;
    if (settings->sides > 1) {
        while (rank->runs.given[i] >= settings->side[s].end)
            s++;
        key = rank->system[s].first ? other_system(rank, rank->system[s].first, run) : NULL;
    } else {
        while (s < rank->count && other_system(rank, rank->system[s].first, run))
            s++;
        rank->count += s == rank->count;
    }
    struct rank_system *system = &rank->system[s];
    if (key) {
        LEAVE_OUT(rank, i, "not of the system of %s: %s is %.60s there, %.60s here",
                  report_name(system->first), key, report_meta(system->first, key), report_meta(run, key));
        return;
    }
    if (!system->first)
        *system = (struct rank_system){.first = run, .low = NAN, .high = NAN, .number = s};
    rank->of[i] = s;
    system->runs++;
    system->valid += sheet_valid(run->sheet);
}

/* A side of which no run is left is named as left out, too, and refuses the order of all. */
static void drop_empty(struct rank *rank, const struct report_settings *settings)
{
    size_t kept = 0;
    for (size_t s = 0; s < rank->count; s++) {
        const struct report_side *side = &settings->side[s];
        size_t start = settings->sides > 1 && s ? side[-1].end : 0;
        if (rank->system[s].first)
            rank->system[kept++] = rank->system[s];
        else
            grouped_add(&rank->runs.left_out, NULL, "%s%s: no run is left (%zu given), for the reasons above",
                        side->label ? "" : "the system of ",
                        side->label ? side->label : settings->runs.text[start], side->end - start);
    }
    rank->incomplete = !kept || kept < rank->count;
    rank->count = kept;
}

/* What the names of its runs have in common, where it has no label: "bid-a" of bid-a/1 and bid-a/2. */
static void name_system(const struct rank *rank, struct rank_system *system, const char *label)
{
    const char *name = label ? label : report_name(system->first);
    size_t length = strlen(name);
    for (size_t i = 0; i < rank->runs.count && !label; i++) {
        const char *other = report_name(&rank->runs.run[i]);
        for (size_t k = 0; k < length && rank->of[i] == system->number; k++)
            if (name[k] != other[k])
                length = k;
    }
    while (length > 0 && !label &&
           (system->runs > 1 ? strchr("0123456789/-_. ", name[length - 1]) != NULL : name[length - 1] == '/'))
        length--;
    int room = sizeof system->name - 1, cut = room - 3;
    if (!length)
        snprintf(system->name, sizeof system->name, "%s", report_meta(system->first, "host"));
    else if (length <= (size_t)room)
        snprintf(system->name, sizeof system->name, "%.*s", (int)length, name);
    else if (label) /* a path differs from others at its end */
        snprintf(system->name, sizeof system->name, "%.*s...", cut, name);
    else
        snprintf(system->name, sizeof system->name, "...%.*s", cut, name + length - cut);
}

static const char *label_of(const struct rank_system *system, const struct report_settings *settings)
{
    return settings->side[settings->sides > 1 ? system->number : 0].label;
}

/* A name without what stands before its last part, if it is a path. */
static const char *last_part(const struct rank_system *system, const struct report_settings *settings)
{
    const char *slash = label_of(system, settings) ? NULL : strrchr(system->name, '/');
    return slash ? slash + 1 : system->name;
}

/* Of names that are paths the last part alone, where all systems then still have names of their own. */
static void shorten_names(struct rank *rank, const struct report_settings *settings)
{
    for (size_t s = 0; s < rank->count; s++)
        for (size_t k = 0; k < s; k++)
            if (strcmp(last_part(&rank->system[s], settings), last_part(&rank->system[k], settings)) == 0)
                return;
    for (size_t s = 0; s < rank->count; s++) {
        const char *last = last_part(&rank->system[s], settings);
        memmove(rank->system[s].name, last, strlen(last) + 1);
    }
}

/* The values of its runs that have one; returns how many. */
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

/* Medians of a system, and of the rating the interval. */
static void add_figures(struct rank *rank, struct rank_system *system, double *values)
{
    const char *const *ranked = system->first->row->ranked;
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

static int better_first(const void *a, const void *b)
{
    double left = ((const struct rank_system *)a)->figure[0],
           right = ((const struct rank_system *)b)->figure[0];
    return (left < right) - (left > right);
}

/* ---- what is said of them ---- */

/* Of what time a system's median and interval are. */
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
    if (median_rank((size_t)system->runs, &level))
        snprintf(interval, sizeof interval, "%.1f %% interval %.4g to %.4g", 100 * level, system->low,
                 system->high);
    grouped_add(
        &rank->runs.notes, system->name,
        "%" PRId64
        " run%s, started from %s to %s: median %s %.4g MB/s, %s (a 95 %% interval needs 6 runs, 99 %% "
        "needs 8)",
        system->runs, PLURAL(system->runs), from, to, system->first->row->ranked[0], system->figure[0],
        interval);
}

/* Bytes of a path before its last part, without the slash. */
static size_t parent_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* Runs of one system, not separated by --, that may be those of several: other hosts, or other directories.
 */
static void note_pooled(struct rank *rank, const struct rank_system *system)
{
    const char *first = report_name(system->first), *other = NULL;
    bool hosts = false;
    for (size_t i = 0; i < rank->runs.count && !hosts; i++) {
        const struct report *run = &rank->runs.run[i];
        const char *name = report_name(run);
        size_t length = parent_length(name);
        if (!rank_is_of(rank, run, system))
            continue;
        hosts = strcmp(report_meta(run, "host"), report_meta(system->first, "host")) != 0;
        if (hosts || length != parent_length(first) || strncmp(name, first, length) != 0)
            other = name;
    }
    if (other)
        grouped_add(
            &rank->runs.notes, system->name,
            "runs of several %s are taken for one system (%s and %s, for example): -- separates systems",
            hosts ? "hosts" : "directories", first, other);
}

/* Neighbours in the table whose intervals do not distinguish them. */
static void add_notes(struct rank *rank)
{
    for (size_t i = 1; i < rank->count; i++) {
        const struct rank_system *a = &rank->system[i - 1], *b = &rank->system[i];
        if (isnan(a->low) || isnan(b->low))
            grouped_add(&rank->runs.notes, NULL,
                        "ranks %zu and %zu cannot be distinguished: an interval is missing", i, i + 1);
        else if (!(a->low > b->high))
            grouped_add(&rank->runs.notes, NULL,
                        "ranks %zu and %zu are statistically tied: their intervals overlap", i, i + 1);
    }
    static const char *const differences[][2] = {
        {"processes", "the numbers of processes differ: the ratings are of systems of different size"},
        {"time_s", "the scheduled times differ, and b_eff_io depends on the scheduled time"}};
    for (size_t k = 0; k < sizeof differences / sizeof differences[0]; k++)
        if (differ(rank, differences[k][0]))
            grouped_add(&rank->runs.notes, NULL, "%s", differences[k][1]);
}

static int make_systems(struct rank *rank, const struct report_settings *settings)
{
    const struct runs *all = &rank->runs;
    double *values = calloc(all->count + 1, sizeof *values);
    rank->system = calloc(all->count + REPORT_MAX_SIDES, sizeof *rank->system);
    if (!rank->system || !values) {
        free(values);
        return -1;
    }
    rank->count = settings->sides > 1 ? (size_t)settings->sides : 0;
    for (size_t i = 0; i < all->count; i++)
        if (rank->of[i] != RANK_LEFT_OUT)
            place_run(rank, settings, i);
    drop_empty(rank, settings);
    for (size_t s = 0; s < rank->count; s++) {
        name_system(rank, &rank->system[s], label_of(&rank->system[s], settings));
        finding_clean(rank->system[s].name);
        add_figures(rank, &rank->system[s], values);
    }
    free(values);
    shorten_names(rank, settings);
    qsort(rank->system, rank->count, sizeof *rank->system, better_first);
    for (size_t s = 0; s < rank->count; s++) {
        if (settings->sides == 1)
            note_pooled(rank, &rank->system[s]);
        add_period(rank, &rank->system[s]);
    }
    add_notes(rank);
    return 0;
}

int rank_make(struct rank *rank, const struct report_settings *settings, struct message *error)
{
    *rank = (struct rank){.any_host = settings->any_host};
    if (runs_load(&rank->runs, settings, settings->runs.count, error))
        return -1;
    rank->of = calloc(rank->runs.count + 1, sizeof *rank->of);
    int failed = !rank->of;
    if (!failed) {
        check_runs(rank);
        check_overlaps(rank);
        failed = make_systems(rank, settings);
    }
    if (failed) {
        rank_free(rank);
        return message_set(error, "out of memory");
    }
    return 0;
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
    const struct protocol *p = &system->first->protocol;
    *(struct rank_row *)cells = (struct rank_row){.system = *system,
                                                  .place = number + 1,
                                                  .processes = protocol_number(p, "processes"),
                                                  .time = protocol_number(p, "time_s"),
                                                  .lmax = protocol_number(p, "lmax"),
                                                  .host = report_meta(system->first, "host"),
                                                  .nodes = report_meta(system->first, "nodes"),
                                                  .mpi = report_meta(system->first, "mpi"),
                                                  .cpu = report_meta(system->first, "cpu")};
}

/* What is printed as text is three tables, of which each fits on a screen; all columns are one for programs.
 */
enum { RANK_RATING = 1, RANK_OTHERS = 2, RANK_MACHINES = 4, RANK_ALL = 7 };

struct rank_table {
    struct table table; /* "systems" */
    struct table_column columns[RANK_FIGURES + 16];
    int part;
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
        [RANK_RATING] = "Systems by rating: median of their runs; low to high: its interval, at least 95 %",
        [RANK_OTHERS] = "Other figures: medians of the runs",
        [RANK_MACHINES] = "Machines",
        [RANK_ALL] = ""};
    const struct report *first = rank->count ? rank->system[0].first : NULL;
    const char *const *ranked = first ? first->row->ranked : NULL;
    *t = (struct rank_table){.table = {.name = "systems",
                                       .columns = t->columns,
                                       .rows = (int)rank->count,
                                       .fill = fill_system,
                                       .context = rank},
                             .part = part};
    snprintf(t->table.title, sizeof t->table.title, "%s", titles[part]);
    add_column(t, RANK_ALL, "rank", "", CELL_INTEGER, CELL(place));
    add_column(t, RANK_RATING | RANK_OTHERS, "system", "", CELL_NAME, CELL(system.name));
    add_column(t, RANK_MACHINES, "host", "", CELL_TEXT, CELL(host));
    add_column(t, RANK_RATING, "nodes", "", CELL_TEXT, CELL(nodes));
    add_column(t, RANK_RATING, "processes", "", CELL_INTEGER, CELL(processes));
    add_column(t, RANK_MACHINES, "lmax", "B", CELL_INTEGER, CELL(lmax));
    if (differ(rank, "time_s"))
        add_column(t, RANK_RATING, "time", "s", CELL_INTEGER, CELL(time));
    add_column(t, RANK_RATING, "runs", "", CELL_COUNT, CELL(system.runs));
    add_column(t, RANK_RATING, "valid", "", CELL_COUNT, CELL(system.valid));
    for (size_t k = 0; ranked && k < RANK_FIGURES && ranked[k]; k++) {
        add_column(t, k ? RANK_OTHERS : RANK_RATING, ranked[k], unit_of(first, ranked[k]), CELL_REAL,
                   CELL(system.figure) + k * sizeof(double));
        if (k == 0) {
            add_column(t, RANK_RATING, "low", unit_of(first, ranked[0]), CELL_REAL, CELL(system.low));
            add_column(t, RANK_RATING, "high", unit_of(first, ranked[0]), CELL_REAL, CELL(system.high));
        }
    }
    add_column(t, RANK_RATING, "perturbed", "%", CELL_INTEGER, CELL(system.noise));
    add_column(t, RANK_MACHINES, "mpi", "", CELL_TEXT, CELL(mpi));
    add_column(t, RANK_MACHINES, "cpu", "", CELL_TEXT, CELL(cpu));
    return t->table;
}

/* ---- the command ---- */

static enum report_status rank_command(const struct report_settings *settings)
{
    struct rank rank;
    struct rank_table made[3];
    struct message error;
    if (rank_make(&rank, settings, &error))
        return report_refuse(&error);
    bool text = settings->format == FORMAT_TEXT;
    const struct table tables[] = {make_table(&made[0], &rank, text ? RANK_RATING : RANK_ALL),
                                   make_table(&made[1], &rank, RANK_OTHERS),
                                   make_table(&made[2], &rank, RANK_MACHINES)};
    enum report_status status =
        output_put(&(struct output){.runs = &rank.runs,
                                    .status = rank.incomplete ? REPORT_REFUSED : REPORT_FINE,
                                    .tables = tables,
                                    .table_count = text ? 3 : 1},
                   settings->format);
    if (settings->plots && rank.count && plot_rank(&rank, settings, &error))
        status = report_refuse(&error);
    rank_free(&rank);
    return status;
}

static const struct option_row rows[] = {
    REPORT_FORMAT,
    {"label", OPTION_TEXT, REPORT_FIELD(label), "NAME",
     "name of the system; before or among the runs of each side of a --"},
    REPORT_ANY_HOST,
    REPORT_INVALID,
    REPORT_PLOTS("write a plot of the systems there (SVG)"),
    REPORT_LOOKS,
    REPORT_HELP};

static const char notes[] =
    "RUN... -- RUN...: several runs of each system, with -- between the systems. Without --, runs are of\n"
    "one system if they agree in processor, nodes, processes, hosts (not with --any-host), MPI, and what\n"
    "else comparing needs: for beff_io also time, partitions, path, storage and hints in force; a note says\n"
    "which runs of several directories or hosts were taken for one system. The tables have medians of a\n"
    "system's runs; low and high are an interval of at least 95 % of the rating's median, from the ranks of\n"
    "its runs (sign test), from 6 runs on. A note says which neighbours have intervals that "
    "overlap.\n\n" REPORT_LEFT_OUT
    "Also left out: a run with data errors, one measured while another was running on the same host, one of\n"
    "another definition than most, or of another system than the others between its --, and a system of\n"
    "which no run is left. imb_compat rates nothing.\n\n"
    "Exit status: 0; 2 usage; 3 no run of a system is left (the others are still ranked), or none at all.\n";

REPORT_COMMAND(rank, "[OPTION]... RUN... [-- RUN...]...",
               "list systems by their rating, from several runs of each", .sides = REPORT_MAX_SIDES);
