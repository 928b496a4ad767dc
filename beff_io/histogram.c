/* Logarithmic histogram. Uses the C library alone. */
#include "beff_io/histogram.h"

#include <math.h>

enum { PER_OCTAVE = 8 };

void histogram_add(struct histogram *histogram, double seconds)
{
    double bin = PER_OCTAVE * (log2(seconds) - HISTOGRAM_LOW);
    histogram->bin[bin >= HISTOGRAM_BINS ? HISTOGRAM_BINS - 1 : bin > 0 ? (int)bin : 0]++;
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
