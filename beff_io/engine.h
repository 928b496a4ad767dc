/* The engine beff_io as run and report see it. Pure. */
#ifndef BEFF_IO_ENGINE_H
#define BEFF_IO_ENGINE_H

#include "common/engine.h"

extern const struct engine beff_io_engine;

/* Its --plan: what a run would do, without MPI and without writing anything, as text or JSON. `processes`: as
 * many as were started, 0: none. 0, or -1 with one line. */
int io_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
