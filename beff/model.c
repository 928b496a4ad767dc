/* Fitting the two-parameter model. Uses the C library alone. */
#include "beff/model.h"

#include <math.h>

struct model model_fit(const int64_t sizes[BEFF_SIZES], const double bandwidth[BEFF_SIZES], double processes)
{
    /* With u = 1/t and v = L/t the relative difference is a*u + c*v - 1 for t = a + c*L. */
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0, squares = 0;
    for (int s = 0; s < BEFF_SIZES; s++) {
        double t = processes * (double)sizes[s] / bandwidth[s]; /* microseconds */
        double u = 1 / t, v = (double)sizes[s] / t;
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    double determinant = uu * vv - uv * uv;
    double a = (u1 * vv - v1 * uv) / determinant, c = (v1 * uu - u1 * uv) / determinant;
    for (int s = 0; s < BEFF_SIZES; s++) {
        double t = processes * (double)sizes[s] / bandwidth[s];
        double difference = (a + c * (double)sizes[s]) / t - 1;
        squares += difference * difference;
    }
    struct model model = {NAN, NAN, NAN, NAN, sqrt(squares / BEFF_SIZES)};
    if (!(model.residual <= MODEL_RESIDUAL && a > 0 && c > 0))
        return model;
    model.latency = a;
    model.b_inf = processes / c; /* bytes per microsecond are MB/s */
    model.half = a / c;
    model.balance = a * model.b_inf;
    return model;
}
