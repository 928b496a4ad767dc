/* SplitMix64, xoshiro256** (Blackman and Vigna), and rejection sampling. */
#include "common/random.h"

#include <stdlib.h>
#include <sys/random.h>

#include "common/memory.h"

uint64_t random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void random_start(struct random_stream *random, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed + stream * 0xD1342543DE82EF95u;
    for (int i = 0; i < 4; i++)
        random->state[i] = random_mix(state += RANDOM_GAMMA);
}

bool random_seed(uint64_t *seed)
{
    if (getrandom(seed, sizeof *seed, 0) != sizeof *seed)
        return false;
    *seed >>= 1;
    return true;
}

uint64_t random_next(struct random_stream *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t random_below(struct random_stream *random, uint64_t bound)
{
    /* Numbers below 2^64 mod `bound` are drawn again. All remainders of the others are equally likely. */
    uint64_t draw;
    do
        draw = random_next(random);
    while (draw < bound && draw < (0 - bound) % bound);
    return draw % bound;
}

void random_shuffle(struct random_stream *random, uint32_t *elements, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)random_below(random, i);
        uint32_t swap = elements[i - 1];
        elements[i - 1] = elements[j];
        elements[j] = swap;
    }
}

void random_neighbours(struct random_stream *random, size_t n, uint32_t element, uint32_t *left,
                       uint32_t *right)
{
    uint32_t *elements = memory_new(n, sizeof *elements, "a polygon");
    size_t place = 0;
    for (size_t i = 0; i < n; i++)
        elements[i] = (uint32_t)i;
    random_shuffle(random, elements, n);
    while (elements[place] != element)
        place++;
    *left = elements[(place + n - 1) % n];
    *right = elements[(place + 1) % n];
    free(elements);
}
