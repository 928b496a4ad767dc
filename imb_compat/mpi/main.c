/* The program imb_compat, and its names IMB-MPI1 and so on. */
#include "imb_compat/mpi/run.h"

int main(int argc, char **argv)
{
    struct imb_settings settings;
    struct imb_run run = {0};
    return run_main(&imb_run_engine, &run.run, &settings, argc, argv);
}
