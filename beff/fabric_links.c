/* Finds slow pairs of nodes, slow links between groups, long latencies and marginal nodes
 * (docs/between-nodes.md). The exchanges of several runs may be judged together. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "beff/fabric.h"
#include "common/memory.h"
#include "common/stats.h"

/* A latency is long if it is LATE times the usual one and LATER seconds more. */
#define LATE  3.0
#define LATER 10e-6

/* With fewer partners, nothing is known about what is usual for an end point; of four, each has only three.
 * If fewer than half of all pairs were measured, pairs are judged only if at most SLOW_SHARE of them are
 * slow; else the network is slow. */
#define SLOW_SHARE 0.25
enum { PARTNERS = 4, PARTNERS_FEW = 8 };

/* Share of the partners with which an end point is at least as quick as usual. */
#define USUAL_QUANTILE 0.25

/* A link between two groups is slow if this share of its pairs is, and there are at least LINK_PAIRS. */
#define LINK_SHARE 0.75
enum { LINK_PAIRS = 4 };

/* Marginal nodes: smallest and largest deviation, the same in standard deviations of the nodes, smallest
 * number of end points, of runs and of exchanges in a run, and largest share of the end points. The standard
 * deviation follows from the upper quartile: the exchanges of the faster half of the nodes take as long as
 * their partners need. */
#define MARGINAL       0.03
#define MARGINAL_MOST  (FABRIC_FACTOR * FABRIC_FACTOR - 1)
#define MARGINAL_SIGMA 6.0
#define MARGINAL_SHARE 0.125
enum { MARGINAL_POINTS = 8, MARGINAL_RUNS = 2, MARGINAL_EXCHANGES = 3 };

static const struct {
    const char *name, *advice;
} kinds[FABRIC_KINDS] = {
    [FABRIC_SLOW_NODE] = {"slow node", "look at its adapter, cable and switch port, then drain it"},
    [FABRIC_SHARED_LINK] = {"shared link", "look at the switch of these nodes and its uplinks"},
    [FABRIC_SLOW_GROUP] = {"slow group", "look at the number and the rates of the uplinks of its switch"},
    [FABRIC_SLOW_LINK] = {"slow link", "look at the cables between these groups; no node is at fault"},
    [FABRIC_SLOW_PAIR] = {"slow pair", "trace the route of these pairs, and look at its cables and switches"},
    [FABRIC_LATENCY] = {"latency", "compare routes, firmware, and power and interrupt settings"},
    [FABRIC_MARGINAL] = {"marginal node",
                         "compare its adapter's settings, counters and PCIe link with others'"}};

const char *fabric_kind(enum fabric_kind kind)
{
    return kinds[kind].name;
}

const char *fabric_advice(enum fabric_kind kind)
{
    return kinds[kind].advice;
}

/* ---- pairs ---- */

/* An exchange of a pair a < b. Large ones are divided by the factor of the nodes' kind. */
struct sample {
    int a, b, run;
    bool small, quiet, sure;
    double seconds;
};

/* All exchanges of a pair. The first index of arrays is the size: large, FABRIC_SMALL. */
struct link {
    int a, b, runs;
    int times[2];     /* number of exchanges */
    int sure[2];      /* number of those in round FABRIC_SURE */
    double least[2];  /* seconds; infinite: none */
    double factor[2]; /* time / usual time of the slower end point */
    double limit[2];  /* a larger factor is slow */
    int near;         /* number of large exchanges that took at most FABRIC_FACTOR times the shortest */
    bool explained;
};

struct links {
    struct fabric *f;
    struct sample *sample;
    struct link *link;
    size_t samples, count;
    double
        *typical[2]; /* [size][end point] over its partners: lower quartile of large times, median of small */
    double *limit;   /* [end point] largest factor of a pair that is not slow */
    double *nearest; /* [end point] shortest exchange of FABRIC_SMALL */
    double *close;   /* [end point] lower quartile of FABRIC_SMALL over its partners */
    int *partners;
    int fewest; /* partners with which an end point can be judged */
};

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    int order = x->a != y->a ? x->a - y->a : x->b != y->b ? x->b - y->b : x->run - y->run;
    return order;
}

