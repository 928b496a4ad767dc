/* Tests rings and grids: every line of the fixture tables, and general properties for numbers of processes
 * that the tables do not contain. */
#include "beff/partition.h"

#include <inttypes.h>

#include "beff/patterns.h"
#include "tests/unit.h"

struct row {
    int64_t processes;
    int pattern;
    struct ring_partition rings;
    int64_t messages;
    char label[PATTERN_LABEL_SIZE];
};

static struct row parse(const char *line)
{
    struct row row;
    struct ring_partition *r = &row.rings;
    assert_int_equal(sscanf(line,
                            "%" SCNd64 " %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                            " %" SCNd64 " %63s",
                            &row.processes, &row.pattern, &r->rings, &r->first_size, &r->first_count,
                            &r->second_size, &r->second_count, &row.messages, row.label),
                     9);
    return row;
}

static void check_partition(const char *line)
{
    struct row row = parse(line);
    struct ring_partition found = ring_partition(row.processes, row.pattern);
    if (memcmp(&found, &row.rings, sizeof found) || ring_messages(&found) != row.messages)
        fail_msg("%s", line);
}

TEST(agrees_with_the_table)
{
    assert_int_equal(unit_fixture("rings.tsv", check_partition), 438);
}

static void check_label(const char *line)
{
    struct row row = parse(line);
    struct pattern_list list;
    patterns_make(&list, row.processes, 1, 1, beff_lmax(1));
    const struct pattern *pattern = &list.patterns[row.pattern - 1];
    char id[16];
    snprintf(id, sizeof id, "ring-%d", row.pattern);
    assert_string_equal(pattern->id, id);
    assert_string_equal(pattern->label, row.label);
    assert_int_equal(pattern->messages, row.messages);
    assert_true(pattern->rated);
    patterns_free(&list);
}

TEST(labels_agree_with_the_table)
{
    assert_int_equal(unit_fixture("rings.tsv", check_label), 438);
}

/* Checks a partition against docs/definition-beff-1.md 3, computed with real numbers. */
static void check_rule(int64_t processes, int pattern, const struct ring_partition *r)
{
    double p = (double)processes;
    const double standard[] = {2, 4, 8, fmax(16, floor(p / 4)), fmax(32, floor(p / 2)), p};
    double n = fmax(1, fmin(floor(p / fmin(standard[pattern - 1], p) + 0.4), floor(p / 2)));
    assert_int_equal(r->rings, (int64_t)n);
    assert_int_equal(r->first_count + r->second_count, r->rings);
    assert_int_equal(r->first_size * r->first_count + r->second_size * r->second_count, processes);
    assert_true(r->first_count > 0);
    assert_true(r->first_size >= 2);
    if (r->second_count == 0) {
        assert_int_equal(r->second_size, 0);
        return;
    }
    int64_t low = processes / r->rings;
    assert_int_equal(r->first_size, low % 2 == 1 ? low + 1 : low); /* large rings first if low is odd */
    assert_int_equal(r->second_size, low % 2 == 1 ? low : low + 1);
}

TEST(follows_the_rule)
{
    for (int64_t processes = 2; processes < 3000; processes++)
        for (int pattern = 1; pattern <= BEFF_RING_PATTERNS; pattern++) {
            struct ring_partition rings = ring_partition(processes, pattern);
            check_rule(processes, pattern, &rings);
        }
    static const int64_t large[] = {99999999, 100000000, 2147483647};
    for (size_t i = 0; i < COUNT(large); i++)
        for (int pattern = 1; pattern <= BEFF_RING_PATTERNS; pattern++) {
            struct ring_partition rings = ring_partition(large[i], pattern);
            check_rule(large[i], pattern, &rings);
        }
}

/* Returns the size of the ring that contains rank `start`. Steps to the right must visit each member once and
 * return to `start`, and the right neighbour's left neighbour must be the rank itself. */
static int64_t ring_size_at(const struct ring_partition *rings, int64_t start, char *seen)
{
    int64_t rank = start, size = 0;
    do {
        int64_t left, right, back, unused;
        assert_int_equal(seen[rank], 0);
        seen[rank] = 1;
        ring_neighbours(rings, rank, &left, &right);
        ring_neighbours(rings, right, &back, &unused);
        assert_int_equal(back, rank);
        rank = right;
        size++;
    } while (rank != start);
    return size;
}

TEST(closes_every_ring)
{
    enum { MAX = 140 };
    for (int64_t processes = 2; processes <= MAX; processes++)
        for (int pattern = 1; pattern <= BEFF_RING_PATTERNS; pattern++) {
            struct ring_partition rings = ring_partition(processes, pattern);
            char seen[MAX] = {0};
            int64_t start = 0;
            for (int64_t i = 0; i < rings.rings; i++) {
                int64_t size = i < rings.first_count ? rings.first_size : rings.second_size, left, right;
                ring_neighbours(&rings, start + size - 1, &left, &right);
                assert_int_equal(right, start);
                for (int64_t k = 0; k + 1 < size; k++) {
                    ring_neighbours(&rings, start + k, &left, &right);
                    assert_int_equal(right, start + k + 1);
                }
                assert_int_equal(ring_size_at(&rings, start, seen), size);
                start += size;
            }
            assert_int_equal(start, processes);
        }
}

