/* Tests the pattern list: for each number of processes, the neighbours that the ranks compute must match, and
 * the stated number of messages must be the counted number. */
#include "beff/patterns.h"

#include "tests/unit.h"

enum { SEED = 20010917, MAX_PROCESSES = 1024 };

static void make(struct pattern_list *list, int64_t processes, int polygons, uint64_t seed)
{
    patterns_make(list, processes, polygons, seed, beff_lmax(1024));
}

static const struct pattern *find(const struct pattern_list *list, const char *id)
{
    int index = pattern_find(list, id);
    return index < 0 ? NULL : &list->patterns[index];
}

static void neighbours_of(const struct pattern *pattern, int64_t rank, struct neighbours *n)
{
    memset(n, 0x5a, sizeof *n);
    pattern_neighbours(pattern, rank, n);
}

/* Returns the number of messages that one process sends in one iteration: one to each neighbour, and only one
 * if left and right neighbour are the same process. */
static int64_t sends(const struct neighbours *n)
{
    int64_t messages = 0;
    for (int axis = 0; axis < n->axes; axis++)
        messages += (n->left[axis] >= 0) + (n->right[axis] >= 0 && n->right[axis] != n->left[axis]);
    return messages;
}

/* Checks all ranks of one pattern: the right neighbour's left neighbour is the rank itself, and the number of
 * messages is right. The two processes of a message then use the same step for it (measurement.c numbers the
 * steps by axis and side), so that tags and marks match. */
static void check_pattern(const struct pattern_list *list, const struct pattern *pattern)
{
    static struct neighbours all[MAX_PROCESSES];
    int64_t messages = 0;
    for (int64_t rank = 0; rank < list->processes; rank++)
        neighbours_of(pattern, rank, &all[rank]);
    for (int64_t rank = 0; rank < list->processes; rank++) {
        assert_int_equal(all[rank].axes, pattern->axes);
        messages += sends(&all[rank]);
        for (int axis = 0; axis < pattern->axes; axis++) {
            int64_t left = all[rank].left[axis], right = all[rank].right[axis];
            assert_true(left >= -1 && left < list->processes && left != rank);
            assert_true(right >= -1 && right < list->processes && right != rank);
            if (right >= 0)
                assert_int_equal(all[right].left[axis], rank);
            if (left >= 0)
                assert_int_equal(all[left].right[axis], rank);
            /* Alltoallv transfers one message per process, so no process may be a neighbour on two axes. */
            for (int other = 0; other < axis; other++) {
                assert_true(left < 0 || (left != all[rank].left[other] && left != all[rank].right[other]));
                assert_true(right < 0 || (right != all[rank].left[other] && right != all[rank].right[other]));
            }
        }
    }
    if (messages != pattern->messages)
        fail_msg("%s of %lld processes: %lld messages counted, %lld stated", pattern->id,
                 (long long)list->processes, (long long)messages, (long long)pattern->messages);
    assert_true(messages > 0);
}

TEST(neighbours_match)
{
    static const int64_t larger[] = {96, 97, 127, 128, 210, 255, 256, 333, MAX_PROCESSES};
    for (int64_t i = 2; i <= 64 + (int64_t)COUNT(larger); i++) {
        struct pattern_list list;
        make(&list, i <= 64 ? i : larger[i - 65], i <= 64 ? 5 : 1, SEED);
        for (int p = 0; p < list.count; p++)
            check_pattern(&list, &list.patterns[p]);
        patterns_free(&list);
    }
}

TEST(ids_are_unique)
{
    for (int64_t processes = 2; processes <= 64; processes++) {
        struct pattern_list list;
        make(&list, processes, 30, SEED);
        for (int p = 0; p < list.count; p++) {
            assert_int_equal(pattern_find(&list, list.patterns[p].id), p);
            assert_true(*list.patterns[p].label);
            assert_null(strpbrk(list.patterns[p].id, " \t"));
        }
        assert_int_equal(pattern_find(&list, ""), -1);
        assert_int_equal(pattern_find(&list, "ring-7"), -1);
        assert_int_equal(pattern_find(&list, "random-31"), -1);
        patterns_free(&list);
    }
}

