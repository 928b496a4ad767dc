#include "beff/fabric_measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/random.h"

/* Duration of a measurement in seconds: of quiet pairs, and of a bisection. Further pairs exchange small
 * messages for SMALL_SHARE of the time. */
#define QUIET_SECONDS     3e-3
#define BISECTION_SECONDS 20e-3
#define SMALL_SHARE       0.3

/* The large size is the smallest power of two, from LARGE bytes, that takes LARGE_SECONDS. */
#define LARGE_SECONDS 1e-4
enum { LARGE = 1024 * 1024 };

/* Maximum numbers of sub-rounds, of suspects, of partners of a suspect that is still slow, of attempts to
 * confirm a pair, and of exchanges. */
enum {
    SUB_ROUNDS = 16,
    SUSPECTS = 64,
    MORE_PARTNERS = 32,
    CONFIRM_ATTEMPTS = 3 * FABRIC_CONFIRMED,
    EXCHANGES = 1 << 20
};

/* Share of the remaining time that further pairs leave for confirming slow ones, and maximum in seconds. */
#define CONFIRM_SHARE   0.3
#define CONFIRM_SECONDS 2.0

/* Maximum number of exchanges between two looks at the clock. */
enum { BATCH = 16 };

/* A group makes at least GROUP_LOOPS exchanges. A figure is measured ATTEMPTS times; the fastest counts. */
enum { GROUP_LOOPS = 4, ATTEMPTS = 3 };

/* Share of the time that must be left after the figures between nodes. */
#define KEPT_SHARE 0.6

/* Number of the stream of random numbers. The polygons have 1, 2, ..., the spread has 0. */
#define STREAM       UINT64_C(0x6e6f646573)
#define STREAM_AGAIN (STREAM + 1)

struct pair {
    int a, b;
    int sub; /* number of its sub-round */
};

struct pairing {
    struct fabric *f;
    const struct fabric_ops *ops;
    struct protocol *protocol;
    struct random_stream random;
    double quiet; /* duration of a quiet measurement in seconds; 0: one exchange */
    int stop;
    char left_out[96]; /* stages that did not fit */
    uint32_t *place;  /* random order of the end points, for the pairs; with a place that stays empty if their
                         number is odd */
    uint32_t *drawn;  /* another random order, for the groups */
    int32_t *partner; /* of each end point in the next step; -1: none */
    struct fabric_answer *answers;
    struct pair *pairs; /* of a matching */
    int64_t bytes;      /* message size, and the seconds of a quiet exchange of this size */
    double one;
    double last; /* duration of the last step in seconds */
    double kept; /* seconds that must be left */
};

static bool is_pair(const struct pairing *p, int a, int b)
{
    return p->f->point[a].node != p->f->point[b].node;
}

static int below(struct pairing *p, int n)
{
    return (int)random_below(&p->random, (uint64_t)n);
}

/* ---- steps ---- */

long fabric_batch(long done, double elapsed, double seconds)
{
    if (elapsed >= seconds)
        return 0;
    double wanted = elapsed > 0 ? (double)done * (seconds / elapsed - 1) : (double)done;
    return (long)fmin(fmax(1, ceil(wanted)), BATCH);
}

static void join(struct pairing *p, const struct pair *pair)
{
    p->partner[pair->a] = pair->b;
    p->partner[pair->b] = pair->a;
}

/* Carries out a step, and parts all pairs in any case: a pair that stayed joined would wait for each other in
 * a later step. Returns false if there is no time left or a signal arrived. */
static bool carry_out_step(struct pairing *p, const struct fabric_step *step)
{
    double before = p->ops->left(p->ops->context);
    bool fits = !p->stop && before - p->kept >= 1.5 * p->last;
    if (fits) {
        p->stop = p->ops->exchange(p->ops->context, step, p->partner, p->answers);
        p->last = before - p->ops->left(p->ops->context);
    }
    for (int i = 0; i < p->f->points; i++)
        p->partner[i] = -1;
    return fits && !p->stop;
}

/* Lets the joined pairs exchange messages, which get no row. */
static bool carry_out(struct pairing *p, double seconds)
{
    bool done = carry_out_step(p, &(struct fabric_step){p->bytes, seconds, FABRIC_BOTH, 0});
    for (int i = 0; i < p->f->points && done; i++)
        p->f->other_errors += p->answers[i].errors;
    return done;
}

