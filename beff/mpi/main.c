/* The program beff. Help, version, plan and refusals need no MPI where no launcher started it. */
#include <stdlib.h>

#include "beff/engine.h"
#include "beff/mpi/run.h"

int main(int argc, char **argv)
{
    struct beff_settings settings;
    struct message error;
    struct world world;
    int failed = engine_parse(&beff_engine, &settings, argc, argv, &error), status = -1;
    if (!world_has_launcher()) {
        status = engine_answer(&beff_engine, &settings, failed, 0, &error);
        if (status >= 0)
            return status;
    }
    world_start(&world, "beff", &argc, &argv);
    world_share_arguments(&world, &argc, &argv);
    failed = engine_parse(&beff_engine, &settings, argc, argv, &error);
    world_broadcast(&world, &settings.seed, sizeof settings.seed); /* "random" was drawn by each */
    if (world.rank == 0)
        status = engine_answer(&beff_engine, &settings, failed, world.size, &error);
    world_broadcast(&world, &status, sizeof status);
    if (status < 0) {
        char *command = text_command(argc, argv);
        status = (int)run_beff(&world, &settings, command ? command : "beff");
        free(command);
        return status;
    }
    return world_end(&world, (enum exit_status)status);
}
