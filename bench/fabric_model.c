/* Compares the nodes of a made-up machine with the functions of beff, without MPI (bench/fabrics). Links have
 * a rate and a latency, messages share them as in max-min fairness, and all times have noise.
 *
 * usage: fabric_model RUNS POOL SEED T SIGMA SPIKES DUTY < WORLD
 * - RUNS, POOL: number of runs; every POOL runs are also judged together, as beff_report does
 * - SEED: seed of the first run
 * - T: time limit of a run in seconds; the nodes have the shares NODES and AGAIN of it
 * - SIGMA: each time is multiplied by a lognormal factor
 * - SPIKES: this share of the times is up to four times as long
 * - DUTY: nodes are twice as slow for this share of the time, for 2 s on average
 * WORLD has the number of nodes, then lines "link RATE LATENCY", in the nodes' rate and seconds, "traffic
 * LINK LOW PERIOD" (other jobs leave LOW to 1 of the link, anew each PERIOD seconds), "group NODE NAME", and
 * "route A B LINK..." (links have numbers from 0).
 *
 * Prints a line for each run and each pool, separated by tabs: its number, verdict, measured pairs, seconds,
 * findings, and texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff/fabric_measure.h"
#include "beff/record.h"
#include "common/memory.h"
#include "common/random.h"

#define RATE 1e9 /* bytes per second */

/* Shares of T that are spent on the nodes, now and LATER seconds later: SCHEDULER_NODES without
 * SCHEDULER_AGAIN and SCHEDULER_ALONE. */
#define NODES 0.04
#define AGAIN 0.01
#define LATER 30.0

enum { ROUTE_MAX = 32, NODES_MAX = 2048 };

struct link {
    double rate, latency, low, period; /* `period` 0: no traffic */
    double left;                       /* of the rate that messages share */
    int users;
};

struct route {
    int *link, links;
};

struct world {
    struct link *link;
    int links, nodes;
    struct route *route;
    char (*group)[FABRIC_NAME_SIZE];
    double sigma, spikes, duty, time, budget, clock, used;
    uint64_t seed;
    double *until; /* of each node's disturbance, or of the time without */
    bool *disturbed;
    struct random_stream random;
};

static double uniform(struct world *w)
{
    return (double)(random_next(&w->random) >> 11) * 0x1p-53;
}

static double noise(struct world *w)
{
    double normal = sqrt(-2 * log(1 - uniform(w))) * cos(6.283185307179586 * uniform(w));
    return exp(w->sigma * normal) * (uniform(w) < w->spikes ? 1 + 3 * uniform(w) : 1);
}

static double period(struct world *w, int node)
{
    return -2 * log(1 - uniform(w)) * (w->disturbed[node] ? 1 : 1 / w->duty - 1);
}

static bool is_disturbed(struct world *w, int node)
{
    while (w->duty > 0 && w->until[node] <= w->clock) {
        w->disturbed[node] = !w->disturbed[node];
        w->until[node] += period(w, node);
    }
    return w->duty > 0 && w->disturbed[node];
}

/* Returns the rate that other jobs leave now. */
static double rate_of(const struct world *w, int link)
{
    const struct link *l = &w->link[link];
    struct random_stream random;
    if (!(l->period > 0))
        return l->rate;
    random_start(&random, w->seed, (uint64_t)link << 32 | (uint64_t)(w->clock / l->period));
    return l->rate * (l->low + (1 - l->low) * (double)(random_next(&random) >> 11) * 0x1p-53);
}

/* Sets the rate of each flow: max-min fairness. */
static void share(struct world *w, const struct route *const *flow, int flows, double *rate)
{
    for (int i = 0; i < flows; i++)
        for (int k = 0; k < flow[i]->links; k++) {
            struct link *l = &w->link[flow[i]->link[k]];
            if (!l->users++)
                l->left = rate_of(w, flow[i]->link[k]);
            rate[i] = 0;
        }
    for (int open = flows; open;) {
        double least = INFINITY;
        for (int i = 0; i < flows; i++)
            for (int k = 0; k < flow[i]->links && rate[i] == 0; k++)
                least = fmin(least, w->link[flow[i]->link[k]].left / w->link[flow[i]->link[k]].users);
        for (int i = 0; i < flows; i++)
            for (int k = 0; k < flow[i]->links && rate[i] == 0; k++)
                if (w->link[flow[i]->link[k]].left / w->link[flow[i]->link[k]].users <= least * (1 + 1e-9))
                    rate[i] = -least;
        for (int i = 0; i < flows; i++)
            if (rate[i] < 0) {
                rate[i] = -rate[i];
                open--;
                for (int k = 0; k < flow[i]->links; k++) {
                    struct link *l = &w->link[flow[i]->link[k]];
                    l->left = fmax(l->left - rate[i], 1e-12);
                    l->users--;
                }
            }
    }
}

