#include "beff/fabric.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/record.h"
#include "common/memory.h"
#include "common/stats.h"

/* Groups are compared if their numbers of nodes differ by at most this share, if there are enough, and if a
 * group's additional latency is at most this share of a large exchange. */
#define GROUP_ALIKE   0.1
#define GROUP_DISTANT 0.05
enum { GROUPS_ALIKE = 3 };

/* With fewer end points, a slow pair cannot be attributed to one of its nodes. */
enum { POINTS_MIN = 4 };

const char *const fabric_stages[] = {"quiet",   "confirm", "again",     "bisection", "group",
                                     "one-way", "pair",    "injection", NULL};

/* Two kinds of nodes: smallest number of end points, and share of the exchanges between nodes of the faster
 * kind that are quick. */
#define KINDS_QUICK 0.9
enum { KINDS_POINTS = 8 };

/* ---- times ---- */

static const char *points_word(const struct fabric *f)
{
    return f->points == f->nodes ? "nodes" : "end points";
}

/* Sets the group of each end point. */
static void find_groups(struct fabric *f)
{
    for (struct fabric_point *p = f->point; p < f->point + f->points; p++) {
        int g = 0;
        p->in_group = -1;
        if (strcmp(p->group, "-") == 0)
            continue;
        while (g < f->groups && strcmp(f->group[g].name, p->group) != 0)
            g++;
        if (g == f->groups) {
            array_grow(&f->group, (size_t)f->groups, sizeof *f->group);
            f->group[f->groups++] = (struct fabric_group){.mb_s = {NAN, NAN}, .latency = NAN};
            memcpy(f->group[g].name, p->group, sizeof p->group);
        }
        p->in_group = g;
        f->group[g].nodes++;
    }
}

/* Sets the shortest times of each end point, the latencies and the large size. */
static void find_times(struct fabric *f)
{
    double *latencies = memory_new(f->exchanges, sizeof *latencies, "the exchanges");
    size_t count = 0;
    f->bytes = 0;
    f->errors = f->other_errors;
    f->latency_max = NAN;
    for (struct fabric_point *p = f->point; p < f->point + f->points; p++) {
        p->latency = p->seconds = p->factor = NAN;
        p->outside = p->before = p->old = p->far = false;
        p->members = 0;
        p->finding = "";
    }
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        struct fabric_point *a = &f->point[x->a], *b = &f->point[x->b];
        f->errors = protocol_sum(f->errors, x->errors);
        f->bytes = x->bytes > f->bytes ? x->bytes : f->bytes;
        if (x->stage == FABRIC_QUIET && x->bytes == FABRIC_SMALL) {
            latencies[count++] = x->seconds;
            if (a->in_group >= 0 && b->in_group >= 0 && a->in_group != b->in_group) {
                struct fabric_group *g = &f->group[a->in_group], *h = &f->group[b->in_group];
                g->latency = fmin(g->latency, x->seconds);
                h->latency = fmin(h->latency, x->seconds);
            }
            a->latency = fmin(a->latency, x->seconds);
            b->latency = fmin(b->latency, x->seconds);
            if (!(x->seconds <= f->latency_max)) {
                f->latency_max = x->seconds;
                f->latency_pair[0] = (int)x->a;
                f->latency_pair[1] = (int)x->b;
            }
        } else if (x->stage == FABRIC_QUIET) {
            for (int k = 0; k < 2; k++) {
                struct fabric_point *own = k ? b : a;
                if (x->seconds >= own->seconds)
                    continue;
                own->seconds = x->seconds;
                own->best = (int)(k ? x->a : x->b);
            }
        }
    }
    f->latency = stats_median(latencies, count);
    free(latencies);
}

/* Returns the median of n sorted times and sets the longest quick time. More than half of the nodes may be
 * slow, so the median is taken over the nodes that are about as fast as the fastest sixth, or as number `at`.
 * The deviation is taken from the nodes that are faster than the median, because slow nodes do not change it.
 */