/* Sorts the exchanges by pair, and groups the exchanges of each pair. */
static void collect(struct links *l)
{
    const struct fabric *f = l->f;
    l->sample = memory_new(f->exchanges, sizeof *l->sample, "the exchanges");
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (x->stage <= FABRIC_AGAIN)
            l->sample[l->samples++] = (struct sample){
                (int)(x->a < x->b ? x->a : x->b),
                (int)(x->a < x->b ? x->b : x->a),
                x->run,
                x->bytes == FABRIC_SMALL,
                x->stage == FABRIC_QUIET,
                x->stage != FABRIC_QUIET && x->round == FABRIC_SURE,
                x->bytes == FABRIC_SMALL ? x->seconds : x->seconds / fabric_kind_factor(f, x->a, x->b)};
    qsort(l->sample, l->samples, sizeof *l->sample, compare_samples);
    l->link = memory_new(l->samples, sizeof *l->link, "the pairs of nodes");
    for (const struct sample *s = l->sample; s < l->sample + l->samples; s++) {
        struct link *last = l->count ? &l->link[l->count - 1] : NULL;
        if (!last || last->a != s->a || last->b != s->b) {
            last = &l->link[l->count++];
            *last = (struct link){.a = s->a, .b = s->b, .least = {INFINITY, INFINITY}};
        }
        last->runs += !last->runs || s[-1].run != s->run;
        last->times[s->small]++;
        last->sure[s->small] += s->sure;
        last->least[s->small] = fmin(last->least[s->small], s->seconds);
    }
    for (size_t i = 0, k = 0; i < l->samples; i++) {
        const struct sample *s = &l->sample[i];
        while (l->link[k].a != s->a || l->link[k].b != s->b)
            k++;
        l->link[k].near += !s->small && s->seconds <= FABRIC_FACTOR * l->link[k].least[0];
    }
    for (size_t i = 0; i < l->count; i++)
        l->f->measured += l->link[i].times[0] > 0;
}

/* Sets what is usual for each end point with its partners, for one size. With large messages, this is the
 * lower quartile: a cable or switch may be on the way to most partners. */
static void find_typical(struct links *l, bool small)
{
    size_t n = (size_t)l->f->points, *from = memory_new(n + 2, sizeof *from, "the nodes");
    double *values = memory_new(2 * l->count, sizeof *values, "the pairs of nodes");
    l->typical[small] = memory_new(n, sizeof *values, "the nodes");
    for (size_t i = 0; i < l->count; i++)
        if (l->link[i].times[small]) {
            from[l->link[i].a + 2]++;
            from[l->link[i].b + 2]++;
        }
    for (size_t i = 1; i <= n; i++)
        from[i + 1] += from[i];
    for (size_t i = 0; i < l->count; i++)
        if (l->link[i].times[small]) {
            values[from[l->link[i].a + 1]++] = l->link[i].least[small];
            values[from[l->link[i].b + 1]++] = l->link[i].least[small];
        }
    for (size_t i = 0; i < n; i++) { /* from[i] is now the first place of end point i */
        l->typical[small][i] =
            stats_quantile(&values[from[i]], from[i + 1] - from[i], small ? 0.5 : USUAL_QUANTILE);
        double median = stats_median(&values[from[i]], from[i + 1] - from[i]), usual = l->typical[small][i];
        if (small) {
            l->nearest[i] = stats_min(&values[from[i]], from[i + 1] - from[i]);
            l->close[i] = stats_quantile(&values[from[i]], from[i + 1] - from[i], USUAL_QUANTILE);
        } else {
            l->partners[i] = (int)(from[i + 1] - from[i]);
            l->limit[i] =
                fmax(l->f->limit[0] / l->f->median[0], 1 + FABRIC_DISTANCE * 1.4826 * (median / usual - 1));
        }
    }
    free(from);
    free(values);
}

/* Returns how much slower a pair is than both its end points are with others. Extra time that also appears in
 * small messages is a longer way, not a slow link. If no chain of quick exchanges leads from one end point to
 * the other, the pair is not slow: the network between two sets is. */
static double factor_of(const struct links *l, const struct link *p, bool small)
{
    double usual = fmax(l->typical[small][p->a], l->typical[small][p->b]), seconds = p->least[small];
    if (!p->times[small] || l->partners[p->a] < l->fewest || l->partners[p->b] < l->fewest ||
        (!small && l->f->point[p->a].component != l->f->point[p->b].component))
        return 0;
    if (!small && p->times[1])
        seconds -= fmax(0, p->least[1] - fmax(l->close[p->a], l->close[p->b]));
    return small && !(seconds > usual + LATER) ? 0 : seconds / usual;
}

static bool is_slow(const struct link *p, bool small)
{
    return p->factor[small] > p->limit[small];
}

/* Returns true if a pair was slow often enough. The times of a bad cable are alike; behind links that other
 * jobs use, they differ. */
