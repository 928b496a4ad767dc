/* Modes of benchmarks. Uses settings. */
#include "imb_compat/modes.h"

int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MOST_MODES])
{
    const enum imb_mode order[2][IMB_MOST_MODES] = {{IMB_MODE_AGGREGATE, IMB_MODE_NON_AGGREGATE},
                                                    {IMB_MODE_NON_AGGREGATE, IMB_MODE_AGGREGATE}};
    bool together = benchmark->flags & IMB_HAS_AGGREGATE, singly = benchmark->flags & IMB_HAS_NON_AGGREGATE;
    int chosen = settings->aggregate_mode;
    if (together && singly && chosen == IMB_RUN_BOTH_MODES) {
        for (int i = 0; i < IMB_MOST_MODES; i++)
            modes[i] = order[imb_components[benchmark->component].aggregate_last][i];
        return IMB_MOST_MODES;
    }
    modes[0] = singly && (!together || chosen == IMB_RUN_NON_AGGREGATE) ? IMB_MODE_NON_AGGREGATE
               : together                                               ? IMB_MODE_AGGREGATE
                                                                        : IMB_MODE_NONE;
    return 1;
}

bool imb_completed_together(const struct imb_benchmark *benchmark, enum imb_mode mode)
{
    bool reads = benchmark->component == IMB_IO && !(benchmark->flags & IMB_WRITES);
    if (reads && !imb_starts_together(benchmark))
        return false; /* nothing is left to do after each */
    return mode == IMB_MODE_AGGREGATE || benchmark->flags & IMB_AT_END;
}

const char *imb_mode_name(enum imb_mode mode)
{
    static const char *const names[] = {[IMB_MODE_NONE] = NULL,
                                        [IMB_MODE_AGGREGATE] = "AGGREGATE",
                                        [IMB_MODE_NON_AGGREGATE] = "NON-AGGREGATE"};
    return names[mode];
}
