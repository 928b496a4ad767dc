/* Tests the walk: the messages of one iteration never overlap, whatever was sent before. */
#include "beff/walk.h"

#include "beff/patterns.h"
#include "tests/unit.h"

enum { MAX = 6 }; /* messages in flight: all directions of a 3-D grid */

static void check_iteration(struct walk *walk, size_t bytes, size_t messages)
{
    size_t place[MAX];
    walk_start(walk);
    for (size_t i = 0; i < messages; i++) {
        place[i] = walk_next(walk);
        assert_true(place[i] % 8 == 0 && place[i] + bytes <= walk->area);
        for (size_t before = 0; before < i; before++)
            assert_true(place[before] + bytes <= place[i] || place[i] + bytes <= place[before]);
    }
}

TEST(messages_of_an_iteration_do_not_overlap)
{
    static const int64_t memory[] = {1, 16, 1000, 1024};
    for (size_t m = 0; m < COUNT(memory); m++) {
        int64_t lmax = beff_lmax(memory[m]), sizes[BEFF_SIZES];
        struct walk walk = {.area = (size_t)beff_area(lmax)};
        beff_sizes(lmax, sizes);
        for (int s = 0; s < BEFF_SIZES; s++)
            for (size_t messages = 1; messages <= MAX; messages++) {
                walk_prepare(&walk, (size_t)sizes[s], messages);
                for (int iteration = 0; iteration < 20; iteration++)
                    check_iteration(&walk, (size_t)sizes[s], messages);
                walk_prepare(&walk, (size_t)sizes[BEFF_SIZES - 1], MAX); /* from the current offset */
                check_iteration(&walk, (size_t)sizes[BEFF_SIZES - 1], MAX);
            }
    }
}

/* Successive small messages use the whole area, one after the other. */
TEST(goes_through_the_whole_area)
{
    struct walk walk = {.area = 100};
    walk_prepare(&walk, 9, 2);
    for (size_t i = 0; i < 3; i++) {
        walk_start(&walk);
        assert_int_equal(walk_next(&walk), 32 * i);
        assert_int_equal(walk_next(&walk), 32 * i + 16);
    }
    walk_start(&walk);
    assert_int_equal(walk_next(&walk), 0);
}
