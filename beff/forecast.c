/* The forecast. Uses estimates, patterns. */
#include "beff/forecast.h"

#include <math.h>

/* Agreeing on a measurement takes so many messages one after the other for each doubling of the nodes: order,
 * barrier, result. */
#define AGREEMENT_STEPS 4
/* What a measurement takes on one node, as seen on several machines: the loop is not exactly as planned. */
#define AGREEMENT_SECONDS 50e-6
/* Within a node nothing is assumed but that an iteration takes this long at least. */
#define LEAST_ITERATION 1e-6

/* Messages that the processes of one node send to others in one iteration. */
static double leaving_node(const struct pattern_list *list, const struct pattern *pattern, int64_t first,
                           int64_t count)
{
    double leaving = 0;
    for (int64_t rank = first; rank < first + count && rank < list->processes; rank++) {
        struct neighbours n;
        if (pattern_neighbours(list, pattern, rank, &n))
            return NAN;
        for (int axis = 0; axis < n.axes; axis++) {
            int64_t left = n.left[axis], right = n.right[axis];
            leaving += left >= 0 && (left < first || left >= first + count);
            leaving += right >= 0 && right != left && (right < first || right >= first + count);
        }
    }
    return leaving;
}

/* The most of any node. Nodes at the ends and in the middle are as good as all: patterns are regular, and of
 * the polygons it is the mean. */
static double leaving_most(const struct pattern_list *list, const struct pattern *pattern, int64_t per_node)
{
    double processes = (double)list->processes, share = (double)per_node;
    if (per_node >= list->processes)
        return 0;
    if (pattern->kind == PATTERN_RANDOM)
        return (double)pattern->messages / processes * share * (processes - share) / (processes - 1);
    int64_t last = (list->processes - 1) / per_node, nodes[] = {0, 1, last / 2, last};
    double most = 0;
    for (int i = 0; i < 4; i++)
        most = fmax(most, leaving_node(list, pattern, nodes[i] * per_node, per_node));
    return most;
}

/* Sendrecv makes one exchange after the other; in pairs one answers the other. */
static double iteration(const struct pattern_list *list, const struct pattern *p, const struct links *links,
                        double leaving, enum method method, double bytes)
{
    bool pairs = p->rings.rings == 0 && p->grid.dimensions == 0;
    double exchanges = pairs ? 2 : ceil((double)p->messages / (double)list->processes);
    double steps = method == METHOD_SENDRECV ? exchanges : 1;
    double transfers = leaving * bytes / links->link * (pairs && method == METHOD_SENDRECV ? 2 : 1);
    return fmax(leaving > 0 ? steps * links->latency + transfers : 0, LEAST_ITERATION);
}

double forecast_iteration(const struct pattern_list *list, const struct links *links, int pattern,
                          enum method method, int size)
{
    const struct pattern *p = &list->patterns[pattern];
    return iteration(list, p, links, leaving_most(list, p, links->processes_per_node), method,
                     (double)list->sizes[size]);
}

/* Of a pattern, in all repetitions; `count` of them are alike. */
static void add_pattern(struct forecast *f, struct estimates *e, const struct links *links, int pattern,
                        int count)
{
    const struct pattern *p = &e->list->patterns[pattern];
    double nodes = ceil((double)e->list->processes / (double)links->processes_per_node);
    double overhead = AGREEMENT_SECONDS + AGREEMENT_STEPS * ceil(log2(nodes)) * links->latency;
    double leaving = leaving_most(e->list, p, links->processes_per_node);
    for (int m = 0; m < (p->sendrecv_only ? 1 : METHODS); m++)
        for (int s = 0; s < BEFF_SIZES; s++) {
            struct command command = {pattern, (enum method)m, s, 1, 0};
            double bytes = (double)e->list->sizes[s];
            double one = iteration(e->list, p, links, leaving, (enum method)m, bytes);
            double iterations = (double)(estimates_loops(e, one) + estimates_untimed(e, one));
            estimates_learn(e, &command, one, one + overhead);
            f->bytes += p->rated * count * SWEEP_REPETITIONS * iterations * bytes * leaving /
                        (double)links->processes_per_node;
        }
}

void forecast_make(struct forecast *f, const struct pattern_list *list, const struct links *links,
                   int64_t max_loops)
{
    struct estimates e;
    *f = (struct forecast){0};
    estimates_make(&e, list, NULL, max_loops);
    for (int p = 0; links && p < list->count; p++)
        if (list->patterns[p].kind != PATTERN_RANDOM || list->patterns[p].number == 1)
            add_pattern(f, &e, links, p, list->patterns[p].kind == PATTERN_RANDOM ? list->polygons : 1);
    estimates_settle(&e);
    f->pass = estimates_pass(&e, SWEEP_OPENING, list->polygons, false);
    f->time = estimates_time(estimates_run(&e));
}
