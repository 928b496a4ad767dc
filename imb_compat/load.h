/* The computation that runs while a nonblocking call is under way: products of a 10 x 10 matrix with a
 * vector. Pure. */
#ifndef IMB_COMPAT_LOAD_H
#define IMB_COMPAT_LOAD_H

enum { IMB_LOAD_ORDER = 10 };

struct imb_load {
    float matrix[IMB_LOAD_ORDER][IMB_LOAD_ORDER], vector[IMB_LOAD_ORDER];
    double per_second; /* products */
    double mflops;
    long task;           /* products of a fixed task, */
    double task_seconds; /* and what they take undisturbed */
};

/* Sets it up and measures its speed, for about 50 million operations; `now` is a clock in seconds, whose
 * argument has no meaning. 0, or -1 if the clock does not run. */
int imb_load_make(struct imb_load *load, double (*now)(void *unused));

/* Sets the task to what takes about so many seconds, and measures it: the shortest of some times. 0, or -1 as
 * above. */
int imb_load_fix(struct imb_load *load, double seconds, double (*now)(void *unused));

/* Products that take about so many seconds, at least one. */
long imb_load_products(const struct imb_load *load, double seconds);

void imb_load_run(struct imb_load *load, long products);

/* The same; returns the seconds that it takes, not above 0 if the clock does not run. */
double imb_load_time(struct imb_load *load, long products, double (*now)(void *unused));

#endif
