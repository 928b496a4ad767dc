/* Logarithmic histogram. Uses the C library alone. */
#include "beff_io/histogram.h"

#include <math.h>

enum { PER_OCTAVE = 8 };

/* 2^(i/8), where bin i of an octave starts. */
static const double starts[PER_OCTAVE + 1] = {1,
                                              1.0905077326652577,
                                              1.189207115002721,
                                              1.2968395546510096,
                                              1.4142135623730951,
                                              1.5422108254079407,
                                              1.681792830507429,
                                              1.8340080864093424,
                                              2};

/* Without a logarithm, as it is called inside the clock. */
static int find_bin(double seconds)
{
    int octave, bin = 0;
    if (!(seconds >= ldexp(1, HISTOGRAM_LOW)))
        return 0;
    if (seconds >= ldexp(1, HISTOGRAM_HIGH))
        return HISTOGRAM_BINS - 1;
    double mantissa = 2 * frexp(seconds, &octave); /* 1 to 2, for frexp's 0.5 to 1 */
    while (mantissa >= starts[bin + 1])
        bin++;
    return PER_OCTAVE * (octave - 1 - HISTOGRAM_LOW) + bin;
}

void histogram_add(struct histogram *histogram, double seconds)
{
    histogram->bin[find_bin(seconds)]++;
}

double histogram_quantile(const struct histogram *histogram, double share)
{
    int64_t count = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        count += histogram->bin[i];
    double rank = share * (double)count, before = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        double inside = (double)histogram->bin[i];
        if (inside > 0 && before + inside >= rank)
            return exp2(HISTOGRAM_LOW + (i + (rank - before) / inside) / PER_OCTAVE);
        before += inside;
    }
    return 0;
}
