/* The engine beff_io as run and report see it. Pure. */
#ifndef BEFF_IO_ENGINE_H
#define BEFF_IO_ENGINE_H

#include "common/engine.h"

extern const struct engine beff_io_engine;

#endif
