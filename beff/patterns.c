#include "beff/patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

typedef void neighbours_function(const struct pattern *, int64_t rank, struct neighbours *);

enum { ALL_AXES = -1 };

struct pattern_family {
    const char *id; /* may contain a format for the number */
    const char *label;
    enum pattern_kind kind;
    neighbours_function *neighbours;
    int dimensions; /* dimensions of the grid; 0 if the pattern is not Cartesian */
    int axis;       /* index of the only direction, or ALL_AXES */
    bool cyclic;
    bool sendrecv_only;
};

static void ring(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    ring_neighbours(&p->rings, rank, &n->left[0], &n->right[0]);
}

/* Makes the rings of a ring pattern from the places of the ranks in the list's order. */
static void net_ring(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    int64_t place = 0, left, right;
    while (p->order[place] != rank)
        place++;
    ring_neighbours(&p->rings, place, &left, &right);
    n->left[0] = p->order[left];
    n->right[0] = p->order[right];
}

static void polygon(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    struct random_stream random;
    uint32_t left, right;
    random_start(&random, p->seed, (uint64_t)p->number);
    random_neighbours(&random, (size_t)p->processes, (uint32_t)rank, &left, &right);
    n->left[0] = left;
    n->right[0] = right;
}

/* Returns the rank at position `place` in the order 0, P-1, 1, P-2, ... */
static int64_t worst_rank(int64_t place, int64_t processes)
{
    return place % 2 == 0 ? place / 2 : processes - 1 - place / 2;
}

static void worst_cycle(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    int64_t processes = p->processes;
    int64_t place = rank < (processes + 1) / 2 ? 2 * rank : 2 * (processes - 1 - rank) + 1;
    n->left[0] = worst_rank((place + processes - 1) % processes, processes);
    n->right[0] = worst_rank((place + 1) % processes, processes);
}

/* Makes a pair, which is an acyclic chain of two: the lower rank has only a right neighbour, the higher rank
 * only a left neighbour. With Sendrecv, this becomes a ping-pong. */
static void pair(int64_t rank, int64_t partner, struct neighbours *n)
{
    n->left[0] = partner < rank ? partner : -1;
    n->right[0] = partner > rank ? partner : -1;
}

static void bisection_best(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    int64_t partner = rank ^ 1;
    pair(rank, partner < p->processes ? partner : rank, n);
}

static void bisection_worst(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    int64_t even = p->processes / 2 * 2;
    pair(rank, rank < even ? even - 1 - rank : rank, n);
}

static void pingpong(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    (void)p;
    pair(rank, rank < 2 ? 1 - rank : rank, n);
}

static void cartesian(const struct pattern *p, int64_t rank, struct neighbours *n)
{
    int first = p->row->axis == ALL_AXES ? 0 : p->row->axis;
    for (int i = 0; i < p->axes; i++)
        cartesian_neighbours(&p->grid, first + i, p->row->cyclic, rank, &n->left[i], &n->right[i]);
}

static const struct pattern_family table[] = {
    {"ring-%d", "ring", PATTERN_RING, ring, .cyclic = true},
    {"random-%02d", "random polygon", PATTERN_RANDOM, polygon, .cyclic = true},
    {"worst-cycle", "worst-case cycle", PATTERN_ANALYSIS, worst_cycle, .cyclic = true},
    {"bisection-best", "best bi-section", PATTERN_ANALYSIS, bisection_best},
    {"bisection-worst", "worst bi-section", PATTERN_ANALYSIS, bisection_worst},
    {"cart2d-x", "cyclic 2-D, x", PATTERN_ANALYSIS, cartesian, 2, 0, .cyclic = true},
    {"cart2d-y", "cyclic 2-D, y", PATTERN_ANALYSIS, cartesian, 2, 1, .cyclic = true},
    {"cart2d-all", "cyclic 2-D, all", PATTERN_ANALYSIS, cartesian, 2, ALL_AXES, .cyclic = true},
    {"cart3d-x", "cyclic 3-D, x", PATTERN_ANALYSIS, cartesian, 3, 0, .cyclic = true},
    {"cart3d-y", "cyclic 3-D, y", PATTERN_ANALYSIS, cartesian, 3, 1, .cyclic = true},
    {"cart3d-z", "cyclic 3-D, z", PATTERN_ANALYSIS, cartesian, 3, 2, .cyclic = true},
    {"cart3d-all", "cyclic 3-D, all", PATTERN_ANALYSIS, cartesian, 3, ALL_AXES, .cyclic = true},
    {"acyclic2d-all", "acyclic 2-D, all", PATTERN_ANALYSIS, cartesian, 2, ALL_AXES},
    {"acyclic3d-all", "acyclic 3-D, all", PATTERN_ANALYSIS, cartesian, 3, ALL_AXES},
    {"pingpong", "ping-pong of ranks 0 and 1", PATTERN_ANALYSIS, pingpong, .sendrecv_only = true},
};