static double find_limit(double *values, size_t n, size_t at, double *limit)
{
    size_t count = 0, faster = 0, first = 0;
    at = (n - 1) / 6 > at || n <= at ? (n - 1) / 6 : at;
    while (n && FABRIC_FACTOR * values[first] < values[at])
        first++;
    while (first + count < n && values[first + count] <= FABRIC_FACTOR * values[at])
        count++;
    values += first;
    double median = stats_median(values, count);
    double *deviations = memory_new(n, sizeof *deviations, "the nodes");
    for (size_t i = 0; i < count; i++)
        if (values[i] < median)
            deviations[faster++] = 1 - values[i] / median;
    *limit =
        median * fmax(FABRIC_FACTOR, 1 + FABRIC_DISTANCE * (faster ? stats_median(deviations, faster) : 0));
    free(deviations);
    return median;
}

/* Returns how many of the n sorted times belong to the faster kind of nodes; n if there is one kind. */
static size_t find_gap(const double *values, size_t n)
{
    size_t gap = n;
    double largest = FABRIC_FACTOR;
    for (size_t i = (n + 3) / 4; n >= KINDS_POINTS && i <= n - (n + 3) / 4; i++)
        if (values[i] > largest * values[i - 1]) {
            largest = values[i] / values[i - 1];
            gap = i;
        }
    return gap;
}

/* Returns true if nearly all exchanges among the end points up to a time are quick. Behind slow uplinks, they
 * are not: some nodes only had no partner under their own switch. */
static bool are_alike(const struct fabric *f, double most, double limit)
{
    size_t count = 0, quick = 0;
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (x->stage == FABRIC_QUIET && x->bytes != FABRIC_SMALL && f->point[x->a].seconds <= most &&
            f->point[x->b].seconds <= most) {
            count++;
            quick += x->seconds <= limit;
        }
    return (double)quick >= KINDS_QUICK * (double)count;
}

/* Returns the names, to be freed, of the slower kind's groups, if no group has both kinds, or of its end
 * points. */
static char *old_names(const struct fabric *f)
{
    struct stream stream;
    int count = 0;
    FILE *out = stream_start(&stream);
    bool *has = memory_new(2 * (size_t)f->groups, sizeof *has, "the groups"), whole = true;
    for (int i = 0; i < f->points; i++) {
        int g = f->point[i].in_group;
        whole = whole && g >= 0;
        if (whole)
            has[2 * g + f->point[i].old] = true;
    }
    for (int g = 0; g < f->groups && whole; g++)
        whole = !has[2 * g] || !has[2 * g + 1];
    for (int g = 0; g < f->groups && whole; g++)
        if (has[2 * g + 1])
            fprintf(out, "%s%s", count++ ? ", " : "group ", f->group[g].name);
    for (int i = 0, end; i < f->points && !whole; i = end) {
        for (end = i + 1; end < f->points && f->point[i].old && f->point[end].old;)
            end++;
        if (!f->point[i].old)
            continue;
        char *from = fabric_name(f, i), *to = fabric_name(f, end - 1);
        fprintf(out, "%s%s%s%s", count++ ? ", " : "", from, end > i + 1 ? " to " : "", end > i + 1 ? to : "");
        free(from);
        free(to);
    }
    free(has);
    return stream_end(&stream);
}

/* Sets the median node's time and the longest quick time, of each kind of nodes. `at`: see find_limit(). */
static void find_limits(struct fabric *f, size_t at)
{
    size_t n = 0;
    double *values = memory_new((size_t)f->points, sizeof *values, "the nodes");
    for (int i = 0; i < f->points; i++)
        if (f->point[i].seconds > 0)
            values[n++] = f->point[i].seconds;
    stats_sort(values, n);
    size_t fast = find_gap(values, n);
    f->median[0] = find_limit(values, fast, at, &f->limit[0]);
    if (fast == n || !are_alike(f, values[fast - 1], f->limit[0])) {
        f->median[0] = f->median[1] = find_limit(values, n, at, &f->limit[0]);
        f->limit[1] = f->limit[0];
    } else {
        f->median[1] = find_limit(values + fast, n - fast, at, &f->limit[1]);
        for (struct fabric_point *p = f->point; p < f->point + f->points; p++) {
            p->old = p->seconds >= values[fast];
            if (p->in_group >= 0)
                f->group[p->in_group].old += p->old;
        }
        char *names = old_names(f);
        texts_add(&f->notes,
                  "two kinds of %s: %zu (%.200s) take %.2f times as long as the other %zu; each is judged "
                  "within its kind",
                  points_word(f), n - fast, names, f->median[1] / f->median[0], fast);
        free(names);
    }
    free(values);
}

