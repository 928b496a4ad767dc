/* The computation that runs during a nonblocking call: products of a 10 x 10 matrix and a vector. */
#ifndef IMB_COMPAT_COMPUTE_H
#define IMB_COMPAT_COMPUTE_H

enum { IMB_COMPUTE_ORDER = 10 };

struct imb_compute {
    float matrix[IMB_COMPUTE_ORDER][IMB_COMPUTE_ORDER], vector[IMB_COMPUTE_ORDER];
    double per_second; /* products per second */
    double mflops;
    long task;           /* products in the fixed task */
    double task_seconds; /* undisturbed duration of the fixed task */
};

/* Prepares the computation and measures its speed with about 50 million operations. `now` returns the time in
 * seconds and ignores its argument. Returns 0, or -1 if the clock does not advance. */
int imb_compute_make(struct imb_compute *compute, double (*now)(void *unused));

/* Sets the size of the fixed task so that it takes about `seconds`. Measures the task several times and
 * records the shortest duration. Returns 0, or -1 if the clock does not advance. */
int imb_compute_fix(struct imb_compute *compute, double seconds, double (*now)(void *unused));

/* Returns the number of products that take about `seconds`, at least 1. */
long imb_compute_products(const struct imb_compute *compute, double seconds);

void imb_compute_run(struct imb_compute *compute, long products);

/* Runs the computation. Returns its duration in seconds: 0 or less if the clock does not advance. */
double imb_compute_time(struct imb_compute *compute, long products, double (*now)(void *unused));

#endif
