/* The table of patterns, partitions, offsets and repeat factors. */
#include "beff_io/patterns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KB  INT64_C(1024)
#define MB  (1024 * KB)
#define ALL INT64_C(-1) /* stands for M_PART in the table */

/* The patterns that types 1 to 4 have in common, numbered from `n`. The chunk of M_PART has `units` units. */
#define ONE_CHUNK_A_CALL(n, type, units)                                                                     \
    {n, type, MB, MB, 0, 0}, {n + 1, type, ALL, ALL, units, 1}, {n + 2, type, MB, MB, 2, 2},                 \
        {n + 3, type, 32 * KB, 32 * KB, 1, 3}, {n + 4, type, KB, KB, 1, 4},                                  \
        {n + 5, type, 32 * KB + 8, 32 * KB + 8, 1, 5}, {n + 6, type, KB + 8, KB + 8, 1, 6},                  \
    {                                                                                                        \
        n + 7, type, MB + 8, MB + 8, 2, 7                                                                    \
    }

static const struct io_pattern table[IO_PATTERNS] = {
    {0, TYPE_SCATTER, MB, MB, 0, 0},
    {1, TYPE_SCATTER, ALL, ALL, 4, 1},
    {2, TYPE_SCATTER, MB, 2 * MB, 4, -1},
    {3, TYPE_SCATTER, MB, MB, 4, 2},
    {4, TYPE_SCATTER, 32 * KB, MB, 2, 3},
    {5, TYPE_SCATTER, KB, MB, 2, 4},
    {6, TYPE_SCATTER, 32 * KB + 8, MB + 256, 2, 5},
    {7, TYPE_SCATTER, KB + 8, MB + 8 * KB, 2, 6},
    {8, TYPE_SCATTER, MB + 8, MB + 8, 2, 7},

    ONE_CHUNK_A_CALL(9, TYPE_SHARED, 4),
    ONE_CHUNK_A_CALL(17, TYPE_SEPARATED, 2),
    ONE_CHUNK_A_CALL(25, TYPE_SEGMENTED, 2),
    {33, TYPE_SEGMENTED, 0, 0, 0, 8, true},
    ONE_CHUNK_A_CALL(34, TYPE_SEG_COLL, 2),
    {42, TYPE_SEG_COLL, 0, 0, 0, 8, true},
};

const char *const io_type_names[IO_TYPES] = {[TYPE_SCATTER] = "scatter",
                                             [TYPE_SHARED] = "shared",
                                             [TYPE_SEPARATED] = "separated",
                                             [TYPE_SEGMENTED] = "segmented",
                                             [TYPE_SEG_COLL] = "seg_coll"};
const char *const io_access_names[IO_ACCESSES] = {
    [ACCESS_WRITE] = "write", [ACCESS_REWRITE] = "rewrite", [ACCESS_READ] = "read"};

int64_t io_mpart(int64_t memory_mib)
{
    int64_t mpart = memory_mib * (MB / 128);
    return mpart < 2 * MB ? 2 * MB : mpart > 1024 * MB ? 1024 * MB : mpart;
}

void io_patterns(int64_t mpart, struct io_pattern patterns[IO_PATTERNS])
{
    memcpy(patterns, table, sizeof table);
    for (int i = 0; i < IO_PATTERNS; i++)
        if (patterns[i].disk == ALL)
            patterns[i].disk = patterns[i].memory = mpart;
}

int io_first(enum io_type type)
{
    int first = 0;
    while (table[first].type != type)
        first++;
    return first;
}

int io_count(enum io_type type)
{
    int count = 0;
    for (int i = 0; i < IO_PATTERNS; i++)
        count += table[i].type == type;
    return count;
}

enum io_type io_type_find(const char *name)
{
    return (enum io_type)text_find(io_type_names, IO_TYPES, name);
}

enum io_access io_access_find(const char *name)
{
    return (enum io_access)text_find(io_access_names, IO_ACCESSES, name);
}

bool io_runs(enum io_type type, enum io_access access, bool rewrite_all)
{
    return access != ACCESS_REWRITE || type == TYPE_SCATTER || rewrite_all;
}