/* Returns the seconds of an exchange in the last step. It takes as long as the slower of the two. */
static double seconds_of(const struct pairing *p, const struct pair *pair)
{
    return fmax(p->answers[pair->a].seconds, p->answers[pair->b].seconds);
}

/* Measures the pairs of one sub-round at the same time, and records them. */
static bool measure_way(struct pairing *p, enum fabric_stage stage, enum fabric_way way, int round,
                        const struct pair *pairs, int count, int sub, double duration)
{
    for (int i = 0; i < count; i++)
        if (pairs[i].sub == sub)
            join(p, &pairs[i]);
    if (!carry_out_step(
            p, &(struct fabric_step){p->bytes, duration, way, stage == FABRIC_INJECTION ? round : 0}))
        return false;
    for (const struct pair *pair = pairs; pair < pairs + count; pair++) {
        double seconds = seconds_of(p, pair);
        bool back = way == (pair->a < pair->b ? FABRIC_DOWN : FABRIC_UP);
        if (pair->sub == sub && seconds > 0)
            fabric_add_exchange(
                p->f,
                &(struct fabric_exchange){.stage = stage,
                                          .round = round,
                                          .bytes = p->bytes,
                                          .a = back ? pair->b : pair->a,
                                          .b = back ? pair->a : pair->b,
                                          .seconds = seconds,
                                          .errors = p->answers[pair->a].errors + p->answers[pair->b].errors},
                p->protocol);
    }
    return true;
}

static bool measure(struct pairing *p, enum fabric_stage stage, int round, const struct pair *pairs,
                    int count, int sub, double duration)
{
    return measure_way(p, stage, stage == FABRIC_PAIR ? FABRIC_TO_AND_FRO : FABRIC_BOTH, round, pairs, count,
                       sub, duration);
}

static void leave_out(struct pairing *p, const char *stage)
{
    if (!p->stop)
        text_append(p->left_out, sizeof p->left_out, "%s%s", *p->left_out ? ", " : "", stage);
}

/* ---- matchings ---- */

/* Returns the number of rounds in which each end point meets each other one. */
static int all_rounds(const struct pairing *p)
{
    return p->f->points - 1 + p->f->points % 2;
}

static int rounds(const struct pairing *p)
{
    return all_rounds(p) < FABRIC_ROUNDS ? all_rounds(p) : FABRIC_ROUNDS;
}

/* Drops pairs within a node; with `swap`, first tries to exchange partners with other pairs. */
static int mend(const struct pairing *p, int count, bool swap)
{
    struct pair *pairs = p->pairs;
    for (int i = 0; i < count; i++) {
        for (int j = 0; swap && j < count && !is_pair(p, pairs[i].a, pairs[i].b); j++)
            if (is_pair(p, pairs[i].a, pairs[j].b) && is_pair(p, pairs[j].a, pairs[i].b)) {
                int b = pairs[i].b;
                pairs[i].b = pairs[j].b;
                pairs[j].b = b;
            }
        if (!is_pair(p, pairs[i].a, pairs[i].b))
            pairs[i--] = pairs[--count];
    }
    return count;
}

/* Pairs all end points, as in a round of a tournament among the random places: the last place stays, the
 * others move along a circle. `*idle` becomes the end point without a partner; -1: none. Returns the number
 * of pairs. */
static int draw(const struct pairing *p, int number, int *idle)
{
    int n = p->f->points, circle = n + n % 2 - 1, count = 0;
    *idle = -1;
    for (int k = 0; k <= circle / 2; k++) {
        int x = k ? (number + k) % circle : circle, y = (number - k + circle) % circle;
        int a = (int)p->place[x], b = (int)p->place[y];
        if (a < n && b < n)
            p->pairs[count++] = (struct pair){a < b ? a : b, a < b ? b : a, 0};
        else
            *idle = a < n ? a : b;
    }
    return count;
}

/* Pairs all end points with end points of different nodes, if possible. */
static int match(const struct pairing *p, int number, int *idle)
{
    return mend(p, draw(p, number, idle), true);
}

/* Divides a matching into sub-rounds. The idle end point gets a random partner, in another sub-round.
 * Returns the number of sub-rounds. */
