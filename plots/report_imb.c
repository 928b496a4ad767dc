/* imb_compat's row. Uses imb_compat's results. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "imb_compat/results.h"
#include "plots/engines.h"

static const struct imb_results *results_of(const struct report *report)
{
    return report->results;
}

static int make(void *results, const struct report *report, struct message *error)
{
    return imb_results_make(results, &report->protocol, error);
}

static void free_results(void *results)
{
    imb_results_free(results);
}

static int table_count(const struct report *report)
{
    return results_of(report)->series_count;
}

static void table(const struct report *report, int i, struct table *table)
{
    imb_series_table(results_of(report), i, table);
}

/* imb_compat rates nothing. What stands for a rating here is the geometric mean of all times; its name has
 * the number of rows, so that means over different rows are not compared. */
static int add_mean(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->record_count; i++) {
        const struct imb_record *r = protocol_at(p, i);
        if (r->repetition == 0 && r->t_max > 0) {
            sum += log(1e6 * r->t_max);
            n++;
        }
    }
    struct report_item item = {.group = REPORT_RATING, .unit = "microsec", .less_is_better = true};
    item.value = n ? exp(sum / (double)n) : 0;
    snprintf(item.name, sizeof item.name, "logavg of the times of %zu rows", n);
    return report_item_add(items, &item);
}

/* The time of each row. */
static int items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    int failed = add_mean(report, items);
    for (size_t i = 0; i < p->record_count && !failed; i++) {
        const struct imb_record *r = protocol_at(p, i);
        if (r->repetition != 0)
            continue;
        char group[32] = "";
        if (r->group >= 0)
            snprintf(group, sizeof group, " group %" PRId64, r->group);
        bool modeless = strcmp(r->mode, "-") == 0;
        struct report_item item = {
            .group = "time", .unit = "microsec", .value = 1e6 * r->t_max, .less_is_better = true};
        snprintf(item.name, sizeof item.name, "%s%s%s %" PRId64 "x%" PRId64 "%s %" PRId64 " B", r->benchmark,
                 modeless ? "" : " ", modeless ? "" : r->mode, r->groups, r->processes, group, r->bytes);
        failed = report_item_add(items, &item);
    }
    return failed;
}

static const char *const definition[] = {
    "component",          "processes",     "option_window_size", "option_off_cache",
    "option_root_shift",  "option_sync",   "option_data_type",   "option_red_data_type",
    "option_contig_type", "option_compat", "option_map",         NULL};

const struct report_engine report_imb = {.type = &imb_record_type,
                                         .check = check_imb,
                                         .results_size = sizeof(struct imb_results),
                                         .sheet_offset = offsetof(struct imb_results, sheet),
                                         .make = make,
                                         .free = free_results,
                                         .table_count = table_count,
                                         .table = table,
                                         .definition = definition,
                                         .items = items};
