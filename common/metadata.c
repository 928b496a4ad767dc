/* The keys of metadata. Uses options. */
#include "common/metadata.h"

#include <string.h>

static const char *const numbers[] = {"cores",
                                      "hardware_threads",
                                      "cpu_limit",
                                      "memory_mib",
                                      "memory_limit_mib",
                                      "processes",
                                      "nodes",
                                      "ranks_per_node",
                                      "memory_ranks",
                                      "time_s",
                                      "memory_per_process_mib",
                                      "launch_s",
                                      "elapsed_s",
                                      "clock_resolution_s",
                                      "lmax",
                                      "null_iteration_s",
                                      "polygons",
                                      "discarded_errors",
                                      "target_s",
                                      "needs_time_s",
                                      "opening_needs_s",
                                      "slow_left_out",
                                      "copy_before",
                                      "copy_after",
                                      "node_memory_mib",
                                      "free_bytes",
                                      "max_bytes",
                                      "storage_bytes"};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

/* The row of option_NAME; NULL: it is none. */
static const struct option_row *row_of(const char *key, const struct option_table *options)
{
    size_t lead = strlen(METADATA_OPTION);
    for (size_t i = 0; options && strncmp(key, METADATA_OPTION, lead) == 0 && i < options->count; i++)
        if (strcmp(options->rows[i].name, key + lead) == 0)
            return &options->rows[i];
    return NULL;
}

bool metadata_is_number(const char *key, const struct option_table *options)
{
    const struct option_row *row = row_of(key, options);
    if (row)
        return row->kind == OPTION_INTEGER || row->kind == OPTION_REAL ||
               (row->kind == OPTION_NUMBERS && row->parts == 1);
    return text_find(numbers, NUMBERS, key) < NUMBERS;
}

bool metadata_is_alias(const char *key, const struct option_table *options)
{
    const struct option_row *row = row_of(key, options);
    for (const struct option_row *before = row ? options->rows : NULL; before != row; before++)
        if (before->offset == row->offset)
            return true;
    return false;
}