static bool is_quick(const struct fabric *f, const struct fabric_exchange *x)
{
    return x->seconds <= f->limit[f->point[x->a].old || f->point[x->b].old];
}

/* Returns true if both send each other the large size, and nothing else disturbs them. */
static bool is_quiet(const struct fabric_exchange *x)
{
    return x->stage <= FABRIC_AGAIN && x->bytes != FABRIC_SMALL;
}

/* Returns the exchanges of a size in the quiet rounds, to be freed: [round - 1][a]; NULL if there is none. */
static const struct fabric_exchange **find_quiet(const struct fabric *f, bool small)
{
    size_t n = (size_t)f->points;
    const struct fabric_exchange **found = memory_new(FABRIC_ROUNDS * n, sizeof(*found), "the exchanges");
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (x->stage == FABRIC_QUIET && x->round <= FABRIC_ROUNDS && (x->bytes == FABRIC_SMALL) == small)
            found[(size_t)(x->round - 1) * n + (size_t)x->a] = x;
    return found;
}

/* Sets the MB/s that a node sends in each bisection. */
static void find_bisections(struct fabric *f)
{
    double sums[FABRIC_BISECTIONS + 1] = {0}, half = floor(f->nodes / 2.0);
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (x->stage == FABRIC_BISECTION && x->round <= FABRIC_BISECTIONS + 1)
            sums[x->round - 1] += beff_mb_s((double)x->bytes, x->seconds);
    for (int i = 0; i <= FABRIC_BISECTIONS; i++)
        f->bisection[i] = sums[i] > 0 ? sums[i] / half : NAN;
}

/* ---- findings ---- */

/* Returns the names of the end points of a component, to be freed. */
static char *names_of(const struct fabric *f, int component)
{
    struct stream stream;
    FILE *out = stream_start(&stream);
    for (int i = component, count = 0; i < f->points; i++)
        if (f->point[i].component == component) {
            char *name = fabric_name(f, i);
            fprintf(out, "%s%s", count++ ? ", " : "", name);
            free(name);
        }
    return stream_end(&stream);
}

static int root(const struct fabric *f, int64_t i)
{
    while (f->point[i].component != i)
        i = f->point[i].component;
    return (int)i;
}

static int largest_component(const struct fabric *f)
{
    int largest = 0;
    for (int i = 0; i < f->points; i++)
        largest = f->point[i].members > f->point[largest].members ? i : largest;
    return largest;
}

/* Sets all that follows from the components. */
static void count_members(struct fabric *f)
{
    for (int i = 0; i < f->points; i++)
        f->point[i].members = 0;
    for (int i = 0; i < f->points; i++) /* lower end points already point to their roots */
        f->point[f->point[i].component = root(f, i)].members++;
    int main = largest_component(f);
    for (int i = 0; i < f->points; i++)
        f->point[i].outside = f->point[i].component != main;
}

static void link_points(struct fabric *f, const struct fabric_exchange *x)
{
    int a = root(f, x->a), b = root(f, x->b), low = a < b ? a : b;
    f->point[a].component = f->point[b].component = low;
    f->point[x->a].component = f->point[x->b].component = low;
}

/* Links the end points of each quick exchange. A disturbance can only slow an exchange down, so one quick
 * exchange is enough. */
static void find_components(struct fabric *f, enum fabric_stage last)
{
    for (int i = 0; i < f->points; i++)
        f->point[i].component = i;
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (is_quiet(x) && x->stage <= last && is_quick(f, x))
            link_points(f, x);
}

