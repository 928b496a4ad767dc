/* The program imb_compat, and its names IMB-MPI1 and so on. Help, lists and refusals need no MPI where no
 * launcher started it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sheet.h"
#include "common/version.h"
#include "imb_compat/layout.h"
#include "imb_compat/mpi/run.h"

enum { MOST_FILE_BYTES = 16 << 20 };

/* By imb_settings.threads. */
static const int thread_levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                    MPI_THREAD_MULTIPLE};

/* The command line of a run, as far as it can be read without the other processes. */
struct command {
    enum imb_component component;
    struct imb_options options;
    struct imb_settings settings;
    int argc; /* of the component */
    char **argv;
    bool help;
    const char *topic;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- what needs no measurement: printed by one process; the status, or -1 if there is more to do ---- */

static const char *component_names(char *text, size_t size)
{
    *text = 0;
    for (int c = 0; c < IMB_COMPONENTS; c++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", c ? " " : "", imb_components[c].name);
    return text;
}

/* imb_compat without a component. */
static int answer_bare(int argc, char *const *argv)
{
    char names[64];
    const char *first = argc > 1 ? argv[1] : "";
    component_names(names, sizeof names);
    if (strcmp(first, "--help") == 0 || strcmp(first, "-help") == 0 || strcmp(first, "-h") == 0) {
        printf(
            "Usage: imb_compat COMPONENT [OPTION]... [BENCHMARK...]\n\nComponents: %s. Each is also a "
            "program: "
            "IMB-MPI1 is imb_compat MPI1.\nimb_compat COMPONENT -help: its options; -list: its benchmarks.\n",
            names);
        return EXIT_RATED;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-version") == 0) {
        version_print(stdout, "imb_compat", "output of IMB 2021.11 or 3.0");
        return EXIT_RATED;
    }
    if (strcmp(first, "--man") == 0 || strcmp(first, "-man") == 0) {
        struct imb_options options;
        struct imb_settings defaults = imb_settings_default(IMB_MPI1);
        imb_options_make(&options, IMB_COMPONENTS);
        options_man(&options.table, &defaults, version_number, stdout);
        return EXIT_RATED;
    }
    fprintf(stderr,
            *first ? "imb_compat: \"%.80s\" is not a known component: there are %s (imb_compat --help)\n"
                   : "imb_compat: the component is missing%.0s: there are %s (imb_compat --help)\n",
            first, names);
    return EXIT_USAGE;
}

static int complain(const struct command *c, const struct message *error)
{
    fprintf(stderr, "%s: %s\n", c->options.program, error->text);
    return EXIT_USAGE;
}

static int print_help(const struct command *c)
{
    const struct imb_settings defaults = imb_settings_default(c->component);
    if (*c->topic && !imb_benchmark_find(c->component, c->topic)) {
        struct message error;
        if (options_help_one(&c->options.table, &defaults, c->topic, stdout) == 0)
            return EXIT_RATED;
        message_set(&error, "-help: there is no option \"%.80s\" (see %s -help)", c->topic,
                    c->options.program);
        return complain(c, &error);
    }
    options_help(&c->options.table, &defaults, stdout);
    return EXIT_RATED;
}

static int answer(const struct command *c, int failed, const struct message *error)
{
    if (c->help)
        return print_help(c);
    if (failed)
        return complain(c, error);
    if (c->settings.help)
        return print_help(c);
    if (c->settings.list) {
        imb_put_title(stdout);
        printf("List of benchmarks:\n%s:\n", imb_components[c->component].link);
        imb_selection_list(c->component, stdout);
    } else if (c->settings.version)
        version_print(stdout, "imb_compat", "output of IMB 2021.11 or 3.0");
    else if (c->settings.man) {
        const struct imb_settings defaults = imb_settings_default(c->component);
        options_man(&c->options.table, &defaults, version_number, stdout);
    } else
        return -1;
    return EXIT_RATED;
}

/* ---- the command line ---- */

/* 0, or -1: no component. */
static int find_component(struct command *c, int argc, char **argv)
{
    c->component = imb_component_find(argc > 0 ? base_name(argv[0]) : "");
    c->argc = argc;
    c->argv = argv;
    if (c->component != IMB_COMPONENTS)
        return 0;
    c->component = argc > 1 ? imb_component_find(argv[1]) : IMB_COMPONENTS;
    c->argc = argc - 1;
    c->argv = argv + 1;
    return c->component == IMB_COMPONENTS ? -1 : 0;
}

static int parse(struct command *c, struct message *error)
{
    c->topic = "";
    c->help = imb_wants_help(c->argc, c->argv, &c->topic);
    imb_options_make(&c->options, c->component);
    c->settings = imb_settings_default(c->component);
    if (imb_settings_parse(&c->settings, &c->options, c->argc, c->argv, error))
        return -1;
    if (c->settings.json && !sheet_has_json())
        return message_set(error, "-json: this imb_compat was built without jansson");
    return 0;
}

/* ---- files, read by rank 0 ---- */

/* The text of a file in memory of its own; NULL with an error. */
static char *read_file(const char *option, const char *path, struct message *error)
{
    FILE *file = fopen(path, "r");
    char *text = file ? malloc(MOST_FILE_BYTES) : NULL;
    if (!text) {
        message_set(error, "%s: %.200s can't be read: %s", option, path, strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    size_t size = fread(text, 1, MOST_FILE_BYTES - 1, file);
    bool failed = ferror(file) || !feof(file);
    if (failed)
        message_set(error, "%s: %.200s can't be read: %s", option, path,
                    ferror(file) ? strerror(errno) : "it is too long");
    else if (memchr(text, 0, size)) {
        failed = true;
        message_set(error, "%s: %.200s is no text", option, path);
    }
    fclose(file);
    text[size] = 0;
    if (!failed)
        return text;
    free(text);
    return NULL;
}

/* Gives all processes the file that rank 0 has; `text` stays NULL if none was asked for. -1: it can't be
 * read, rank 0 has the error. */
static int share_file(struct world *world, const char *option, const char *path, char **text,
                      struct message *error)
{
    *text = NULL;
    if (!path)
        return 0;
    if (world->rank == 0)
        *text = read_file(option, path, error);
    int64_t size = *text ? (int64_t)strlen(*text) + 1 : -1;
    world_broadcast(world, &size, sizeof size);
    if (size < 0)
        return -1;
    if (world->rank != 0 && !(*text = malloc((size_t)size))) {
        world_say(world, "out of memory for %s", path);
        MPI_Abort(MPI_COMM_WORLD, EXIT_ENVIRONMENT);
    }
    world_broadcast(world, *text, (size_t)size);
    return 0;
}

/* ---- the run ---- */

static enum exit_status refuse(const struct world *world, enum exit_status status,
                               const struct message *error)
{
    if (world->rank == 0)
        world_say(world, "%s", error->text);
    return status;
}

static enum exit_status plan_and_run(struct world *world, const struct command *c, const char *text)
{
    struct message error;
    struct imb_selection selection = {0};
    struct imb_sizes listed = {0};
    char *input = NULL, *lengths = NULL;
    const struct imb_settings *s = &c->settings;
    enum exit_status status;
    if (imb_map_fits(s, world->size, &error) || share_file(world, "-input", s->input, &input, &error) ||
        share_file(world, "-msglen", s->msglen, &lengths, &error) ||
        imb_selection_make(&selection, s, input, &error) || imb_sizes_listed(&listed, s, lengths, &error))
        status = refuse(world, EXIT_USAGE, &error);
    else if (world->threads < thread_levels[s->threads]) {
        int given = IMB_THREADS_SINGLE;
        while (given < s->threads && thread_levels[given + 1] <= world->threads)
            given++;
        message_set(&error, "-thread_level: %s is not to be had: this MPI gives %s",
                    imb_thread_words[s->threads], imb_thread_words[given]);
        status = refuse(world, EXIT_ENVIRONMENT, &error);
    } else {
        struct imb_plan plan = {.settings = s, .selection = &selection, .listed = &listed, .command = text};
        if (imb_tables_make(&plan.tables, s, &selection, world->size))
            imb_out_of_memory(world);
        status = imb_run_all(world, &plan);
        imb_tables_free(&plan.tables);
    }
    imb_selection_free(&selection);
    imb_sizes_free(&listed);
    free(input);
    free(lengths);
    return status;
}

int main(int argc, char **argv)
{
    struct command c;
    struct message error;
    struct world world;
    int bare = find_component(&c, argc, argv), failed = bare ? 0 : parse(&c, &error), status = -1;
    if (!world_has_launcher()) {
        status = bare ? answer_bare(argc, argv) : answer(&c, failed, &error);
        if (status >= 0)
            return status;
    }
    world_start_threads(&world, bare ? "imb_compat" : c.options.program,
                        thread_levels[bare ? 0 : c.settings.threads], &argc, &argv);
    if (!bare)
        options_free(&c.options.table, &c.settings);
    world_share_arguments(&world, &argc, &argv);
    bare = find_component(&c, argc, argv);
    failed = bare ? 0 : parse(&c, &error);
    if (world.rank == 0)
        status = bare ? answer_bare(argc, argv) : answer(&c, failed, &error);
    world_broadcast(&world, &status, sizeof status);
    if (status < 0) {
        char *text = text_command(argc, argv);
        status = (int)plan_and_run(&world, &c, text ? text : c.options.program);
        free(text);
    }
    if (!bare)
        options_free(&c.options.table, &c.settings);
    return world_end(&world, (enum exit_status)status);
}
