/* LD_PRELOAD: falsifies MPI_Wtime, the time of day or the time since boot.
 *
 * - CLOCK_CALL: virtual time, so that the speed of the machine decides nothing. MPI_Wtime and the time since
 *   boot advance by this many microseconds at each MPI_Send, MPI_Recv, MPI_Isend, MPI_Sendrecv and
 *   MPI_Alltoallv of this rank, and by CLOCK_BYTE nanoseconds for each byte. Timers go off only if
 *   CLOCK_TIMERS is 1.
 * - CLOCK_SEND: MPI_Wtime advances by this many microseconds at each MPI_Send of its rank, and not otherwise
 * - CLOCK_RANKS: if set, MPI_Wtime advances by (rank + 1) times CLOCK_SEND, and processes that wait for each
 *   other in MPI_Allreduce leave it at the same time
 * - CLOCK_SLOW: number (from 1) of an MPI_Send that takes a thousand times as long
 * - CLOCK_FAST: rank on which the clock is 1.3 times as fast
 * - CLOCK_RATE: speed of MPI_Wtime in percent
 * - CLOCK_SCALE: the clocks of the system run this many times as fast as real time, and MPI_Wtime with them
 * - CLOCK_OFF: error of the time of day on rank 1, in seconds
 * - CLOCK_JUMP: seconds by which MPI_Wtime of rank 1 occasionally jumps forward and back
 * - CLOCK_BOOT: seconds by which the time since boot jumps, 1 to 2 s after it was first read; timers of
 *   about this length or longer are shortened by CLOCK_BOOT - 3 seconds
 * - FAULT_MARK: a file that is touched when a fault happens */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "shim.h"

enum { JUMPS = 500 }; /* number of calls of MPI_Wtime from one jump to the next */

/* Seconds by which each reading of the virtual MPI_Wtime advances it: the resolution that programs find. */
#define TICK 1e-9

static double microseconds, virtual_time;

/* Advances the virtual time by a call with these elements. */
static void advance(double count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    virtual_time +=
        1e-6 * (double)setting("CLOCK_CALL", 0) + 1e-9 * count * size * (double)setting("CLOCK_BYTE", 0);
}

static struct timespec later(struct timespec start, double seconds)
{
    int64_t passed = start.tv_nsec + (int64_t)(1e9 * seconds);
    return (struct timespec){start.tv_sec + passed / 1000000000, passed % 1000000000};
}

static long off(const char *name)
{
    long seconds = own_rank() == 1 ? setting(name, 0) : 0;
    if (seconds)
        mark();
    return seconds;
}

/* Multiplies the time since the first reading of a clock by CLOCK_SCALE. MPI_Wtime reads one of these clocks.
 */
static void scale(clockid_t clock, struct timespec *now)
{
    static struct timespec first[16];
    long by = setting("CLOCK_SCALE", 1);
    if (by == 1 || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME))
        return;
    struct timespec *from = &first[clock];
    if (!from->tv_sec)
        *from = *now;
    int64_t passed = (now->tv_sec - from->tv_sec) * INT64_C(1000000000) + now->tv_nsec - from->tv_nsec;
    *now = later(*from, 1e-9 * (double)(passed * by));
}

time_t time(time_t *place)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*original)(clockid_t, struct timespec *);
    static time_t first;
    if (!original)
        original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = original(clock, now);
    scale(clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += off("CLOCK_OFF");
    if (clock == CLOCK_BOOTTIME) {
        /* The virtual time starts before the process, so that its start-up takes no time. */
        *now = setting("CLOCK_CALL", 0) ? later((struct timespec){1, 0}, virtual_time) : *now;
        first = first ? first : now->tv_sec;
        now->tv_sec += now->tv_sec > first + 1 ? setting("CLOCK_BOOT", 0) : 0;
    }
    return failed;
}

int setitimer(__itimer_which_t which, const struct itimerval *timer, struct itimerval *old)
{
    struct itimerval shorter = *timer;
    long seconds = setting("CLOCK_BOOT", 0);
    if (seconds && shorter.it_value.tv_sec + 1 >= seconds)
        shorter.it_value.tv_sec -= seconds - 3;
    return setting("CLOCK_CALL", 0) && !setting("CLOCK_TIMERS", 0)
               ? 0
               : (int)syscall(SYS_setitimer, which, &shorter, old);
}

static double jump(void)
{
    static long calls;
    return ++calls / JUMPS % 2 ? (double)off("CLOCK_JUMP") : 0;
}

int MPI_Send(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    static long sends;
    long rank = setting("CLOCK_RANKS", 0) ? own_rank() : 0;
    double slow = ++sends == setting("CLOCK_SLOW", 0) ? 1000 : 1;
    microseconds += (double)setting("CLOCK_SEND", 0) * slow * (double)(rank + 1);
    advance(count, type);
    return PMPI_Send(message, count, type, to, tag, comm);
}

int MPI_Recv(void *message, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    advance(count, type);
    return PMPI_Recv(message, count, type, from, tag, comm, status);
}

int MPI_Isend(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    advance(count, type);
    return PMPI_Isend(message, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int to, int tag, void *in, int room,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    advance(count, type);
    return PMPI_Sendrecv(out, count, type, to, tag, in, room, in_type, from, in_tag, comm, status);
}

int MPI_Alltoallv(const void *out, const int *counts, const int *places, MPI_Datatype type, void *in,
                  const int *in_counts, const int *in_places, MPI_Datatype in_type, MPI_Comm comm)
{
    int size;
    double sum = 0;
    PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        sum += counts[i];
    advance(sum, type);
    return PMPI_Alltoallv(out, counts, places, type, in, in_counts, in_places, in_type, comm);
}

int MPI_Allreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (setting("CLOCK_RANKS", 0))
        PMPI_Allreduce(MPI_IN_PLACE, &microseconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return PMPI_Allreduce(own, all, count, type, op, comm);
}

double MPI_Wtime(void)
{
    if (setting("CLOCK_SEND", 0))
        return 1e-6 * microseconds;
    bool virtual = setting("CLOCK_CALL", 0);
    virtual_time += TICK;
    double rate = own_rank() == setting("CLOCK_FAST", -1) ? 1.3 : 0.01 * (double)setting("CLOCK_RATE", 100);
    return (virtual ? virtual_time : PMPI_Wtime()) * rate + jump();
}
