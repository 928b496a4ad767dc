/* The program beff. Help, version, plan and refusals need no MPI where no launcher started it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff/mpi/run.h"
#include "beff/plan.h"
#include "common/sheet.h"
#include "common/version.h"

/* What needs no measurement, printed by one process. -1: none of that was asked for. */
static int answer(const struct beff_settings *settings, int failed, int processes, struct message *error)
{
    const struct beff_settings defaults = beff_settings_default();
    if (failed) {
        fprintf(stderr, "beff: %s\n", error->text);
        return EXIT_USAGE;
    }
    if (settings->help)
        options_help(&beff_options, &defaults, stdout);
    else if (settings->man)
        options_man(&beff_options, &defaults, version_number, stdout);
    else if (settings->version)
        version_print(stdout, "beff", "definition " BEFF_DEFINITION);
    else if (settings->plan)
        failed = beff_plan(settings, processes, stdout, error);
    else if (settings->json && !sheet_has_json())
        failed = message_set(error, "--json: this beff was built without jansson");
    else
        return -1;
    if (failed)
        fprintf(stderr, "beff: %s\n", error->text);
    return failed ? EXIT_USAGE : EXIT_RATED;
}

int main(int argc, char **argv)
{
    struct beff_settings settings;
    struct message error;
    struct world world;
    int failed = beff_settings_parse(&settings, argc, argv, &error), status = -1;
    if (!world_has_launcher()) {
        status = answer(&settings, failed, 0, &error);
        if (status >= 0)
            return status;
    }
    world_start(&world, "beff", &argc, &argv);
    world_share_arguments(&world, &argc, &argv);
    failed = beff_settings_parse(&settings, argc, argv, &error);
    world_broadcast(&world, &settings.seed, sizeof settings.seed); /* "random" was drawn by each */
    if (world.rank == 0)
        status = answer(&settings, failed, world.size, &error);
    world_broadcast(&world, &status, sizeof status);
    if (status < 0) {
        char *command = text_command(argc, argv);
        status = (int)run_beff(&world, &settings, command ? command : "beff");
        free(command);
        return status;
    }
    return world_end(&world, (enum exit_status)status);
}