static int divide(struct pairing *p, int *count, int idle)
{
    int subs = *count < SUB_ROUNDS ? *count : SUB_ROUNDS - (idle >= 0);
    for (int i = 0; i < *count; i++)
        p->pairs[i].sub = i % subs;
    if (idle < 0 || *count == 0)
        return subs;
    int other = *count == 1 ? p->pairs[0].a : p->pairs[below(p, *count)].b;
    if (is_pair(p, idle, other))
        p->pairs[(*count)++] = (struct pair){idle, other, subs};
    return subs + 1;
}

/* ---- figures between nodes ---- */

/* Measures one figure with small and large messages, several times. */
static bool measure_figure(struct pairing *p, enum fabric_stage stage, int round, int node, int64_t lmax)
{
    const int64_t sizes[] = {FABRIC_SMALL, LARGE < lmax ? LARGE : lmax};
    struct pair pair = {0, 0, 0};
    while (p->f->point[pair.b].node != node)
        pair.b++;
    for (int i = 0; i < 2 * (p->quiet > 0 ? ATTEMPTS : 1); i++) {
        p->bytes = sizes[i % 2];
        if (!measure(p, stage, round, &pair, 1, 0, p->quiet))
            return false;
    }
    return true;
}

/* Measures messages between node 0 and nodes 1, N/2 and N - 1, and all nodes at once with 1, 2, 4, ...
 * processes of each. */
static void measure_figures(struct pairing *p, int64_t lmax)
{
    const struct fabric *f = p->f;
    const int nodes[] = {1, f->nodes / 2, f->nodes - 1};
    int most = 0;
    bool done = true;
    for (int i = 0; i < 3 && done; i++)
        if (i == 0 || nodes[i] > nodes[i - 1])
            done = measure_figure(p, FABRIC_PAIR, 1, nodes[i], lmax);
    if (!done)
        leave_out(p, "pairs");
    done = true;
    for (int i = 0; i < f->points; i++)
        most = f->point[i].processes > most ? (int)f->point[i].processes : most;
    for (int m = 1, last = 0; last < most && done; last = m, m = 2 * m < most ? 2 * m : most)
        done = measure_figure(p, FABRIC_INJECTION, m, f->nodes / 2, lmax);
    if (!done)
        leave_out(p, "injection");
}

/* ---- stages ---- */

/* Sets the large size. */
static bool choose_size(struct pairing *p, int64_t lmax)
{
    int idle, count = match(p, 0, &idle);
    p->bytes = LARGE < lmax ? LARGE : lmax;
    for (;; p->bytes = 2 * p->bytes < lmax ? 2 * p->bytes : lmax) {
        p->one = INFINITY;
        for (int i = 0; i < count && i < FABRIC_ROUNDS; i++) {
            join(p, &p->pairs[i]);
            if (!carry_out(p, 0))
                return false;
            p->one = fmin(p->one, seconds_of(p, &p->pairs[i]));
        }
        if (p->one >= LARGE_SECONDS || p->bytes == lmax)
            return true;
    }
}

static bool quiet(struct pairing *p)
{
    int idle;
    for (int r = 0; r < rounds(p); r++) {
        int count = match(p, r, &idle), subs = divide(p, &count, idle);
        for (int s = 0; s < subs; s++)
            if (!measure(p, FABRIC_QUIET, r + 1, p->pairs, count, s, p->quiet))
                return false;
    }
    return true;
}

/* Measures further rounds until each end point has met all others: both sizes both ways, then one direction
 * after the other. The first rounds are repeated if nodes have several adapters, because match() may lose
 * pairs, and for three nodes, whose pairs are compared. Returns false if time or EXCHANGES did not suffice.
 */
static bool further(struct pairing *p, int first, bool one_way)
{
    const int64_t large = p->bytes;
    const int all = all_rounds(p), last = all + (p->f->points > p->f->nodes || p->f->points <= 3 ? first : 0);
    bool done = true;
    for (int r = first; r < last && done; r++) {
        if (p->f->exchanges >= EXCHANGES) {
            protocol_put(p->protocol, "note",
                         "nodes: %s not measured, because a run keeps at most %d exchanges",
                         one_way ? "directions" : "pairs", EXCHANGES);
            return false;
        }
        int idle, count = mend(p, draw(p, r % all, &idle), false), subs = divide(p, &count, -1);
        for (int s = 0; s < 2 * subs && done; s++) {
            bool second = s >= subs;
            if (one_way) {
                done = measure_way(p, FABRIC_ONE_WAY, second ? FABRIC_DOWN : FABRIC_UP, r + 1, p->pairs,
                                   count, s % subs, p->quiet);
                continue;
            }
            p->bytes = second ? FABRIC_SMALL : large;
            done = measure(p, FABRIC_QUIET, r + 1, p->pairs, count, s % subs,
                           second ? SMALL_SHARE * p->quiet : p->quiet);
        }
        p->bytes = large;
    }
    return done;
}

