/* Kernels and the epochs of one-sided transfers. A kernel runs one repetition of a benchmark on one
 * process. */
#ifndef IMB_COMPAT_MPI_KERNELS_H
#define IMB_COMPAT_MPI_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include <mpi.h>

#include "imb_compat/check.h"

/* Runs one repetition. If the collective is nonblocking, only starts it; if it is persistent, only sets up
 * its request. Returns MPI_SUCCESS or an MPI error code. */
struct imb_transfer;
typedef int imb_kernel_function(struct imb_transfer *transfer);

/* One process's part in a benchmark with one message size. */
struct imb_transfer {
    struct imb_exchange e; /* ranks and contents */
    MPI_Comm comm;         /* the group */
    int source;            /* the partner, or MPI_ANY_SOURCE */
    int root;
    char *send, *receive;
    int64_t message;     /* size of a message in the buffers, in bytes */
    int64_t second;      /* Exchange: offset of the second message in the receive buffer */
    int64_t second_sent; /* Exchange: offset of the second message in the send buffer */
    int count;           /* items in a message */
    MPI_Datatype type;
    int *counts, *displacements; /* for all processes */
    int window;                  /* messages in a window */
    MPI_Request *requests;       /* requests of point-to-point messages */
    MPI_Request *started;        /* nonblocking collectives: the request; NULL: the call is blocking */
    bool persistent;             /* the kernel sets up the request instead of starting it */
    char answer;                 /* answer received for a window */
    bool threads;                /* IMB-MT: -thread_level multiple; even if there is only one thread */

    /* IMB-P2P. */
    bool writes, reads; /* write each message before it is sent; read it after it is received */
    struct imb_partners partners;

    /* One-sided transfers. Places and offsets are counted in items. */
    MPI_Win win;
    MPI_Info info; /* info for the window */
    bool acts;     /* this process moves data */
    int target;
    MPI_Aint place, block; /* place of the message in a window; offset of this process's block from it */
    int compared;          /* Compare_and_swap: the value expected at the target */
    imb_kernel_function *begin, *complete; /* called before and after each repetition; may be NULL */
};

extern const bool imb_has_persistent; /* the MPI library has persistent collectives */

/* Steps of an epoch; each may be NULL. */
struct imb_epoch_steps {
    imb_kernel_function *open;     /* before all repetitions, not timed */
    imb_kernel_function *begin;    /* before a repetition that is completed separately */
    imb_kernel_function *complete; /* after each such repetition, or once if all are completed together */
    imb_kernel_function *close;    /* after all repetitions, not timed */
    bool passive;                  /* the target makes no calls, and only origins are timed */
};

extern const struct imb_epoch_steps imb_epoch_steps[IMB_EPOCHS];

static inline int imb_step(imb_kernel_function *step, struct imb_transfer *transfer)
{
    return step ? step(transfer) : MPI_SUCCESS;
}

/* Waits for all processes by exchanging empty messages. The distance between partners doubles in each
 * round. */
int imb_message_barrier(MPI_Comm comm, int rank, int size);

/* ---- files ---- */

/* The next portion of one process. */
struct imb_chunk {
    MPI_File file;
    MPI_Offset at; /* explicit offset */
    char *data;
    int bytes;
};

/* The calls of a file access. `move` is the blocking call. If the access is independent, `start` is the
 * nonblocking call, which sets a request. If it is collective, `start` and `end` are the two halves of the
 * split call, which has no request. All functions return MPI_SUCCESS or an MPI error code. */
struct imb_io_call {
    const char *name, *start_name;
    int (*move)(const struct imb_chunk *chunk, MPI_Status *status);
    int (*start)(const struct imb_chunk *chunk, MPI_Request *request);
    int (*end)(const struct imb_chunk *chunk, MPI_Status *status); /* NULL: not a split call */
};

/* ---- table of kernels ---- */

struct imb_kernel {
    imb_kernel_function *transfer;  /* NULL for file benchmarks */
    const struct imb_io_call *call; /* NULL for message benchmarks; Open_Close: all calls are NULL */
};

extern const struct imb_kernel imb_kernels[]; /* in the order of imb_benchmarks */

/* Expands to an OpenMP directive, or to nothing in a build without OpenMP, which has only one thread. */
#ifdef _OPENMP
#define IMB_PRAGMA(...)  _Pragma(#__VA_ARGS__)
#define IMB_OF_TEAM(...) IMB_PRAGMA(omp __VA_ARGS__)
#else
#define IMB_OF_TEAM(...)
#endif

enum { IMB_ANSWER = 90 }; /* byte that confirms a window */

/* Returns from a kernel if a call fails. */
#define IMB_DO(call)                                                                                         \
    do {                                                                                                     \
        int code_ = (call);                                                                                  \
        if (code_ != MPI_SUCCESS)                                                                            \
            return code_;                                                                                    \
    } while (0)

#endif
