/* Modes: whether transfers are completed together or each by itself, and what that changes. Pure. */
#ifndef IMB_COMPAT_MODES_H
#define IMB_COMPAT_MODES_H

#include "imb_compat/settings.h"

enum imb_mode {
    IMB_MODE_NONE,         /* the benchmark has no modes */
    IMB_MODE_AGGREGATE,    /* AGGREGATE: all repetitions are completed together */
    IMB_MODE_NON_AGGREGATE /* NON-AGGREGATE: each by itself */
};

/* The modes that a benchmark runs in, in the order of its component; returns how many, at least one. */
enum { IMB_MOST_MODES = 2 };
int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MOST_MODES]);

/* Whether all repetitions are completed together: no single one then has a time of its own. */
bool imb_completed_together(const struct imb_benchmark *benchmark, enum imb_mode mode);

/* As tables and records name it; NULL if it has no name. */
const char *imb_mode_name(enum imb_mode mode);

#endif
