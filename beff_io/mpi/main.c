/* The program beff_io. */
#include "beff_io/mpi/run.h"

int main(int argc, char **argv)
{
    struct io_settings settings;
    struct io_run run = {0};
    return run_main(&io_run_engine, &run.run, &settings, argc, argv);
}
