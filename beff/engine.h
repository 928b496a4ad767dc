/* The engine beff as run and report see it. Pure. */
#ifndef BEFF_ENGINE_H
#define BEFF_ENGINE_H

#include "common/engine.h"

extern const struct engine beff_engine;

#endif
