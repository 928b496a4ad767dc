/* Parses the command line of each command, and prints errors. */
#include "report/command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"

const struct option_row report_runs = {"RUN", OPTION_PATHS, REPORT_FIELD(runs), "RUN",
                                       "directory of a run, or a record file (.prot)"};

const char *const report_formats[] = {"text", "json", "csv", "junit", NULL};

const struct report_settings report_defaults = {
    .threshold = NAN, .between = 0.03, .warn = NAN, .site = "site.yaml"};

/* Parses each side of a -- by itself. Every side may have options. */
static int parse_sides(const struct report_command *command, struct report_settings *settings, int argc,
                       char *const *argv, struct message *error)
{
    for (int start = 0, end; start < argc; start = end) {
        for (end = start + 1; end < argc && (!command->sides || strcmp(argv[end], "--") != 0);)
            end++;
        if (settings->sides == REPORT_MAX_SIDES)
            return message_set(error, "too many sides separated by --: at most %d are allowed",
                               REPORT_MAX_SIDES);
        if (options_parse(&command->options, end - start, argv + start, settings, error))
            return -1;
        settings->separated |= end < argc;
        if (end < argc && !settings->runs.count) /* only options before the first -- */
            continue;
        settings->side[settings->sides++] = (struct report_side){settings->runs.count, settings->label};
        settings->label = NULL;
    }
    return 0;
}

int report_command_parse(const struct report_command *command, struct report_settings *settings, int argc,
                         char *const *argv, struct message *error)
{
    *settings = report_defaults;
    int failed = parse_sides(command, settings, argc, argv, error);
    if (failed || settings->help)
        return failed;
    bool empty = false;
    for (int i = 0; i < settings->sides; i++)
        empty |= settings->side[i].end == (i ? settings->side[i - 1].end : 0);
    if (empty || (command->sides == 2 && settings->sides != 2))
        return message_set(error, "%s needs %s (see %s --help)", command->name,
                           command->sides == 2    ? "runs on both sides of one --"
                           : settings->sides == 1 ? "at least one run: a directory or a record file (.prot)"
                                                  : "runs on both sides of a --",
                           command->options.program);
    if (!settings->separated && settings->runs.count > 1 && settings->side[0].label)
        return message_set(error, "--label names one side: put -- before its runs");
    return 0;
}

void report_say(const char *format, ...)
{
    char text[1024];
    TEXT_PRINT(text, sizeof text, format);
    text_clean(text);
    fprintf(stderr, "beff_report: %s\n", text);
}

enum report_status report_refuse(const struct message *error)
{
    report_say("%s", error->text);
    return REPORT_REFUSED;
}

enum report_status report_run_script(struct texts *words, const struct texts *files)
{
    char path[4096] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "beff_pack");
    char *slash = length > 0 ? strrchr(path, '/') : NULL;
    strcpy(slash ? slash + 1 : path, "beff_pack");
    for (size_t i = 0; i < files->count; i++)
        texts_add(words, "%s", files->text[i]);
    char **arguments = memory_new(words->count + 3, sizeof *arguments, "the arguments");
    arguments[0] = "python3";
    arguments[1] = path;
    memcpy(arguments + 2, words->text, words->count * sizeof *arguments);
    execvp(arguments[0], arguments);
    report_say("python3 cannot be started: %s: install it (Debian: apt install python3)", strerror(errno));
    free(arguments);
    texts_free(words);
    return REPORT_REFUSED;
}
