/* Main program of beff_report. */
#include <stdio.h>
#include <string.h>

#include "common/version.h"
#include "report/command.h"

static const char purpose[] = "beff_report checks, shows, and compares runs of beff, beff_io and imb_compat.";

static const struct report_command *const commands[] = {
    &report_command_verify, &report_command_show,   &report_command_compare, &report_command_rank,
    &report_command_nodes,  &report_command_tables, &report_command_pack};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("Usage: beff_report COMMAND [OPTION]... RUN...\n\n%s\n\nCommands:\n", purpose);
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s%s\n", commands[i]->name, commands[i]->options.purpose);
    puts("\nRUN is the directory of a run, or a record file (imb_compat -prot).\n"
         "beff_report COMMAND --help describes a command; --version prints version and build.");
}

static enum report_status run(const struct report_command *command, int argc, char *const *argv)
{
    struct report_settings settings;
    struct message error;
    enum report_status status = REPORT_FINE;
    if (report_command_parse(command, &settings, argc, argv, &error)) {
        report_say("%s", error.text);
        status = REPORT_USAGE;
    } else if (settings.help) {
        if (options_help(&command->options, &report_defaults, &settings, settings.help, stdout, &error)) {
            report_say("%s", error.text);
            status = REPORT_USAGE;
        }
    } else {
        status = command->run(&settings);
    }
    options_free(&command->options, &settings);
    if ((fflush(stdout) || ferror(stdout)) && status == REPORT_FINE) {
        report_say("standard output cannot be written");
        status = REPORT_REFUSED;
    }
    return status;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(first, commands[i]->name) == 0)
            return (int)run(commands[i], argc - 1, argv + 1);
    if (strcmp(first, "--help") == 0) {
        print_help();
    } else if (strcmp(first, "--version") == 0) {
        version_print(stdout, "beff_report", "", NULL);
    } else {
        report_say(*first ? "unknown command \"%.80s\" (see beff_report --help)"
                          : "missing command%s (see beff_report --help)",
                   first);
        return REPORT_USAGE;
    }
    return REPORT_FINE;
}
