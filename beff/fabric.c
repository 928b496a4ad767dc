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

const char *const fabric_stages[] = {"quiet", "confirm", "loaded", "group", "pair", "injection", NULL};

/* ---- tables of the protocol ---- */

void fabric_add_point(struct fabric *f, const struct fabric_point *point)
{
    array_grow(&f->point, (size_t)f->points, sizeof *f->point);
    f->point[f->points++] = *point;
    f->nodes = point->node + 1 > f->nodes ? (int)point->node + 1 : f->nodes;
}

void fabric_add_exchange(struct fabric *f, const struct fabric_exchange *x, struct protocol *protocol)
{
    array_grow(&f->exchange, f->exchanges, sizeof *f->exchange);
    f->exchange[f->exchanges++] = *x;
    if (protocol)
        protocol_add(protocol, BEFF_EXCHANGES, x, 1);
}

static float *new_matrix(int points)
{
    size_t n = (size_t)points;
    return memory_new(n * (n - 1) / 2, sizeof(float), "the matrix of nodes");
}

void fabric_put_matrix(const struct fabric *f, struct protocol *protocol)
{
    struct fabric_pair *row = memory_new((size_t)f->points, sizeof *row, "the matrix of nodes");
    for (int a = 0; a + 1 < f->points; a++) {
        size_t count = 0;
        for (int b = a + 1; b < f->points; b++) {
            float seconds = f->matrix[fabric_cell(f->points, a, b)];
            if (seconds > 0)
                row[count++] = (struct fabric_pair){a, b, (double)seconds};
        }
        protocol_add(protocol, BEFF_MATRIX, row, count);
    }
    free(row);
}

static bool is_pair(const struct fabric *f, int64_t a, int64_t b)
{
    return a != b && a < f->points && b < f->points;
}

int fabric_read(struct fabric *f, const struct protocol *p, struct message *error)
{
    size_t count;
    const struct fabric_point *point = protocol_table(p, BEFF_END_POINTS, &count);
    *f = (struct fabric){.left_out = protocol_get(p, "nodes_left_out")};
    for (size_t i = 0; i < count; i++) {
        int64_t last = f->points ? point[i - 1].node : 0;
        if (point[i].node < last || point[i].node > f->nodes)
            return message_set(error, "row %zu of end_point: node %" PRId64 " does not follow node %" PRId64,
                               i + 1, point[i].node, last);
        fabric_add_point(f, &point[i]);
    }
    const struct fabric_exchange *x = protocol_table(p, BEFF_EXCHANGES, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_pair(f, x[i].a, x[i].b))
            return message_set(
                error, "row %zu of exchange: %" PRId64 " and %" PRId64 " are not two of %d end points", i + 1,
                x[i].a, x[i].b, f->points);
        fabric_add_exchange(f, &x[i], NULL);
    }
    const struct fabric_pair *pair = protocol_table(p, BEFF_MATRIX, &count);
    if (count && f->points <= FABRIC_MATRIX_MAX)
        f->matrix = new_matrix(f->points);
    for (size_t i = 0; i < count; i++) {
        if (!f->matrix || !is_pair(f, pair[i].a, pair[i].b) || pair[i].a > pair[i].b)
            return message_set(error,
                               "row %zu of matrix: %" PRId64 " and %" PRId64
                               " are not two of %d end points, the lower one first",
                               i + 1, pair[i].a, pair[i].b, f->points);
        f->matrix[fabric_cell(f->points, (int)pair[i].a, (int)pair[i].b)] = (float)pair[i].seconds;
    }
    fabric_judge(f);
    return 0;
}

static void reset(struct fabric *f)
{
    texts_free(&f->notes);
    for (size_t i = 0; i < f->findings; i++)
        free(f->finding[i].names);
    free(f->finding);
    free(f->group);
    f->finding = NULL;
    f->group = NULL;
    f->findings = 0;
    f->groups = 0;
}

void fabric_free(struct fabric *f)
{
    reset(f);
    free(f->point);
    free(f->exchange);
    free(f->matrix);
    *f = (struct fabric){0};
}

/* ---- times ---- */

/* Sets the group of each end point. */
static void find_groups(struct fabric *f)
{
    for (int i = 0; i < f->points; i++) {
        struct fabric_point *p = &f->point[i];
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
    f->bytes = f->errors = 0;
    f->latency_max = NAN;
    for (int i = 0; i < f->points; i++) {
        struct fabric_point *p = &f->point[i];
        p->latency = p->seconds = p->factor = NAN;
        p->outside = false;
        p->members = 0;
        p->finding = "";
    }
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
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
            a->seconds = fmin(a->seconds, x->seconds);
            b->seconds = fmin(b->seconds, x->seconds);
        }
    }
    f->latency = stats_median(latencies, count);
    free(latencies);
}