static bool is_confirmed(const struct link *p, bool small)
{
    return is_slow(p, small) && p->sure[small] >= FABRIC_CONFIRMED && (small || 2 * p->near > p->times[0]);
}

static void find_slow(struct links *l)
{
    struct fabric *f = l->f;
    size_t slow = 0;
    for (struct link *p = l->link; p < l->link + l->count; p++) {
        p->factor[0] = factor_of(l, p, false);
        p->factor[1] = factor_of(l, p, true);
        p->limit[0] = fmin(l->limit[p->a], l->limit[p->b]);
        p->limit[1] = LATE;
        slow += is_slow(p, false);
    }
    bool few = 4 * f->measured < (size_t)f->points * (size_t)(f->points - 1),
         network = few && (double)slow > SLOW_SHARE * (double)f->measured;
    for (struct link *p = l->link; p < l->link + l->count; p++) {
        if (few && (network || l->partners[p->a] < PARTNERS_FEW || l->partners[p->b] < PARTNERS_FEW))
            p->factor[0] = 0;
        for (int small = 0; small < 2; small++)
            if (is_slow(p, small)) {
                array_grow(&f->pair, f->pairs, sizeof *f->pair);
                f->pair[f->pairs++] = (struct fabric_suspect){p->a, p->b, small, is_confirmed(p, small)};
            }
    }
}

/* ---- the smallest cause that explains the slow pairs ---- */

/* Returns what the exchanges of a pair say, to be freed: how long they take, and in which direction. */
static char *describe(const struct links *l, const struct link *p, bool small)
{
    const struct fabric *f = l->f;
    double way[2] = {INFINITY, INFINITY};
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (x->stage == FABRIC_ONE_WAY && !small &&
            (x->a == p->a ? x->b == p->b : x->a == p->b && x->b == p->a))
            way[x->a == p->b] = fmin(way[x->a == p->b], x->seconds);
    bool one = isfinite(way[0] + way[1]), forth = one && way[0] > p->limit[0] * way[1],
         back = one && way[1] > p->limit[0] * way[0];
    char *from = fabric_name(f, back ? p->b : p->a), *to = fabric_name(f, back ? p->a : p->b);
    char *text =
        text_format("an exchange of %" PRId64 " B takes %.2f times as long as with others (%.4g us)%s%s%s%s",
                    small ? (int64_t)FABRIC_SMALL : f->bytes, p->factor[small],
                    1e6 * p->least[small] * (small ? 1 : fabric_kind_factor(f, p->a, p->b)),
                    forth || back ? ", only from " : "", forth || back ? from : "",
                    forth || back ? " to " : "", forth || back ? to : "");
    free(from);
    free(to);
    return text;
}

/* Adds a finding about the pairs whose slowest is `worst`. Takes `names`, and `text`, which is about them. */
static void add(struct links *l, enum fabric_kind kind, bool small, const struct link *worst, char *names,
                char *text, int partners)
{
    char *what = describe(l, worst, small);
    fabric_add_finding(l->f, &(struct fabric_finding){.kind = small ? FABRIC_LATENCY : kind,
                                                      .names = names,
                                                      .text = text_format("%s: %s", text, what),
                                                      .factor = worst->factor[small],
                                                      .partners = partners,
                                                      .runs = worst->runs});
    free(what);
    free(text);
}

static bool joins(const struct fabric *f, const struct link *p, int g, int h)
{
    int a = f->point[p->a].in_group, b = f->point[p->b].in_group;
    return (a == g && b == h) || (a == h && b == g);
}

/* Names the links between two groups, most of whose pairs are slow. */
static void name_links(struct links *l, bool small)
{
    const struct fabric *f = l->f;
    for (size_t i = 0; i < l->count; i++) {
        struct link *worst = &l->link[i];
        int g = f->point[worst->a].in_group, h = f->point[worst->b].in_group, all = 0, slow = 0;
        if (worst->explained || !is_confirmed(worst, small) || g < 0 || h < 0 || g == h)
            continue;
        for (size_t k = 0; k < l->count; k++)
            if (l->link[k].times[small] && joins(f, &l->link[k], g, h)) {
                all++;
                slow += is_slow(&l->link[k], small);
            }
        if (all < LINK_PAIRS || slow < LINK_SHARE * all)
            continue;
        for (size_t k = 0; k < l->count; k++)
            if (joins(f, &l->link[k], g, h)) {
                l->link[k].explained = true;
                worst = l->link[k].factor[small] > worst->factor[small] ? &l->link[k] : worst;
            }
        for (size_t k = 0; k < l->f->pairs; k++) /* the groups' links are judged without these pairs */
            if (joins(f, &(struct link){.a = (int)f->pair[k].a, .b = (int)f->pair[k].b}, g, h))
                l->f->pair[k].confirmed = true;
        add(l, FABRIC_SLOW_LINK, small, worst, text_format("%s-%s", f->group[g].name, f->group[h].name),
            text_format("the link between groups %s and %s is slow, %d of %d pairs", f->group[g].name,
                        f->group[h].name, slow, all),
            all);
    }
}

