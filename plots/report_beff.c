/* beff's row. Uses beff's results. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "beff/results.h"
#include "plots/engines.h"

static const struct beff_results *results_of(const struct report *report)
{
    return report->results;
}

static int same(const void *a, const void *b)
{
    const struct beff_record *left = a, *right = b;
    int order = report_order(left->pass, right->pass);
    order = order ? order : report_order(left->rep, right->rep);
    order = order ? order : strcmp(left->pattern, right->pattern);
    order = order ? order : strcmp(left->method, right->method);
    return order ? order : report_order(left->bytes, right->bytes);
}

/* A repetition takes memory for every cell, however few records it has: a protocol of many repetitions with
 * hardly a record each is none. */
enum { CELLS_PER_RECORD = 200, CELLS_ANYWAY = 1 << 22 };

static int repetitions_fit(const struct report *report, struct message *error)
{
    const struct protocol *p = &report->protocol;
    int64_t polygons = 0, pass = 0, rep = 0;
    double repetitions = 0;
    report_integer(report, "option_polygons", 0, INT32_MAX, &polygons);
    for (size_t i = 0; i < p->record_count; i++) {
        const struct beff_record *r = protocol_at(p, i);
        repetitions += r->pass != pass || r->rep != rep;
        pass = r->pass;
        rep = r->rep;
    }
    double cells = repetitions * METHODS * BEFF_SIZES * ((double)polygons + 32);
    if (cells > CELLS_PER_RECORD * (double)p->record_count + CELLS_ANYWAY)
        return message_set(error,
                           "%.0f repetitions of %" PRId64 " polygons with %zu records in all: far too few",
                           repetitions, polygons, p->record_count);
    return 0;
}

static int make(void *results, const struct report *report, struct message *error)
{
    return repetitions_fit(report, error) || beff_results_make(results, &report->protocol, error) ? -1 : 0;
}

static void free_results(void *results)
{
    beff_results_free(results);
}

static int table_count(const struct report *report)
{
    return results_of(report)->list.count;
}

static void table(const struct report *report, int i, struct table *table)
{
    beff_pattern_table(results_of(report), i, table);
}

/* ---- what is compared ---- */

static int add_sizes(const struct beff_results *r, struct report_items *items)
{
    int failed = 0;
    for (int s = 0; s < BEFF_SIZES && !failed; s++) {
        struct report_item item = {.group = "size", .unit = "MB/s", .value = beff_at_size(r, METHODS, s)};
        snprintf(item.name, sizeof item.name, "%" PRId64 " B", r->list.sizes[s]);
        failed = report_item_add(items, &item);
    }
    return failed;
}

/* Every pattern: the mean over its sizes, and each size. */
static int add_pattern(const struct beff_results *r, int pattern, struct report_items *items)
{
    const char *id = r->list.patterns[pattern].id;
    struct report_item mean = {.group = "pattern", .unit = "MB/s"};
    snprintf(mean.name, sizeof mean.name, "%s", id);
    int failed = 0;
    for (int s = 0; s < BEFF_SIZES && !failed; s++) {
        struct report_item item = {.group = "pattern and size", .unit = "MB/s"};
        item.value = rating_cell(&r->rating, pattern, METHODS, s);
        snprintf(item.name, sizeof item.name, "%s %" PRId64 " B", id, r->list.sizes[s]);
        mean.value += item.value / BEFF_SIZES;
        failed = report_item_add(items, &item);
    }
    return failed ? failed : report_item_add(items, &mean);
}

static int items(const struct report *report, struct report_items *items)
{
    const struct beff_results *r = results_of(report);
    int failed = add_sizes(r, items);
    for (int p = 0; p < r->list.count && !failed; p++)
        failed = add_pattern(r, p, items);
    return failed;
}

static const char *const definition[] = {"definition",       "processes",     "seed", "option_polygons",
                                         "option_max-loops", "memory_source", NULL};

const struct report_engine report_beff = {.type = &beff_record_type,
                                          .check = check_beff,
                                          .same = same,
                                          .results_size = sizeof(struct beff_results),
                                          .sheet_offset = offsetof(struct beff_results, sheet),
                                          .make = make,
                                          .free = free_results,
                                          .table_count = table_count,
                                          .table = table,
                                          .has_directory = true,
                                          .definition = definition,
                                          .items = items};