static void add_partner(const struct pairing *p, struct pair *pairs, int *count, int suspect, int partner)
{
    for (int i = 0; i < *count; i++)
        if (pairs[i].b == partner)
            return;
    if (is_pair(p, suspect, partner))
        pairs[(*count)++] = (struct pair){suspect, partner, 0};
}

/* Finds partners for a suspect: first its neighbours in the order of the nodes, then random ones. In round 2,
 * there are more partners, and the first ones are other slow end points. Returns their number. */
static int find_partners(struct pairing *p, struct pair pairs[MORE_PARTNERS], int suspect, int round)
{
    const struct fabric *f = p->f;
    int n = f->points, count = 0, most = round == 1 ? FABRIC_PARTNERS : MORE_PARTNERS;
    random_shuffle(&p->random, p->drawn, (size_t)n);
    for (int d = 1; round == 1 && d <= 2; d++) {
        add_partner(p, pairs, &count, suspect, (suspect + d) % n);
        add_partner(p, pairs, &count, suspect, (suspect + n - d) % n);
    }
    for (int i = 0; round == 2 && i < n && count < most / 2; i++)
        if (f->point[i].outside && f->point[i].component != suspect)
            add_partner(p, pairs, &count, suspect, i);
    for (int i = 0; i < n && count < most; i++)
        add_partner(p, pairs, &count, suspect, (int)p->drawn[i]);
    return count;
}

/* Measures the suspects again, one pair at a time: first each of them, then one of each set that is still
 * slow with more partners. At the end of the run, they have been judged. */
static bool confirm(struct pairing *p, enum fabric_stage stage)
{
    struct fabric *f = p->f;
    struct pair pairs[MORE_PARTNERS];
    const int64_t large = p->bytes;
    bool done = true;
    for (int round = 1; round <= (stage == FABRIC_AGAIN ? 1 : 2); round++) {
        if (stage != FABRIC_AGAIN)
            fabric_judge(f);
        for (int i = 0, suspects = 0; i < f->points && suspects < SUSPECTS && done; i++) {
            bool slow = f->point[i].outside && (round == 1 || f->point[i].component == i),
                 far = f->point[i].far && round == 1;
            if (!slow && !far)
                continue;
            int count = find_partners(p, pairs, i, round);
            for (int k = 0; k < 2 * count && done; k++) {
                p->bytes = k < count ? large : FABRIC_SMALL;
                if (k < count ? slow : far)
                    done = measure(p, stage, round, &pairs[k % count], 1, 0, p->quiet);
            }
            suspects++;
        }
        p->bytes = large;
    }
    return done;
}

/* Lets both end points of a pair exchange messages with their best partners. `*undisturbed` becomes true if
 * they are as quick as usual: then the pair's own time says something about the pair. */
static bool control(struct pairing *p, enum fabric_stage stage, const struct pair *pair, bool *undisturbed)
{
    const struct fabric *f = p->f;
    struct pair others[2] = {{pair->a, f->point[pair->a].best, 0}, {pair->b, f->point[pair->b].best, 0}};
    *undisturbed = true;
    for (int k = 0; k < 2 && *undisturbed; k++) { /* not both at once: they could share a link */
        if (!measure(p, stage, FABRIC_SURE - 1, &others[k], 1, 0, p->quiet))
            return false;
        *undisturbed = seconds_of(p, &others[k]) <=
                       f->limit[0] / f->median[0] * fabric_kind_factor(f, others[k].a, others[k].b) *
                           fmax(f->point[others[k].a].usual, f->point[others[k].b].usual);
    }
    return true;
}

