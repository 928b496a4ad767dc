/* Process counts, the map, groups, modes; the list of tables. Uses selection. */
#include "imb_compat/tables.h"

#include <stdlib.h>

int imb_process_counts(const struct imb_benchmark *benchmark, int processes, int64_t npmin,
                       int counts[IMB_MAX_COUNTS])
{
    bool two = benchmark->class == IMB_CLASS_PAIR || benchmark->class == IMB_CLASS_ELEMENT;
    bool pairs = two || benchmark->class == IMB_CLASS_RATE;
    if (pairs && processes < 2)
        return 0;
    if (two || benchmark->class == IMB_CLASS_ALONE) {
        counts[0] = two ? 2 : 1;
        return 1;
    }
    int most = processes - (pairs ? processes % 2 : 0);
    int64_t least = pairs ? npmin - npmin % 2 : npmin;
    int count = 0;
    for (int64_t n = pairs && least < 2 ? 2 : least; n < most; n *= 2)
        counts[count++] = (int)n;
    counts[count++] = most;
    return count;
}

int imb_map_fits(const struct imb_settings *settings, int processes, struct message *error)
{
    int64_t p = settings->map_p, q = settings->map_q;
    if ((!p && !q) || p * q == processes)
        return 0;
    return message_set(error, "-map %dx%d is not allowed: %d times %d is not %d, the number of processes",
                       (int)p, (int)q, (int)p, (int)q, processes);
}

/* The grid has P rows and Q columns; row i, column j holds rank i + jP, numbers run along the rows. */
int imb_map_number(int rank, int p, int q)
{
    return p ? rank % p * q + rank / p : rank;
}

int imb_map_rank(int number, int p, int q)
{
    return p ? number / q + number % q * p : number;
}

/* One row or one column is the order as it is: IMB does not call that a map. */
struct imb_groups imb_groups_make(const struct imb_settings *settings, int processes, int size)
{
    bool mapped = settings->map_p > 1 && settings->map_q > 1;
    return (struct imb_groups){.processes = processes,
                               .size = size,
                               .count = settings->multi < 0 ? 1 : processes / size,
                               .map_p = mapped ? settings->map_p : 0,
                               .map_q = mapped ? settings->map_q : 0};
}

int imb_groups_active(const struct imb_groups *groups)
{
    return groups->size * groups->count;
}

int imb_groups_rank(const struct imb_groups *groups, int group, int i)
{
    return imb_map_rank(group * groups->size + i, groups->map_p, groups->map_q);
}

int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MAX_MODES])
{
    bool together = benchmark->flags & IMB_HAS_AGGREGATE, singly = benchmark->flags & IMB_HAS_NON_AGGREGATE;
    int chosen = settings->aggregate_mode;
    if (together && singly && chosen == IMB_RUN_BOTH_MODES) {
        bool last = imb_components[benchmark->component].aggregate_last;
        modes[last] = IMB_MODE_AGGREGATE;
        modes[!last] = IMB_MODE_NON_AGGREGATE;
        return IMB_MAX_MODES;
    }
    modes[0] = singly && (!together || chosen == IMB_RUN_NON_AGGREGATE) ? IMB_MODE_NON_AGGREGATE
               : together                                               ? IMB_MODE_AGGREGATE
                                                                        : IMB_MODE_NONE;
    return 1;
}

bool imb_completed_together(const struct imb_benchmark *benchmark, enum imb_mode mode)
{
    bool reads = benchmark->component == IMB_IO && !(benchmark->flags & IMB_WRITES);
    if (reads && !imb_starts_together(benchmark))
        return false; /* nothing is left to do after each */
    return mode == IMB_MODE_AGGREGATE || benchmark->flags & IMB_AT_END;
}

const char *imb_mode_name(enum imb_mode mode)
{
    static const char *const names[] = {[IMB_MODE_NONE] = NULL,
                                        [IMB_MODE_AGGREGATE] = "AGGREGATE",
                                        [IMB_MODE_NON_AGGREGATE] = "NON-AGGREGATE"};
    return names[mode];
}

/* ---- the list ---- */

/* The tables of one benchmark, at least one; returns how many. */
static size_t add_tables(struct imb_table *tables, const struct imb_settings *settings,
                         const struct imb_benchmark *benchmark, int processes)
{
    int counts[IMB_MAX_COUNTS] = {0};
    enum imb_mode modes[IMB_MAX_MODES];
    int count = imb_process_counts(benchmark, processes, settings->npmin, counts);
    int mode_count = imb_modes_of(settings, benchmark, modes);
    struct imb_table table = {settings, benchmark, {0}, IMB_MODE_NONE};
    tables[0] = table;
    for (int i = 0; i < count * mode_count; i++) {
        table.groups = imb_groups_make(settings, processes, counts[i / mode_count]);
        table.mode = modes[i % mode_count];
        tables[i] = table;
    }
    return count ? (size_t)(count * mode_count) : 1;
}

int imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                    const struct imb_selection *selection, int processes)
{
    enum { MAX = IMB_MAX_COUNTS * IMB_MAX_MODES };
    *tables = (struct imb_tables){0};
    for (size_t i = 0; i < selection->count; i++) {
        struct imb_table *more = realloc(tables->table, (tables->count + MAX) * sizeof *more);
        if (!more)
            return -1;
        tables->table = more;
        tables->count += add_tables(more + tables->count, settings, selection->benchmarks[i], processes);
    }
    return 0;
}

void imb_tables_free(struct imb_tables *tables)
{
    free(tables->table);
    *tables = (struct imb_tables){0};
}
