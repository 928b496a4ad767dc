/* Tries whether MPI can carry out a persistent collective. */
#include <sched.h>

#include "imb_compat/mpi/messages.h"

enum { TRIAL_STARTS = 3, TRIAL_TAG = 2 };

/* Starts a request and waits for it. Gives up if another process has failed, because the request would then
 * never be complete. Returns true if a call failed on this process. */
static bool try_start(struct messages *m, MPI_Request *request)
{
    struct imb_transfer *t = &m->transfer;
    int code = MPI_Start(request), done = 0, told = 0;
    while (code == MPI_SUCCESS && !done && !told) {
        sched_yield(); /* the process that this one waits for may share its processor */
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        COMM_CHECK(m->comm,
                   MPI_Iprobe(MPI_ANY_SOURCE, TRIAL_TAG, m->base.context->members, &told, MPI_STATUS_IGNORE));
    }
    for (int i = 1; code != MPI_SUCCESS && i < t->e.size; i++)
        COMM_CHECK(m->comm, MPI_Send(NULL, 0, MPI_BYTE, (t->e.rank + i) % t->e.size, TRIAL_TAG,
                                     m->base.context->members));
    return code != MPI_SUCCESS;
}

bool imb_persistent_works(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    const struct imb_context *context = base->context;
    MPI_Request request = MPI_REQUEST_NULL;
    int failed = 0, failures = 0, any;
    m->transfer.started = &request;
    COMM_CHECK(m->comm, MPI_Comm_dup(context->members, &m->transfer.comm));
    COMM_CHECK(m->comm, MPI_Comm_set_errhandler(m->transfer.comm, MPI_ERRORS_RETURN));
    comm_check(m->comm, m->kernel(&m->transfer), base->benchmark->name, __FILE__, __LINE__);
    for (int i = 0; i < TRIAL_STARTS && !failures; i++) {
        failed = try_start(m, &request);
        COMM_CHECK(m->comm, MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, context->members));
    }
    for (int i = failed; i < failures; i++)
        COMM_CHECK(m->comm, MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TRIAL_TAG, context->members,
                                     MPI_STATUS_IGNORE));
    if (!failures) {
        COMM_CHECK(m->comm, MPI_Request_free(&request));
        COMM_CHECK(m->comm, MPI_Comm_free(&m->transfer.comm));
    }
    COMM_CHECK(m->comm, MPI_Allreduce(&failures, &any, 1, MPI_INT, MPI_MAX, context->active));
    return !any;
}
