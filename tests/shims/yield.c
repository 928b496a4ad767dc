/* LD_PRELOAD, for functional tests with more ranks than cores: MPICH's progress engine (ch4:ucx) spins while
 * it has nothing to do; here it gives its core to the ranks that it waits for. Closing of endpoints is left
 * out: over TCP it can hang MPI_Finalize. Uses dlfcn and sched alone. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*original)(void *);
    if (!original)
        original = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = original(worker);
    if (!events)
        sched_yield();
    return events;
}

void *ucp_disconnect_nb(void *endpoint)
{
    (void)endpoint;
    return NULL;
}
