/* Made-up cubes of records for the tests of the rating, and a second, simple implementation of the
 * definition. */
#ifndef BEFF_CUBE_TEST_H
#define BEFF_CUBE_TEST_H

#include "beff/results.h"
#include "common/random.h"
#include "tests/unit.h"

enum { PROCESSES = 4, POLYGONS = 3, SEED = 7, LMAX = 8388608, MAX_REPETITIONS = 30 };

/* A cube: a list of patterns, and the records of some passes. */
struct cube {
    struct pattern_list list;
    struct beff_record *records;
    size_t count;
};

/* The cube and the rating of the current test. cube_start() frees the cube of the test before. */
static struct cube cube;
static struct repetitions reps;
static struct rating rating;

typedef double bandwidth_function(int pass, int rep, int pattern, int method, int size);

static inline void cube_start_with(int polygons)
{
    rating_free(&rating);
    repetitions_free(&reps);
    patterns_free(&cube.list);
    free(cube.records);
    cube = (struct cube){0};
    patterns_make(&cube.list, PROCESSES, polygons, SEED, LMAX);
    cube.records =
        calloc((size_t)cube.list.count * METHODS * BEFF_SIZES * MAX_REPETITIONS, sizeof *cube.records);
    assert_non_null(cube.records);
}

static inline void cube_start(void)
{
    cube_start_with(POLYGONS);
}

static inline void add(int pass, int rep, int pattern, int method, int size, double bandwidth)
{
    struct beff_record *r = &cube.records[cube.count++];
    *r = (struct beff_record){.pass = pass,
                              .rep = rep,
                              .bytes = cube.list.sizes[size],
                              .messages = cube.list.patterns[pattern].messages,
                              .loops = 1,
                              .t_max = 1 / bandwidth,
                              .bandwidth = bandwidth};
    strcpy(r->pattern, cube.list.patterns[pattern].id);
    strcpy(r->method, method_name((enum method)method));
}

/* Adds the records of a complete repetition. */
static inline void add_repetition(int pass, int rep, bandwidth_function *bandwidth)
{
    for (int p = 0; p < cube.list.count; p++)
        for (int m = 0; m < (cube.list.patterns[p].sendrecv_only ? 1 : METHODS); m++)
            for (int s = 0; s < BEFF_SIZES; s++)
                add(pass, rep, p, m, s, bandwidth(pass, rep, p, m, s));
}

static inline void add_passes(int passes, bandwidth_function *bandwidth)
{
    for (int pass = 1; pass <= passes; pass++)
        for (int rep = 1; rep <= 3; rep++)
            add_repetition(pass, rep, bandwidth);
}

static inline void rate(void)
{
    struct message error = {""};
    if (repetitions_make(&reps, &cube.list, cube.records, cube.count, false, &error))
        fail_msg("%s", error.text);
    rating_make(&rating, &reps);
}

/* Returns a bandwidth that is the product of five factors. The pattern contributes its index plus 1, and the
 * size its index plus 1. Methods 0, 1 and 2 contribute 0.5, 2 and 1. Repetition 2 contributes 3, the other
 * repetitions 1. The pass contributes its number. */
static inline double product(int pass, int rep, int pattern, int method, int size)
{
    return (pattern + 1.0) * (size + 1) *
           (method == 1   ? 2
            : method == 2 ? 1
                          : 0.5) *
           (rep == 2 ? 3 : 1) * pass;
}

/* ---- a second implementation of the definition ---- */

static inline double uneven(int pass, int rep, int pattern, int method, int size)
{
    struct random_stream random;
    uint64_t cell = (uint64_t)((((pass * 5 + rep) * 64 + pattern) * METHODS + method) * BEFF_SIZES + size);
    random_start(&random, cell, 1);
    return (1 + size * size) * (0.5 + (double)random_below(&random, 1000000) / 1e6);
}

struct triple {
    int pass[3], rep[3];
};

static inline double plain_max(const struct triple *t, int pattern, int size, int first_method,
                               int last_method, int first_rep, int last_rep)
{
    double best = 0;
    for (int m = first_method; m <= last_method; m++)
        for (int i = first_rep; i <= last_rep; i++)
            best = fmax(best, uneven(t->pass[i], t->rep[i], pattern, m, size));
    return best;
}

static inline double plain_mean(const struct triple *t, int pattern)
{
    double sum = 0;
    for (int s = 0; s < BEFF_SIZES; s++)
        sum += plain_max(t, pattern, s, 0, METHODS - 1, 0, 2);
    return sum / BEFF_SIZES;
}

static inline double plain_b_eff(const struct triple *t)
{
    double rings = 1, random = 1;
    for (int p = 0; p < BEFF_RING_PATTERNS; p++)
        rings *= pow(plain_mean(t, p), 1.0 / BEFF_RING_PATTERNS);
    for (int p = 0; p < POLYGONS; p++)
        random *= pow(plain_mean(t, BEFF_RING_PATTERNS + p), 1.0 / POLYGONS);
    return sqrt(rings * random);
}

#endif