/* Measures all suspected pairs of one size once more, in steps of pairs without a common end point. */
static bool sort_out_size(struct pairing *p, enum fabric_stage stage, bool small)
{
    const struct fabric *f = p->f;
    int most = f->points / 2 / SUB_ROUNDS > 1 ? f->points / 2 / SUB_ROUNDS : 1, count;
    bool *drawn = memory_new(f->pairs, sizeof *drawn, "the pairs of nodes"), done = true;
    do {
        count = 0;
        for (size_t i = 0; i < f->pairs && count < most; i++) {
            const struct fabric_suspect *found = &f->pair[i];
            if (drawn[i] || found->small != small || p->partner[found->a] >= 0 || p->partner[found->b] >= 0)
                continue;
            p->pairs[count] = (struct pair){(int)found->a, (int)found->b, 0};
            join(p, &p->pairs[count++]);
            drawn[i] = true;
        }
        done = !count || measure(p, stage, FABRIC_SURE - 1, p->pairs, count, 0, p->quiet);
    } while (count && done);
    free(drawn);
    return done;
}

/* Clears suspected pairs that were only disturbed, as long as this clears half of them. */
static bool sort_out(struct pairing *p, enum fabric_stage stage)
{
    const int64_t large = p->bytes;
    bool done = true;
    fabric_judge(p->f);
    for (size_t before = SIZE_MAX; p->f->pairs && p->f->pairs <= before / 2 && done;) {
        before = p->f->pairs;
        done = sort_out_size(p, stage, false);
        p->bytes = FABRIC_SMALL;
        done = done && sort_out_size(p, stage, true);
        p->bytes = large;
        fabric_judge(p->f);
    }
    return done;
}

/* Measures suspected pairs again, and then each direction. At the end of the run, suspects that are not yet
 * confirmed have another chance. One exchange of a pair comes long after the other, so that other jobs may
 * have ended. */
static bool confirm_pairs(struct pairing *p, enum fabric_stage stage)
{
    const struct fabric *f = p->f;
    const int64_t large = p->bytes;
    bool done = sort_out(p, stage), undisturbed = true;
    size_t count = f->pairs < SUSPECTS ? f->pairs : SUSPECTS;
    int *times = memory_new(count, sizeof *times, "the pairs of nodes");
    for (size_t i = 0; i < CONFIRM_ATTEMPTS * count && done; i++) {
        const struct fabric_suspect *found = &f->pair[i % count * f->pairs / count];
        struct pair pair = {(int)found->a, (int)found->b, 0};
        if (found->confirmed || times[i % count] == FABRIC_CONFIRMED)
            continue;
        done = found->small || control(p, stage, &pair, &undisturbed);
        p->bytes = found->small ? FABRIC_SMALL : large;
        if (done && (found->small || undisturbed))
            done = measure(p, stage, FABRIC_SURE, &pair, 1, 0, p->quiet);
        times[i % count] += found->small || undisturbed;
        p->bytes = large;
    }
    for (size_t i = 0; i < 2 * count && done && stage == FABRIC_CONFIRM; i++) {
        const struct fabric_suspect *found = &f->pair[i / 2 * f->pairs / count];
        struct pair pair = {(int)found->a, (int)found->b, 0};
        done = found->small ||
               measure_way(p, FABRIC_ONE_WAY, i % 2 ? FABRIC_DOWN : FABRIC_UP, 1, &pair, 1, 0, p->quiet);
    }
    free(times);
    return done;
}

/* ---- bisections ---- */

/* Pairs each node of one half with a node of the other half: the half that comes first in `order`, each with
 * the node half the number of nodes later. End points of a node that have the same place on it are paired.
 * Returns the number of pairs. */
static int bisect(const struct pairing *p, const uint32_t *order)
{
    const struct fabric *f = p->f;
    int *first = memory_new((size_t)f->nodes + 1, sizeof *first, "the nodes"), half = f->nodes / 2, count = 0;
    for (int i = 0; i < f->points; i++)
        first[f->point[i].node + 1] = i + 1;
    for (int k = 0; k < half; k++) {
        uint32_t a = order[k], b = order[k + half];
        for (int i = 0; first[a] + i < first[a + 1] && first[b] + i < first[b + 1]; i++)
            p->pairs[count++] = (struct pair){first[a] + i, first[b] + i, 0};
    }
    free(first);
    return count;
}

