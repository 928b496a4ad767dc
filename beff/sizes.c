/* The 21 message sizes. Uses the C library alone. */
#include "beff/sizes.h"

#include <math.h>

int64_t beff_lmax(int64_t memory_mib)
{
    const int64_t mib = 1024 * 1024, cap = 128 * mib;
    /* Compared before it is multiplied: no memory size overflows. */
    return memory_mib / 128 >= 128 ? cap : memory_mib * mib / 128;
}

void beff_sizes(int64_t lmax, int64_t sizes[BEFF_SIZES])
{
    const int variable = BEFF_SIZES - BEFF_FIXED_SIZES;
    int64_t last_fixed = (int64_t)1 << (BEFF_FIXED_SIZES - 1);
    for (int i = 0; i < BEFF_FIXED_SIZES; i++)
        sizes[i] = (int64_t)1 << i;
    for (int k = 1; k <= variable; k++) {
        double share = (double)k / variable;
        sizes[BEFF_FIXED_SIZES - 1 + k] =
            llround((double)last_fixed * pow((double)lmax / (double)last_fixed, share));
    }
}

int64_t beff_counts(int64_t processes)
{
    return 4 * processes * (int64_t)sizeof(int); /* send and receive, counts and displacements */
}

int64_t beff_area(int64_t lmax)
{
    return BEFF_AREA_MESSAGES * (lmax + BEFF_AREA_MARGIN);
}
