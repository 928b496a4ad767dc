/* One table on all processes. */
#ifndef IMB_COMPAT_MPI_TABLE_H
#define IMB_COMPAT_MPI_TABLE_H

#include "imb_compat/mpi/run.h"

/* Measures and prints a table; idle processes wait for its end. What ends the run early is kept in `run`. */
void imb_table_measure(struct imb_run *run, const struct imb_table *table);

#endif