/* Measures the ordered bisection and random ones. */
static bool bisections(struct pairing *p)
{
    size_t nodes = (size_t)p->f->nodes;
    uint32_t *order = memory_new(nodes, sizeof *order, "the nodes");
    bool done = true;
    for (size_t i = 0; i < nodes; i++)
        order[i] = (uint32_t)i;
    for (int r = FABRIC_BISECTIONS + 1; r > 0 && done; r--) {
        done = measure(p, FABRIC_BISECTION, r, p->pairs, bisect(p, order), 0, BISECTION_SECONDS);
        random_shuffle(&p->random, order, nodes);
    }
    free(order);
    return done;
}

/* ---- groups ---- */

/* Orders the end points of all groups so that the groups take turns, with random members. Returns their
 * number. */
static int take_turns(struct pairing *p, int *candidates)
{
    const struct fabric *f = p->f;
    int *seen = memory_new((size_t)f->groups, sizeof *seen, "the groups"), count = 0;
    random_shuffle(&p->random, p->drawn, (size_t)f->points);
    for (int turn = 0, before = -1; before < count; turn++) {
        before = count;
        memset(seen, 0, (size_t)f->groups * sizeof *seen);
        for (int i = 0; i < f->points; i++) {
            int group = f->point[p->drawn[i]].in_group;
            if (group >= 0 && seen[group]++ == turn)
                candidates[count++] = (int)p->drawn[i];
        }
    }
    free(seen);
    return count;
}

/* Measures a group: each of its end points with one of another group, all others idle. */
static bool measure_group(struct pairing *p, int group, int round, const int *candidates, int count)
{
    int own = 0, others = 0;
    for (int i = 0; i < count && others < p->f->group[group].nodes; i++)
        if (p->f->point[candidates[i]].in_group != group)
            p->pairs[others++].b = candidates[i];
    for (int i = 0; i < p->f->points && own < others; i++)
        if (p->f->point[p->drawn[i]].in_group == group)
            p->pairs[own++].a = (int)p->drawn[i];
    for (int i = 0; i < own; i++)
        p->pairs[i].sub = 0;
    return measure(
        p, FABRIC_GROUP, round, p->pairs, mend(p, own, true), 0,
        fmax(round > FABRIC_GROUP_ROUNDS ? BISECTION_SECONDS : QUIET_SECONDS, GROUP_LOOPS * p->one));
}

/* Measures a round of each group. At the end of the run, groups that were slow are measured again. */
static bool groups(struct pairing *p, int round)
{
    struct fabric *f = p->f;
    if (f->groups < 2)
        return true;
    int *candidates = memory_new((size_t)f->points, sizeof *candidates, "the groups");
    int turns = take_turns(p, candidates);
    bool done = true;
    for (int g = 0; g < f->groups && done; g++)
        done = (round > FABRIC_GROUP_ROUNDS && !f->group[g].low) ||
               measure_group(p, g, round, candidates, turns);
    free(candidates);
    return done;
}

/* ---- matrix ---- */

/* Measures all pairs, in as many sub-rounds as the time allows. */
static bool matrix(struct pairing *p)
{
    struct fabric *f = p->f;
    int n = f->points, all = all_rounds(p), idle;
    double step = fmax(p->last, fmax(p->one, p->quiet));
    double subs = floor((p->ops->left(p->ops->context) - p->kept) / all / (1.5 * step));
    int subs_most = subs < 1 ? 1 : subs > SUB_ROUNDS ? SUB_ROUNDS : (int)subs;
    bool done = true;
    f->matrix = memory_new((size_t)n * (size_t)(n - 1) / 2, sizeof *f->matrix, "the matrix of nodes");
    for (int r = 0; r < all && done; r++) {
        int count = draw(p, r, &idle), of = count < subs_most ? count : subs_most;
        for (int s = 0; s < of && done; s++) {
            for (int i = s; i < count; i += of)
                join(p, &p->pairs[i]);
            done = carry_out(p, p->quiet);
            for (int i = s; i < count && done; i += of)
                f->matrix[fabric_cell(n, p->pairs[i].a, p->pairs[i].b)] = (float)seconds_of(p, &p->pairs[i]);
        }
    }
    protocol_put(p->protocol, "matrix_pairs", "%d", (n / 2 + subs_most - 1) / subs_most);
    fabric_put_matrix(f, p->protocol);
    return done;
}

/* ---- all of it ---- */