int io_units(bool rewrite_all)
{
    return 2 * IO_UNITS + (rewrite_all ? IO_UNITS : IO_UNITS_SCATTER);
}

double io_scheduled(double time, int partitions, int units, bool rewrite_all)
{
    return time / partitions * units / io_units(rewrite_all);
}

int64_t io_call_bytes(const struct io_pattern *pattern)
{
    return pattern->fill ? MB : pattern->memory;
}

int64_t io_min_bytes(const struct io_task *task)
{
    int64_t processes = 0, bytes = 0;
    for (int i = 0; i < task->partition_count; i++)
        processes += task->partitions[i];
    for (int i = 0; i < IO_PATTERNS; i++)
        if (io_selected(&task->selection, ACCESS_WRITE, &task->patterns[i]))
            bytes += io_call_bytes(&task->patterns[i]);
    return processes * bytes;
}

const struct io_pattern *io_match(const struct io_pattern *patterns, enum io_type type, int place)
{
    for (int i = 0; i < IO_PATTERNS; i++)
        if (patterns[i].type == type && patterns[i].place == place)
            return &patterns[i];
    return NULL;
}

const struct io_pattern *io_chunk(const struct io_pattern *patterns, enum io_type type, int chunk)
{
    static const int places[IO_CHUNKS] = {4, 6, 3, 5, 2, 7, 1};
    return io_match(patterns, type, places[chunk]);
}

/* ---- selection ---- */

struct io_selection io_select_all(bool rewrite_all)
{
    struct io_selection all = {.rewrite_all = rewrite_all};
    for (int i = 0; i < IO_PATTERNS; i++)
        all.pattern[i] = true;
    for (int a = 0; a < IO_ACCESSES; a++)
        all.access[a] = true;
    return all;
}

bool io_selected(const struct io_selection *selection, enum io_access access,
                 const struct io_pattern *pattern)
{
    return selection->pattern[pattern->number] && selection->access[access] &&
           io_runs(pattern->type, access, selection->rewrite_all);
}

/* ---- partitions ---- */

static int default_partitions(int64_t processes, int64_t *partitions)
{
    double log_p = log2((double)processes);
    int64_t small = processes == 3 ? 1 : INT64_C(1) << (int)floor(0.35 * log_p + 0.5);
    int64_t medium = processes == 4 ? 3 : INT64_C(1) << (int)floor(0.70 * log_p + 0.5);
    int64_t ascending[3] = {small, medium, processes};
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (ascending[i] <= processes && (count == 0 || ascending[i] > partitions[count - 1]))
            partitions[count++] = ascending[i];
    return count;
}

/* Adds an entry of --partitions at `*at`, and moves `*at` behind it. Returns false if it is not allowed. */
static bool add_partition(struct io_task *task, int64_t processes, const char **at)
{
    char *rest;
    long long number = strtoll(*at, &rest, 10), nodes = 0;
    bool allowed = rest != *at && number >= 1 && number <= processes;
    if (allowed && *rest == 'x') {
        const char *each = rest + 1;
        nodes = number;
        number = strtoll(each, &rest, 10);
        allowed = rest != each && number >= 1 && number <= processes / nodes;
        number *= nodes;
    }
    for (int i = 0; i < task->partition_count; i++)
        allowed = allowed && task->partitions[i] != number;
    *at = rest;
    if (!allowed || (*rest && *rest != ',') || task->partition_count == IO_MAX_PARTITIONS)
        return false;
    task->nodes[task->partition_count] = nodes;
    task->partitions[task->partition_count++] = number;
    return true;
}

int io_partitions(struct io_task *task, int64_t processes, const char *list, struct message *error)
{
    memset(task->nodes, 0, sizeof task->nodes);
    task->partition_count = list ? 0 : default_partitions(processes, task->partitions);
    for (const char *at = list; at; at = *at ? at + 1 : NULL)
        if (!add_partition(task, processes, &at))
            return message_set(error,
                               "invalid --partitions (-N) \"%.80s\": expected at most %d different numbers "
                               "of processes from 1 to %" PRId64 ", or NODESxPROCESSES, separated by commas",
                               list, IO_MAX_PARTITIONS, processes);
    return 0;
}