static const struct pattern_family net_rings = {"net-ring-%d", "net ring", PATTERN_ANALYSIS, net_ring,
                                                .cyclic = true};

static const struct pattern_family pairs[] = {{"alone-%d", "a pair of nodes alone", PATTERN_ALONE},
                                              {"inside-%d", "a pair inside a node alone", PATTERN_ALONE}};

enum { ROWS = sizeof table / sizeof table[0], ALONE = 4 };
_Static_assert(ROWS + 2 * BEFF_RING_PATTERNS + ALONE <= PATTERN_MAX_CLASSES,
               "one class for each ring, each net ring, each pair and each other row");

static int64_t count_messages(const struct pattern *p)
{
    if (p->row->dimensions) {
        int first = p->row->axis == ALL_AXES ? 0 : p->row->axis;
        int64_t messages = 0;
        for (int i = 0; i < p->axes; i++)
            messages += cartesian_messages(&p->grid, first + i, p->row->cyclic);
        return messages;
    }
    if (p->kind == PATTERN_ALONE)
        return 2 * p->number;
    if (p->row->cyclic)
        return ring_messages(&p->rings);
    return p->sendrecv_only ? 2 : p->processes / 2 * 2;
}

/* Fills `p` from its row. Returns false if the pattern does not exist for this number of processes. */
static bool make_pattern(struct pattern *p, const struct pattern_family *row, int number,
                         const struct pattern_list *list)
{
    int64_t processes = list->processes;
    bool numbered = row->kind == PATTERN_RING || row == &net_rings;
    *p = (struct pattern){.kind = row->kind,
                          .rated = row->kind < PATTERN_ANALYSIS,
                          .sendrecv_only = row->sendrecv_only,
                          .inside = row == &pairs[1],
                          .axes = row->dimensions && row->axis == ALL_AXES ? row->dimensions : 1,
                          .number = number,
                          .processes = processes,
                          .seed = list->seed,
                          .order = list->order,
                          .row = row};
    if (row->dimensions) {
        p->grid = cartesian_grid(processes, row->dimensions);
        if (row->axis != ALL_AXES && p->grid.extents[row->axis] == 1)
            return false;
    } else if (row->cyclic) {
        p->rings = ring_partition(processes, numbered ? number : BEFF_RING_PATTERNS);
    }
    p->messages = count_messages(p);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the table's own formats */
    snprintf(p->id, sizeof p->id, row->id, number);
#pragma GCC diagnostic pop
    if (numbered)
        snprintf(p->label, sizeof p->label, "%sring-%lld*%lld%s", row == &net_rings ? "net-" : "",
                 (long long)p->rings.rings, (long long)p->rings.first_size,
                 p->rings.second_size == 0                    ? "fix"
                 : p->rings.second_size > p->rings.first_size ? "&+1"
                                                              : "&-1");
    else
        snprintf(p->label, sizeof p->label, "%s", row->label);
    return true;
}

void patterns_make(struct pattern_list *list, int64_t processes, int polygons, uint64_t seed, int64_t lmax)
{
    *list = (struct pattern_list){.processes = processes, .seed = seed, .polygons = polygons};
    beff_sizes(lmax, list->sizes);
    list->patterns = memory_new((size_t)ROWS + 2 * BEFF_RING_PATTERNS + ALONE + (size_t)polygons,
                                sizeof *list->patterns, "the patterns");
    for (const struct pattern_family *row = table; row < table + ROWS; row++) {
        int repeats = row->kind == PATTERN_RING     ? BEFF_RING_PATTERNS
                      : row->kind == PATTERN_RANDOM ? polygons
                                                    : 1;
        for (int number = 1; number <= repeats; number++)
            if (make_pattern(&list->patterns[list->count], row, number, list)) {
                bool another = row->kind == PATTERN_RANDOM && number > 1;
                list->classes += !another;
                list->patterns[list->count++].class = list->classes - 1;
            }
    }
}

struct place {
    int32_t local, node, rank; /* local: number of earlier ranks on the same node */
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->local != y->local ? (x->local > y->local) - (x->local < y->local)
                                : (x->node > y->node) - (x->node < y->node);
}

