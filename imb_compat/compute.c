/* Computation of a known length. Uses measure. */
#include "imb_compat/compute.h"

#include <math.h>

#include "common/measure.h"

enum { FLOPS = 2 * IMB_COMPUTE_ORDER * IMB_COMPUTE_ORDER, PRODUCTS = 250000, TASKS = 5 };

void imb_compute_run(struct imb_compute *load, long products)
{
    for (long p = 0; p < products; p++) {
        float result[IMB_COMPUTE_ORDER];
        for (int i = 0; i < IMB_COMPUTE_ORDER; i++) {
            result[i] = 0;
            for (int j = 0; j < IMB_COMPUTE_ORDER; j++)
                result[i] += load->matrix[i][j] * load->vector[j];
        }
        for (int i = 0; i < IMB_COMPUTE_ORDER; i++)
            load->vector[i] = result[i]; /* the next product needs this one: none can be left out */
    }
}

long imb_compute_products(const struct imb_compute *load, double seconds)
{
    double products = seconds * load->per_second;
    return products < 1 ? 1 : (long)(products + 0.5);
}

/* ---- its speed ---- */

/* What the measuring loop repeats. */
struct task {
    struct imb_compute *load;
    long products;
};

static int at_once(void *context)
{
    (void)context;
    return 0;
}

static int compute(void *context, long iteration)
{
    const struct task *task = context;
    (void)iteration;
    imb_compute_run(task->load, task->products);
    return 0;
}

double imb_compute_time(struct imb_compute *load, long products, double (*now)(void *unused))
{
    struct task task = {load, products};
    const struct measure_ops ops = {.now = now, .synchronise = at_once, .work = compute, .context = &task};
    struct measured measured;
    measure(&ops, 0, 1, &measured);
    return measured.seconds;
}

int imb_compute_make(struct imb_compute *load, double (*now)(void *unused))
{
    *load = (struct imb_compute){0};
    for (int i = 0; i < IMB_COMPUTE_ORDER; i++) {
        load->vector[i] = 1;
        load->matrix[i][i] = load->matrix[i][(i + 1) % IMB_COMPUTE_ORDER] =
            0.5F; /* the vector stays as it is */
    }
    imb_compute_run(load, PRODUCTS / 10);
    double seconds = imb_compute_time(load, PRODUCTS, now);
    if (!(seconds > 0))
        return -1;
    load->per_second = PRODUCTS / seconds;
    load->mflops = load->per_second * FLOPS / 1e6;
    return 0;
}

int imb_compute_fix(struct imb_compute *load, double seconds, double (*now)(void *unused))
{
    load->task = imb_compute_products(load, seconds);
    load->task_seconds = INFINITY;
    for (int i = 0; i < TASKS; i++)
        load->task_seconds = fmin(load->task_seconds, imb_compute_time(load, load->task, now));
    return load->task_seconds > 0 ? 0 : -1;
}
