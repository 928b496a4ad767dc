/* The choice of benchmarks; process counts, the map, groups, modes; the list of tables. Uses benchmarks,
 * settings. */
#include "imb_compat/tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- which benchmarks ---- */

/* Names that are being gathered. */
struct gathering {
    struct imb_selection *selection;
    const struct imb_settings *settings;
    struct message *error;
};

static int add(const struct gathering *g, const struct imb_benchmark *benchmark)
{
    struct imb_selection *s = g->selection;
    if (!array_room(&s->benchmarks, s->count, sizeof *s->benchmarks))
        return message_set(g->error, "out of memory for the list of benchmarks");
    s->benchmarks[s->count++] = benchmark;
    return 0;
}

static const struct imb_benchmark *find(const struct gathering *g, const char *name, const char *where)
{
    enum imb_component component = g->settings->component;
    const struct imb_benchmark *found = imb_benchmark_find(component, name);
    if (!found)
        message_set(g->error, "%sunknown benchmark \"%.80s\": %s -list prints the names", where, name,
                    imb_components[component].link);
    return found;
}

static int add_name(const struct gathering *g, const char *name, const char *where)
{
    const struct imb_benchmark *found = find(g, name, where);
    return found ? add(g, found) : -1;
}

static int add_words(const struct gathering *g, const struct option_words *words, const char *where)
{
    int failed = 0;
    for (size_t i = 0; i < words->count && !failed; i++)
        failed = add_name(g, words->word[i], where);
    return failed;
}

/* Of each line of the input file the first word counts. */
static int add_input(const struct gathering *g, const char *text)
{
    size_t before = g->selection->count;
    int failed = 0;
    for (int number = 1; *text && !failed; number++) {
        char name[80], where[160];
        const char *word = text + strspn(text, " \t\r");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, " \t\r\n"), word);
        snprintf(where, sizeof where, "%.100s, line %d: ", g->settings->input, number);
        failed = *name && *name != '#' && add_name(g, name, where);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (failed)
        return -1;
    return g->selection->count > before
               ? 0
               : message_set(g->error, "-input: %.200s names no benchmark", g->settings->input);
}

static int add_defaults(const struct gathering *g)
{
    for (size_t i = 0; i < imb_benchmark_count; i++) {
        const struct imb_benchmark *b = &imb_benchmarks[i];
        unsigned unwanted = g->settings->compat == IMB_30 ? IMB_REQUEST | IMB_NOT_FIRST : IMB_REQUEST;
        if (b->component == g->settings->component && !(b->flags & unwanted) && add(g, b))
            return -1;
    }
    return 0;
}

static int exclude(const struct gathering *g)
{
    const struct option_words *words = &g->settings->exclude;
    for (size_t i = 0; i < words->count; i++) {
        const struct imb_benchmark *out = find(g, words->word[i], "-exclude: ");
        if (!out)
            return -1;
        size_t kept = 0;
        for (size_t j = 0; j < g->selection->count; j++)
            if (g->selection->benchmarks[j] != out)
                g->selection->benchmarks[kept++] = g->selection->benchmarks[j];
        g->selection->count = kept;
    }
    return g->selection->count ? 0 : message_set(g->error, "-exclude: no benchmark is left to run");
}

int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error)
{
    const struct gathering g = {selection, settings, error};
    *selection = (struct imb_selection){.by_name = settings->names.count > 0 || input};
    if (add_words(&g, &settings->include, "-include: ") || add_words(&g, &settings->names, "") ||
        (input && add_input(&g, input)))
        return -1;
    if (!selection->by_name && add_defaults(&g))
        return -1;
    return exclude(&g);
}

void imb_selection_free(struct imb_selection *selection)
{
    free(selection->benchmarks);
    *selection = (struct imb_selection){0};
}

static int by_name(const void *left, const void *right)
{
    const struct imb_benchmark *const *l = left, *const *r = right;
    return strcmp((*l)->name, (*r)->name);
}

void imb_selection_list(enum imb_component component, FILE *out)
{
    const struct imb_benchmark **sorted = calloc(imb_benchmark_count, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; sorted && i < imb_benchmark_count; i++)
        if (imb_benchmarks[i].component == component && !(imb_benchmarks[i].flags & IMB_HIDDEN))
            sorted[count++] = &imb_benchmarks[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "    %s%s\n", sorted[i]->name, sorted[i]->flags & IMB_REQUEST ? " (non-default)" : "");
        for (const char *const *line = sorted[i]->lines; line && *line; line++)
            fprintf(out, "        %s\n", *line);
    }
    free(sorted);
}

/* ---- on which processes ---- */

