/* Offsets and repeat factors. Uses patterns. */
#include "beff_io/layout.h"

#define MB (INT64_C(1024) * 1024)

void io_layout_start(struct io_layout *layout, int64_t processes, const struct io_pattern *patterns)
{
    *layout = (struct io_layout){.processes = processes};
    for (int i = 0; i < IO_PATTERNS; i++) {
        bool separated = patterns[i].type == TYPE_SEPARATED;
        layout->place[i] = (struct io_place){.rank_step = separated ? 0 : patterns[i].disk,
                                             .chunk_step = patterns[i].disk * (separated ? 1 : processes),
                                             .disk = patterns[i].disk,
                                             .memory = patterns[i].memory};
    }
}

int64_t io_chunk_offset(const struct io_place *place, int64_t rank, int64_t chunk)
{
    return place->base + rank * place->rank_step + chunk * place->chunk_step;
}

/* Disk chunks that each process wrote. */
static int64_t chunks_written(const struct io_place *place)
{
    return place->disk ? place->written * (place->memory / place->disk) : 0;
}

void io_layout_follow(struct io_layout *layout, const struct io_pattern *patterns, int number)
{
    int64_t base = 0;
    if (number > io_first(patterns[number].type)) {
        const struct io_place *before = &layout->place[number - 1];
        base = io_chunk_offset(before, 0, chunks_written(before));
    }
    layout->place[number].base = base;
}

int64_t io_layout_repeat(const struct io_layout *layout, const struct io_pattern *patterns,
                         const struct io_pattern *pattern)
{
    int64_t factor = INT64_MAX;
    for (int t = TYPE_SCATTER; t <= TYPE_SEPARATED; t++) {
        const struct io_pattern *other = io_match(patterns, (enum io_type)t, pattern->place);
        if (!layout->ran[t] || !other || layout->place[other->number].left_out)
            continue;
        int64_t bound = chunks_written(&layout->place[other->number]) * (t == TYPE_SHARED ? 10 : 1);
        factor = bound < factor ? bound : factor;
    }
    return factor;
}

void io_layout_segments(struct io_layout *layout, const struct io_pattern *patterns, const int64_t *planned)
{
    for (int t = TYPE_SEGMENTED; t <= TYPE_SEG_COLL; t++) {
        int64_t sum = 0;
        int first = io_first((enum io_type)t), end = first + io_count((enum io_type)t);
        for (int i = first; i < end; i++) {
            struct io_place *place = &layout->place[i];
            place->base = sum;
            if (patterns[i].fill) {
                layout->segment = (sum + MB - 1) / MB * MB;
                place->disk = place->memory = layout->segment - sum;
                place->planned = place->disk > 0;
                continue;
            }
            place->planned = planned[i];
            sum += place->planned * patterns[i].disk;
        }
        for (int i = first; i < end; i++) {
            layout->place[i].rank_step = layout->segment;
            layout->place[i].chunk_step = layout->place[i].disk;
        }
    }
}

int64_t io_file_end(const struct io_layout *layout, enum io_type type)
{
    int64_t end = 0;
    for (int i = io_first(type); i < io_first(type) + io_count(type); i++) {
        const struct io_place *place = &layout->place[i];
        if (!chunks_written(place))
            continue;
        int64_t last = io_chunk_offset(place, layout->processes - 1, chunks_written(place) - 1);
        if (last + place->disk > end)
            end = last + place->disk;
    }
    return end;
}
