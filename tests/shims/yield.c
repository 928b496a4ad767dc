/* LD_PRELOAD, for functional tests with more ranks than cores: makes MPICH's progress engine (ch4:ucx) yield
 * its core instead of spinning, and leaves endpoints open, because closing them over TCP can hang
 * MPI_Finalize. Uses only dlfcn and sched. */
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