static double left(void *context)
{
    const struct world *w = context;
    return w->budget - w->clock;
}

static bool sends(const struct fabric_step *step, int from, int to)
{
    return step->way == FABRIC_UP ? from < to : step->way == FABRIC_DOWN ? from > to : true;
}

static int exchange(void *context, const struct fabric_step *step, const int32_t *partners,
                    struct fabric_answer *answers)
{
    struct world *w = context;
    static const struct route *flow[NODES_MAX];
    static double rate[NODES_MAX];
    int flows = 0;
    double longest = 0;
    for (int i = 0; i < w->nodes; i++) {
        answers[i] = (struct fabric_answer){0};
        if (step->processes) { /* all nodes at once */
            if ((i ^ 1) < w->nodes)
                flow[flows++] = &w->route[i * w->nodes + (i ^ 1)];
        } else if (partners[i] >= 0 && sends(step, i, partners[i])) {
            flow[flows++] = &w->route[i * w->nodes + partners[i]];
        }
    }
    share(w, flow, flows, rate);
    if (step->processes) {
        double sum = 0;
        for (int i = 0; i < flows; i++)
            sum += rate[i];
        for (int i = 0; i < w->nodes; i++)
            answers[i].seconds = (double)step->bytes / RATE * flows / sum;
        w->clock += step->seconds;
        return 0;
    }
    for (int i = 0, next = 0; i < w->nodes; i++) {
        if (partners[i] < 0 || !sends(step, i, partners[i]))
            continue;
        const struct route *route = flow[next];
        answers[i].seconds = (double)step->bytes / RATE / rate[next++];
        for (int k = 0; k < route->links; k++)
            answers[i].seconds += w->link[route->link[k]].latency;
    }
    for (int i = 0; i < w->nodes; i++)
        if (partners[i] > i) { /* both wait for each other, so that they take the same time */
            int b = partners[i];
            bool disturbed = is_disturbed(w, i) | is_disturbed(w, b);
            answers[i].seconds = answers[b].seconds =
                fmax(answers[i].seconds, answers[b].seconds) * noise(w) * (disturbed ? 2 : 1);
            longest = fmax(longest, fmax(2 * answers[i].seconds, step->seconds)); /* the first is not timed */
        }
    w->clock += longest + 1e-4;
    return 0;
}

static void run(struct world *w, struct fabric *f)
{
    struct protocol p;
    struct message error;
    *f = (struct fabric){0};
    random_start(&w->random, w->seed, 1);
    w->clock = 0;
    w->budget = NODES * w->time;
    for (int i = 0; i < w->nodes; i++) {
        w->disturbed[i] = uniform(w) < w->duty;
        w->until[i] = w->duty > 0 ? period(w, i) : INFINITY;
    }
    if (protocol_create(&p, NULL, false, &beff_record_type, &error))
        exit(1);
    for (int i = 0; i < w->nodes; i++) {
        struct fabric_point point = {.node = i, .processes = 1, .device = "-"};
        snprintf(point.host, sizeof point.host, "n%d", i);
        memcpy(point.group, w->group[i], sizeof point.group);
        fabric_add_point(f, &point);
    }
    const struct fabric_ops ops = {left, exchange, w};
    bool once = w->sigma == 0 && w->spikes == 0 && w->duty == 0;
    fabric_measure(f, &ops, &p, w->seed, 1 << 27, once, false);
    w->used = w->clock;
    w->clock += LATER;
    w->budget = w->clock + AGAIN * w->time;
    fabric_measure_again(f, &ops, &p, w->seed, once);
    f->left_out = protocol_get(&p, "nodes_left_out");
    fabric_judge(f);
    if (f->left_out)
        texts_add(&f->notes, "no time for %s", f->left_out);
    f->left_out = NULL; /* it belongs to the protocol */
    protocol_free(&p);
}

