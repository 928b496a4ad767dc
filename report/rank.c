/* Implements the command rank: lists sides by the medians of their ratings. */
#include "report/rank.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/inference.h"
#include "common/memory.h"
#include "common/stats.h"

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

/* Computes the medians of a side and the interval of its rating, unless runs cannot be compared. `values` has
 * room for all runs. */
static void add_figures(const struct rank *rank, struct ranked *ranked, double *values)
{
    const struct side *side = ranked->side;
    bool known = side->first < side->end && !rank->refused;
    const struct sheet *sheet = known ? rank->sides.run[0].report.sheet : NULL; /* it names the columns */
    for (int k = 0; k < RANK_FIGURES; k++) {
        const struct sheet_value *value = sheet ? ranked_value(sheet, k) : NULL;
        ranked->figure[k] =
            value ? stats_median(values, sides_values(&rank->sides, side, value->name, values)) : (double)NAN;
    }
    ranked->rating = ranked->low = ranked->high = NAN;
    if (!sheet)
        return;
    double level;
    size_t n = sides_values(&rank->sides, side, sheet->headline_name, values), k = median_rank(n, &level);
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
    if (!ranked->used && rank->sides.apart)
        grouped_add(list, label, "no usable run");
    else if (!ranked->used)
        grouped_add(list, NULL, "%s has no usable run", label);
    else if (runs < settings->require)
        grouped_add(list, NULL, "%s is not eligible: %lld VALID run%s, fewer than --require %lld", label,
                    (long long)runs, TEXT_S(runs), (long long)settings->require);
    else if (settings->at_least > 0 && isnan(ranked->low))
        grouped_add(list, NULL,
                    "%s is not eligible: --at-least needs an interval, and an interval needs 6 to %d runs "
                    "(used: %lld)",
                    label, MEDIAN_MAX, (long long)ranked->used);
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
    char sessions[40] = "";
    if (b->allowance > 0)
        snprintf(sessions, sizeof sessions, ", with %.2g %% between sessions", 100 * b->between);
    if (isnan(ratio.low))
        grouped_add(&rank->sides.notes, NULL,
                    "ranks %zu and %zu are not distinguished at 95 %%: too %s %s (%zu and %zu)%s", i + 1,
                    i + 2, b->chances ? "few" : "many", b->by_session ? "sessions" : "runs", b->count[1],
                    b->count[0], b->chances ? "" : ": at most 100 of a side can be compared");
    else if (!marked || (ratio.low <= 1 && ratio.high >= 1))
        grouped_add(&rank->sides.notes, NULL,
                    "ranks %zu and %zu are not distinguished at 95 %% (ratio %.3g to %.3g%s)", i + 1, i + 2,
                    ratio.low, ratio.high, sessions);
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
        basis_make(b, rank->ranked[pairs + 1].side, rank->ranked[pairs].side, even, values, between, 0);
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

static void add_machine(struct ranked *ranked, const struct report *run)
{
    protocol_integer(&run->protocol, "processes", 1, INT64_MAX, &ranked->processes);
    ranked->time = protocol_number(&run->protocol, "time_s");
    ranked->host = report_meta(run, "host");
    ranked->nodes = report_meta(run, "nodes");
    ranked->mpi = report_meta(run, "mpi");
    ranked->cpu = report_meta(run, "cpu");
}

void rank_make(struct rank *rank, const struct report_settings *settings)
{
    *rank = (struct rank){0};
    struct sides *sides = &rank->sides;
    sides_load(sides, settings, true);
    sides_check(sides, settings, false);
    rank->refused = sides->reasons.count;
    double *values = memory_new(2 * sides->count, sizeof *values, "the ranking");
    size_t *session = memory_new(sides->count, sizeof *session, "the ranking");
    bool even = sessions_find(sides, session);
    rank->ranked = memory_new(sides->sides, sizeof *rank->ranked, "the ranking");
    for (size_t s = 0; s < sides->sides; s++) {
        const struct side *side = &sides->side[s];
        struct ranked *ranked = &rank->ranked[s];
        *ranked = (struct ranked){side,        side->label, count_existing(&side->paths),
                                  .place = -1, .rule = "",  .processes = -1,
                                  .time = NAN, .host = "",  .nodes = "",
                                  .mpi = "",   .cpu = ""};
        for (size_t i = side->first; i < side->end; i++, ranked->used++)
            ranked->valid += sheet_valid(sides->run[i].report.sheet);
        ranked->sessions = (int64_t)sessions_medians(side, session, values, values + sides->count);
        add_figures(rank, ranked, values);
        if (ranked->used)
            add_machine(ranked, &sides->run[side->first].report);
        if (!rank->refused)
            judge(rank, ranked, settings);
    }
    free(values);
    if (!rank->refused) {
        qsort(rank->ranked, sides->sides, sizeof *rank->ranked, better_first);
        for (size_t s = 0; s < sides->sides && rank->ranked[s].eligible; s++)
            rank->ranked[s].place = (int64_t)s + 1;
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

/* The text output has three tables, each of which fits on a screen. JSON and CSV have one table with all
 * columns. */
enum { RANK_RATING = 1, RANK_OTHERS = 2, RANK_MACHINES = 4, RANK_ALL = 7 };

#define CELL(member) offsetof(struct ranked, member)

static const struct rank_column {
    int parts;
    struct column column;
} first_columns[] = {{RANK_ALL, {"rank", "", COLUMN_INTEGER, 0, CELL(place)}},
                     {RANK_ALL, {"side", "", COLUMN_TEXT, 0, CELL(label)}},
                     {RANK_RATING, {"submitted", "", COLUMN_INTEGER, 0, CELL(submitted)}},
                     {RANK_RATING, {"valid", "", COLUMN_INTEGER, 0, CELL(valid)}},
                     {RANK_RATING, {"used", "", COLUMN_INTEGER, 0, CELL(used)}},
                     {RANK_RATING, {"sessions", "", COLUMN_INTEGER, 0, CELL(sessions)}}},
  last_columns[] = {{RANK_RATING, {"rule", "", COLUMN_TEXT, 0, CELL(rule)}},
                    {RANK_MACHINES, {"host", "", COLUMN_TEXT, 0, CELL(host)}},
                    {RANK_MACHINES, {"nodes", "", COLUMN_TEXT, 0, CELL(nodes)}},
                    {RANK_MACHINES, {"processes", "", COLUMN_INTEGER, 0, CELL(processes)}},
                    {RANK_MACHINES, {"time", "s", COLUMN_REAL, 0, CELL(time)}},
                    {RANK_MACHINES, {"mpi", "", COLUMN_TEXT, 0, CELL(mpi)}},
                    {RANK_MACHINES, {"cpu", "", COLUMN_TEXT, 0, CELL(cpu)}}};
enum {
    FIRST_COLUMNS = sizeof first_columns / sizeof *first_columns,
    LAST_COLUMNS = sizeof last_columns / sizeof *last_columns
};

struct rank_table {
    struct table table; /* named "sides" */
    struct column columns[FIRST_COLUMNS + RANK_FIGURES + 2 + LAST_COLUMNS];
    int part; /* RANK_RATING, RANK_OTHERS, RANK_MACHINES or RANK_ALL */
};

static void add_column(struct rank_table *t, int parts, struct column column)
{
    if (t->part & parts)
        t->columns[t->table.column_count++] = column;
}

static struct table make_table(struct rank_table *t, const struct rank *rank, int part, bool ruled)
{
    static const char *const titles[] = {
        [RANK_RATING] = "Sides by rating: median of the runs, and interval of at least 95 % (low, high)",
        [RANK_OTHERS] = "Other figures: medians of the runs",
        [RANK_MACHINES] = "Machines",
        [RANK_ALL] = ""};
    const struct sheet *sheet = rank->sides.count ? rank->sides.run[0].report.sheet : NULL;
    const struct sheet_value *value;
    *t = (struct rank_table){
        .table = {.name = "sides", .columns = t->columns, TABLE_ROWS(rank->ranked, (int)rank->sides.sides)},
        .part = part};
    snprintf(t->table.title, sizeof t->table.title, "%s", titles[part]);
    for (int i = 0; i < FIRST_COLUMNS; i++)
        add_column(t, first_columns[i].parts, first_columns[i].column);
    for (int k = 0; sheet && k < RANK_FIGURES && (value = ranked_value(sheet, k)); k++) {
        struct column column = {value->name, value->unit, COLUMN_REAL, 3,
                                CELL(figure) + (size_t)k * sizeof(double)};
        bool rating = sheet_rates(sheet, value->name);
        add_column(t, rating ? RANK_RATING : RANK_OTHERS, column);
        if (rating) {
            add_column(t, RANK_RATING, (struct column){"low", value->unit, COLUMN_REAL, 3, CELL(low)});
            add_column(t, RANK_RATING, (struct column){"high", value->unit, COLUMN_REAL, 3, CELL(high)});
        }
    }
    for (int i = !ruled; i < LAST_COLUMNS; i++)
        add_column(t, last_columns[i].parts, last_columns[i].column);
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
    {"format", OPTION_CHOICE, REPORT_FIELD(format), "FORMAT", "text, json, csv or junit",
     .choices = report_formats},
    {"table", OPTION_FLAG, REPORT_FIELD(packs), NULL,
     "RUN is a file of beff_report pack: print a list of the machines as Markdown or csv"},
    {REPORT_LABEL},
    {"require", OPTION_INTEGER, REPORT_FIELD(require), "N", "minimum number of VALID runs of each side",
     .max = 1000},
    {"median", OPTION_REAL, REPORT_FIELD(median), "MB/s", "minimum for the median of each side's ratings",
     .max = 1e15},
    {"at-least", OPTION_REAL, REPORT_FIELD(at_least), "MB/s",
     "minimum for the lower end of each side's interval", .max = 1e15},
    {REPORT_BETWEEN},
    {REPORT_ALL},
    {REPORT_INVALID},
    {REPORT_HELP}};

static const char notes[] =
    "A side is a system, a setting, or a bid. Give several runs of each side, with -- between the sides.\n"
    "Without --, each run is a side of its own; `rank -- RUN...` treats all runs as one side. A side is\n"
    "named by --label or by the directory that its runs share. The tables have the medians of the runs\n"
    "that are used. With 6 or more runs, low and high are the ends of an interval of at least 95 % for\n"
    "the median of the rating, computed from the ranks of the runs (sign test). Notes name the neighbours\n"
    "in the table that are not distinguished by the interval of compare, with the correction of Holm.\n\n"
    "A side without a usable run is listed last, without a rank; the other sides are ranked. A side is\n"
    "not eligible if it has fewer VALID runs than --require, or if it has no interval for --at-least. The\n"
    "seed, the time limit and the number of processes that a call for tenders demands are not "
    "checked.\n\n" REPORT_SKIPPED
    "Exception: with --require, --median or --at-least, rank uses only VALID runs.\n"
    "A run is also skipped if it has no rating, as a run of imb_compat, or if it has data errors.\n\n"
    "If usable runs differ in their definition, or runs of one side in processor, nodes, processes, MPI or\n"
    "anything else that determines the result (beff_io: time, partitions, path, storage, hints in force),\n"
    "nothing is ranked: the key, two runs and both values are printed, and the odd runs\n"
    "are named.\n\n"
    "With --table, each file is a side and a row with the answers of its questionnaire. The runs of beff\n"
    "come first, then those of beff_io. Files that cannot be ranked together are in separate tables.\n"
    "Example: beff_report rank --table *.tar.gz > list.md\n\n"
    "Exit status: 0 ranked; 1 a side fails --median or --at-least; 2 usage; 3 nothing was ranked,\n"
    "or a side is not eligible.\n";

REPORT_COMMAND(rank, "[OPTION]... RUN... [-- RUN...]...",
               "list sides by their rating, from several runs of each", .sides = REPORT_MAX_SIDES);