/* Links the end points of exchanges that are slow only because their messages have a longer way: they would
 * be quick without the time by which the same pair's exchange of FABRIC_SMALL is longer than usual. */
static void link_distant(struct fabric *f)
{
    size_t count = 0;
    double *best = memory_new((size_t)f->points, sizeof *best, "the nodes");
    const struct fabric_exchange **quiet = find_quiet(f, false), **small = find_quiet(f, true);
    for (int i = 0; i < f->points; i++)
        if (f->point[i].seconds <= f->limit[f->point[i].old] && f->point[i].latency > 0)
            best[count++] = f->point[i].latency;
    double usual = stats_median(best, count);
    for (int i = 0; i < FABRIC_ROUNDS * f->points; i++)
        if (quiet[i] && small[i] && quiet[i]->b == small[i]->b &&
            quiet[i]->seconds - (small[i]->seconds - usual) <=
                f->limit[f->point[quiet[i]->a].old || f->point[quiet[i]->b].old])
            link_points(f, quiet[i]);
    free(best);
    free((void *)quiet);
    free((void *)small);
}

/* Returns true if an end point is slow with all others. */
static bool is_alone(const struct fabric *f, int64_t i)
{
    return f->point[i].outside && f->point[i].members == 1;
}

/* Returns true if a suspect was measured with enough others: with a few if most nodes are quick with each
 * other
 * (`most`), otherwise with two of each set, because a healthy node is quick only with its own set. */
static bool has_met_enough(const struct fabric *f, int point, const bool *met, bool most)
{
    size_t n = (size_t)f->points;
    int *all = memory_new(n, sizeof *all, "the nodes"), *some = memory_new(n, sizeof *some, "the nodes");
    bool enough = true;
    for (size_t i = 0; i < n; i++)
        if (f->point[i].node != f->point[point].node && f->point[i].component != f->point[point].component) {
            int set = most ? 0 : f->point[i].component;
            all[set]++;
            some[set] += met[i];
        }
    for (size_t i = 0; i < n; i++)
        enough = enough && (some[i] == all[i] || some[i] >= (most ? FABRIC_PARTNERS : 2));
    free(all);
    free(some);
    return enough;
}

/* Returns the median time of the exchanges that leave a component, as a factor. Sets the number of partners
 * with which it was confirmed (`most`), or measured at all; 0: too few. */
static double leaving_factor(const struct fabric *f, int component, bool most, int *partners)
{
    double *values = memory_new(f->exchanges, sizeof *values, "the exchanges");
    bool *seen = memory_new((size_t)f->points, sizeof *seen, "the nodes");
    size_t count = 0;
    *partners = 0;
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        bool first = f->point[x->a].component == component;
        int64_t other = first ? x->b : x->a;
        if (!is_quiet(x) || first == (f->point[x->b].component == component))
            continue;
        values[count++] = x->seconds;
        if ((!most || (x->stage != FABRIC_QUIET && first)) && !seen[other]) {
            seen[other] = true;
            ++*partners;
        }
    }
    double factor = stats_median(values, count) / f->median[f->point[component].old];
    *partners = has_met_enough(f, component, seen, most) ? *partners : 0;
    free(values);
    free(seen);
    return factor;
}

/* Returns true if an end point or a set may be healthy, but behind a link that is as slow as the others': its
 * shortest exchange takes about as long as the shortest between two other sets, apart from exchanges of an
 * end point with a neighbour that is slow with all others. */
static bool may_be_remote(const struct fabric *f, int component)
{
    double *values = memory_new(f->exchanges, sizeof *values, "the exchanges");
    double least = INFINITY, with_set = INFINITY;
    size_t count = 0;
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        int a = f->point[x->a].component, b = f->point[x->b].component;
        int other = a == component ? b : b == component ? a : -1;
        if (!is_quiet(x) || a == b || (!is_alone(f, component) && (is_alone(f, a) || is_alone(f, b))))
            continue;
        if (other < 0)
            values[count++] = x->seconds;
        else
            least = fmin(least, x->seconds);
        if (other >= 0 && !is_alone(f, other))
            with_set = fmin(with_set, x->seconds);
    }
    double shortest = stats_quantile(values, count, 1.0 / f->points);
    free(values);
    return least < FABRIC_FACTOR * shortest && FABRIC_FACTOR * with_set > shortest;
}

