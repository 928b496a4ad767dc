/* The program beff_io. Help, version, plan and refusals need no MPI where no launcher started it. */
#include <stdlib.h>

#include "beff_io/engine.h"
#include "beff_io/mpi/run.h"

int main(int argc, char **argv)
{
    struct io_settings settings;
    struct message error;
    struct world world;
    int failed = engine_parse(&beff_io_engine, &settings, argc, argv, &error), status = -1;
    if (!world_has_launcher()) {
        status = engine_answer(&beff_io_engine, &settings, failed, 0, &error);
        if (status >= 0)
            return status;
    }
    world_start(&world, "beff_io", &argc, &argv);
    world_share_arguments(&world, &argc, &argv);
    failed = engine_parse(&beff_io_engine, &settings, argc, argv, &error);
    if (world.rank == 0)
        status = engine_answer(&beff_io_engine, &settings, failed, world.size, &error);
    world_broadcast(&world, &status, sizeof status);
    if (status < 0) {
        char *command = text_command(argc, argv);
        status = (int)run_beff_io(&world, &settings, command ? command : "beff_io");
        free(command);
        return status;
    }
    return world_end(&world, (enum exit_status)status);
}