/* ---- grids: the fixture table, neighbours compared with coordinates, counted messages ---- */

static void check_row(const char *line)
{
    int64_t processes, used;
    int dimensions, at;
    assert_int_equal(sscanf(line, "%" SCNd64 " %d %" SCNd64 " %n", &processes, &dimensions, &used, &at), 3);
    struct cartesian grid = cartesian_grid(processes, dimensions);
    bool same = grid.used == used && grid.dimensions == dimensions;
    char *rest = (char *)(uintptr_t)line + at;
    for (int i = 0; i < dimensions; i++) {
        same = same && grid.extents[i] == strtoll(rest, &rest, 10);
        rest += *rest == ',';
    }
    if (!same || *rest)
        fail_msg("%s: used %" PRId64 ", extents %" PRId64 ",%" PRId64 ",%" PRId64, line, grid.used,
                 grid.extents[0], grid.extents[1], grid.extents[2]);
}

TEST(grids_agree_with_the_table)
{
    assert_int_equal(unit_fixture("cart.tsv", check_row), 106);
}

/* A grid uses the largest number of processes for which it does not degenerate. */
TEST(grids_use_as_many_processes_as_possible)
{
    for (int64_t processes = 2; processes < 3000; processes++)
        for (int dimensions = 2; dimensions <= CARTESIAN_MAX; dimensions++) {
            struct cartesian grid = cartesian_grid(processes, dimensions);
            int64_t product = 1, last = grid.extents[dimensions - 1];
            for (int i = 0; i < dimensions; i++) {
                assert_true(i == 0 || grid.extents[i] <= grid.extents[i - 1]);
                product *= grid.extents[i];
            }
            assert_int_equal(product, grid.used);
            assert_true(grid.used <= processes && processes - grid.used < processes / 2 + 1);
            assert_true(last > 1 || (grid.used < 8 && grid.used % 2 == 0) || grid.used < 4);
        }
    /* The definition mentions these two cases. */
    for (int dimensions = 2; dimensions <= CARTESIAN_MAX; dimensions++) {
        assert_int_equal(cartesian_grid(5, dimensions).used, 4);
        assert_int_equal(cartesian_grid(7, dimensions).used, 6);
    }
}

static void coordinates(const struct cartesian *grid, int64_t rank, int64_t *at)
{
    for (int i = grid->dimensions - 1; i >= 0; i--) {
        at[i] = rank % grid->extents[i];
        rank /= grid->extents[i];
    }
}

/* Checks that `neighbour` is one step away from `rank`, to the right (+1) or to the left (-1). */
static void check_step(const struct cartesian *grid, int dimension, int cyclic, int64_t rank,
                       int64_t neighbour, int step)
{
    int64_t here[CARTESIAN_MAX], there[CARTESIAN_MAX], extent = grid->extents[dimension];
    coordinates(grid, rank, here);
    bool end = here[dimension] + step < 0 || here[dimension] + step >= extent;
    if (extent == 1 || (end && !cyclic)) {
        assert_int_equal(neighbour, -1);
        return;
    }
    assert_in_range(neighbour, 0, grid->used - 1);
    coordinates(grid, neighbour, there);
    here[dimension] = (here[dimension] + step + extent) % extent;
    assert_memory_equal(here, there, (size_t)grid->dimensions * sizeof *here);
}

static int64_t count_messages(const struct cartesian *grid, int64_t processes, int dimension, int cyclic)
{
    int64_t messages = 0;
    for (int64_t rank = 0; rank < processes; rank++) {
        int64_t left, right, back, unused;
        cartesian_neighbours(grid, dimension, cyclic, rank, &left, &right);
        if (rank >= grid->used) {
            assert_int_equal(left, -1);
            assert_int_equal(right, -1);
            continue;
        }
        check_step(grid, dimension, cyclic, rank, left, -1);
        check_step(grid, dimension, cyclic, rank, right, 1);
        if (right >= 0) {
            cartesian_neighbours(grid, dimension, cyclic, right, &back, &unused);
            assert_int_equal(back, rank);
        }
        messages += (left >= 0) + (right >= 0 && right != left);
    }
    return messages;
}

TEST(counts_messages)
{
    for (int64_t processes = 2; processes <= 150; processes++)
        for (int dimensions = 2; dimensions <= CARTESIAN_MAX; dimensions++) {
            struct cartesian grid = cartesian_grid(processes, dimensions);
            for (int dimension = 0; dimension < dimensions; dimension++)
                for (int cyclic = 0; cyclic < 2; cyclic++)
                    assert_int_equal(cartesian_messages(&grid, dimension, cyclic),
                                     count_messages(&grid, processes, dimension, cyclic));
        }
}
