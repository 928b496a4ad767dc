/* --plan: what a run would do, without MPI and without writing anything. Pure. */
#ifndef BEFF_IO_PLAN_H
#define BEFF_IO_PLAN_H

#include <stdio.h>

#include "beff_io/settings.h"

/* Prints patterns, partitions, schedule, expected time and bytes as text or JSON. `processes`: as many as
 * were started, 0: none. 0, or -1 with one line. */
int io_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
