/* The program beff. */
#include "beff/mpi/run.h"

int main(int argc, char **argv)
{
    struct beff_settings settings;
    struct beff_run run = {0};
    return run_main(&beff_run_engine, &run.run, &settings, argc, argv);
}