/* ---- files ---- */

/* Returns the number of bytes in a segment that the patterns `first` to `end` - 1 occupy. */
static int64_t planned_bytes(const struct io_layout *layout, int first, int end)
{
    int64_t sum = 0;
    for (int i = first; i < end; i++)
        sum += layout->planned[i] * layout->task->patterns[i].disk; /* 0 if `fill` is set */
    return sum;
}

struct io_place io_layout_place(const struct io_layout *layout, int pattern)
{
    const struct io_pattern *p = &layout->task->patterns[pattern];
    int first = io_first(p->type);
    struct io_place place = {
        .rank_step = p->disk, .chunk_step = p->disk, .disk = p->disk, .memory = p->memory};
    if (p->type >= TYPE_SEGMENTED) {
        place.base = planned_bytes(layout, first, pattern);
        place.rank_step = (planned_bytes(layout, first, first + io_count(p->type)) + MB - 1) / MB * MB;
        if (p->fill)
            place.chunk_step = place.disk = place.memory = place.rank_step - place.base;
        return place;
    }
    int64_t sharing = p->type == TYPE_SEPARATED ? 1 : layout->processes;
    for (int i = first; i < pattern; i++)
        place.base += layout->calls[ACCESS_WRITE][i] * layout->task->patterns[i].memory * sharing;
    if (p->type == TYPE_SEPARATED)
        place.rank_step = 0;
    place.chunk_step *= sharing;
    return place;
}

int64_t io_repeats_per_call(const struct io_pattern *pattern)
{
    return pattern->type == TYPE_SHARED ? 10 : pattern->memory / pattern->disk;
}

int64_t io_layout_repeat(const struct io_layout *layout, int pattern)
{
    const struct io_pattern *patterns = layout->task->patterns;
    int64_t factor = INT64_MAX;
    for (int t = TYPE_SCATTER; t <= TYPE_SEPARATED; t++) {
        const struct io_pattern *p = io_match(patterns, (enum io_type)t, patterns[pattern].place);
        if (!p || !layout->calls[ACCESS_WRITE][p->number])
            continue;
        int64_t bound = layout->calls[ACCESS_WRITE][p->number] * io_repeats_per_call(p);
        factor = bound < factor ? bound : factor;
    }
    return factor;
}

int io_segment_units(const struct io_task *task)
{
    int units = 0;
    for (int i = io_first(TYPE_SEGMENTED); i < IO_PATTERNS; i++)
        units += io_selected(&task->selection, ACCESS_WRITE, &task->patterns[i]) * task->patterns[i].units;
    return units;
}

void io_layout_plan(struct io_layout *layout, int64_t bytes)
{
    const struct io_task *task = layout->task;
    int units = io_segment_units(task);
    for (int i = io_first(TYPE_SEGMENTED); i < IO_PATTERNS && !layout->has_plan; i++) {
        const struct io_pattern *p = &task->patterns[i];
        if (p->fill) {
            layout->planned[i] = io_layout_place(layout, i).disk > 0;
        } else if (io_selected(&task->selection, ACCESS_WRITE, p)) {
            int64_t call = layout->processes * p->memory, repeat = io_layout_repeat(layout, i);
            int64_t share = 1 + (p->units ? bytes / units * p->units / call : 0);
            layout->planned[i] = share < repeat ? share : repeat;
            bytes -= (layout->planned[i] - 1) * call;
            units -= p->units;
        }
    }
    layout->has_plan = true;
}

int64_t io_chunk_offset(const struct io_place *place, int64_t rank, int64_t chunk)
{
    return place->base + rank * place->rank_step + chunk * place->chunk_step;
}

int64_t io_file_end(const struct io_layout *layout, enum io_type type)
{
    int64_t end = 0;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++) {
        struct io_place place = io_layout_place(layout, i);
        if (!layout->calls[ACCESS_WRITE][i] || !place.disk)
            continue;
        int64_t chunks = layout->calls[ACCESS_WRITE][i] * (place.memory / place.disk);
        int64_t last = io_chunk_offset(&place, layout->processes - 1, chunks - 1) + place.disk;
        end = last > end ? last : end;
    }
    return end;
}
