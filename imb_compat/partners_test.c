/* Compares neighbours, random partners and grids with those in runs of IMB. */
#include "imb_compat/partners.h"

#include <string.h>

#include "tests/unit.h"

TEST(finds_neighbours)
{
    struct imb_neighbours n = imb_neighbours_of(1, 4, 2, 1);
    assert_true(n.partner == 3 && n.left == 0 && n.right == 2);
    n = imb_neighbours_of(2, 4, 2, 1);
    assert_true(n.partner == 0 && n.left == 1 && n.right == 3);
    n = imb_neighbours_of(2, 4, 1, 1); /* pairs 0-1, 2-3 */
    assert_true(n.partner == 3);
    n = imb_neighbours_of(0, 4, 2, 2); /* with IMB-MT's default stride, the ring consists of two pairs */
    assert_true(n.left == 2 && n.right == 2);
    n = imb_neighbours_of(0, 1, 0, 0);
    assert_true(n.partner == 0 && n.left == 0 && n.right == 0);
}

TEST(draws_the_pairs_of_imb)
{
    static const struct {
        int size;
        const char *pairs;
    } rows[] = {{2, "1001011001"}, {3, "1012010220"}, {4, "1323233001"}, {5, "4013102021"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_partners p = {.size = rows[i].size};
        imb_partners_reset(&p);
        for (const char *c = rows[i].pairs; *c; c += 2) {
            int pair[2];
            imb_partners_draw_pair(&p, pair);
            assert_int_equal(pair[0], c[0] - '0');
            assert_int_equal(pair[1], c[1] - '0');
        }
    }
}

TEST(shuffles_the_rings_of_imb)
{
    static const struct {
        int size;
        const char *rings[5];
    } rows[] = {{3, {"120", "201", "201", "102", "012"}}, {4, {"1302", "2013", "0123", "3021", "0213"}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int ring[4];
        struct imb_partners p = {.size = rows[i].size, .ring = ring};
        for (int again = 0; again < 2; again++) {
            imb_partners_reset(&p);
            for (size_t r = 0; r < 5; r++) {
                imb_partners_shuffle(&p);
                for (int k = 0; k < p.size; k++)
                    assert_int_equal(ring[k], rows[i].rings[r][k] - '0');
            }
        }
    }
}

/* Asserts that the grid is `expected`, which is written as in table headings, with the last side first. */
static void grid(int dimensions, int processes, const char *expected)
{
    int side[IMB_MAX_DIMENSIONS];
    char text[64] = "";
    if (imb_grid_make(dimensions, processes, side) == 0)
        for (int d = dimensions - 1; d >= 0; d--)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d%s", side[d], d ? "x" : "");
    if (strcmp(text, expected) != 0)
        fail_msg("%d dimensions, %d processes: %s instead of %s", dimensions, processes, text, expected);
}

TEST(finds_the_grids_of_imb)
{
    static const struct {
        int processes;
        const char *plane, *space;
    } rows[] = {{1, "", ""},          {2, "", ""},          {4, "2x2", ""},
                {6, "3x2", ""},       {7, "", ""},          {8, "2x4", "2x2x2"},
                {9, "3x3", ""},       {10, "2x5", ""},      {12, "4x3", "2x3x2"},
                {16, "4x4", "2x2x4"}, {18, "3x6", "2x3x3"}, {20, "5x4", "2x2x5"},
                {24, "4x6", "2x4x3"}, {27, "3x9", "3x3x3"}, {28, "4x7", "2x2x7"},
                {30, "6x5", "2x3x5"}, {32, "4x8", "2x4x4"}, {36, "6x6", "3x4x3"},
                {40, "5x8", "2x5x4"}, {42, "7x6", "2x3x7"}, {44, "4x11", "2x2x11"},
                {45, "5x9", "3x3x5"}, {48, "6x8", "3x4x4"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        grid(2, rows[i].processes, rows[i].plane);
        grid(3, rows[i].processes, rows[i].space);
    }
}

/* Up to 512, there are 93 process counts that IMB rejects although they have a grid. */
TEST(finds_every_possible_grid)
{
    for (int n = 1; n <= 512; n++) {
        int factors = 0, side[IMB_MAX_DIMENSIONS];
        for (int rest = n, f = 2; rest > 1;)
            if (rest % f) {
                f++;
            } else {
                rest /= f;
                factors++;
            }
        assert_int_equal(imb_grid_make(2, n, side) == 0, factors >= 2);
        assert_int_equal(imb_grid_make(3, n, side) == 0, factors >= 3);
        if (factors >= 3)
            assert_int_equal(side[0] * side[1] * side[2], n);
    }
    grid(3, 78, "2x3x13");
}

TEST(finds_neighbours_in_grids)
{
    const int side[] = {4, 2, 3}; /* rank = x + 4 y + 8 z */
    const int expected[] = {4 + 3 - 1, 4 + 0, 3, 3, 16 + 4 + 3, 8 + 4 + 3};
    int found[IMB_MAX_NEIGHBOURS];
    imb_grid_neighbours(3, side, 4 + 3, found);
    for (int i = 0; i < 6; i++)
        assert_int_equal(found[i], expected[i]);
}
