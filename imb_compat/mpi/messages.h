/* The measurement of messages, which windows and threads extend. */
#ifndef IMB_COMPAT_MPI_MESSAGES_H
#define IMB_COMPAT_MPI_MESSAGES_H

#include "imb_compat/mpi/kernels.h"
#include "imb_compat/mpi/run.h"

struct messages {
    struct imb_measurement base; /* must be first */
    const struct imb_settings *settings;
    struct comm *comm;
    struct imb_transfer transfer;
    imb_kernel_function *kernel;
    char *send, *receive;         /* all copies */
    char *host;                   /* host buffer for one copy if the buffers are in a GPU; otherwise NULL */
    bool moving;                  /* the copies or the root change from one repetition to the next */
    bool waiting;                 /* there is a barrier after each repetition */
    struct imb_epoch_steps epoch; /* steps of this process; a passive target has none */
    bool passive;                 /* the target is passive: only origins are timed */
    MPI_Request *requests;        /* nonblocking collective: one; persistent collective: one for each copy */
    long request_count;
    bool is_set_up; /* the persistent requests exist */
    bool own_type;
    long products; /* number of matrix products computed in each repetition; 0: no computation */
    int64_t *used; /* -check: for each copy of the receive buffer, repetitions since it was prepared */
};

/* Functions of imb_kind_messages that the kinds of windows and threads share. */
void imb_messages_begin(struct imb_measurement *m);
void imb_messages_end(struct imb_measurement *m);
void imb_messages_check(struct imb_measurement *m);
void imb_messages_free(struct imb_measurement *m);
struct imb_measurement *imb_messages_prepare(const struct imb_context *context,
                                             const struct imb_memory *memory, bool checking);
int imb_messages_synchronise(void *measurement);
int imb_messages_repeat(void *measurement, long iteration);

#endif
