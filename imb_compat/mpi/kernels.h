/* The kernels: what one repetition of each benchmark does on one process; epochs of one-sided ones. */
#ifndef IMB_COMPAT_MPI_KERNELS_H
#define IMB_COMPAT_MPI_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mpi.h>

#include "imb_compat/check.h"

/* One repetition (of a nonblocking collective: its start; of a persistent one: the set-up of its request); 0
 * or an MPI error code. */
struct imb_transfer;
typedef int imb_kernel_function(struct imb_transfer *transfer);

/* One process's part in a benchmark of one size. */
struct imb_transfer {
    MPI_Comm comm; /* the group */
    int rank, size;
    int left, right; /* neighbours in the ring */
    int peer;        /* the other one of the pair */
    int source;      /* the same, or MPI_ANY_SOURCE */
    int root;
    char *send, *receive;
    int64_t message;     /* bytes that one message takes in the buffers */
    int64_t second;      /* Exchange: bytes from the first place of the receive buffer to the second; */
    int64_t second_sent; /* and of the send buffer */
    int places;          /* windows: places in the receive buffer that the messages take in turn */
    int count;           /* items of a message */
    MPI_Datatype type;
    int *counts, *displacements; /* for all processes */
    int window;                  /* messages under way */
    MPI_Request *requests;       /* for them */
    MPI_Request *started;        /* nonblocking collectives: the request; NULL: the call is blocking */
    bool persistent;             /* the request is set up, not started */
    char answer;                 /* to a window */

    /* IMB-P2P. */
    bool writes, reads; /* every message, before it is sent and after it is received */
    struct imb_partners partners;
    int neighbours[IMB_MAX_NEIGHBOURS], neighbour_count;
    struct imb_origin *origins; /* of what is received, in `places` places; NULL: nobody asks */

    /* One-sided transfers. Places are in items. */
    MPI_Win win;
    MPI_Info info; /* for it */
    bool acts;     /* this process moves data */
    int target;
    MPI_Aint place, block; /* of the message in a window; from there to this process's own block */
    int compared;          /* what is expected at the target */
    imb_kernel_function *begin, *complete; /* around each repetition, or NULL: they are completed together */
};

extern const bool imb_has_persistent; /* the MPI library has persistent collectives */

/* Steps of an epoch; each may be NULL. */
struct imb_epoch_steps {
    imb_kernel_function *open;     /* before all repetitions, not timed */
    imb_kernel_function *begin;    /* before each one that is completed by itself */
    imb_kernel_function *complete; /* after each such one; after all that are completed together */
    imb_kernel_function *close;    /* after all repetitions, not timed */
};

extern const struct imb_epoch_steps imb_epoch_steps[IMB_EPOCHS];

static inline int imb_step(imb_kernel_function *step, struct imb_transfer *transfer)
{
    return step ? step(transfer) : MPI_SUCCESS;
}

/* A barrier made of empty messages, in rounds over growing distances. */
int imb_message_barrier(MPI_Comm comm, int rank, int size);

/* ---- files ---- */

/* One process's next portion. */
struct imb_chunk {
    MPI_File file;
    MPI_Offset at; /* where offsets are explicit */
    char *data;
    int bytes;
};

/* A blocking call; and the same in two halves: a nonblocking call with its request, or, by all processes
 * together, a split one (no request) with its end. They return MPI error codes. */
struct imb_io_call {
    const char *name, *start_name;
    int (*move)(const struct imb_chunk *chunk, MPI_Status *status);
    int (*start)(const struct imb_chunk *chunk, MPI_Request *request);
    int (*end)(const struct imb_chunk *chunk, MPI_Status *status); /* NULL: not split */
};

/* ---- all, in the order of imb_benchmarks ---- */

struct imb_kernel {
    imb_kernel_function *transfer;  /* of messages; else NULL */
    const struct imb_io_call *call; /* of files (of Open_Close one without calls); else NULL */
};

extern const struct imb_kernel imb_kernels[];

/* A directive of OpenMP; without it there is one thread, for which it is nothing. */
#ifdef _OPENMP
#define IMB_PRAGMA(...)  _Pragma(#__VA_ARGS__)
#define IMB_OF_TEAM(...) IMB_PRAGMA(omp __VA_ARGS__)
#else
#define IMB_OF_TEAM(...)
#endif

/* ---- */

enum { IMB_ANSWER = 90 };

/* Ends a kernel at the first call that fails. */
#define IMB_DO(call)                                                                                         \
    do {                                                                                                     \
        int code_ = (call);                                                                                  \
        if (code_ != MPI_SUCCESS)                                                                            \
            return code_;                                                                                    \
    } while (0)

#endif
