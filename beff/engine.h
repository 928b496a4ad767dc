/* The engine beff as run and report see it. Pure. */
#ifndef BEFF_ENGINE_H
#define BEFF_ENGINE_H

#include "common/engine.h"

extern const struct engine beff_engine;

/* Its --plan: what a run would do, for settings->processes (or `processes` if that is not given), as text or
 * JSON. 0, or -1 with one line. */
int beff_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
