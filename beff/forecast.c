/* The forecast. Uses schedule, patterns. */
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

static void add_pattern(struct forecast *f, const struct schedule *schedule, const struct links *links,
                        const struct pattern *p)
{
    double leaving = leaving_most(schedule->list, p, links->processes_per_node);
    for (int m = 0; m < (p->sendrecv_only ? 1 : METHODS); m++)
        for (int s = 0; s < BEFF_SIZES; s++) {
            double bytes = (double)schedule->list->sizes[s];
            double one = iteration(schedule->list, p, links, leaving, (enum method)m, bytes);
            double iterations =
                (double)(schedule_loops(schedule, one, TUNING_TARGET) + schedule_warmup(one, TUNING_WARM));
            f->pass += SCHEDULE_REPETITIONS * schedule_cost(schedule, one, TUNING_TARGET);
            f->bytes +=
                SCHEDULE_REPETITIONS * iterations * bytes * leaving / (double)links->processes_per_node;
        }
}

int forecast_make(struct forecast *f, const struct pattern_list *list, const struct links *links,
                  int64_t most_loops)
{
    struct schedule schedule;
    *f = (struct forecast){0};
    int failed = schedule_make(&schedule, list);
    double nodes = ceil((double)list->processes / (double)links->processes_per_node);
    schedule.overhead = AGREEMENT_SECONDS + AGREEMENT_STEPS * ceil(log2(nodes)) * links->latency;
    schedule.most_loops = most_loops ? most_loops : INT64_MAX;
    for (int p = 0; p < list->count && !failed; p++)
        add_pattern(f, &schedule, links, &list->patterns[p]);
    f->run = f->pass / (TUNING_PLAN_SHARE * (1 - TUNING_PROBE_SHARE));
    schedule_free(&schedule);
    return failed;
}
