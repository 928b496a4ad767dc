/* Seeded random numbers that are the same on all machines: SplitMix64 fills the state of xoshiro256**. They
 * are part of the definition of the random polygons (docs/definition-beff-1.md 3). */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random_stream {
    uint64_t state[4];
};

/* Mixes the bits of a number, one to one. Output number n of SplitMix64 is random_mix(seed + n *
 * RANDOM_GAMMA). */
#define RANDOM_GAMMA UINT64_C(0x9E3779B97F4A7C15)
uint64_t random_mix(uint64_t z);

/* Starts stream number `stream` of `seed`. Its state is the first four outputs of SplitMix64 with the seed
 * seed + stream * 0xD1342543DE82EF95 (modulo 2^64). */
void random_start(struct random_stream *random, uint64_t seed, uint64_t stream);

/* Draws a seed from the system's random numbers, at most INT64_MAX. Returns false if the system has none. */
bool random_seed(uint64_t *seed);

/* Returns the next 64 bits. */
uint64_t random_next(struct random_stream *random);

/* Returns a whole number in [0, bound); all are equally likely. `bound` must be positive. */
uint64_t random_below(struct random_stream *random, uint64_t bound);

/* Shuffles n elements (Fisher-Yates, from the last element down). All orders are equally likely. */
void random_shuffle(struct random_stream *random, uint32_t *elements, size_t n);

/* Shuffles 0 ... n-1 and finds the elements to the left and right of one element, in a circle. */
void random_neighbours(struct random_stream *random, size_t n, uint32_t element, uint32_t *left,
                       uint32_t *right);

#endif