TEST(lists_the_patterns_of_the_definition)
{
    static const struct {
        const char *id;
        enum pattern_kind kind;
    } rows[] = {
        {"ring-1", PATTERN_RING},
        {"ring-6", PATTERN_RING},
        {"random-01", PATTERN_RANDOM},
        {"random-30", PATTERN_RANDOM},
        {"worst-cycle", PATTERN_ANALYSIS},
        {"bisection-best", PATTERN_ANALYSIS},
        {"bisection-worst", PATTERN_ANALYSIS},
        {"cart2d-x", PATTERN_ANALYSIS},
        {"cart2d-y", PATTERN_ANALYSIS},
        {"cart2d-all", PATTERN_ANALYSIS},
        {"cart3d-x", PATTERN_ANALYSIS},
        {"cart3d-y", PATTERN_ANALYSIS},
        {"cart3d-z", PATTERN_ANALYSIS},
        {"cart3d-all", PATTERN_ANALYSIS},
        {"acyclic2d-all", PATTERN_ANALYSIS},
        {"acyclic3d-all", PATTERN_ANALYSIS},
        {"pingpong", PATTERN_ANALYSIS},
    };
    struct pattern_list list;
    make(&list, 64, 30, SEED);
    assert_int_equal(list.count, 6 + 30 + 13);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct pattern *pattern = find(&list, rows[i].id);
        assert_non_null(pattern);
        assert_int_equal(pattern->kind, rows[i].kind);
        assert_int_equal(pattern->rated, rows[i].kind != PATTERN_ANALYSIS);
        assert_int_equal(pattern->sendrecv_only, strcmp(rows[i].id, "pingpong") == 0);
    }
    patterns_free(&list);
    make(&list, 4, PATTERN_MAX_POLYGONS, SEED);
    assert_non_null(find(&list, "random-999"));
    patterns_free(&list);
}

