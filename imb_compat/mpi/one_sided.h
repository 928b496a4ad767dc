/* One-sided kernels, and the epochs that they run in. */
#ifndef IMB_COMPAT_MPI_ONE_SIDED_H
#define IMB_COMPAT_MPI_ONE_SIDED_H

#include "imb_compat/mpi/kernels.h"

/* Steps of an epoch; each may be NULL. */
struct imb_epoch_steps {
    imb_kernel_function *open;     /* before all repetitions, not timed */
    imb_kernel_function *begin;    /* before each one that is completed by itself */
    imb_kernel_function *complete; /* after each such one; after all that are completed together */
    imb_kernel_function *close;    /* after all repetitions, not timed */
};

const struct imb_epoch_steps *imb_epoch_steps(enum imb_epoch epoch);

imb_kernel_function imb_put, imb_get, imb_accumulate, imb_get_accumulate, imb_fetch_and_op,
    imb_compare_and_swap, imb_put_all, imb_get_all, imb_exchange_put, imb_exchange_get, imb_put_passive,
    imb_window;

#endif
