/* Implements the command rank: lists sides by the medians of their ratings. */
#include "report/rank.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/inference.h"
#include "common/memory.h"
#include "common/stats.h"
#include "report/sessions.h"

/* ---- figures ---- */

/* Returns the number of paths that exist, so that a mistyped path does not count as a run. */
static int64_t count_existing(const struct texts *paths)
{
    int64_t count = 0;
    for (size_t i = 0; i < paths->count; i++)
        count += access(paths->text[i], F_OK) == 0;
    return count;
}

/* Returns the value number `k` of those with SHEET_RANKED; NULL if there are fewer. */
static const struct sheet_value *ranked_value(const struct sheet *sheet, int k)
{
    for (int i = 0; i < sheet->value_count; i++)
        if (sheet->values[i].uses & SHEET_RANKED && k-- == 0)
            return &sheet->values[i];
    return NULL;
}

/* Copies a value of the runs of a side to `values`. Returns the number of values. */
static size_t values_of(const struct rank *rank, const struct side *side, const char *name, double *values)
{
    size_t n = 0;
    for (size_t i = side->first; i < side->end; i++) {
        const struct sheet_value *value = sheet_find(rank->sides.run[i].report.sheet, name);
        if (value && !isnan(value->value))
            values[n++] = value->value;
    }
    return n;
}

/* Computes the medians of a side and the interval of its rating, unless runs cannot be compared. `values` has
 * room for all runs. */
static void add_figures(const struct rank *rank, struct ranked *ranked, double *values)
{
    const struct side *side = ranked->side;
    bool known = side->first < side->end && !rank->refused;
    const struct sheet *sheet = known ? rank->sides.run[side->first].report.sheet : NULL;
    for (int k = 0; k < RANK_FIGURES; k++) {
        const struct sheet_value *value = sheet ? ranked_value(sheet, k) : NULL;
        ranked->figure[k] =
            value ? stats_median(values, values_of(rank, side, value->name, values)) : (double)NAN;
    }
    ranked->rating = ranked->low = ranked->high = NAN;
    if (!sheet)
        return;
    double level;
    size_t n = values_of(rank, side, sheet->headline_name, values), k = median_rank(n, &level);
    ranked->rating = stats_median(values, n);
    stats_sort(values, n);
    if (k) {
        ranked->low = values[k - 1];
        ranked->high = values[n - k];
    }
}

/* ---- rules and order ---- */

static bool is_ruled(const struct report_settings *settings)
{
    return settings->require > 0 || settings->median > 0 || settings->at_least > 0;
}

/* Judges whether a side has enough runs, and whether its median and the lower end of its interval are high
 * enough. Adds the reason if the side is not eligible. */
static void judge(struct rank *rank, struct ranked *ranked, const struct report_settings *settings)
{
    struct grouped *reasons = &rank->sides.reasons, *list = reasons;
    int64_t runs = ranked->valid < ranked->used ? ranked->valid : ranked->used;
    const char *label = ranked->side->label;
    bool ruled = is_ruled(settings);
    if (!ruled)
        list = &rank->sides.notes;
    if (!ranked->used)
        grouped_add(list, NULL, "%s has no usable run (status 3)", label);
    else if (runs < settings->require)
        grouped_add(list, NULL, "%s is not eligible: %lld VALID run%s, fewer than --require %lld", label,
                    (long long)runs, TEXT_S(runs), (long long)settings->require);
    else if (settings->at_least > 0 && isnan(ranked->low))
        grouped_add(
            list, NULL,
            "%s is not eligible: --at-least needs an interval, and an interval needs 6 runs (used: %lld)",
            label, (long long)ranked->used);
    else
        ranked->eligible = true;
    ranked->passed =
        ranked->eligible && !(ranked->low < settings->at_least) && !(ranked->rating < settings->median);
    ranked->rule = !ruled ? "" : !ranked->eligible ? "not eligible" : ranked->passed ? "pass" : "FAIL";
}

/* Orders sides by rating, best first. Sides that are not eligible come last. */
static int better_first(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    double x = left->used ? left->rating : 0, y = right->used ? right->rating : 0;
    if (left->eligible != right->eligible || x != y)
        return left->eligible != right->eligible ? right->eligible - left->eligible : x < y ? 1 : -1;
    return left->side < right->side ? -1 : 1;
}

/* An eligible side and the next one. */
struct neighbours {
    struct basis basis;
    double *ratios; /* of the first to the second side, sorted */
    size_t count;
};