static void print(const struct fabric *f, const char *what, const struct world *w, enum fabric_kind from)
{
    static const char *const verdicts[] = {"fine", "slow", "open"};
    printf("%s\t%llu\t%s\t%zu\t%.3g", what, (unsigned long long)w->seed, verdicts[f->verdict], f->measured,
           w->used);
    for (size_t i = 0; i < f->findings; i++)
        if (f->finding[i].kind >= from)
            printf("\t%s: %s", fabric_kind(f->finding[i].kind), f->finding[i].names);
    for (size_t i = 0; i < f->findings; i++)
        if (f->finding[i].kind >= from)
            printf("\t# %s", f->finding[i].text);
    for (size_t i = 0; i < f->notes.count; i++)
        printf("\t# %s", f->notes.text[i]);
    putchar('\n');
}

static void read_route(struct world *w, const char *line)
{
    int a, b, used, link[ROUTE_MAX], links = 0;
    if (sscanf(line, "%d %d%n", &a, &b, &used) != 2 || a < 0 || b < 0 || a >= w->nodes || b >= w->nodes)
        exit(2);
    for (line += used; links < ROUTE_MAX && sscanf(line, "%d%n", &link[links], &used) == 1; line += used)
        links++;
    struct route *r = &w->route[a * w->nodes + b];
    *r = (struct route){memory_new((size_t)links, sizeof *link, "a route"), links};
    memcpy(r->link, link, (size_t)links * sizeof *link);
}

static void read_world(struct world *w)
{
    char line[512];
    if (!fgets(line, sizeof line, stdin) || (w->nodes = atoi(line)) < 2 || w->nodes > NODES_MAX)
        exit(2);
    size_t n = (size_t)w->nodes;
    w->route = memory_new(n * n, sizeof *w->route, "the routes");
    w->group = memory_new(n, sizeof *w->group, "the groups");
    w->until = memory_new(n, sizeof *w->until, "the nodes");
    w->disturbed = memory_new(n, sizeof *w->disturbed, "the nodes");
    for (size_t i = 0; i < n; i++)
        strcpy(w->group[i], "-");
    while (fgets(line, sizeof line, stdin)) {
        struct link l = {0};
        char name[FABRIC_NAME_SIZE];
        int i;
        if (sscanf(line, "link %lf %lf", &l.rate, &l.latency) == 2) {
            array_grow(&w->link, (size_t)w->links, sizeof *w->link);
            w->link[w->links++] = l;
        } else if (sscanf(line, "traffic %d %lf %lf", &i, &l.low, &l.period) == 3 && i < w->links) {
            w->link[i].low = l.low;
            w->link[i].period = l.period;
        } else if (sscanf(line, "group %d %15s", &i, name) == 2 && i < w->nodes) {
            strcpy(w->group[i], name);
        } else if (strncmp(line, "route ", 6) == 0) {
            read_route(w, line + 6);
        } else {
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct world w = {0};
    if (argc != 8)
        return 2;
    int runs = atoi(argv[1]), each = atoi(argv[2]);
    uint64_t first = strtoull(argv[3], NULL, 10);
    w.time = atof(argv[4]);
    w.sigma = atof(argv[5]);
    w.spikes = atof(argv[6]);
    w.duty = atof(argv[7]);
    read_world(&w);
    struct fabric pool = {0};
    for (int i = 0; i < runs; i++) {
        struct fabric f;
        w.seed = first + (uint64_t)i;
        run(&w, &f);
        print(&f, "run", &w, FABRIC_SLOW_NODE);
        if (f.verdict != FABRIC_OPEN && each > 1)
            fabric_add_run(&pool, &f);
        fabric_free(&f);
        if (each > 1 && i % each == each - 1) {
            fabric_judge(&pool);
            print(&pool, "pool", &w, FABRIC_SLOW_LINK);
            fabric_free(&pool);
        }
    }
    fabric_free(&pool);
    return 0;
}
