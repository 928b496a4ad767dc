#include "imb_compat/selection.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"

struct gathering {
    struct imb_selection *selection;
    const struct imb_settings *settings;
    struct message *error;
};

/* Sets the error message for an unknown name, which states the component that has it. */
static int refuse_name(const struct gathering *g, const char *name, const char *where)
{
    const char *program = options_program(&imb_options, g->settings);
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (strcasecmp(imb_benchmarks[i].name, name) == 0)
            return message_set(g->error, "%s%s is in IMB-%s, not in %s", where, imb_benchmarks[i].name,
                               imb_component_name(imb_benchmarks[i].component), program);
    return message_set(g->error, "%sunknown benchmark \"%.80s\": %s -list prints the names", where, name,
                       program);
}

static int add_names(const struct gathering *g, const struct texts *names, const char *where)
{
    enum imb_component component = g->settings->component;
    for (size_t i = 0; i < names->count; i++) {
        const struct imb_benchmark *found = imb_benchmark_find(component, names->text[i]);
        if (!found)
            return refuse_name(g, names->text[i], where);
        g->selection->benchmarks[g->selection->count++] = found;
    }
    return 0;
}

/* Adds the benchmarks that the input file names: all words of a line. */
static int add_input(const struct gathering *g, const char *text)
{
    size_t before = g->selection->count;
    struct text_lines lines = {text};
    while (text_next(&lines)) {
        char where[160], *rest = lines.line;
        snprintf(where, sizeof where, "%.100s, line %d: ", g->settings->input, lines.number);
        for (char *name; (name = strtok_r(rest, " \t\r", &rest));)
            if (add_names(g, &(struct texts){&name, 1}, where))
                return -1;
    }
    return g->selection->count > before
               ? 0
               : message_set(g->error,
                             "-input: %.200s contains no benchmark name: expected one name per line",
                             g->settings->input);
}

/* Looks up the excluded benchmarks by appending them to the selection, and then removes all their
 * entries. */
static int exclude(const struct gathering *g)
{
    struct imb_selection *s = g->selection;
    const size_t chosen = s->count, requested = s->requested;
    if (add_names(g, &g->settings->exclude, "-exclude: "))
        return -1;
    const size_t all = s->count;
    s->count = 0;
    for (size_t i = 0; i < chosen; i++) {
        size_t out = chosen;
        while (out < all && s->benchmarks[out] != s->benchmarks[i])
            out++;
        if (out == all)
            s->benchmarks[s->count++] = s->benchmarks[i];
        else if (i < requested)
            s->requested--;
    }
    return s->count ? 0 : message_set(g->error, "-exclude: all selected benchmarks are excluded");
}

int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error)
{
    const struct gathering g = {selection, settings, error};
    const bool named = settings->names.count > 0 || input; /* the default list is not used */
    const unsigned unwanted =
        settings->compat == IMB_30 ? IMB_BY_NAME_ONLY | IMB_NOT_IN_30 : IMB_BY_NAME_ONLY;
    size_t max = settings->include.count + settings->names.count + settings->exclude.count +
                 (input ? strlen(input) : 0) + imb_benchmark_count;
    *selection = (struct imb_selection){0};
    selection->benchmarks = memory_new(max, sizeof *selection->benchmarks, "the benchmarks");
    if (add_names(&g, &settings->include, "-include: ") || add_names(&g, &settings->names, "") ||
        (input && add_input(&g, input)))
        return -1;
    selection->requested = selection->count;
    for (size_t i = 0; i < imb_benchmark_count && !named; i++)
        if (imb_benchmark_in(&imb_benchmarks[i], settings->component) &&
            !(imb_benchmarks[i].flags & unwanted))
            selection->benchmarks[selection->count++] = &imb_benchmarks[i];
    return exclude(&g);
}

static int by_name(const void *left, const void *right)
{
    const struct imb_benchmark *const *l = left, *const *r = right;
    return strcmp((*l)->name, (*r)->name);
}

void imb_selection_list(enum imb_component component, FILE *out)
{
    const struct imb_benchmark **sorted = memory_new(imb_benchmark_count, sizeof *sorted, "the benchmarks");
    size_t count = 0;
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmark_in(&imb_benchmarks[i], component) && !(imb_benchmarks[i].flags & IMB_HIDDEN))
            sorted[count++] = &imb_benchmarks[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "    %s%s\n", sorted[i]->name,
                sorted[i]->flags & IMB_BY_NAME_ONLY ? " (non-default)" : "");
        for (const char *const *line = sorted[i]->lines; line && *line; line++)
            fprintf(out, "        %s\n", *line);
    }
    free(sorted);
}