/* Notes that two neighbours are not distinguished, if they are not. `level` is that of the interval. */
static void note_neighbours(struct rank *rank, size_t i, const struct neighbours *n, bool marked,
                            double level)
{
    const struct basis *b = &n->basis;
    struct ratio ratio = basis_interval(b, n->ratios, n->count, level);
    if (isnan(ratio.low))
        grouped_add(&rank->sides.notes, NULL,
                    "ranks %zu and %zu are not distinguished at 95 %%: too few %s (%zu and %zu)", i + 1,
                    i + 2, b->by_session ? "sessions" : "runs", b->count[1], b->count[0]);
    else if (!marked || (ratio.low <= 1 && ratio.high >= 1))
        grouped_add(&rank->sides.notes, NULL,
                    "ranks %zu and %zu are not distinguished at 95 %% (ratio %.3g to %.3g%s)", i + 1, i + 2,
                    ratio.low, ratio.high, b->allowance > 0 ? ", with --between-sessions" : "");
}

/* Compares each eligible side with the next one, as compare does, with the correction of Holm. `session` is
 * from sessions_find(); `even` if two sides alternate. */
static void compare_neighbours(struct rank *rank, const size_t *session, bool even, double between)
{
    const struct sides *sides = &rank->sides;
    struct neighbours *pair = memory_new(sides->sides, sizeof *pair, "the ranking");
    double *chance = memory_new(sides->sides, sizeof *chance, "the ranking"),
           *values = memory_new(sides->count, sizeof *values, "the ranking");
    bool *marks = memory_new(sides->sides, sizeof *marks, "the ranking");
    size_t pairs = 0;
    for (size_t i = 0; i < sides->count; i++)
        values[i] = sides_rating(&sides->run[i])->value;
    for (; pairs + 1 < sides->sides && rank->ranked[pairs + 1].eligible; pairs++) {
        struct basis *b = &pair[pairs].basis;
        b->session = session;
        basis_make(b, rank->ranked[pairs + 1].side, rank->ranked[pairs].side, even, between, NORMAL_95);
        double *taken = basis_take(b, values);
        pair[pairs].ratios = basis_ratios(b, taken, &pair[pairs].count);
        chance[pairs] = b->chances ? ratio_chance(pair[pairs].ratios, pair[pairs].count, 1, b->chances) : 1;
        free(taken);
    }
    size_t rest = pairs - chances_holm(chance, pairs, marks);
    for (size_t i = 0; i < pairs; i++) {
        note_neighbours(rank, i, &pair[i], marks[i], 1 - (1 - INTERVAL_LEVEL) / (double)(rest ? rest : 1));
        free(pair[i].ratios);
        free(pair[i].basis.chances);
    }
    free(pair);
    free(chance);
    free(values);
    free(marks);
}

void rank_make(struct rank *rank, const struct report_settings *settings)
{
    struct report_settings own = *settings;
    own.apart = !settings->separated;
    *rank = (struct rank){0};
    struct sides *sides = &rank->sides;
    sides_load(sides, &own, true);
    sides_check(sides, &own, false);
    rank->refused = sides->reasons.count;
    double *values = memory_new(2 * sides->count, sizeof *values, "the ranking");
    size_t *session = memory_new(sides->count, sizeof *session, "the ranking");
    bool even = sessions_find(sides, session);
    rank->ranked = memory_new(sides->sides, sizeof *rank->ranked, "the ranking");
    for (size_t s = 0; s < sides->sides; s++) {
        const struct side *side = &sides->side[s];
        struct ranked *ranked = &rank->ranked[s];
        *ranked = (struct ranked){.side = side,
                                  .submitted = count_existing(&side->paths),
                                  .used = (int64_t)(side->end - side->first),
                                  .rule = ""};
        for (size_t i = side->first; i < side->end; i++)
            ranked->valid += sheet_valid(sides->run[i].report.sheet);
        ranked->sessions = (int64_t)sessions_medians(side, session, values, values + sides->count);
        add_figures(rank, ranked, values);
        if (!rank->refused)
            judge(rank, ranked, settings);
    }
    free(values);
    if (!rank->refused) {
        qsort(rank->ranked, sides->sides, sizeof *rank->ranked, better_first);
        compare_neighbours(rank, session, even, settings->between);
    }
    free(session);
}

void rank_free(struct rank *rank)
{
    free(rank->ranked);
    sides_free(&rank->sides);
    *rank = (struct rank){0};
}

/* ---- the table ---- */

struct rank_row {
    struct ranked ranked;
    int64_t place, processes;
    double time;
    const char *label, *host, *nodes, *mpi, *cpu;
};