/* Returns the group that all nodes of a set are in; NULL: there is none. */
static struct fabric_group *group_of(const struct fabric *f, int component)
{
    int group = f->point[component].in_group;
    for (int i = component; i < f->points; i++)
        if (f->point[i].component == component && f->point[i].in_group != group)
            return NULL;
    return group >= 0 ? &f->group[group] : NULL;
}

/* Names an end point or a set of end points that is slow to all others. Returns false if it was not
 * confirmed. A set that is a group is named like one. */
static bool name_component(struct fabric *f, int component, int size, bool most)
{
    static const char *const words[] = {"slow", "shared link", "slow group"};
    struct fabric_finding found = {.kind = size == 1 ? FABRIC_SLOW_NODE : FABRIC_SHARED_LINK};
    const struct fabric_group *group = size > 1 ? group_of(f, component) : NULL;
    found.factor = leaving_factor(f, component, most, &found.partners);
    if (!found.partners || (!most && size == 1 && may_be_remote(f, component)))
        return false;
    if (group && group->slow)
        return true;
    found.names = group && group->nodes == size ? memory_text(group->name) : names_of(f, component);
    if (group && group->nodes == size) {
        found.kind = FABRIC_SLOW_GROUP;
        found.text = text_format("the links of group %s to all others are slow: an exchange of %" PRId64
                                 " B takes %.2f times as long",
                                 found.names, f->bytes, found.factor);
    } else if (size == 1) {
        found.factor = f->point[component].factor;
        found.text =
            text_format("slow node %s: an exchange of %" PRId64
                        " B takes %.2f times as long as with the median node, with each of %d partners",
                        found.names, f->bytes, found.factor, found.partners);
    } else {
        found.text = text_format(
            "nodes %s are slow to all others and not among themselves: a shared link; an exchange of %" PRId64
            " B takes %.2f times as long",
            found.names, f->bytes, found.factor);
    }
    for (int i = 0; i < f->points; i++)
        if (f->point[i].component == component)
            f->point[i].finding = words[found.kind];
    fabric_add_finding(f, &found);
    return true;
}

/* Sets the factors of all end points from their shortest times. */
static void find_factors(struct fabric *f)
{
    for (int i = 0; i < f->points; i++)
        f->point[i].factor = f->point[i].seconds / f->median[f->point[i].old];
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        struct fabric_point *a = &f->point[x->a];
        if (is_quiet(x))
            a->factor = fmin(a->factor, x->seconds / f->median[a->old]);
    }
}

/* Names the components outside the main one, which has most of the nodes; `alone` are in no set. */
static void name_nodes(struct fabric *f, int alone)
{
    int main = largest_component(f), sets = 0, open = 0, remote = 0;
    bool most = 2 * f->point[main].members > f->points;
    const size_t named = f->findings;
    char some[200] = "";
    for (int i = 0; i < f->points; i++)
        sets += f->point[i].members > 1;
    if (3 * alone > f->points) {
        f->verdict = FABRIC_OPEN;
        texts_add(
            &f->notes,
            "slow nodes cannot be judged: %d of %d %s are slower than the others, which is more than a third",
            alone, f->points, points_word(f));
        return;
    }
    for (int i = 0; i < f->points; i++) {
        bool set = most && i != main && f->point[i].members > 1;
        if (set && may_be_remote(f, i)) {
            remote++;
        } else if (set || is_alone(f, i)) {
            if (!name_component(f, i, f->point[i].members, most)) {
                char *names = names_of(f, i);
                text_append(some, sizeof some, "%s%s", open ? ", " : "", names);
                open += f->point[i].members;
                free(names);
            }
        } else if (f->point[i].before && !f->point[i].outside) {
            char *name = fabric_name(f, i);
            texts_add(&f->notes, "%s was slow for a time", name);
            free(name);
        }
    }
    if ((!most || remote) && sets > 1) {
        char *names = names_of(f, main);
        texts_add(&f->notes,
                  "%d sets of %s are slow to each other and not among themselves (the largest: %.200s): the "
                  "network between them is slower than a node's link",
                  sets, points_word(f), names);
        free(names);
    }
    if (open) {
        if (f->findings == named)
            f->verdict = FABRIC_OPEN;
        texts_add(
            &f->notes,
            "%d slower %s (%s) are not judged: measured with too few others, or perhaps healthy and behind "
            "a slow link",
            open, points_word(f), some);
    }
}