/* Sets the median node's time and the longest quick time. More than half of the nodes may be slow, so the
 * median is taken over the nodes that are about as fast as the fastest sixth. */
static void find_limit(struct fabric *f)
{
    size_t n = (size_t)f->points, count = 0;
    double *values = memory_new(n, sizeof *values, "the nodes");
    for (size_t i = 0; i < n; i++)
        if (f->point[i].seconds > 0)
            values[count++] = f->point[i].seconds;
    stats_sort(values, count);
    double most = count ? FABRIC_FACTOR * values[(count - 1) / 6] : 0;
    n = count;
    count = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i] <= most)
            values[count++] = values[i];
    f->median = stats_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] / f->median - 1);
    f->limit = f->median * fmax(FABRIC_FACTOR, 1 + FABRIC_DISTANCE * stats_median(values, count));
    free(values);
}

/* Returns the exchanges of one size in the quiet rounds, to be freed: [round - 1][a]; NULL if there is none.
 */
static const struct fabric_exchange **find_quiet(const struct fabric *f, bool small)
{
    size_t n = (size_t)f->points;
    const struct fabric_exchange **found = memory_new(FABRIC_ROUNDS * n, sizeof(*found), "the exchanges");
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
        if (x->stage == FABRIC_QUIET && x->round <= FABRIC_ROUNDS && (x->bytes == FABRIC_SMALL) == small)
            found[(size_t)(x->round - 1) * n + (size_t)x->a] = x;
    }
    return found;
}

/* Sums the rates of the pairs when all of them exchange at once, and when they were quiet. */
static void find_loaded(struct fabric *f)
{
    const struct fabric_exchange **quiet = find_quiet(f, false);
    double loaded_sum = 0, quiet_sum = 0;
    int rounds = 0;
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
        if (x->stage != FABRIC_LOADED || x->round > FABRIC_ROUNDS)
            continue;
        const struct fabric_exchange *same = quiet[(x->round - 1) * f->points + x->a];
        loaded_sum += 1 / x->seconds;
        quiet_sum += same ? 1 / same->seconds : 0;
        rounds = x->round > rounds ? (int)x->round : rounds;
    }
    f->loaded_mb_s = rounds ? 2 * (double)f->bytes * loaded_sum / rounds / 1e6 : NAN;
    f->loaded_percent = rounds ? 100 * loaded_sum / quiet_sum : NAN;
    free((void *)quiet);
}

/* ---- findings ---- */

static void add_finding(struct fabric *f, const struct fabric_finding *finding)
{
    array_grow(&f->finding, f->findings, sizeof *f->finding);
    f->finding[f->findings++] = *finding;
}

static const char *points_word(const struct fabric *f)
{
    return f->points == f->nodes ? "nodes" : "end points";
}

/* Returns the names of the end points of a component, to be freed. */
static char *names_of(const struct fabric *f, int component)
{
    size_t size;
    char *text;
    FILE *out = memory_stream(&text, &size);
    for (int i = component, count = 0; i < f->points; i++)
        if (f->point[i].component == component) {
            bool device = strcmp(f->point[i].device, "-") != 0;
            fprintf(out, "%s%s%s%s", count++ ? ", " : "", f->point[i].host, device ? " " : "",
                    device ? f->point[i].device : "");
        }
    memory_stream_end(out);
    return text;
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
static void find_components(struct fabric *f)
{
    for (int i = 0; i < f->points; i++)
        f->point[i].component = i;
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
        if (x->bytes != FABRIC_SMALL && x->stage <= FABRIC_CONFIRM && x->seconds <= f->limit)
            link_points(f, x);
    }
}

/* Links the end points of exchanges that are slow only because their messages have a longer way: they would
 * be quick without the time by which the same pair's exchange of FABRIC_SMALL is longer than usual. */
