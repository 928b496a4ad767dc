/* The criteria. Uses results, rating, budget (the schedule). */
#include "beff_io/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "beff_io/budget.h"
#include "beff_io/settings.h"

double io_valid_seconds(int partitions)
{
    return partitions >= 3 ? 600 : 900;
}

static void judge_duration(struct io_results *r)
{
    double each = r->time / r->partitions, needed = io_valid_seconds(r->partitions);
    sheet_criterion(&r->sheet, each >= needed, "scheduled time of each partition %.1f min >= %.0f min",
                    each / 60, needed / 60);
    sheet_of_time(&r->sheet);
}

static void judge_caches(struct io_results *r)
{
    const struct io_rating *g = &r->rating;
    sheet_criterion(&r->sheet, g->dropped + g->by_amounts > 0 && g->warm == 0,
                    "all rated reads cold (files: %d dropped and not resident, %d by amounts, %d warm)",
                    g->dropped, g->by_amounts, g->warm);
}

/* The partition that fulfilled least counts. */
static void judge_writing(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    double slice = io_scheduled(r->time, r->partitions, 1, protocol_is(p, "option_rewrite", "yes"));
    double least = g->partitions < r->partitions ? 0 : INFINITY;
    for (int i = 0; i < g->partitions; i++)
        least = fmin(least, io_rating_fulfilled(p, r->patterns, g->partition[i].processes, slice));
    least = isfinite(least) ? least : 0;
    sheet_criterion(
        &r->sheet, least >= IO_VALID_WRITING,
        "%.0f %% of each partition's scheduled writing time fulfilled (%.1f %%; --max-bytes ended %d "
        "writes, a full file system %d)",
        100 * IO_VALID_WRITING, 100 * least, g->by_bytes, g->by_space);
}

static void judge_end(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const char *interrupted = protocol_get(p, "interrupted");
    sheet_criterion(&r->sheet, p->end && strcmp(p->end, "complete") == 0 && !interrupted,
                    "the run came to its end (%.100s)",
                    interrupted ? interrupted
                    : p->end    ? p->end
                                : "the protocol has no end");
}

void io_add_criteria(struct io_results *r)
{
    const struct protocol *p = r->sheet.protocol;
    const struct io_rating *g = &r->rating;
    if (protocol_is(p, "definition", IO_DEFINITION_BEFORE)) {
        sheet_criterion(&r->sheet, false,
                        "definition " IO_DEFINITION " (" IO_DEFINITION_BEFORE
                        ": only the rating is checked, not caches, content or time)");
        return;
    }
    judge_duration(r);
    sheet_criterion(&r->sheet, !protocol_is(p, "option_noshared", "yes"),
                    "shared file pointers used for pattern type 1");
    sheet_criterion(&r->sheet, g->errors == 0, "error count (%" PRId64 " wrong words) == 0", g->errors);
    judge_caches(r);
    judge_writing(r);
    sheet_criterion(&r->sheet, g->skipped == 0 && g->best >= 0, "every pattern measured (%d left out%s)",
                    g->skipped, io_is_selection(p) ? "; options selected a part" : "");
    judge_end(r);
}
