/* The two-parameter model of a transfer: t = latency + L / b_inf. Pure. */
#ifndef BEFF_MODEL_H
#define BEFF_MODEL_H

#include "beff/sizes.h"

/* Above this residual the model is said not to hold. */
#define MODEL_RESIDUAL 0.3

struct model {
    double latency;  /* microseconds */
    double b_inf;    /* asymptotic bandwidth of all processes together, MB/s */
    double half;     /* message size in bytes at which half of b_inf is reached */
    double balance;  /* latency * b_inf, bytes: the paper's balance value */
    double residual; /* root mean square of the relative differences in t; it is set where the rest is NaN,
                        too */
};

/* Fits t(L) = processes * L / bandwidth(L), the time in which each process moves L bytes, by least squares of
 * relative differences over the 21 sizes. bandwidth in MB/s of all processes together. All members but the
 * residual are NaN where the model does not hold (residual above MODEL_RESIDUAL, or a parameter that is not
 * positive); all are NaN where a bandwidth is missing. */
struct model model_fit(const int64_t sizes[BEFF_SIZES], const double bandwidth[BEFF_SIZES], double processes);

#endif