static void link_distant(struct fabric *f)
{
    size_t count = 0;
    double *best = memory_new((size_t)f->points, sizeof *best, "the nodes");
    const struct fabric_exchange **quiet = find_quiet(f, false), **small = find_quiet(f, true);
    for (int i = 0; i < f->points; i++)
        if (f->point[i].seconds <= f->limit && f->point[i].latency > 0)
            best[count++] = f->point[i].latency;
    double usual = stats_median(best, count);
    for (int i = 0; i < FABRIC_ROUNDS * f->points; i++)
        if (quiet[i] && small[i] && quiet[i]->b == small[i]->b &&
            quiet[i]->seconds - (small[i]->seconds - usual) <= f->limit)
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

/* Returns the median time of the exchanges that leave a component, as a factor, and the number of partners
 * with which it was confirmed. */
static double leaving_factor(const struct fabric *f, int component, int *partners)
{
    double *values = memory_new(f->exchanges, sizeof *values, "the exchanges");
    bool *seen = memory_new((size_t)f->points, sizeof *seen, "the nodes");
    size_t count = 0;
    *partners = 0;
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
        if (x->bytes == FABRIC_SMALL || x->stage > FABRIC_CONFIRM ||
            (f->point[x->a].component == component) == (f->point[x->b].component == component))
            continue;
        values[count++] = x->seconds;
        if (x->stage == FABRIC_CONFIRM && f->point[x->a].component == component && !seen[x->b]) {
            seen[x->b] = true;
            ++*partners;
        }
    }
    double factor = stats_median(values, count) / f->median;
    free(values);
    free(seen);
    return factor;
}

/* Returns the number of partners that a suspect must have been measured with: a few if most nodes are quick
 * with each other (`most`), otherwise all. */
static int partners_needed(const struct fabric *f, int point, bool most)
{
    int others = 0;
    for (int i = 0; i < f->points && (!most || others < FABRIC_PARTNERS); i++)
        others += f->point[i].node != f->point[point].node;
    return others;
}

/* Returns true if the set consists of nodes of a slow group. */
static bool is_in_slow_group(const struct fabric *f, int component)
{
    int group = f->point[component].in_group;
    for (int i = component; i < f->points; i++)
        if (f->point[i].component == component && f->point[i].in_group != group)
            return false;
    return group >= 0 && f->group[group].slow;
}

/* Names an end point or a set of end points that is slow to all others. Returns false if it was not
 * confirmed. */
static bool name_component(struct fabric *f, int component, int size, bool most)
{
    struct fabric_finding found = {.kind = size == 1 ? FABRIC_SLOW_NODE : FABRIC_SHARED_LINK};
    found.factor = leaving_factor(f, component, &found.partners);
    if (found.partners < partners_needed(f, component, most))
        return false;
    if (size > 1 && is_in_slow_group(f, component))
        return true;
    found.names = names_of(f, component);
    if (size == 1)
        found.factor = f->point[component].factor;
    for (int i = 0; i < f->points; i++)
        if (f->point[i].component == component)
            f->point[i].finding = size == 1 ? "slow" : "shared link";
    add_finding(f, &found);
    return true;
}

/* Sets the factors of all end points from their shortest times. */
static void find_factors(struct fabric *f)
{
    for (int i = 0; i < f->points; i++)
        f->point[i].factor = f->point[i].seconds / f->median;
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
        if (x->stage == FABRIC_CONFIRM)
            f->point[x->a].factor = fmin(f->point[x->a].factor, x->seconds / f->median);
    }
}

/* Names the components outside the main one, which has most of the nodes. */
static void name_nodes(struct fabric *f)
{
    int main = largest_component(f), alone = 0, sets = 0, open = 0;
    bool most = 2 * f->point[main].members > f->points;
    for (int i = 0; i < f->points; i++) {
        alone += is_alone(f, i);
        sets += f->point[i].members > 1;
    }
    if (3 * alone > f->points) {
        f->verdict = FABRIC_OPEN;
        texts_add(&f->notes,
                  "slow nodes cannot be judged: %d of %d %s are slower than the others, which is more than a "
                  "third",
                  alone, f->points, points_word(f));
        return;
    }
    for (int i = 0; i < f->points; i++)
        if (is_alone(f, i) || (i != main && f->point[i].members > 1 && most))
            open += !name_component(f, i, f->point[i].members, most);
    if (!most && sets > 1) {
        char *names = names_of(f, main);
        texts_add(&f->notes,
                  "%d sets of %s are slow to each other and not among themselves (the largest: %.200s): the "
                  "network between them is slower than a node's link",
                  sets, points_word(f), names);
        free(names);
    }
    if (open) {
        f->verdict = FABRIC_OPEN;
        texts_add(&f->notes, "%d slower %s were not measured with enough others, so they are not judged",
                  open, points_word(f));
    }
}

