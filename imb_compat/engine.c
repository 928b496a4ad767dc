/* The table of imb_compat. */
#include "imb_compat/format.h"
#include "imb_compat/plan.h"

/* What -list prints. */
static int list(const void *settings, int64_t processes, FILE *out, struct message *error)
{
    (void)processes;
    (void)error;
    imb_put_list(((const struct imb_settings *)settings)->component, out);
    return 0;
}

const struct engine imb_engine = {
    .program = "imb_compat",
    .basis = "output of IMB " IMB_RELEASE " or 3.0",
    .type = &imb_record_type,
    .settings_size = sizeof(struct imb_settings),
    .defaults = &imb_defaults,
    .options = &imb_options,
    .check = imb_settings_check,
    .plan = list,
    .results_size = sizeof(struct imb_results),
    .results_make = imb_results_make,
    .results_free = imb_results_free,
    .table = imb_series_table,
};