int imb_process_counts(const struct imb_benchmark *benchmark, int processes, int64_t npmin,
                       int counts[IMB_MAX_COUNTS])
{
    bool two = benchmark->class == IMB_CLASS_PAIR || benchmark->class == IMB_CLASS_ELEMENT;
    bool pairs = two || benchmark->class == IMB_CLASS_RATE;
    if (pairs && processes < 2)
        return 0;
    if (two || benchmark->class == IMB_CLASS_ALONE) {
        counts[0] = two ? 2 : 1;
        return 1;
    }
    int max = processes - (pairs ? processes % 2 : 0);
    int64_t min = pairs ? npmin - npmin % 2 : npmin;
    int count = 0;
    for (int64_t n = pairs && min < 2 ? 2 : min; n < max; n *= 2)
        counts[count++] = (int)n;
    counts[count++] = max;
    return count;
}

int imb_map_fits(const struct imb_settings *settings, int processes, struct message *error)
{
    int64_t p = settings->map_p, q = settings->map_q;
    if ((!p && !q) || p * q == processes)
        return 0;
    return message_set(error, "-map %dx%d is not allowed: %d times %d is not %d, the number of processes",
                       (int)p, (int)q, (int)p, (int)q, processes);
}

/* The grid has P rows and Q columns; row i, column j holds rank i + jP, numbers run along the rows. */
int imb_map_number(int rank, int p, int q)
{
    return p ? rank % p * q + rank / p : rank;
}

int imb_map_rank(int number, int p, int q)
{
    return p ? number / q + number % q * p : number;
}

/* A grid of one row or one column changes nothing: IMB does not call that a map. */
struct imb_groups imb_groups_make(const struct imb_settings *settings, int processes, int size)
{
    bool mapped = settings->map_p > 1 && settings->map_q > 1;
    int count = settings->multi < 0 ? 1 : processes / size;
    return (struct imb_groups){.processes = processes,
                               .size = size,
                               .count = count,
                               .active = size * count,
                               .map_p = mapped ? settings->map_p : 0,
                               .map_q = mapped ? settings->map_q : 0};
}

int imb_groups_rank(const struct imb_groups *groups, int group, int i)
{
    return imb_map_rank(group * groups->size + i, groups->map_p, groups->map_q);
}

int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MAX_MODES])
{
    bool together = benchmark->flags & IMB_HAS_AGGREGATE, singly = benchmark->flags & IMB_HAS_NON_AGGREGATE;
    int chosen = settings->aggregate_mode;
    if (together && singly && chosen == IMB_RUN_BOTH_MODES) {
        bool last = imb_components[benchmark->component].aggregate_last;
        modes[last] = IMB_MODE_AGGREGATE;
        modes[!last] = IMB_MODE_NON_AGGREGATE;
        return IMB_MAX_MODES;
    }
    modes[0] = singly && (!together || chosen == IMB_RUN_NON_AGGREGATE) ? IMB_MODE_NON_AGGREGATE
               : together                                               ? IMB_MODE_AGGREGATE
                                                                        : IMB_MODE_NONE;
    return 1;
}

bool imb_completed_together(const struct imb_benchmark *benchmark, enum imb_mode mode)
{
    bool reads = benchmark->component == IMB_IO && !(benchmark->flags & IMB_WRITES);
    if (reads && !imb_starts_together(benchmark))
        return false; /* nothing is left to do after each */
    return mode == IMB_MODE_AGGREGATE || benchmark->flags & IMB_AT_END;
}

const char *const imb_mode_names[] = {
    [IMB_MODE_NONE] = NULL, [IMB_MODE_AGGREGATE] = "AGGREGATE", [IMB_MODE_NON_AGGREGATE] = "NON-AGGREGATE"};

/* ---- the list ---- */

/* The tables of one benchmark, at least one; returns how many. */
static size_t add_tables(struct imb_table *tables, const struct imb_settings *settings,
                         const struct imb_benchmark *benchmark, int processes)
{
    int counts[IMB_MAX_COUNTS] = {0};
    enum imb_mode modes[IMB_MAX_MODES];
    int count = imb_process_counts(benchmark, processes, settings->npmin, counts);
    int mode_count = imb_modes_of(settings, benchmark, modes);
    struct imb_table table = {settings, benchmark, {0}, IMB_MODE_NONE};
    tables[0] = table;
    for (int i = 0; i < count * mode_count; i++) {
        table.groups = imb_groups_make(settings, processes, counts[i / mode_count]);
        table.mode = modes[i % mode_count];
        tables[i] = table;
    }
    return count ? (size_t)(count * mode_count) : 1;
}

int imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                    const struct imb_selection *selection, int processes)
{
    enum { MAX = IMB_MAX_COUNTS * IMB_MAX_MODES };
    *tables = (struct imb_tables){0};
    for (size_t i = 0; i < selection->count; i++) {
        struct imb_table *more = realloc(tables->table, (tables->count + MAX) * sizeof *more);
        if (!more)
            return -1;
        tables->table = more;
        tables->count += add_tables(more + tables->count, settings, selection->benchmarks[i], processes);
    }
    return 0;
}

void imb_tables_free(struct imb_tables *tables)
{
    free(tables->table);
    *tables = (struct imb_tables){0};
}
