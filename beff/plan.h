/* --plan: what a run would do, for any number of processes, without measuring. Pure. */
#ifndef BEFF_PLAN_H
#define BEFF_PLAN_H

#include <stdio.h>

#include "beff/settings.h"

/* Prints the plan for settings->processes (or `processes` if that is not given) as text or JSON. 0, or -1
 * with one line. */
int beff_plan(const void *settings, int64_t processes, FILE *out, struct message *error);

#endif
