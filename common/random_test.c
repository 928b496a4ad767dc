/* Compares the random numbers with published reference outputs, with an independent model, and with bounds on
 * their uniformity. The numbers are part of the benchmark's definition: if they changed, runs would no longer
 * be comparable. */
#include "common/random.h"

#include "tests/unit.h"

/* SplitMix64 with seed 1234567, as its authors and many implementations list it. */
TEST(fills_the_state_by_splitmix)
{
    static const uint64_t expected[4] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                         UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    struct random_stream random;
    random_start(&random, 1234567, 0);
    for (int i = 0; i < 4; i++)
        assert_true(random.state[i] == expected[i]);
}

/* xoshiro256** from the state 1, 2, 3, 4: the test vector that its implementations share. */
TEST(steps_as_xoshiro)
{
    static const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct random_stream random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(random_next(&random) == expected[i]);
}

/* Seeds and streams. The expected values are from an independent implementation of the definition. */
TEST(starts_streams)
{
    static const struct {
        uint64_t seed, stream, expected[4];
    } rows[] = {
        {0,
         0,
         {UINT64_C(0x99ec5f36cb75f2b4), UINT64_C(0xbf6e1f784956452a), UINT64_C(0x1a5f849d4933e6e0),
          UINT64_C(0x6aa594f1262d2d2c)}},
        {20010917,
         1,
         {UINT64_C(0xaa7da2cb8526de63), UINT64_C(0xbf8dc3afc369ac4f), UINT64_C(0xd2e23095514a2474),
          UINT64_C(0xac0167f2abc8a670)}},
        {20010917,
         2,
         {UINT64_C(0xb09b82694bb3abc9), UINT64_C(0x4d34afd5d59a1caf), UINT64_C(0x6281935dad248d32),
          UINT64_C(0xa6c50c2d76647552)}},
        {UINT64_MAX,
         3,
         {UINT64_C(0x6ca5325073c21f46), UINT64_C(0x71addd0bfeb5af39), UINT64_C(0x33b4733f7a161f24),
          UINT64_C(0x1b089f67f5ad4df7)}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct random_stream random;
        random_start(&random, rows[i].seed, rows[i].stream);
        for (int k = 0; k < 4; k++)
            assert_true(random_next(&random) == rows[i].expected[k]);
    }
}

/* With a bound just above 2^63, nearly half of all numbers are drawn again: here the second, fourth and
 * sixth. */
TEST(draws_again_to_avoid_bias)
{
    static const uint64_t expected[] = {UINT64_C(3699983033973700185), UINT64_C(6265020869637863829),
                                        UINT64_C(8874686607794401855), UINT64_C(9054773939583320855)};
    struct random_stream random;
    random_start(&random, 7, 0);
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(random_below(&random, (UINT64_C(1) << 63) + 1) == expected[i]);
}

TEST(stays_below_the_bound)
{
    struct random_stream random;
    random_start(&random, 3, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(random_below(&random, 1), 0);
    for (uint64_t bound = 2; bound < 300; bound++)
        for (int i = 0; i < 20; i++)
            assert_true(random_below(&random, bound) < bound);
}

/* Returns an upper bound of the 99.99 % quantile of the chi-square distribution with n degrees of freedom
 * (Wilson and Hilferty). The seeds are fixed, so the tests always have the same result. */
static double chi_square_bound(double n)
{
    double spread = 2 / (9 * n);
    return n * pow(1 - spread + 3.72 * sqrt(spread), 3);
}

static double chi_square(const int *counts, int n, double expected)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

TEST(draws_evenly)
{
    enum { MAX = 10, DRAWS = 60000 };
    struct random_stream random;
    random_start(&random, 20010917, 5);
    for (int bound = 2; bound <= MAX; bound++) {
        int counts[MAX] = {0};
        for (int i = 0; i < DRAWS; i++)
            counts[random_below(&random, (uint64_t)bound)]++;
        assert_true(chi_square(counts, bound, (double)DRAWS / bound) < chi_square_bound(bound - 1));
    }
}

TEST(shuffles_evenly)
{
    enum { ORDERS = 256, DRAWS = 48000 };
    int counts[ORDERS] = {0}, seen[24], n = 0;
    struct random_stream random;
    random_start(&random, 20010917, 6);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t e[4] = {0, 1, 2, 3};
        random_shuffle(&random, e, 4);
        counts[e[0] << 6 | e[1] << 4 | e[2] << 2 | e[3]]++;
    }
    for (int i = 0; i < ORDERS; i++)
        if (counts[i]) {
            assert_true(n < 24);
            seen[n++] = counts[i];
        }
    assert_int_equal(n, 24);
    assert_true(chi_square(seen, 24, DRAWS / 24.0) < chi_square_bound(23));
}

TEST(shuffles_as_defined)
{
    static const struct {
        uint64_t seed, stream;
        size_t n;
        uint32_t expected[8];
    } rows[] = {{20010917, 1, 8, {6, 1, 0, 5, 2, 4, 7, 3}},
                {20010917, 2, 8, {3, 5, 7, 6, 2, 0, 4, 1}},
                {1, 1, 5, {4, 1, 0, 2, 3}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t elements[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        struct random_stream random;
        random_start(&random, rows[i].seed, rows[i].stream);
        random_shuffle(&random, elements, rows[i].n);
        assert_memory_equal(elements, rows[i].expected, rows[i].n * sizeof *elements);
    }
}

TEST(finds_neighbours)
{
    enum { MAX = 9 };
    for (uint32_t n = 1; n <= MAX; n++)
        for (uint64_t stream = 0; stream < 50; stream++) {
            struct random_stream random;
            uint32_t order[MAX] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, left, right;
            random_start(&random, 3, stream);
            random_shuffle(&random, order, n);
            for (size_t place = 0; place < n; place++) {
                random_start(&random, 3, stream);
                random_neighbours(&random, n, order[place], &left, &right);
                assert_int_equal(left, order[(place + n - 1) % n]);
                assert_int_equal(right, order[(place + 1) % n]);
            }
        }
}

TEST(shuffles_one_element_or_none)
{
    struct random_stream random, before;
    random_start(&random, 1, 1);
    before = random;
    uint32_t one[] = {42};
    random_shuffle(&random, one, 0);
    random_shuffle(&random, one, 1);
    assert_int_equal(one[0], 42);
    assert_memory_equal(&random, &before, sizeof random); /* no number was drawn */
}
