/* LD_PRELOAD, for functional tests with more ranks than cores: makes MPICH's progress engine (ch4:ucx) yield
 * its core instead of spinning, then sleep, the longer the longer it waits, and leaves endpoints open,
 * because closing them over TCP can hang MPI_Finalize. Uses only dlfcn, sched and time. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

enum { YIELDS = 10, LONGEST = 500000 }; /* before the first sleep; nanoseconds */

unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*original)(void *);
    static long in_vain;
    if (!original)
        original = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = original(worker);
    in_vain = events ? 0 : in_vain + 1;
    long wait = 1000 * (in_vain - YIELDS);
    if (wait >= 0)
        nanosleep(&(struct timespec){.tv_nsec = wait < LONGEST ? wait + 1 : LONGEST}, NULL);
    else if (in_vain)
        sched_yield();
    return events;
}

void *ucp_disconnect_nb(void *endpoint)
{
    (void)endpoint;
    return NULL;
}