static void fill_side(const struct table *table, int number, void *cells)
{
    const struct rank *rank = table->context;
    const struct ranked *ranked = &rank->ranked[number];
    TABLE_FITS(struct rank_row);
    struct rank_row *row = cells;
    *row = (struct rank_row){.ranked = *ranked,
                             .place = ranked->eligible ? number + 1 : -1,
                             .processes = -1,
                             .time = NAN,
                             .label = ranked->side->label,
                             .host = "",
                             .nodes = "",
                             .mpi = "",
                             .cpu = ""};
    if (!ranked->used)
        return;
    const struct report *first = &rank->sides.run[ranked->side->first].report;
    protocol_integer(&first->protocol, "processes", 1, INT64_MAX, &row->processes);
    row->time = protocol_number(&first->protocol, "time_s");
    row->host = report_meta(first, "host");
    row->nodes = report_meta(first, "nodes");
    row->mpi = report_meta(first, "mpi");
    row->cpu = report_meta(first, "cpu");
}

/* The text output has three tables, each of which fits on a screen. JSON and CSV have one table with all
 * columns. */
enum { RANK_RATING = 1, RANK_OTHERS = 2, RANK_MACHINES = 4, RANK_ALL = 7 };

struct rank_table {
    struct table table; /* named "sides" */
    struct column columns[RANK_FIGURES + 16];
    int part; /* RANK_RATING, RANK_OTHERS, RANK_MACHINES or RANK_ALL */
};

static void add_column(struct rank_table *t, int parts, struct column column)
{
    if (t->part & parts)
        t->columns[t->table.column_count++] = column;
}

#define CELL(member) offsetof(struct rank_row, member)

static struct table make_table(struct rank_table *t, const struct rank *rank, int part, bool ruled)
{
    static const char *const titles[] = {
        [RANK_RATING] = "Sides by rating: median of the runs, and interval of at least 95 % (low, high)",
        [RANK_OTHERS] = "Other figures: medians of the runs",
        [RANK_MACHINES] = "Machines",
        [RANK_ALL] = ""};
    const struct sheet *sheet = rank->sides.count ? rank->sides.run[0].report.sheet : NULL;
    const struct sheet_value *value;
    *t = (struct rank_table){.table = {.name = "sides",
                                       .columns = t->columns,
                                       .rows = (int)rank->sides.sides,
                                       .fill = fill_side,
                                       .context = rank},
                             .part = part};
    snprintf(t->table.title, sizeof t->table.title, "%s", titles[part]);
    add_column(t, RANK_ALL, (struct column){"rank", "", COLUMN_INTEGER, 0, CELL(place)});
    add_column(t, RANK_ALL, (struct column){"side", "", COLUMN_TEXT, 0, CELL(label)});
    add_column(t, RANK_RATING, (struct column){"submitted", "", COLUMN_INTEGER, 0, CELL(ranked.submitted)});
    add_column(t, RANK_RATING, (struct column){"valid", "", COLUMN_INTEGER, 0, CELL(ranked.valid)});
    add_column(t, RANK_RATING, (struct column){"used", "", COLUMN_INTEGER, 0, CELL(ranked.used)});
    add_column(t, RANK_RATING, (struct column){"sessions", "", COLUMN_INTEGER, 0, CELL(ranked.sessions)});
    for (int k = 0; sheet && k < RANK_FIGURES && (value = ranked_value(sheet, k)); k++) {
        bool rating = sheet_rates(sheet, value->name);
        add_column(t, rating ? RANK_RATING : RANK_OTHERS,
                   (struct column){value->name, value->unit, COLUMN_REAL, 3,
                                   CELL(ranked.figure) + (size_t)k * sizeof(double)});
        if (rating) {
            add_column(t, RANK_RATING, (struct column){"low", value->unit, COLUMN_REAL, 3, CELL(ranked.low)});
            add_column(t, RANK_RATING,
                       (struct column){"high", value->unit, COLUMN_REAL, 3, CELL(ranked.high)});
        }
    }
    if (ruled)
        add_column(t, RANK_RATING, (struct column){"rule", "", COLUMN_TEXT, 0, CELL(ranked.rule)});
    add_column(t, RANK_MACHINES, (struct column){"host", "", COLUMN_TEXT, 0, CELL(host)});
    add_column(t, RANK_MACHINES, (struct column){"nodes", "", COLUMN_TEXT, 0, CELL(nodes)});
    add_column(t, RANK_MACHINES, (struct column){"processes", "", COLUMN_INTEGER, 0, CELL(processes)});
    add_column(t, RANK_MACHINES, (struct column){"time", "s", COLUMN_REAL, 0, CELL(time)});
    add_column(t, RANK_MACHINES, (struct column){"mpi", "", COLUMN_TEXT, 0, CELL(mpi)});
    add_column(t, RANK_MACHINES, (struct column){"cpu", "", COLUMN_TEXT, 0, CELL(cpu)});
    return t->table;
}

/* ---- the command ---- */

