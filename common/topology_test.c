/* Sets of hardware threads: lists and counts of made-up ones, and what this system tells of itself. */
#include "common/sysinfo.h"

#include "tests/unit.h"

/* The set of the ranges first, last, first, last, ..., -1. */
static struct thread_set make_set(const int *ranges)
{
    struct thread_set set = {0};
    for (; *ranges >= 0; ranges += 2)
        for (int i = ranges[0]; i <= ranges[1]; i++)
            CPU_SET_S((size_t)i, sizeof set.mask, set.mask);
    return set;
}

static void lists_and_counts(void **state)
{
    (void)state;
    static const struct {
        int ranges[9];
        int count;
        const char *list;
    } rows[] = {
        {{-1}, 0, ""},
        {{0, 0, -1}, 1, "0"},
        {{7, 8, -1}, 2, "7-8"},
        {{0, 3, 8, 8, -1}, 5, "0-3,8"},
        {{1, 1, 3, 3, 5, 6, -1}, 4, "1,3,5-6"},
        {{8191, 8191, -1}, 1, "8191"},
        {{0, 8191, -1}, 8192, "0-8191"},
        {{0, 127, 256, 383, 1000, 8191, -1}, 128 + 128 + 7192, "0-127,256-383,1000-8191"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct thread_set set = make_set(rows[i].ranges);
        char list[TOPOLOGY_LIST_SIZE];
        topology_list(&set, list);
        assert_string_equal(list, rows[i].list);
        assert_int_equal(topology_count(&set), rows[i].count);
    }
}

/* Every second thread: the list is too long, is cut between two numbers and says so. */
static void cuts_long_lists(void **state)
{
    (void)state;
    for (int first = 0; first < 2000; first++) {
        struct thread_set set = {0};
        for (int i = first; i < TOPOLOGY_MAX_THREADS; i += 2)
            CPU_SET_S((size_t)i, sizeof set.mask, set.mask);
        char list[TOPOLOGY_LIST_SIZE];
        memset(list, 0x5a, sizeof list);
        topology_list(&set, list);
        size_t length = strnlen(list, sizeof list);
        assert_in_range(length, TOPOLOGY_LIST_SIZE - 12, TOPOLOGY_LIST_SIZE - 1);
        assert_string_equal(list + length - 3, "...");
        int expected = first;
        for (char *next = list; *next && *next != '.'; expected += 2) {
            assert_int_equal(strtol(next, &next, 10), expected);
            next += *next == ',';
        }
    }
}

static void knows_this_system(void **state)
{
    (void)state;
    struct thread_set set, none = {0};
    assert_int_equal(topology_affinity(&set), 0);
    int threads = topology_count(&set), cores = topology_cores(&set);
    assert_true(threads >= 1 && threads <= TOPOLOGY_MAX_THREADS);
    assert_true(topology_online() >= 1);
    assert_true(cores >= 0 && cores <= threads);
#ifdef HAVE_HWLOC
    assert_true(cores >= 1);
#endif
    assert_int_equal(topology_cores(&none), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_counts),
        cmocka_unit_test(cuts_long_lists),
        cmocka_unit_test(knows_this_system),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