static void measure_all(struct pairing *p, int64_t lmax, bool with_matrix)
{
    struct fabric *f = p->f;
    p->kept = KEPT_SHARE * p->ops->left(p->ops->context);
    measure_figures(p, lmax);
    p->kept = p->last = 0;
    if (!choose_size(p, lmax) || !quiet(p)) {
        leave_out(p, "quiet");
        return;
    }
    int64_t large = p->bytes;
    p->bytes = FABRIC_SMALL;
    if (!quiet(p))
        leave_out(p, "8 B");
    p->bytes = large;
    if (!confirm(p, FABRIC_CONFIRM))
        leave_out(p, "confirm");
    double before = p->ops->left(p->ops->context);
    bool grouped = groups(p, 1); /* the rounds are spread over the time, because other jobs come and go */
    before -= p->ops->left(p->ops->context);
    if (!bisections(p))
        leave_out(p, "bisections");
    grouped = grouped && groups(p, 2);
    p->last = 0;
    p->kept = fmin(CONFIRM_SHARE * p->ops->left(p->ops->context), CONFIRM_SECONDS);
    bool all = further(p, rounds(p), false);
    p->kept = p->last = 0;
    grouped = grouped && groups(p, 3);
    if (!confirm_pairs(p, FABRIC_CONFIRM))
        leave_out(p, "slow pairs");
    p->kept = 2 * before;
    if (with_matrix && (f->points > FABRIC_MATRIX_MAX || !matrix(p)))
        leave_out(p, "matrix");
    if (all)
        further(p, 0, true);
    p->kept = p->last = 0;
    if (!grouped || !groups(p, FABRIC_GROUP_ROUNDS))
        leave_out(p, "groups");
}

static void start(struct pairing *p, uint64_t seed, uint64_t stream)
{
    size_t n = (size_t)p->f->points;
    p->place = memory_new(n + 1, sizeof *p->place, "the nodes");
    p->drawn = memory_new(n, sizeof *p->drawn, "the nodes");
    p->partner = memory_new(n, sizeof *p->partner, "the nodes");
    p->answers = memory_new(n, sizeof *p->answers, "the nodes");
    p->pairs = memory_new(n + 1, sizeof *p->pairs, "the nodes");
    for (size_t i = 0; i <= n; i++)
        p->place[i] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        p->drawn[i] = (uint32_t)i;
        p->partner[i] = -1;
    }
    random_start(&p->random, seed, stream);
    random_shuffle(&p->random, p->place, n + n % 2);
}

static int end(struct pairing *p)
{
    free(p->place);
    free(p->drawn);
    free(p->partner);
    free(p->answers);
    free(p->pairs);
    return p->stop;
}

int fabric_measure(struct fabric *f, const struct fabric_ops *ops, struct protocol *protocol, uint64_t seed,
                   int64_t lmax, bool once, bool with_matrix)
{
    struct pairing p = {.f = f, .ops = ops, .protocol = protocol, .quiet = once ? 0 : QUIET_SECONDS};
    start(&p, seed, STREAM);
    measure_all(&p, lmax, with_matrix);
    if (*p.left_out)
        protocol_meta(protocol, "nodes_left_out", p.left_out);
    if (f->other_errors)
        protocol_put(protocol, "nodes_errors", "%" PRId64, f->other_errors);
    return end(&p);
}

int fabric_measure_again(struct fabric *f, const struct fabric_ops *ops, struct protocol *protocol,
                         uint64_t seed, bool once)
{
    struct pairing p = {.f = f, .ops = ops, .protocol = protocol, .quiet = once ? 0 : QUIET_SECONDS};
    start(&p, seed, STREAM_AGAIN);
    fabric_judge(f);
    p.bytes = f->bytes;
    p.one = f->median[0];
    const size_t before = f->exchanges;
    if (f->verdict != FABRIC_OPEN || f->measured) {
        bool done = confirm(&p, FABRIC_AGAIN);
        for (int r = FABRIC_GROUP_ROUNDS + 1; r <= 2 * FABRIC_GROUP_ROUNDS && done; r++)
            done = groups(&p, r);
        done = done && confirm_pairs(&p, FABRIC_AGAIN);
        if (!done && !p.stop && f->exchanges == before)
            protocol_meta(protocol, "note", "nodes: no time to measure slow ones again at the end");
    }
    return end(&p);
}