/* Names the remaining slow pairs: one pair, pairs with a common end point, or pairs without one. */
static void name_pairs(struct links *l, bool small)
{
    const struct fabric *f = l->f;
    int *slow = memory_new((size_t)f->points, sizeof *slow, "the nodes"), count = 0, hub = 0;
    const struct link *worst = NULL;
    char some[200] = "";
    for (const struct link *p = l->link; p < l->link + l->count; p++) {
        if (p->explained || !is_confirmed(p, small))
            continue;
        char *a = fabric_name(f, p->a), *b = fabric_name(f, p->b);
        slow[p->a]++;
        slow[p->b]++;
        if (count++ < 4)
            text_append(some, sizeof some, "%s%s-%s", *some ? ", " : "", a, b);
        worst = !worst || p->factor[small] > worst->factor[small] ? p : worst;
        free(a);
        free(b);
    }
    for (int i = 0; i < f->points; i++)
        hub = slow[i] > slow[hub] ? i : hub;
    char *name = fabric_name(f, hub);
    if (count == 1)
        add(l, FABRIC_SLOW_PAIR, small, worst, memory_text(some), text_format("slow pair %s", some), 1);
    else if (count && slow[hub] == count)
        add(l, FABRIC_SLOW_PAIR, small, worst, text_format("%s and %d others", name, count),
            text_format("%s is slow with %d of %d partners (%s%s)", name, count, l->partners[hub], some,
                        count > 4 ? ", ..." : ""),
            count);
    else if (count)
        add(l, FABRIC_SLOW_PAIR, small, worst, memory_text("several pairs"),
            text_format("%d slow pairs without a common node (%s%s), a switch or cable between", count, some,
                        count > 4 ? ", ..." : ""),
            count);
    free(name);
    free(slow);
}

/* Names the end points whose shortest way to any other takes long. A group that is far away has near partners
 * inside it; a node that is alone in its group is as far from all others as others are from most. */
static void name_far(struct links *l)
{
    struct fabric *f = l->f;
    double usual = stats_median(l->nearest, (size_t)f->points),
           across = stats_median(l->typical[1], (size_t)f->points);
    for (int i = 0; i < f->points; i++) {
        f->point[i].far = l->partners[i] >= l->fewest && l->nearest[i] > LATE * usual &&
                          l->nearest[i] > fmax(usual, across) + LATER;
        if (!f->point[i].far)
            continue;
        char *name = fabric_name(f, i);
        fabric_add_finding(
            f, &(struct fabric_finding){
                   .kind = FABRIC_LATENCY,
                   .names = name,
                   .text = text_format("latency of %s: its shortest exchange of %d B takes %.4g us, the "
                                       "median node's %.4g us (%d partners)",
                                       name, FABRIC_SMALL, 1e6 * l->nearest[i], 1e6 * usual, l->partners[i]),
                   .factor = l->nearest[i] / usual,
                   .partners = l->partners[i],
                   .runs = f->point[i].runs});
    }
}

/* ---- marginal nodes ---- */

/* The exchanges of an end point as multiples of the median time, without slow pairs and the time of a longer
 * way. */
struct own {
    double *value;
    int *run;
    size_t count;
    double median;
};

static void collect_own(const struct links *l, struct own *own)
{
    const struct fabric *f = l->f;
    double usual = stats_median(l->nearest, (size_t)f->points);
    size_t link = 0;
    for (const struct sample *s = l->sample; s < l->sample + l->samples; s++) {
        while (l->link[link].a != s->a || l->link[link].b != s->b)
            link++;
        if (s->small || !s->quiet || is_slow(&l->link[link], false))
            continue;
        double extra = l->link[link].times[1] && isfinite(usual) ? l->link[link].least[1] - usual : 0;
        for (int k = 0; k < 2; k++) {
            struct own *o = &own[k ? s->b : s->a];
            array_grow(&o->value, o->count, sizeof *o->value);
            array_grow(&o->run, o->count, sizeof *o->run);
            o->value[o->count] = (s->seconds - extra) / f->median[0];
            o->run[o->count++] = s->run;
        }
    }
}

