/* One benchmark with one size on one process: buffers, types, the timed loop, the comparison of what came. */
#ifndef IMB_COMPAT_MPI_MEASUREMENT_H
#define IMB_COMPAT_MPI_MEASUREMENT_H

#include "common/mpi/world.h"
#include "imb_compat/check.h"
#include "imb_compat/groups.h"
#include "imb_compat/load.h"
#include "imb_compat/memory.h"
#include "imb_compat/modes.h"
#include "imb_compat/mpi/one_sided.h"
#include "imb_compat/row.h"

/* A process's place in one table. */
struct imb_site {
    struct world *world;
    const struct imb_settings *settings;
    const struct imb_benchmark *benchmark;
    enum imb_mode mode;
    struct imb_files *files; /* IMB-IO; else NULL */
    struct imb_groups groups;
    MPI_Comm active; /* all processes that take part; MPI_COMM_NULL: this one does not */
    MPI_Comm comm;   /* its group */
    int number, group, rank;
};

struct imb_measurer {
    const struct imb_site *site;
    struct imb_load *load; /* set up at first use */
    struct imb_memory memory;
    struct imb_transfer transfer;
    imb_kernel_function *kernel;
    char *send, *receive;         /* all copies */
    bool moving;                  /* copies or root change from one repetition to the next */
    bool checking, waiting;       /* after each repetition: compare; wait for the others */
    double *each;                 /* -raw: seconds of each repetition; else NULL */
    struct imb_epoch_steps epoch; /* of this process; a passive target has none */
    imb_kernel_function *finish;  /* completes all repetitions, within the time; NULL: each is by itself */
    bool untimed;                 /* a passive target */
    int *counts, *displacements;
    MPI_Request request;
    bool own_type;
    long products;     /* of the computation; 0: none */
    double computed;   /* seconds of it */
    struct imb_io *io; /* IMB-IO: in place of all between `site` and here */
    struct imb_exchange exchange;
    struct imb_mismatch mismatch;
    bool probing; /* how long it takes is all that is wanted */
};

/* Collective over the group. 0, or -1 when out of memory. */
int imb_measurer_make(struct imb_measurer *measurer, const struct imb_site *site, struct imb_load *load,
                      int64_t bytes, int64_t repetitions);
void imb_measurer_free(struct imb_measurer *measurer);

/* Makes one copy of the receive buffer what it is before a repetition. */
void imb_measurer_prepare(const struct imb_measurer *measurer, int64_t copy);

/* Repeats the kernel; the share is that of one repetition (not halved for round trips). `each`: room for the
 * seconds of every repetition, or NULL (not for repetitions that are completed together). */
struct imb_share imb_measurer_run(struct imb_measurer *measurer, int64_t repetitions, double *each);

#endif
