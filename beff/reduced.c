/* What was reduced. Uses schedule (its numbers). */
#include "beff/reduced.h"

#include <inttypes.h>
#include <math.h>

struct reduced reduced_start(int polygons)
{
    return (struct reduced){.polygons = polygons,
                            .all_polygons = polygons,
                            .shortest = TUNING_TARGET,
                            .best_only_from = BEFF_SIZES,
                            .sizes_from = BEFF_SIZES};
}

bool reduced_at_all(const struct reduced *r)
{
    return r->analysis + r->best_only + r->shortened + r->left_out > 0 || r->polygons < r->all_polygons ||
           r->repetitions < SCHEDULE_REPETITIONS;
}

static void count(int64_t *counter, int *least, int size)
{
    ++*counter;
    *least = size < *least ? size : *least;
}

void reduced_best_only(struct reduced *r, int size)
{
    count(&r->best_only, &r->best_only_from, size);
}

void reduced_left_out(struct reduced *r, int size, double seconds)
{
    r->missing += seconds;
    count(&r->left_out, &r->sizes_from, size);
}

void reduced_measured(struct reduced *r, double target)
{
    r->measured++;
    if (target > 0.99 * TUNING_TARGET) /* as good as not */
        return;
    r->shortened++;
    r->shortest = fmin(r->shortest, target);
}

void reduced_tell(const struct reduced *r, const int64_t sizes[BEFF_SIZES], double elapsed,
                  struct texts *lines)
{
    if (r->analysis)
        texts_add(lines, "analysis-only patterns dropped: %" PRId64 " of %" PRId64 " pattern-size pairs",
                  r->analysis, r->pairs);
    if (r->polygons < r->all_polygons)
        texts_add(lines, "random polygons: %d instead of %d", r->polygons, r->all_polygons);
    if (r->best_only)
        texts_add(lines,
                  "only the best method so far: %" PRId64 " of %" PRId64
                  " pattern-size pairs, sizes from %" PRId64 " B on",
                  r->best_only, r->pairs, sizes[r->best_only_from]);
    if (r->repetitions < SCHEDULE_REPETITIONS)
        texts_add(lines, "%d whole repetitions instead of %d: a maximum over fewer is lower", r->repetitions,
                  SCHEDULE_REPETITIONS);
    if (r->shortened)
        texts_add(lines,
                  "measurements shortened: %" PRId64 " of %" PRId64 ", the shortest planned for %.3g ms",
                  r->shortened, r->measured, r->shortest * 1e3);
    if (r->left_out)
        texts_add(lines, "left out for want of time: %" PRId64 " measurements, sizes from %" PRId64 " B on",
                  r->left_out, sizes[r->sizes_from]);
    if (r->left_out && r->measured == 0)
        texts_add(lines, "the time is too short: it was up before anything could be measured");
    else if (r->left_out && r->repetitions == 0)
        texts_add(lines,
                  "the time is too short: reduced as far as allowed, measuring takes about %.3g s here",
                  elapsed + r->missing);
}