/* With two or three end points, compares only the shortest exchanges of the pairs. */
static void compare_pairs(struct fabric *f)
{
    const struct fabric_exchange *pair[POINTS_MIN - 1] = {0}, *least = NULL, *most = NULL;
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        const struct fabric_exchange **shortest = &pair[x->a + x->b - 1];
        if (is_quiet(x) && (!*shortest || x->seconds < (*shortest)->seconds))
            *shortest = x;
    }
    for (int i = 0; i < POINTS_MIN - 1; i++) {
        const struct fabric_exchange *x = pair[i];
        f->measured += x != NULL;
        least = x && (!least || x->seconds < least->seconds) ? x : least;
        most = x && (!most || x->seconds > most->seconds) ? x : most;
    }
    if (f->nodes > 2 && most->seconds > FABRIC_FACTOR * least->seconds) {
        f->verdict = FABRIC_OPEN;
        texts_add(&f->notes,
                  "slow nodes cannot be judged with 3 nodes: %s and %s take %.2f times as long as %s and %s",
                  f->point[most->a].host, f->point[most->b].host, most->seconds / least->seconds,
                  f->point[least->a].host, f->point[least->b].host);
    }
}

/* ---- groups ---- */

/* Returns the pairs that are slow with large messages, to be freed. */
static struct fabric_suspect *find_slow_pairs(const struct fabric *f, size_t *count)
{
    struct fabric_suspect *slow = memory_new(f->pairs, sizeof *slow, "the pairs of nodes");
    *count = 0;
    for (size_t i = 0; i < f->pairs; i++)
        if (f->pair[i].confirmed && !f->pair[i].small)
            slow[(*count)++] = f->pair[i];
    return slow;
}

/* Returns true if an exchange between groups says nothing about their links, because one of its end points or
 * the pair is slow. */
static bool is_explained(const struct fabric *f, const struct fabric_suspect *slow, size_t count,
                         const struct fabric_exchange *x)
{
    bool explained = is_alone(f, x->a) || is_alone(f, x->b);
    for (const struct fabric_suspect *p = slow; p < slow + count && !explained; p++)
        explained = (p->a == x->a && p->b == x->b) || (p->a == x->b && p->b == x->a);
    return explained;
}

double fabric_alone(const struct fabric *f)
{
    return beff_mb_s((double)f->bytes, f->median[0]) * f->points / f->nodes;
}

