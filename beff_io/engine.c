/* The table of beff_io that a run and beff_report share. */
#include "beff_io/results.h"
#include "beff_io/settings.h"

const struct engine beff_io_engine = {
    .program = "beff_io",
    .basis = "definition " IO_DEFINITION,
    .type = &io_record_type,
    .settings_size = sizeof(struct io_settings),
    .defaults = &io_defaults,
    .options = &io_options,
    .check = io_settings_check,
    .plan = io_plan,
    .results_size = sizeof(struct io_results),
    .results_make = io_results_make,
    .results_free = io_results_free,
    .verify = io_verify,
    .table = io_type_table,
};
