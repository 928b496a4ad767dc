/* Cartesian partitions: every line of the fixture table; neighbours against what coordinates say; messages
 * against counting. */
#include "beff/partition.h"

#include <inttypes.h>

#include "tests/unit.h"

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

static void agrees_with_the_table(void **state)
{
    (void)state;
    assert_int_equal(unit_fixture("cart.tsv", check_row), 106);
}

/* The largest number of processes that does not degenerate. */
static void uses_as_many_as_it_can(void **state)
{
    (void)state;
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
    /* Marked in the definition. */
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

/* `neighbour` is one step away from `rank`, to the right (+1) or left (-1). */
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

static void counts_messages(void **state)
{
    (void)state;
    for (int64_t processes = 2; processes <= 150; processes++)
        for (int dimensions = 2; dimensions <= CARTESIAN_MAX; dimensions++) {
            struct cartesian grid = cartesian_grid(processes, dimensions);
            for (int dimension = 0; dimension < dimensions; dimension++)
                for (int cyclic = 0; cyclic < 2; cyclic++)
                    assert_int_equal(cartesian_messages(&grid, dimension, cyclic),
                                     count_messages(&grid, processes, dimension, cyclic));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_table),
        cmocka_unit_test(uses_as_many_as_it_can),
        cmocka_unit_test(counts_messages),
    };
    return cmocka_run_group_tests_name("cartesian", tests, NULL, NULL);
}