void patterns_order(const int32_t *node, int32_t processes, int32_t *order)
{
    struct place *places = memory_new((size_t)processes, sizeof *places, "the order of the ranks");
    int32_t *count = memory_new((size_t)processes, sizeof *count, "the order of the ranks");
    for (int32_t rank = 0; rank < processes; rank++)
        places[rank] = (struct place){count[node[rank]]++, node[rank], rank};
    qsort(places, (size_t)processes, sizeof *places, compare_places);
    for (int32_t i = 0; i < processes; i++)
        order[i] = places[i].rank;
    free(places);
    free(count);
}

void patterns_add_net_rings(struct pattern_list *list, const int32_t *order)
{
    list->order = order;
    for (int number = 1; number <= BEFF_RING_PATTERNS; number++) {
        make_pattern(&list->patterns[list->count], &net_rings, number, list);
        list->patterns[list->count++].class = list->classes++;
    }
}

int pattern_sends(const struct pattern *p)
{
    return p->rings.first_size > 2 || p->rings.second_size > 2 ? 2 : 1;
}

void patterns_add_alone(struct pattern_list *list, int64_t nodes)
{
    bool used[3] = {false};
    for (int i = 0; i < BEFF_RING_PATTERNS; i++)
        used[pattern_sends(&list->patterns[i])] = true;
    for (int i = 0; i < ALONE; i++) {
        int sends = 1 + i % 2;
        if (used[sends] && (i < 2 ? nodes > 1 : list->processes > nodes)) {
            struct pattern *p = &list->patterns[list->count + list->alone++];
            make_pattern(p, &pairs[i / 2], sends, list);
            p->class = list->classes++;
        }
    }
}

void patterns_free(struct pattern_list *list)
{
    free(list->patterns);
    *list = (struct pattern_list){0};
}

void pattern_neighbours(const struct pattern *pattern, int64_t rank, struct neighbours *neighbours)
{
    *neighbours = (struct neighbours){pattern->axes, {-1, -1, -1}, {-1, -1, -1}};
    pattern->row->neighbours(pattern, rank, neighbours);
}

int neighbours_leaving(const struct neighbours *n, int64_t rank, const int32_t *node, int64_t per_node)
{
    const int64_t own = node ? node[rank] : rank / per_node;
    int leaving = 0;
    for (int axis = 0; axis < n->axes; axis++) {
        int64_t left = n->left[axis], right = n->right[axis];
        leaving += left >= 0 && (node ? node[left] : left / per_node) != own;
        leaving += right >= 0 && right != left && (node ? node[right] : right / per_node) != own;
    }
    return leaving;
}

int patterns_opening(const struct pattern_list *list)
{
    return list->polygons < PATTERN_MIN_POLYGONS ? list->polygons : PATTERN_MIN_POLYGONS;
}

int pattern_find(const struct pattern_list *list, const char *id)
{
    for (int i = 0; i < list->count + list->alone; i++)
        if (strcmp(list->patterns[i].id, id) == 0)
            return i;
    return -1;
}

int pattern_find_size(const struct pattern_list *list, int64_t bytes)
{
    for (int s = 0; s < BEFF_SIZES; s++)
        if (list->sizes[s] == bytes)
            return s;
    return -1;
}

/* ---- message sizes ---- */

int64_t beff_lmax(int64_t memory_mib)
{
    const int64_t mib = 1024 * 1024, cap = 128 * mib;
    /* The comparison comes before the multiplication, so that no memory size overflows. */
    return memory_mib / 128 >= 128 ? cap : memory_mib * mib / 128;
}

void beff_sizes(int64_t lmax, int64_t sizes[BEFF_SIZES])
{
    const double last_fixed = 1 << (BEFF_FIXED_SIZES - 1);
    for (int i = 0; i < BEFF_SIZES; i++) {
        double share = (double)(i - BEFF_FIXED_SIZES + 1) / (BEFF_SIZES - BEFF_FIXED_SIZES);
        sizes[i] = i < BEFF_FIXED_SIZES ? (int64_t)1 << i
                                        : llround(last_fixed * pow((double)lmax / last_fixed, share));
    }
}

int64_t beff_counts(int64_t processes)
{
    return 4 * processes * (int64_t)sizeof(int); /* send and receive, counts and displacements */
}

int64_t beff_area(int64_t lmax)
{
    return BEFF_AREA_MESSAGES * (lmax + BEFF_AREA_MARGIN);
}