/* Returns the number of runs in which an end point had enough exchanges; 0 if its median did not deviate in
 * one of them. */
static int deviating_runs(const struct fabric *f, const struct own *o, double usual)
{
    double *values = memory_new(o->count, sizeof *values, "the exchanges");
    int runs = 0;
    bool all = true;
    for (int r = 0; r < f->runs; r++) {
        size_t count = 0;
        for (size_t i = 0; i < o->count; i++)
            if (o->run[i] == r)
                values[count++] = o->value[i];
        if (count < MARGINAL_EXCHANGES)
            continue;
        runs++;
        all = all && stats_median(values, count) > (1 + MARGINAL) * usual;
    }
    free(values);
    return all ? runs : 0;
}

/* Names end points that are a little slower than the others in each of several runs. If many are, the network
 * differs, not the nodes. */
static void name_marginal(struct links *l)
{
    struct fabric *f = l->f;
    size_t n = (size_t)f->points, named = f->findings;
    if (f->runs < MARGINAL_RUNS || n < MARGINAL_POINTS)
        return;
    struct own *own = memory_new(n, sizeof *own, "the nodes");
    double *values = memory_new(n, sizeof *values, "the nodes");
    collect_own(l, own);
    for (size_t i = 0; i < n; i++) {
        struct own *o = &own[i];
        values[i] = o->median = stats_median(o->value, o->count);
    }
    double usual = stats_median(values, n), sigma = 1.4826 * (stats_quantile(values, n, 0.75) - usual);
    for (size_t i = 0; i < n; i++) {
        struct own *o = &own[i];
        double more = o->median / usual - 1;
        int runs = more > MARGINAL && more < MARGINAL_MOST && o->median - usual > MARGINAL_SIGMA * sigma
                       ? deviating_runs(f, o, usual)
                       : 0;
        if (runs < MARGINAL_RUNS || (f->point[i].outside && f->point[f->point[i].component].members > 1))
            continue;
        double side = 0.98 * sqrt((double)o->count);
        size_t k = (size_t)fmax(0, floor((double)o->count / 2 - side));
        stats_sort(o->value, o->count);
        char *name = fabric_name(f, (int)i);
        fabric_add_finding(
            f, &(struct fabric_finding){
                   .kind = FABRIC_MARGINAL,
                   .names = name,
                   .text =
                       text_format("%s is %.1f %% slower than the median node (%.1f to %.1f %%, %d partners)",
                                   name, 100 * more, 100 * (o->value[k] / usual - 1),
                                   100 * (o->value[o->count - 1 - k] / usual - 1), l->partners[i]),
                   .factor = 1 + more,
                   .partners = l->partners[i],
                   .runs = runs});
    }
    if ((double)(f->findings - named) > fmax(1, MARGINAL_SHARE * (double)n)) {
        texts_add(&f->notes,
                  "%zu of %zu nodes are a little slower than the others: the network differs, not they",
                  f->findings - named, n);
        fabric_drop_findings(f, named);
    }
    for (size_t i = 0; i < n; i++) {
        free(own[i].value);
        free(own[i].run);
    }
    free(own);
    free(values);
}

void fabric_judge_links(struct fabric *f)
{
    size_t n = (size_t)f->points;
    struct links l = {.f = f,
                      .nearest = memory_new(n, sizeof *l.nearest, "the nodes"),
                      .fewest = f->points > PARTNERS ? PARTNERS : f->points - 1};
    l.close = memory_new(n, sizeof *l.close, "the nodes");
    l.limit = memory_new(n, sizeof *l.limit, "the nodes");
    l.partners = memory_new(n, sizeof *l.partners, "the nodes");
    collect(&l);
    find_typical(&l, false);
    find_typical(&l, true);
    for (size_t i = 0; i < n; i++)
        f->point[i].usual = l.typical[0][i];
    find_slow(&l);
    for (int small = 0; small < 2; small++) {
        for (size_t i = 0; i < l.count; i++)
            l.link[i].explained = false;
        name_links(&l, small);
        name_pairs(&l, small);
    }
    name_far(&l);
    name_marginal(&l);
    free(l.sample);
    free(l.link);
    free(l.typical[0]);
    free(l.typical[1]);
    free(l.close);
    free(l.limit);
    free(l.nearest);
    free(l.partners);
}
