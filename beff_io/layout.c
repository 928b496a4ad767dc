/* Offsets and repeat factors. Uses patterns. */
#include "beff_io/layout.h"

#define MB (INT64_C(1024) * 1024)

void io_layout_start(struct io_layout *layout, const struct io_task *task, int partition)
{
    *layout = (struct io_layout){.task = task, .processes = task->partitions[partition]};
}

void io_layout_note(struct io_layout *layout, enum io_access access, int pattern, int64_t calls)
{
    if (access == ACCESS_WRITE)
        layout->written[pattern] = calls;
    else if (access == ACCESS_REWRITE)
        layout->rewritten[pattern] = calls;
}

int64_t io_layout_room(const struct io_layout *layout, int pattern)
{
    return layout->task->patterns[pattern].type >= TYPE_SEGMENTED ? layout->planned[pattern] : -1;
}

/* Bytes of each process in a segment, before pattern `end`. */
static int64_t planned_bytes(const struct io_layout *layout, int first, int end)
{
    int64_t sum = 0;
    for (int i = first; i < end; i++)
        sum += layout->planned[i] * layout->task->patterns[i].disk; /* l of the fill-up is 0 */
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
        place.base += layout->written[i] * layout->task->patterns[i].memory * sharing;
    if (p->type == TYPE_SEPARATED)
        place.rank_step = 0;
    place.chunk_step *= sharing;
    return place;
}

int64_t io_layout_repeat(const struct io_layout *layout, int pattern)
{
    const struct io_pattern *patterns = layout->task->patterns;
    int64_t factor = INT64_MAX;
    for (int t = TYPE_SCATTER; t <= TYPE_SEPARATED; t++) {
        const struct io_pattern *p = io_match(patterns, (enum io_type)t, patterns[pattern].place);
        if (!p || !layout->written[p->number])
            continue;
        int64_t bound = layout->written[p->number] * (t == TYPE_SHARED ? 10 : p->memory / p->disk);
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
        if (!layout->written[i] || !place.disk)
            continue;
        int64_t chunks = layout->written[i] * (place.memory / place.disk);
        int64_t last = io_chunk_offset(&place, layout->processes - 1, chunks - 1) + place.disk;
        end = last > end ? last : end;
    }
    return end;
}