/* Sets the MB/s per node of each group: the best and the median of its rounds. */
static void find_group_rates(struct fabric *f)
{
    const double devices = (double)f->points / f->nodes;
    double *rates = memory_new((size_t)f->groups * FABRIC_GROUP_ROUNDS, sizeof *rates, "the groups");
    int *rounds = memory_new((size_t)f->groups, sizeof *rounds, "the groups");
    size_t pairs;
    struct fabric_suspect *slow = find_slow_pairs(f, &pairs);
    for (size_t i = 0, end = 0; i < f->exchanges; i = end) {
        const struct fabric_exchange *first = &f->exchange[i];
        int group = f->point[first->a].in_group, count = 0;
        bool counts = first->stage == FABRIC_GROUP && group >= 0, again = first->round > FABRIC_GROUP_ROUNDS;
        double sum = 0, all = 0;
        for (end = i; end < f->exchanges; end++) {
            const struct fabric_exchange *x = &f->exchange[end];
            if (x->stage != first->stage || x->round != first->round || f->point[x->a].in_group != group)
                break;
            if (!counts)
                continue;
            double rate = devices * beff_mb_s((double)x->bytes, x->seconds);
            bool explained = is_explained(f, slow, pairs, x);
            all += rate;
            sum += explained ? 0 : rate;
            count += !explained;
        }
        if (!counts)
            continue;
        double rate = count ? sum / count : all / (double)(end - i);
        if (count)
            f->group[group].mb_s[again] = fmax(f->group[group].mb_s[again], rate);
        if (!again && rounds[group] < FABRIC_GROUP_ROUNDS)
            rates[group * FABRIC_GROUP_ROUNDS + rounds[group]++] = rate;
    }
    for (int g = 0; g < f->groups; g++) {
        f->group[g].median = stats_median(&rates[g * FABRIC_GROUP_ROUNDS], (size_t)rounds[g]);
        f->group[g].percent = 100 * f->group[g].median / fabric_alone(f);
    }
    free(slow);
    free(rates);
    free(rounds);
}

/* Returns true if a group is much farther from the others than the median group: its 8 B messages take
 * longer. */
static bool is_distant(const struct fabric *f, const struct fabric_group *group, double *values)
{
    size_t count = 0;
    for (int i = 0; i < f->groups; i++)
        if (f->group[i].latency > 0)
            values[count++] = f->group[i].latency;
    return group->latency - stats_median(values, count) > GROUP_DISTANT * f->median[0];
}

/* Returns true if two groups have about as many nodes, of one kind. */
static bool are_comparable(const struct fabric_group *g, const struct fabric_group *h)
{
    return (double)llabs(g->nodes - h->nodes) <= GROUP_ALIKE * (double)h->nodes &&
           (g->old ? g->old == g->nodes && h->old == h->nodes : h->old == 0);
}

/* Names a group if it carries less in each of its rounds than the median group in its median round. Static
 * routes send each round over other links, so that one slow round says nothing. */
static void name_group(struct fabric *f, struct fabric_group *g, double *values)
{
    size_t alike = 0;
    bool distant = is_distant(f, g, values);
    for (int i = 0; i < f->groups; i++)
        if (f->group[i].mb_s[0] > 0 && are_comparable(&f->group[i], g))
            values[alike++] = f->group[i].median;
    double median = stats_median(values, alike);
    g->compared = alike >= GROUPS_ALIKE && g->mb_s[0] > 0 && !distant;
    g->low = g->compared && g->mb_s[0] < median / FABRIC_FACTOR;
    g->slow = g->low && g->mb_s[1] < median / FABRIC_FACTOR;
    if (g->low && !g->slow)
        texts_add(&f->notes, "the links of group %s carried %.2f of what the median group's carry%s", g->name,
                  g->mb_s[0] / median, isnan(g->mb_s[1]) ? ", which was not measured again" : " for a time");
    if (!g->slow)
        return;
    double share = fmax(g->mb_s[0], g->mb_s[1]) / median;
    for (int i = 0; i < f->points; i++)
        if (f->point[i].in_group == g - f->group)
            f->point[i].finding = "slow group";
    fabric_add_finding(
        f, &(struct fabric_finding){
               .kind = FABRIC_SLOW_GROUP,
               .names = memory_text(g->name),
               .factor = 1 / share,
               .text =
                   text_format("the links of group %s carry %.2f of what the links of the median group carry",
                               g->name, share)});
}

static void name_groups(struct fabric *f)
{
    double *values = memory_new((size_t)f->groups, sizeof *values, "the groups");
    int measured = 0, alone = 0;
    find_group_rates(f);
    for (int i = 0; i < f->groups; i++) {
        name_group(f, &f->group[i], values);
        measured += f->group[i].mb_s[0] > 0;
        alone += f->group[i].mb_s[0] > 0 && !f->group[i].compared;
    }
    if (alone)
        texts_add(&f->notes,
                  "the links of %d of %d groups cannot be compared: fewer than %d groups have about as many "
                  "nodes of one kind, or the latency differs",
                  alone, measured, GROUPS_ALIKE);
    free(values);
}

