#include "beff/mpi/watch.h"

#include <sys/resource.h>

void watch_start(struct watch *w, struct comm *comm, const struct machine *machine)
{
    struct thread_set own;
    int rank;
    *w = (struct watch){.comm = comm, .machine = machine};
    COMM_CHECK(comm, MPI_Comm_split(comm->all, machine->kernel, comm->rank, &w->kernel));
    COMM_CHECK(comm, MPI_Comm_rank(w->kernel, &rank));
    topology_affinity(&own);
    COMM_CHECK(comm, MPI_Reduce(&own, &w->threads, (int)sizeof own, MPI_BYTE, MPI_BOR, 0, w->kernel));
    w->reads = rank == 0;
}

/* Replaces each disturbance with the worst one of all nodes. */
static void find_worst(struct comm *comm, struct disturbance all[DISTURBERS])
{
    struct {
        double share;
        int rank;
    } own[DISTURBERS], worst[DISTURBERS];
    for (int i = 0; i < DISTURBERS; i++) {
        own[i].share = disturbance_share(&all[i]);
        own[i].rank = comm->rank;
    }
    COMM_CHECK(comm, comm_allreduce(comm, own, worst, DISTURBERS, MPI_DOUBLE_INT, MPI_MAXLOC));
    for (int i = 0; i < DISTURBERS; i++)
        COMM_CHECK(comm, MPI_Bcast(&all[i], sizeof all[i], MPI_BYTE, worst[i].rank, comm->all));
}

void watch_mark(struct watch *w, int pass, struct protocol *protocol)
{
    struct comm *comm = w->comm;
    struct rusage used;
    struct processor_times times = {0};
    struct disturbance worst[DISTURBERS] = {{0}};
    getrusage(RUSAGE_SELF, &used);
    if (w->reads)
        topology_times("", &w->threads, &times);
    double busy = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                  1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    double clock = comm_clock(comm), switches = (double)used.ru_nivcsw;
    const double mine[] = {busy - w->busy, switches - w->switches, 1};
    double sum[3] = {0}, seconds = clock - w->clock;
    if (pass) {
        COMM_CHECK(comm, MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, w->kernel));
        if (w->reads)
            disturbance_make(worst, w->machine->name, &w->last, &times,
                             &(struct own_use){seconds, sum[0], sum[1], sum[2]});
        find_worst(comm, worst);
    }
    if (pass && comm->rank == 0)
        disturbance_put(protocol, pass, seconds, worst);
    w->last = times;
    w->clock = clock;
    w->busy = busy;
    w->switches = switches;
}

void watch_free(struct watch *w)
{
    if (w->comm)
        COMM_CHECK(w->comm, MPI_Comm_free(&w->kernel));
    *w = (struct watch){0};
}
