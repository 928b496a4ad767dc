/* The table of imb_compat, for its run and for the report. Pure. */
#ifndef IMB_COMPAT_ENGINE_H
#define IMB_COMPAT_ENGINE_H

#include "common/engine.h"

extern const struct engine imb_engine;

#endif