/* ---- all of it ---- */

static int compare_findings(const void *a, const void *b)
{
    const struct fabric_finding *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind > y->kind ? 1 : -1;
    return (x->factor < y->factor) - (x->factor > y->factor);
}

/* Finds the sets of nodes first without, then with the exchanges at the end of the run. Returns the number of
 * end points that are in no set. */
static int find_sets(struct fabric *f)
{
    int alone = 0;
    find_factors(f);
    for (enum fabric_stage last = FABRIC_CONFIRM; last <= FABRIC_AGAIN; last++) {
        find_components(f, last);
        link_distant(f);
        count_members(f);
        for (int i = 0; i < f->points && last == FABRIC_CONFIRM; i++)
            f->point[i].before = f->point[i].outside;
    }
    for (int i = 0; i < f->points; i++)
        alone += is_alone(f, i);
    return alone;
}

/* Adds a note about end points that are much faster than usual, such as two on one host. */
static void note_fast(struct fabric *f)
{
    char fast[200] = "";
    for (int i = 0; i < f->points; i++) {
        char *name = fabric_name(f, i);
        if (f->point[i].seconds * f->limit[0] < f->median[0] * f->median[0])
            text_append(fast, sizeof fast, "%s%s", *fast ? ", " : "", name);
        free(name);
    }
    if (*fast)
        texts_add(
            &f->notes,
            "%s: more than %.3g times as fast as the median of the others, which are judged without them",
            fast, f->limit[0] / f->median[0]);
}

/* Judges the nodes. If more than a third are slow, two may be quick only with each other, and not count. */
static void judge_points(struct fabric *f)
{
    int alone = find_sets(f);
    if (3 * alone > f->points && f->points > POINTS_MIN && f->median[0] == f->median[1]) {
        find_limits(f, 2);
        alone = find_sets(f);
    }
    note_fast(f);
    fabric_judge_links(f);
    name_groups(f);
    name_nodes(f, alone);
    if (f->findings)
        qsort(f->finding, f->findings, sizeof *f->finding, compare_findings);
}

void fabric_judge(struct fabric *f)
{
    int measured = 0;
    size_t pairs = 0;
    fabric_reset(f);
    find_groups(f);
    find_times(f);
    find_limits(f, 0);
    find_bisections(f);
    if (f->matrix)
        fabric_find_ways(f);
    for (int i = 0, first = 0; i < f->points; i++) {
        first = f->point[i].node == f->point[first].node ? first : i;
        pairs += (size_t)first; /* with the end points of the nodes before */
        f->point[i].component = i;
        measured += f->point[i].seconds > 0;
    }
    f->verdict = FABRIC_FINE;
    if (measured < 2 || measured < f->points || (f->left_out && strstr(f->left_out, "quiet"))) {
        f->verdict = FABRIC_OPEN;
        texts_add(&f->notes, "slow nodes cannot be judged: %s",
                  f->points == 0 ? "the run used one node, or did not compare its nodes"
                  : f->left_out  ? "there was too little time to compare the nodes"
                                 : "the nodes were not compared");
    } else if (f->points < POINTS_MIN) {
        compare_pairs(f);
    } else {
        judge_points(f);
    }
    if (f->verdict == FABRIC_FINE && f->nodes == 2 && !f->findings) {
        f->verdict = FABRIC_OPEN;
        texts_add(&f->notes, "slow nodes cannot be judged: two nodes have only each other to compare with");
    }
    f->judged = f->verdict != FABRIC_OPEN;
    if (f->findings && f->finding[0].kind < FABRIC_MARGINAL)
        f->verdict = FABRIC_SLOW;
    if (f->verdict == FABRIC_FINE && !f->findings)
        texts_add(&f->notes, "none of %d %s is slower than %.3g times (%zu of %zu pairs measured)", f->points,
                  points_word(f), f->limit[1] / f->median[1], f->measured, pairs);
}
