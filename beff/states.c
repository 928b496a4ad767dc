#include "beff/states.h"

#include <math.h>
#include <stdlib.h>

#include "beff/record.h"
#include "common/memory.h"
#include "common/stats.h"

/* What is compared: the slowest processors of each node. */
static const struct {
    size_t offset;
    const char *what, *unit;
    double scale;
} kinds[] = {{offsetof(struct state_row, hop_max), "distance of processors", "ns", 1e9},
             {offsetof(struct state_row, loop_max), "time of a loop of arithmetic", "us", 1e6},
             {offsetof(struct state_row, copy_max), "time of a copy of 4 MiB", "us", 1e6}};

static double value_of(const struct state_row *row, size_t kind)
{
    return *(const double *)(const void *)((const char *)row + kinds[kind].offset);
}

/* Adds a note about the node whose slowest processors changed most. The rows of a node are `nodes` apart. */
static void note_change(const struct state_row *row, size_t count, size_t nodes, size_t kind,
                        struct sheet *sheet)
{
    double low = 1, high = STATES_CHANGE;
    const char *host = NULL;
    for (size_t node = 0; node < nodes; node++) {
        double least = NAN, largest = NAN;
        for (size_t i = node; i < count; i += nodes) {
            least = fmin(least, value_of(&row[i], kind)); /* fmin and fmax ignore NaN */
            largest = fmax(largest, value_of(&row[i], kind));
        }
        if (largest / least > high / low) {
            low = least;
            high = largest;
            host = row[node].host;
        }
    }
    if (host)
        texts_add(&sheet->notes, "the state of %s changed: %s %.3g to %.3g %s", host, kinds[kind].what,
                  kinds[kind].scale * low, kinds[kind].scale * high, kinds[kind].unit);
}

void states_note(const struct protocol *protocol, struct sheet *sheet)
{
    size_t count, nodes = 0, known = 0;
    const struct state_row *row = protocol_table(protocol, BEFF_STATES, &count);
    if (!count)
        return;
    while (nodes < count && row[nodes].sweep == row[0].sweep)
        nodes++;
    double *apart = memory_new(count, sizeof *apart, "the states");
    for (size_t i = 0; i < count; i++)
        if (!isnan(row[i].hop_max))
            apart[known++] = row[i].hop_max;
    double median = 1e9 * stats_median(apart, known);
    free(apart);
    if (known) {
        sheet_detail(sheet, STATES_APART, "distance of neighbours' processors, median", "ns", median);
        texts_add(&sheet->notes, "processors %.3g ns apart", median);
    }
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        note_change(row, count, nodes, kind, sheet);
}
