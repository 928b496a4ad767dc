/* Fitting the model. Uses the C library alone. */
#include "beff/model.h"

#include <math.h>

/* Sizes that each segment has at least: two parameters, and something to judge them by. */
enum { SEGMENT_LEAST = 4 };

/* What was measured: bytes, microseconds. */
struct sample {
    double bytes[BEFF_SIZES], time[BEFF_SIZES];
};

/* With u = 1/t and v = L/t the relative difference is a*u + c*v - 1 for t = a + c*L. */
static struct model_segment fit_segment(const struct sample *sample, int from, int to)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (int s = from; s < to; s++) {
        double u = 1 / sample->time[s], v = sample->bytes[s] / sample->time[s];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    double determinant = uu * vv - uv * uv;
    return (struct model_segment){(u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant};
}

static double squares(const struct sample *sample, const struct model_segment *segment, int from, int to)
{
    double sum = 0;
    for (int s = from; s < to; s++) {
        double difference = (segment->latency + segment->per_byte * sample->bytes[s]) / sample->time[s] - 1;
        sum += difference * difference;
    }
    return sum;
}

/* Where the measured bandwidth first reaches `wanted`; log b over log L is linear between two sizes. */
static double size_reaching(const int64_t *sizes, const double *bandwidth, double wanted)
{
    int s = 0;
    while (s < BEFF_SIZES && bandwidth[s] < wanted)
        s++;
    if (s == 0 || s == BEFF_SIZES)
        return s ? NAN : (double)sizes[0];
    double low = (double)sizes[s - 1], high = (double)sizes[s];
    return low * pow(high / low, log(wanted / bandwidth[s - 1]) / log(bandwidth[s] / bandwidth[s - 1]));
}

/* The change where the sum of squares is smallest; its residual. */
static double find_change(const struct sample *sample, struct model_segment segment[2], int *change)
{
    double least = NAN;
    for (int first = SEGMENT_LEAST; first <= BEFF_SIZES - SEGMENT_LEAST; first++) {
        struct model_segment low = fit_segment(sample, 0, first),
                             high = fit_segment(sample, first, BEFF_SIZES);
        double sum = squares(sample, &low, 0, first) + squares(sample, &high, first, BEFF_SIZES);
        if (!(low.latency > 0 && low.per_byte > 0 && high.per_byte > 0) || !(isnan(least) || sum < least))
            continue;
        least = sum;
        segment[0] = low;
        segment[1] = high;
        *change = first;
    }
    return sqrt(least / BEFF_SIZES);
}

struct model model_fit(const int64_t sizes[BEFF_SIZES], const double bandwidth[BEFF_SIZES], double processes)
{
    struct sample sample;
    struct model model = {{{NAN, NAN}, {NAN, NAN}}, NAN, NAN, NAN, NAN, NAN, NAN};
    double largest = 0;
    for (int s = 0; s < BEFF_SIZES; s++) {
        sample.bytes[s] = (double)sizes[s];
        sample.time[s] = processes * (double)sizes[s] / bandwidth[s]; /* microseconds */
        largest = bandwidth[s] > largest ? bandwidth[s] : largest;
    }
    struct model_segment segment[2] = {model.segment[0], model.segment[1]};
    int first = 0;
    model.residual = find_change(&sample, segment, &first);
    if (!(model.residual <= MODEL_RESIDUAL))
        return model;
    model.segment[0] = segment[0];
    model.segment[1] = segment[1];
    model.change = (double)sizes[first - 1];
    model.latency = segment[0].latency;
    model.b_inf = fmax(processes / segment[1].per_byte, largest); /* bytes per microsecond are MB/s */
    model.half = size_reaching(sizes, bandwidth, model.b_inf / 2);
    model.balance = model.latency * model.b_inf / processes;
    return model;
}

double model_time(const struct model *model, double bytes)
{
    const struct model_segment *segment = &model->segment[bytes > model->change];
    return segment->latency + segment->per_byte * bytes;
}