/* A pair alone has the messages of the rings: of one message for rings of two, of two for larger rings. */
TEST(adds_pairs_alone)
{
    static const struct {
        int64_t processes, nodes;
        const char *ids[4];
    } rows[] = {{2, 1, {"inside-1"}},
                {2, 2, {"alone-1"}},
                {3, 3, {"alone-2"}},
                {8, 1, {"inside-1", "inside-2"}},
                {8, 4, {"alone-1", "alone-2", "inside-1", "inside-2"}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pattern_list list;
        make(&list, rows[i].processes, 30, SEED);
        int count = list.count, found = 0;
        patterns_add_alone(&list, rows[i].nodes);
        for (int k = 0; k < 4 && rows[i].ids[k]; k++) {
            int p = pattern_find(&list, rows[i].ids[k]);
            assert_int_equal(p, count + found++);
            assert_int_equal(list.patterns[p].messages,
                             2 * (rows[i].ids[k][strlen(rows[i].ids[k]) - 1] - '0'));
            assert_false(list.patterns[p].rated);
        }
        assert_int_equal(list.alone, found);
        assert_int_equal(list.count, count);
        patterns_free(&list);
    }
}

/* ---- random polygons ---- */

/* Finds the order of the ranks in a polygon, from rank 0 on, and checks that it is one ring of all ranks. */
static void walk(const struct pattern_list *list, const struct pattern *pattern, int64_t *order)
{
    char seen[MAX_PROCESSES] = {0};
    int64_t rank = 0;
    for (int64_t place = 0; place < list->processes; place++) {
        struct neighbours n;
        neighbours_of(pattern, rank, &n);
        assert_int_equal(seen[rank]++, 0);
        order[place] = rank;
        rank = n.right[0];
    }
    assert_int_equal(rank, 0);
}

TEST(polygons_are_one_ring_of_all)
{
    int64_t order[MAX_PROCESSES];
    for (int64_t processes = 2; processes <= 64; processes++) {
        struct pattern_list list;
        make(&list, processes, 4, SEED);
        for (int p = 0; p < list.count; p++)
            if (list.patterns[p].kind == PATTERN_RANDOM) {
                walk(&list, &list.patterns[p], order);
                assert_int_equal(list.patterns[p].rings.first_size, processes);
                assert_int_equal(list.patterns[p].rings.rings, 1);
            }
        patterns_free(&list);
    }
}

/* Polygon number n is the shuffle of 0 .. P-1 by stream n of the seed. */
TEST(polygons_follow_the_seed)
{
    enum { PROCESSES = 8 };
    static const uint32_t expected[2][PROCESSES] = {{6, 1, 0, 5, 2, 4, 7, 3}, {3, 5, 7, 6, 2, 0, 4, 1}};
    struct pattern_list list;
    make(&list, PROCESSES, 2, SEED);
    for (int number = 0; number < 2; number++)
        for (int place = 0; place < PROCESSES; place++) {
            struct neighbours n;
            neighbours_of(&list.patterns[BEFF_RING_PATTERNS + number], expected[number][place], &n);
            assert_int_equal(n.right[0], expected[number][(place + 1) % PROCESSES]);
            assert_int_equal(n.left[0], expected[number][(place + PROCESSES - 1) % PROCESSES]);
        }
    patterns_free(&list);
}

TEST(polygons_differ)
{
    enum { PROCESSES = 24, POLYGONS = 30 };
    static const uint64_t seeds[] = {SEED, SEED + 1, 0, UINT64_MAX};
    static int64_t orders[COUNT(seeds) * POLYGONS][PROCESSES];
    for (size_t s = 0; s < COUNT(seeds); s++) {
        struct pattern_list list;
        make(&list, PROCESSES, POLYGONS, seeds[s]);
        for (int i = 0; i < POLYGONS; i++)
            walk(&list, &list.patterns[BEFF_RING_PATTERNS + i], orders[s * POLYGONS + (size_t)i]);
        patterns_free(&list);
    }
    for (size_t a = 0; a < COUNT(orders); a++)
        for (size_t b = 0; b < a; b++)
            assert_memory_not_equal(orders[a], orders[b], sizeof orders[a]);
}

/* ---- analysis patterns ---- */

TEST(worst_cycle_alternates_between_both_ends)
{
    for (int64_t processes = 2; processes <= 65; processes++) {
        struct pattern_list list;
        int64_t order[MAX_PROCESSES];
        make(&list, processes, 1, SEED);
        walk(&list, find(&list, "worst-cycle"), order);
        for (int64_t place = 0; place < processes; place++) /* 0, P-1, 1, P-2, ... */
            assert_int_equal(order[place], place % 2 ? processes - 1 - place / 2 : place / 2);
        patterns_free(&list);
    }
}

/* Returns the partner of a rank in a pattern of pairs, or -1 if the rank is idle. The lower rank of a pair
 * has only a right neighbour, so that Sendrecv is a ping-pong that the higher rank starts. */
static int64_t partner(const struct pattern_list *list, const char *id, int64_t rank)
{
    struct neighbours n;
    neighbours_of(find(list, id), rank, &n);
    assert_int_equal(n.axes, 1);
    assert_true(n.left[0] < 0 || n.left[0] < rank);
    assert_true(n.right[0] < 0 || n.right[0] > rank);
    assert_true(n.left[0] < 0 || n.right[0] < 0);
    return n.left[0] >= 0 ? n.left[0] : n.right[0];
}

TEST(pairs_follow_the_definition)
{
    for (int64_t processes = 2; processes <= 65; processes++) {
        struct pattern_list list;
        int64_t even = processes / 2 * 2;
        make(&list, processes, 1, SEED);
        for (int64_t rank = 0; rank < processes; rank++) {
            assert_int_equal(partner(&list, "bisection-best", rank), rank < even ? (rank ^ 1) : -1);
            assert_int_equal(partner(&list, "bisection-worst", rank), rank < even ? even - 1 - rank : -1);
            assert_int_equal(partner(&list, "pingpong", rank), rank < 2 ? 1 - rank : -1);
        }
        assert_int_equal(find(&list, "bisection-best")->messages, even);
        assert_int_equal(find(&list, "bisection-worst")->messages, even);
        assert_int_equal(find(&list, "pingpong")->messages, 2);
        patterns_free(&list);
    }
}

TEST(cartesian_grids_do_not_degenerate)
{
    static const struct {
        int64_t processes, used;
        bool y2, y3, z3; /* directions that exist */
    } rows[] = {{2, 2, false, false, false}, {3, 3, false, false, false}, {4, 4, true, true, false},
                {5, 4, true, true, false},   {6, 6, true, true, false},   {7, 6, true, true, false},
                {8, 8, true, true, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pattern_list list;
        make(&list, rows[i].processes, 1, SEED);
        assert_int_equal(find(&list, "cart2d-all")->grid.used, rows[i].used);
        assert_int_equal(find(&list, "cart3d-all")->grid.used, rows[i].used);
        assert_non_null(find(&list, "cart2d-x"));
        assert_non_null(find(&list, "cart3d-x"));
        assert_int_equal(find(&list, "cart2d-y") != NULL, rows[i].y2);
        assert_int_equal(find(&list, "cart3d-y") != NULL, rows[i].y3);
        assert_int_equal(find(&list, "cart3d-z") != NULL, rows[i].z3);
        assert_non_null(find(&list, "acyclic2d-all"));
        assert_non_null(find(&list, "acyclic3d-all"));
        patterns_free(&list);
    }
}

/* ---- message sizes: every line of the fixture table, and general properties ---- */

static void check_row(const char *line)
{
    char *rest;
    int64_t sizes[BEFF_SIZES], memory = strtoll(line, &rest, 10);
    beff_sizes(beff_lmax(memory), sizes);
    for (int s = 0; s < BEFF_SIZES; s++)
        if (sizes[s] != strtoll(rest, &rest, 10))
            fail_msg("size %d is %lld: %s", s, (long long)sizes[s], line);
    assert_int_equal(*rest, 0);
    assert_int_equal(sizes[BEFF_SIZES - 1], beff_lmax(memory));
}

TEST(sizes_agree_with_the_table)
{
    assert_int_equal(unit_fixture("sizes.tsv", check_row), 17);
}

TEST(sizes_stop_at_128_mib)
{
    static const int64_t rows[][2] = {{1, 8192},          {127, 1040384},       {128, 1048576},
                                      {16383, 134209536}, {16384, 134217728},   {16385, 134217728},
                                      {16511, 134217728}, {1000000, 134217728}, {INT64_MAX, 134217728}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(beff_lmax(rows[i][0]), rows[i][1]);
}

TEST(sizes_ascend)
{
    for (int64_t memory = 1; memory < 20000; memory += 7) {
        int64_t sizes[BEFF_SIZES], lmax = beff_lmax(memory);
        beff_sizes(lmax, sizes);
        assert_int_equal(sizes[0], 1);
        assert_int_equal(sizes[BEFF_FIXED_SIZES - 1], 4096);
        assert_int_equal(sizes[BEFF_SIZES - 1], lmax);
        for (int s = 1; s < BEFF_SIZES; s++)
            assert_true(sizes[s] > sizes[s - 1]);
    }
}

/* Each process sends one message in a ring of 2, and two messages in a larger ring. */
TEST(counts_messages_that_leave_their_node)
{
    static const int32_t block[] = {0, 0, 1, 1}, cyclic[] = {0, 1, 0, 1}, one[] = {0, 0, 0, 0};
    static const struct {
        const char *pattern;
        const int32_t *node_of;
        int leaving;
    } rows[] = {{"ring-1", block, 0},
                {"ring-1", cyclic, 4},
                {"ring-6", block, 4},
                {"ring-6", cyclic, 8},
                {"ring-6", one, 0},
                {"worst-cycle", block, 8},
                {"bisection-best", block, 0},
                {"bisection-best", cyclic, 4},
                {"bisection-worst", block, 4},
                {"pingpong", block, 0},
                {"pingpong", cyclic, 2},
                {"cart2d-x", block, 4},
                {"cart2d-y", block, 0}};
    struct pattern_list list;
    patterns_make(&list, 4, 1, 1, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct pattern *pattern = &list.patterns[pattern_find(&list, rows[i].pattern)];
        int leaving = 0;
        for (int rank = 0; rank < 4; rank++) {
            struct neighbours neighbours;
            pattern_neighbours(pattern, rank, &neighbours);
            leaving += neighbours_leaving(&neighbours, rank, rows[i].node_of, 0);
        }
        if (leaving != rows[i].leaving)
            fail_msg("%s: %d messages leave their node", rows[i].pattern, leaving);
    }
    patterns_free(&list);
}
