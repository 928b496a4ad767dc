/* The computation that runs while a nonblocking call is under way: products of a 10 x 10 matrix with a
 * vector. */
#ifndef IMB_COMPAT_COMPUTE_H
#define IMB_COMPAT_COMPUTE_H

enum { IMB_COMPUTE_ORDER = 10 };

struct imb_compute {
    float matrix[IMB_COMPUTE_ORDER][IMB_COMPUTE_ORDER], vector[IMB_COMPUTE_ORDER];
    double per_second; /* products */
    double mflops;
    long task;           /* products of a fixed task, */
    double task_seconds; /* and what they take undisturbed */
};

/* Sets it up and measures its speed, for about 50 million operations; `now` is a clock in seconds, whose
 * argument has no meaning. 0, or -1 if the clock does not run. */
int imb_compute_make(struct imb_compute *compute, double (*now)(void *unused));

/* Sets the task to what takes about so many seconds, and measures it: the shortest of some times. 0, or -1 as
 * above. */
int imb_compute_fix(struct imb_compute *compute, double seconds, double (*now)(void *unused));

/* Products that take about so many seconds, at least one. */
long imb_compute_products(const struct imb_compute *compute, double seconds);

void imb_compute_run(struct imb_compute *compute, long products);

/* The same; returns the seconds that it takes, not above 0 if the clock does not run. */
double imb_compute_time(struct imb_compute *compute, long products, double (*now)(void *unused));

#endif
