/* The engine's table, which the run and the report use. */
#include "imb_compat/format.h"

static void list(const void *settings, FILE *out)
{
    imb_put_list(((const struct imb_settings *)settings)->component, out);
}

const struct engine imb_engine = {
    .program = "imb_compat",
    .basis = "output of IMB " IMB_RELEASE " or 3.0",
    .type = &imb_record_type,
    .settings_size = sizeof(struct imb_settings),
    .defaults = &imb_defaults,
    .options = &imb_options,
    .check = imb_settings_check,
    .list = list,
    .results_size = sizeof(struct imb_results),
    .results_make = imb_results_make,
    .results_free = imb_results_free,
};
