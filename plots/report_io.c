/* beff_io's row. Uses beff_io's results. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "beff_io/results.h"
#include "plots/engines.h"

static const struct io_results *results_of(const struct report *report)
{
    return report->results;
}

static int same(const void *a, const void *b)
{
    const struct io_record *left = a, *right = b;
    int order = report_order(left->processes, right->processes);
    order = order ? order : strcmp(left->access, right->access);
    order = order ? order : report_order(left->type, right->type);
    return order ? order : strcmp(left->pattern, right->pattern);
}

static int make(void *results, const struct report *report, struct message *error)
{
    return io_results_make(results, &report->protocol, error);
}

static void free_results(void *results)
{
    io_results_free(results);
}

static int table_count(const struct report *report)
{
    (void)report;
    return IO_TYPES;
}

static void table(const struct report *report, int i, struct table *table)
{
    io_type_table(results_of(report), (enum io_type)i, table);
}

/* Every type and every pattern, for each partition and access method. */
static int items(const struct report *report, struct report_items *items)
{
    const struct protocol *p = &report->protocol;
    int failed = 0;
    for (size_t i = 0; i < p->record_count && !failed; i++) {
        const struct io_record *r = protocol_at(p, i);
        bool total = io_record_is_total(r);
        struct report_item item = {.unit = "MB/s", .value = r->t_total > 0 ? r->bandwidth : 0};
        snprintf(item.group, sizeof item.group, "%s", total ? "type" : "pattern");
        snprintf(item.name, sizeof item.name, "%" PRId64 " processes, %s, %s%s%s", r->processes, r->access,
                 io_type_name((enum io_type)r->type), total ? "" : " ", total ? "" : r->pattern);
        failed = report_item_add(items, &item);
    }
    return failed;
}

static const char *const definition[] = {"definition",      "processes",       "partitions",
                                         "time_s",          "option_noshared", "option_rewrite",
                                         "option_nounique", "memory_source",   NULL};

const struct report_engine report_beff_io = {.type = &io_record_type,
                                             .check = check_io,
                                             .same = same,
                                             .results_size = sizeof(struct io_results),
                                             .sheet_offset = offsetof(struct io_results, sheet),
                                             .make = make,
                                             .free = free_results,
                                             .table_count = table_count,
                                             .table = table,
                                             .has_directory = true,
                                             .definition = definition,
                                             .items = items};
