/* The model of a transfer: t = latency + L / rate, in two segments, as MPI sends short and long messages in
 * different ways (docs/definition.md 1.7). Pure. */
#ifndef BEFF_MODEL_H
#define BEFF_MODEL_H

#include "beff/sizes.h"

/* Above this residual the model is said not to hold. */
#define MODEL_RESIDUAL 0.15

struct model_segment {
    double latency, per_byte; /* t = latency + per_byte * L, microseconds */
};

struct model {
    struct model_segment segment[2]; /* short messages, long ones */
    double change;                   /* the last size of the short ones, bytes */
    double latency;                  /* of the short ones, microseconds */
    double b_inf;                    /* asymptotic bandwidth of all processes together, MB/s */
    double half;     /* message size in bytes at which the measured bandwidth reaches half of b_inf */
    double balance;  /* latency * b_inf / processes, bytes: the paper's balance value */
    double residual; /* root mean square of the relative differences in t; it is set where the rest is NaN,
                        too */
};

/* Fits t(L) = processes * L / bandwidth(L), the time in which each process moves L bytes, by least squares of
 * relative differences over the 21 sizes. bandwidth in MB/s of all processes together. All members but the
 * residual are NaN where the model does not hold (residual above MODEL_RESIDUAL, or a latency or rate that is
 * not positive); all are NaN where a bandwidth is missing. b_inf is never below the largest bandwidth. */
struct model model_fit(const int64_t sizes[BEFF_SIZES], const double bandwidth[BEFF_SIZES], double processes);

/* The model's time at a size, microseconds. */
double model_time(const struct model *model, double bytes);

#endif
