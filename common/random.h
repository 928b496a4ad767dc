/* Seeded random numbers that are the same on every machine: SplitMix64 fills the state of xoshiro256**,
 * whole numbers below a bound are drawn without bias. Part of the benchmark's definition (random polygons).
 */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random_stream {
    uint64_t state[4];
};

/* SplitMix64: output number n of a seed is random_mix(seed + n * RANDOM_GAMMA). A bijection. */
#define RANDOM_GAMMA UINT64_C(0x9E3779B97F4A7C15)
uint64_t random_mix(uint64_t z);

/* Stream number `stream` of `seed`: its state is four SplitMix64 outputs, started at
 * seed + stream * 0xD1342543DE82EF95 (modulo 2^64). */
void random_start(struct random_stream *random, uint64_t seed, uint64_t stream);

/* A seed that the system draws, which can be typed in again as a plain number anywhere; false if it has none.
 */
bool random_seed(uint64_t *seed);

/* The next 64 bits. */
uint64_t random_next(struct random_stream *random);

/* A whole number in [0, bound), every one equally likely (draws again where a plain modulo would be biased).
 * bound > 0. */
uint64_t random_below(struct random_stream *random, uint64_t bound);

/* Fisher-Yates from the last element down: every order of the n elements is equally likely. */
void random_shuffle(struct random_stream *random, uint32_t *elements, size_t n);

/* The elements on the left and right of one, in a circle, after random_shuffle() of 0 ... n-1. */
void random_neighbours(struct random_stream *random, size_t n, uint32_t element, uint32_t *left,
                       uint32_t *right);

#endif
