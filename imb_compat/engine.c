/* The table of imb_compat, and its command line: the component by name or by the program's link, help,
 * lists. */
#include "imb_compat/settings.h"

#include <string.h>

#include "common/version.h"
#include "imb_compat/format.h"

#define BASIS "output of IMB " IMB_RELEASE " or 3.0"

static int parse(void *settings, int argc, char *const *argv, struct message *error)
{
    struct imb_settings *s = settings;
    enum imb_component component = imb_component_find(argc > 0 ? basename(argv[0]) : "");
    if (component == IMB_COMPONENTS && argc > 1) {
        component = imb_component_find(argv[1]);
        argc -= component != IMB_COMPONENTS;
        argv += component != IMB_COMPONENTS;
    }
    *s = imb_settings_default(component);
    bool known = component != IMB_COMPONENTS;
    int failed = options_parse(&imb_options[component], argc, argv, s, error) ||
                 (known && imb_settings_check(s, error));
    s->run.help = imb_wants_help(argc, argv, &s->topic) || s->run.help;
    if (known || s->run.help || s->run.version || s->run.man)
        return failed ? -1 : 0;
    const char *first = argc > 1 ? argv[1] : "";
    return message_set(error, "%s%.80s%s: expected one of " IMB_COMPONENT_NAMES " (imb_compat --help)",
                       *first ? "unknown component \"" : "missing component", first, *first ? "\"" : "");
}

/* ---- what needs no measurement ---- */

/* Of all options, or of the topic; that of a benchmark is that of all. */
static int help(const struct imb_settings *s, const struct option_table *options,
                const struct imb_settings *defaults, struct message *error)
{
    if (s->component == IMB_COMPONENTS)
        puts("Usage: imb_compat COMPONENT [OPTION]... [BENCHMARK...]\n\nComponents: " IMB_COMPONENT_NAMES
             ". Each is also a program: IMB-MPI1 is imb_compat MPI1.\n"
             "imb_compat COMPONENT -help: its options; -list: its benchmarks.");
    else if (!*s->topic || imb_benchmark_find(s->component, s->topic))
        options_help(options, defaults, stdout);
    else if (options_help_one(options, defaults, s->topic, stdout))
        return message_set(error, "-help: unknown option \"%.80s\" (see %s -help)", s->topic,
                           options->program);
    return 0;
}

static int answer(const void *settings, int failed, int processes, struct message *error)
{
    const struct imb_settings *s = settings;
    const struct imb_settings defaults = imb_settings_default(s->component);
    const struct option_table *options = &imb_options[s->component];
    (void)processes;
    if (s->run.help)
        failed = help(s, options, &defaults, error);
    else if (failed)
        ;
    else if (s->list) {
        printf("Intel(R) MPI Benchmarks " IMB_RELEASE "\nList of benchmarks:\n%s:\n", options->program);
        imb_selection_list(s->component, stdout);
    } else if (s->run.version)
        version_print(stdout, "imb_compat", BASIS);
    else if (s->run.man)
        options_man(options, &defaults, version_number, stdout);
    else
        return -1;
    if (failed)
        fprintf(stderr, "%s: %s\n", options->program, error->text);
    return failed ? EXIT_USAGE : EXIT_OK;
}

const struct engine imb_engine = {
    .program = "imb_compat",
    .type = &imb_record_type,
    .settings_size = sizeof(struct imb_settings),
    .options = &imb_options[IMB_COMPONENTS],
    .parse = parse,
    .answer = answer,
    .results_size = sizeof(struct imb_results),
    .results_make = imb_results_make,
    .results_free = imb_results_free,
    .table = imb_series_table,
};
