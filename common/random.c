/* Seeded random numbers: SplitMix64, xoshiro256** (Blackman and Vigna), rejection against bias. */
#include "common/random.h"

#include <stdlib.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
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
        random->state[i] = splitmix(&state);
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

/* draw % bound. Where the bound allows it by a division of doubles, which many processors make several times
 * as fast as one of 64-bit integers: 53 bits of the draw give the quotient within one. */
static uint64_t remainder_of(uint64_t draw, uint64_t bound)
{
    if (bound < UINT64_C(1) << 14 || bound > UINT32_MAX)
        return draw % bound;
    uint64_t quotient = (uint64_t)((double)(int64_t)(draw >> 11) * 2048 / (double)bound);
    int64_t rest = (int64_t)(draw - quotient * bound), most = (int64_t)bound;
    return (uint64_t)(rest < 0 ? rest + most : rest >= most ? rest - most : rest);
}

uint64_t random_below(struct random_stream *random, uint64_t bound)
{
    /* 2^64 modulo bound numbers are too many: draw again when one of the first of them comes up. They are
     * fewer than the bound, so that few draws need the division. */
    uint64_t draw;
    do
        draw = random_next(random);
    while (draw < bound && draw < (0 - bound) % bound);
    return remainder_of(draw, bound);
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

/* The element that a shuffle of 0 ... n-1 leaves at a place, traced back: the exchanges were of places i =
 * n-1, n-2 ... 1 with partner[i]. */
static uint32_t element_at(size_t place, const uint32_t *partner, size_t n)
{
    uint32_t element = partner[place];
    for (size_t i = place + 1; i < n; i++)
        if (partner[i] == element)
            element = (uint32_t)i;
    return element;
}

int random_neighbours(struct random_stream *random, size_t n, uint32_t element, uint32_t *left,
                      uint32_t *right)
{
    uint32_t *partner = calloc(n, sizeof *partner), place = element;
    if (!partner)
        return -1;
    for (size_t i = n - 1; i > 0; i--) {
        partner[i] = (uint32_t)random_below(random, i + 1);
        place = place == i ? partner[i] : place == partner[i] ? (uint32_t)i : place;
    }
    *left = element_at((place + n - 1) % n, partner, n);
    *right = element_at((place + 1) % n, partner, n);
    free(partner);
    return 0;
}