/* Returns 3 if the sides cannot be ranked, or a rule was given and a side is not eligible, or no side has a
 * usable run; otherwise 1 if a side fails the rule. */
static enum report_status status_of(const struct rank *rank)
{
    enum report_status status = REPORT_FINE;
    if (rank->sides.reasons.count || !rank->sides.count)
        return REPORT_REFUSED;
    for (size_t s = 0; s < rank->sides.sides; s++)
        if (rank->ranked[s].eligible && !rank->ranked[s].passed)
            status = REPORT_DIFFERS;
    return status;
}

static enum report_status rank_runs(const struct report_settings *settings)
{
    struct rank rank;
    struct rank_table made[3];
    rank_make(&rank, settings);
    bool text = settings->format == FORMAT_TEXT, ruled = is_ruled(settings);
    const struct table tables[] = {make_table(&made[0], &rank, text ? RANK_RATING : RANK_ALL, ruled),
                                   make_table(&made[1], &rank, RANK_OTHERS, ruled),
                                   make_table(&made[2], &rank, RANK_MACHINES, ruled)};
    enum report_status status = status_of(&rank);
    output_put(&(struct output){.sides = &rank.sides,
                                .status = status,
                                .tables = tables,
                                .table_count = text && rank.sides.count && !rank.refused ? 3 : 1},
               settings->format);
    rank_free(&rank);
    return status;
}

/* Prints a list of packs. */
static enum report_status rank_packs(const struct report_settings *settings)
{
    struct texts words = {0};
    if ((settings->format != FORMAT_TEXT && settings->format != FORMAT_CSV) || is_ruled(settings) ||
        settings->allow_invalid) {
        report_say("--table takes no other option than --format text, which prints Markdown, or csv");
        return REPORT_USAGE;
    }
    texts_add(&words, "table");
    texts_add(&words, "%s", report_formats[settings->format]);
    return report_run_script(&words, &settings->runs);
}

static enum report_status rank_command(const struct report_settings *settings)
{
    return settings->packs ? rank_packs(settings) : rank_runs(settings);
}

static const struct option_row rows[] = {
    REPORT_FORMAT,
    REPORT_FLAG("table", packs,
                "RUN is a file of beff_report pack: print a list of the machines as Markdown or csv"),
    REPORT_LABEL,
    {"require", OPTION_INTEGER, REPORT_FIELD(require), "N", "minimum number of VALID runs of each side",
     .max = 1000},
    {"median", OPTION_REAL, REPORT_FIELD(median), "MB/s", "minimum for the median of each side's ratings",
     .max = 1e15},
    {"at-least", OPTION_REAL, REPORT_FIELD(at_least), "MB/s",
     "minimum for the lower end of each side's interval", .max = 1e15},
    REPORT_BETWEEN,
    REPORT_ALL,
    REPORT_INVALID,
    REPORT_HELP};

static const char notes[] =
    "A side is a system, a setting, or a bid. Give several runs of each side, with -- between the sides.\n"
    "Without --, each run is a side of its own; `rank -- RUN...` treats all runs as one side. A side is "
    "named\n"
    "by --label or by the directory that its runs share. The tables have the medians of the runs that are\n"
    "used. With 6 or more runs, low and high are the ends of an interval of at least 95 % for the median of\n"
    "the rating, computed from the ranks of the runs (sign test). Notes name the neighbours in the table\n"
    "that are not distinguished by the interval of compare, with the correction of Holm.\n\n"
    "A side without a usable run is listed last, without a rank; the other sides are ranked. A side is\n"
    "not eligible if it has fewer VALID runs than --require, or if it has no interval for --at-least. The\n"
    "seed, the time limit and the number of processes that a call for tenders demands are not "
    "checked.\n\n" REPORT_SKIPPED
    "Exception: with --require, --median or --at-least, rank uses only VALID runs.\n"
    "A run is also skipped if it has no rating, as a run of imb_compat, or if it has data errors.\n\n"
    "If usable runs differ in their definition, or runs of one side in processor, nodes, processes, MPI or\n"
    "anything else that determines the result (beff_io: time, partitions, path, storage, hints in force),\n"
    "nothing is ranked: the key, two runs and both values are printed, and the command without the odd "
    "run.\n\n"
    "With --table, each file is a side and a row with the answers of its questionnaire. The runs of beff\n"
    "come first, then those of beff_io. Example: beff_report rank --table *.tar.gz > list.md\n\n"
    "Exit status: 0 ranked; 1 a side fails --median or --at-least; 2 usage; 3 nothing was ranked,\n"
    "or a side is not eligible.\n";

REPORT_COMMAND(rank, "[OPTION]... RUN... [-- RUN...]...",
               "list sides by their rating, from several runs of each", .sides = REPORT_MAX_SIDES);
