/* The choice of benchmarks. Uses benchmarks, settings. */
#include "imb_compat/selection.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Names that are being gathered. */
struct gathering {
    struct imb_selection *selection;
    const struct imb_settings *settings;
    struct message *error;
};

/* `benchmark`: NULL if it was not found. */
static int add(const struct gathering *g, const struct imb_benchmark *benchmark)
{
    struct imb_selection *s = g->selection;
    if (!benchmark)
        return -1;
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

static int add_words(const struct gathering *g, const struct option_words *words, const char *where)
{
    int failed = 0;
    for (size_t i = 0; i < words->count && !failed; i++)
        failed = add(g, find(g, words->word[i], where));
    return failed;
}

/* One line of the input file: its first word counts. */
static int add_line(const struct gathering *g, const char *line, int number)
{
    char name[80], where[160];
    line += strspn(line, " \t\r");
    size_t length = strcspn(line, " \t\r\n");
    if (!length || *line == '#')
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    snprintf(where, sizeof where, "%.100s, line %d: ", g->settings->input, number);
    return add(g, find(g, name, where));
}

static int add_input(const struct gathering *g, const char *text)
{
    size_t before = g->selection->count;
    for (int number = 1; *text; number++) {
        if (add_line(g, text, number))
            return -1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (g->selection->count == before)
        return message_set(g->error, "-input: %.200s names no benchmark", g->settings->input);
    return 0;
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
