/* The table of beff. */
#include "beff/record.h"
#include "beff/results.h"
#include "beff/settings.h"

const struct engine beff_engine = {
    .program = "beff",
    .definition = BEFF_DEFINITION,
    .basis = "definition " BEFF_DEFINITION,
    .type = &beff_record_type,
    .settings_size = sizeof(struct beff_settings),
    .defaults = &beff_defaults,
    .options = &beff_options,
    .check = beff_settings_check,
    .plan = beff_plan,
    .results_size = sizeof(struct beff_results),
    .results_make = beff_results_make,
    .results_free = beff_results_free,
    .table = beff_pattern_table,
};
