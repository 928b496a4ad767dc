#include "imb_compat/tables.h"

#include "common/memory.h"
#include "imb_compat/partners.h"

/* ---- which processes take part ---- */

int imb_stride(const struct imb_settings *settings, int processes)
{
    return settings->stride ? (int)settings->stride : processes / 2;
}

/* Returns the number of processes that take part in a benchmark of IMB-MT or IMB-P2P, or 0 if the benchmark
 * cannot run. All processes take part, except in the pair benchmarks of IMB-MT: there, the stride may leave
 * some processes without a partner. */
static int count_all(const struct imb_benchmark *b, const struct imb_settings *settings, int processes)
{
    int side[IMB_MAX_DIMENSIONS], stride = imb_stride(settings, processes);
    bool pairs = b->class == IMB_CLASS_RATE;
    if (b->component == IMB_MT)
        return !pairs ? processes : stride ? processes - processes % (2 * stride) : 0;
    bool fit = b->class == IMB_CLASS_GRID ? imb_grid_make(b->rate / 2, processes, side) == 0
                                          : processes >= 2 && !(pairs && processes % 2);
    return fit ? processes : 0;
}

int imb_process_counts(const struct imb_benchmark *benchmark, const struct imb_settings *settings,
                       int processes, int counts[IMB_MAX_COUNTS])
{
    bool two = benchmark->class == IMB_CLASS_PAIR || benchmark->class == IMB_CLASS_ELEMENT;
    bool pairs = two || benchmark->class == IMB_CLASS_RATE;
    if (!imb_components[settings->component].adaptive) {
        counts[0] = count_all(benchmark, settings, processes);
        return counts[0] > 0;
    }
    if (pairs && processes < 2)
        return 0;
    if (two || benchmark->class == IMB_CLASS_ALONE) {
        counts[0] = two ? 2 : 1;
        return 1;
    }
    int max = processes - (pairs ? processes % 2 : 0);
    int64_t npmin = settings->npmin, min = pairs ? npmin - npmin % 2 : npmin;
    int count = 0;
    for (int64_t n = pairs && min < 2 ? 2 : min; n < max; n *= 2)
        counts[count++] = (int)n;
    counts[count++] = max;
    return count;
}

int imb_processes_fit(const struct imb_settings *settings, int processes, struct message *error)
{
    int64_t p = settings->map_p, q = settings->map_q;
    if (settings->stride > processes / 2)
        return message_set(error, "invalid -stride %d: expected at most half of the %d processes",
                           (int)settings->stride, processes);
    if ((!p && !q) || p * q == processes)
        return 0;
    return message_set(error, "invalid -map %dx%d: expected P times Q to be %d, the number of processes",
                       (int)p, (int)q, processes);
}

/* The map has P rows and Q columns. Row i, column j has rank i + jP. Numbers run along the rows. */
int imb_map_number(int rank, int p, int q)
{
    return p ? rank % p * q + rank / p : rank;
}

int imb_map_rank(int number, int p, int q)
{
    return p ? number / q + number % q * p : number;
}

/* Divides the processes into groups. Drops a map with one row or one column, which changes nothing and is not
 * printed by IMB. */
static struct imb_groups groups_of(const struct imb_settings *settings, int processes, int size)
{
    bool mapped = settings->map_p > 1 && settings->map_q > 1;
    int count = settings->multi < 0 ? 1 : processes / size;
    return (struct imb_groups){.processes = processes,
                               .size = size,
                               .count = count,
                               .active = size * count,
                               .map_p = mapped ? settings->map_p : 0,
                               .map_q = mapped ? settings->map_q : 0};
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

const char *const imb_mode_names[] = {
    [IMB_MODE_NONE] = "-", [IMB_MODE_AGGREGATE] = "AGGREGATE", [IMB_MODE_NON_AGGREGATE] = "NON-AGGREGATE"};

/* ---- tables ---- */

struct imb_table imb_table_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                enum imb_mode mode, int processes, int size)
{
    const unsigned flags = benchmark->flags;
    const int ext_unit = 4; /* IMB-EXT uses the item size of reductions for all benchmarks */
    bool files = benchmark->component == IMB_IO, reads = files && !(flags & IMB_WRITES);
    struct imb_table table = {.settings = settings, .benchmark = benchmark, .mode = mode};
    if (size)
        table.groups = groups_of(settings, processes, size);
    table.type = flags & IMB_INTEGER
                     ? IMB_INT
                     : (enum imb_type)(flags & IMB_REDUCTION ? settings->red_data_type : settings->data_type);
    table.unit = imb_types[table.type].size;
    if (benchmark->component == IMB_EXT && settings->compat == IMB_2021 && table.unit < ext_unit)
        table.unit = ext_unit;
    bool pure = flags & IMB_NONBLOCKING && !(flags & IMB_OVERLAPPED);
    /* As in IMB, Ireduce_pure and Reduce_persist_pure do not count as rooted. */
    bool rooted = flags & IMB_ROOTED && !(pure && flags & IMB_REDUCTION);
    if (benchmark->component == IMB_MT)
        table.unit *= settings->team;
    table.policy = settings->policy != IMB_AUTO ? (enum imb_policy)settings->policy
                   : rooted                     ? IMB_MULTIPLE_NP
                                                : IMB_DYNAMIC;
    table.started_together = files && flags & IMB_OVERLAPPED && benchmark->class != IMB_CLASS_COLLECTIVE;
    table.completed_together = (mode == IMB_MODE_AGGREGATE || flags & IMB_AT_END) &&
                               (!reads || table.started_together); /* a blocking read completes by itself */
    return table;
}

void imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                     const struct imb_selection *selection, int processes)
{
    *tables = (struct imb_tables){0};
    for (size_t b = 0; b < selection->count; b++) {
        const struct imb_benchmark *benchmark = selection->benchmarks[b];
        int counts[IMB_MAX_COUNTS];
        enum imb_mode modes[IMB_MAX_MODES];
        int count = imb_process_counts(benchmark, settings, processes, counts);
        int mode_count = imb_modes_of(settings, benchmark, modes);
        for (int i = 0; i == 0 || i < count * mode_count; i++) {
            array_grow(&tables->table, tables->count, sizeof *tables->table);
            struct imb_table *table = &tables->table[tables->count++];
            *table = imb_table_make(settings, benchmark, modes[i % mode_count], processes,
                                    count ? counts[i / mode_count] : 0);
            table->requested = b < selection->requested;
        }
    }
}
