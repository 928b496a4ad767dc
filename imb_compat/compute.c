#include "imb_compat/compute.h"

#include <math.h>
#include <stddef.h>

enum { FLOPS = 2 * IMB_COMPUTE_ORDER * IMB_COMPUTE_ORDER, PRODUCTS = 250000, TASKS = 5 };

void imb_compute_run(struct imb_compute *compute, long products)
{
    for (long p = 0; p < products; p++) {
        float result[IMB_COMPUTE_ORDER];
        for (int i = 0; i < IMB_COMPUTE_ORDER; i++) {
            result[i] = 0;
            for (int j = 0; j < IMB_COMPUTE_ORDER; j++)
                result[i] += compute->matrix[i][j] * compute->vector[j];
        }
        for (int i = 0; i < IMB_COMPUTE_ORDER; i++)
            compute->vector[i] = result[i]; /* input of the next product, so no product is optimised away */
    }
}

long imb_compute_products(const struct imb_compute *compute, double seconds)
{
    double products = seconds * compute->per_second;
    return products < 1 ? 1 : (long)(products + 0.5);
}

double imb_compute_time(struct imb_compute *compute, long products, double (*now)(void *unused))
{
    double start = now(NULL);
    imb_compute_run(compute, products);
    return now(NULL) - start;
}

int imb_compute_make(struct imb_compute *compute, double (*now)(void *unused))
{
    *compute = (struct imb_compute){0};
    for (int i = 0; i < IMB_COMPUTE_ORDER; i++) {
        compute->vector[i] = 1;
        compute->matrix[i][i] = compute->matrix[i][(i + 1) % IMB_COMPUTE_ORDER] =
            0.5F; /* products leave the vector unchanged */
    }
    imb_compute_run(compute, PRODUCTS / 10);
    double seconds = imb_compute_time(compute, PRODUCTS, now);
    if (!(seconds > 0))
        return -1;
    compute->per_second = PRODUCTS / seconds;
    compute->mflops = compute->per_second * FLOPS / 1e6;
    return 0;
}

int imb_compute_fix(struct imb_compute *compute, double seconds, double (*now)(void *unused))
{
    compute->task = imb_compute_products(compute, seconds);
    compute->task_seconds = INFINITY;
    for (int i = 0; i < TASKS; i++)
        compute->task_seconds = fmin(compute->task_seconds, imb_compute_time(compute, compute->task, now));
    return compute->task_seconds > 0 ? 0 : -1;
}