/* With two or three end points, compares only the pairs. */
static void compare_pairs(struct fabric *f)
{
    const struct fabric_exchange *least = NULL, *most = NULL;
    f->verdict = FABRIC_OPEN;
    for (size_t i = 0; i < f->exchanges; i++) {
        const struct fabric_exchange *x = &f->exchange[i];
        if (x->stage != FABRIC_QUIET || x->bytes == FABRIC_SMALL)
            continue;
        least = !least || x->seconds < least->seconds ? x : least;
        most = !most || x->seconds > most->seconds ? x : most;
    }
    if (f->points < POINTS_MIN - 1) {
        texts_add(&f->notes, "slow nodes cannot be judged: two nodes have only each other to compare with");
    } else if (most->seconds > FABRIC_FACTOR * least->seconds) {
        texts_add(&f->notes,
                  "slow nodes cannot be judged with 3 nodes: %s and %s take %.2f times as long as %s and %s",
                  f->point[most->a].host, f->point[most->b].host, most->seconds / least->seconds,
                  f->point[least->a].host, f->point[least->b].host);
    } else {
        f->verdict = FABRIC_FINE;
    }
}

/* ---- groups ---- */

/* Sets the MB/s per node of each group: the best of its rounds. Exchanges of slow nodes say nothing about the
 * group's links. */
static void find_group_rates(struct fabric *f)
{
    for (size_t i = 0, end = 0; i < f->exchanges; i = end) {
        const struct fabric_exchange *first = &f->exchange[i];
        int group = f->point[first->a].in_group, count = 0;
        bool counts = first->stage == FABRIC_GROUP && group >= 0;
        double sum = 0;
        for (end = i; end < f->exchanges; end++) {
            const struct fabric_exchange *x = &f->exchange[end];
            if (x->stage != first->stage || x->round != first->round || f->point[x->a].in_group != group)
                break;
            if (is_alone(f, x->a) || is_alone(f, x->b))
                continue;
            sum += (double)x->bytes / x->seconds / 1e6;
            count++;
        }
        if (counts && count) {
            double *best = &f->group[group].mb_s[first->round > FABRIC_GROUP_ROUNDS];
            *best = fmax(*best, sum / count);
        }
    }
}

/* Returns true if a group is much farther from the others than the median group: its 8 B messages take
 * longer. */
static bool is_distant(const struct fabric *f, const struct fabric_group *group, double *values)
{
    size_t count = 0;
    for (int i = 0; i < f->groups; i++)
        if (f->group[i].latency > 0)
            values[count++] = f->group[i].latency;
    return group->latency - stats_median(values, count) > GROUP_DISTANT * f->median;
}

static void name_group(struct fabric *f, struct fabric_group *g, double *values)
{
    size_t alike = 0;
    bool distant = is_distant(f, g, values);
    for (int i = 0; i < f->groups; i++)
        if (f->group[i].mb_s[0] > 0 &&
            (double)llabs(f->group[i].nodes - g->nodes) <= GROUP_ALIKE * (double)g->nodes)
            values[alike++] = f->group[i].mb_s[0];
    double median = stats_median(values, alike);
    g->compared = alike >= GROUPS_ALIKE && g->mb_s[0] > 0 && !distant;
    g->low = g->compared && g->mb_s[0] < median / FABRIC_FACTOR;
    g->slow = g->low && g->mb_s[1] < median / FABRIC_FACTOR;
    if (!g->slow)
        return;
    for (int i = 0; i < f->points; i++)
        if (f->point[i].in_group == g - f->group)
            f->point[i].finding = "slow group";
    add_finding(f, &(struct fabric_finding){.kind = FABRIC_SLOW_GROUP,
                                            .names = memory_text(g->name),
                                            .factor = fmax(g->mb_s[0], g->mb_s[1]) / median});
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
                  "nodes, or the latency differs",
                  alone, measured, GROUPS_ALIKE);
    free(values);
}

/* ---- all of it ---- */

void fabric_judge(struct fabric *f)
{
    int measured = 0;
    reset(f);
    find_groups(f);
    find_times(f);
    find_limit(f);
    find_loaded(f);
    for (int i = 0; i < f->points; i++) {
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
        find_components(f);
        find_factors(f);
        link_distant(f);
        count_members(f);
        name_groups(f);
        name_nodes(f);
    }
    if (f->findings)
        f->verdict = FABRIC_SLOW;
    if (f->verdict == FABRIC_FINE)
        texts_add(&f->notes, "none of %d %s stands out", f->points, points_word(f));
}

char *fabric_text(const struct fabric *f, const struct fabric_finding *found)
{
    if (found->kind == FABRIC_SLOW_GROUP)
        return text_format("the links of group %s carry %.2f of what the links of the other groups carry",
                           found->names, found->factor);
    if (found->kind == FABRIC_SHARED_LINK)
        return text_format("nodes %s are slow to all others and not among themselves: a shared link; an "
                           "exchange of %" PRId64 " B takes %.2f times as long",
                           found->names, f->bytes, found->factor);
    return text_format("slow node %s: an exchange of %" PRId64
                       " B takes %.2f times as long as with the median node, with each of %d partners",
                       found->names, f->bytes, found->factor, found->partners);
}
