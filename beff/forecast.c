/* The forecast. Uses estimates, patterns. */
#include "beff/forecast.h"

#include <math.h>

/* Agreeing on a measurement takes so many messages one after the other for each doubling of the nodes: order,
 * barrier, result. */
#define AGREEMENT_STEPS 4
/* What a measurement takes on one node, as seen on several machines: the loop is not exactly as planned. */
#define AGREEMENT_SECONDS 50e-6
/* Within a node nothing is assumed but that an iteration takes this long at least. */
#define MIN_ITERATION 1e-6

/* Messages that the processes of one node send to others in one iteration. */
static double leaving_node(const struct pattern *pattern, int64_t first, int64_t count)
{
    double leaving = 0;
    for (int64_t rank = first; rank < first + count && rank < pattern->processes; rank++) {
        struct neighbours n;
        if (pattern_neighbours(pattern, rank, &n))
            return NAN;
        for (int axis = 0; axis < n.axes; axis++) {
            int64_t left = n.left[axis], right = n.right[axis];
            leaving += left >= 0 && (left < first || left >= first + count);
            leaving += right >= 0 && right != left && (right < first || right >= first + count);
        }
    }
    return leaving;
}

/* Nodes at the ends and in the middle are as good as all: patterns are regular, and of polygons it is the
 * mean. */
double forecast_leaving(const struct pattern *pattern, int64_t per_node)
{
    double processes = (double)pattern->processes, share = (double)per_node;
    if (per_node >= pattern->processes)
        return 0;
    if (pattern->kind == PATTERN_RANDOM)
        return (double)pattern->messages / processes * share * (processes - share) / (processes - 1);
    int64_t last = (pattern->processes - 1) / per_node, nodes[] = {0, 1, last / 2, last};
    double max = 0;
    for (int i = 0; i < 4; i++)
        max = fmax(max, leaving_node(pattern, nodes[i] * per_node, per_node));
    return max;
}

/* Sendrecv makes one exchange after the other; in pairs one answers the other. */
double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          double leaving, enum method method, int size)
{
    const struct pattern *p = &list->patterns[pattern];
    bool pairs = p->rings.rings == 0 && p->grid.dimensions == 0;
    double exchanges = pairs ? 2 : ceil((double)p->messages / (double)list->processes);
    double transfer = leaving * (double)list->sizes[size] / links->link;
    double latency = (method == METHOD_SENDRECV ? exchanges : 1) * links->latency;
    transfer *= pairs && method == METHOD_SENDRECV ? 2 : 1;
    return fmax(leaving > 0 ? latency + transfer : 0, MIN_ITERATION);
}

struct forecast forecast_make(const struct pattern_list *list, const struct links *links, int64_t max_loops)
{
    struct estimates e;
    estimates_make(&e, list, NULL, max_loops, false);
    for (int p = 0; links && p < list->count; p++) {
        double nodes = ceil((double)list->processes / (double)links->processes_per_node);
        double overhead = AGREEMENT_SECONDS + AGREEMENT_STEPS * ceil(log2(nodes)) * links->latency;
        if (list->patterns[p].kind == PATTERN_RANDOM && list->patterns[p].number > 1)
            continue; /* of one class */
        double leaving = forecast_leaving(&list->patterns[p], links->processes_per_node);
        for (int i = 0; i < METHODS * BEFF_SIZES; i++) {
            struct command command = {p, (enum method)(i % METHODS), i / METHODS, 1, 0};
            double one = forecast_iteration(list, links, p, leaving, command.method, command.size);
            estimates_learn(&e, &command, one, one + overhead);
        }
    }
    estimates_settle(&e);
    return (struct forecast){estimates_pass(&e, SWEEP_OPENING, list->polygons, false),
                             estimates_time(estimates_run(&e))};
}
