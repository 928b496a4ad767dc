#include "common/mpi/comm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
#include <sys/statvfs.h>

#include "common/checksum.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/sysinfo.h"

/* Time in milliseconds for a launcher to forward a line. When a process aborts, the launcher loses text that
 * it has not read. */
enum { LAUNCHER_MILLISECONDS = 100 };
/* Bytes of /dev/shm that are sufficient for MPICH to start two processes; 1 MiB is not. */
#define MIN_SHARED 0x1p22

/* Seconds for the first barrier of a simulation, more than it takes on any network. */
#define FIRST_BARRIER 10.0

bool comm_launched(int *size, int *rank)
{
    static const char *const names[][2] = {{"PMI_RANK", "PMI_SIZE"},
                                           {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_FD"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                           {"PMIX_RANK"},
                                           {"PMI_ID"},
                                           {"PMI_PORT"},
                                           {"ALPS_APP_PE"},
                                           {"SMPI_OPTIONS"},
                                           {"MPI_LOCALRANKID"}};
    bool any = false;
    *size = *rank = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !*size; i++) {
        const char *own = getenv(names[i][0]), *all = own && names[i][1] ? getenv(names[i][1]) : NULL;
        any = any || own;
        *size = all ? atoi(all) : 0;
        *rank = all ? atoi(own) : 0;
    }
    return any;
}

void comm_library(char name[MPI_MAX_LIBRARY_VERSION_STRING])
{
    int length;
    *name = 0;
    MPI_Get_library_version(name, &length);
    name[strcspn(name, "\n")] = 0;
    text_squeeze(name);
}

bool comm_is_usable(const struct comm *comm)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int size, rank;
    comm_launched(&size, &rank);
    comm_library(library);
    library[strcspn(library, ",")] = 0;
    bool simulator = strncmp(library, "SMPI", 4) == 0, alone = comm->size == 1 && size > 1;
    if (alone && rank == 0)
        comm_say(comm,
                 "each of the %d processes sees only itself: the launcher and the program use different MPI "
                 "libraries; the program uses %s: start it with the mpiexec of that MPI, or with srun "
                 "--mpi=pmi2 (MPICH) or srun --mpi=pmix (Open MPI)",
                 size, library);
    else if (!alone && simulator != comm->simulated && comm->rank == 0)
        comm_say(comm, simulator ? "this MPI is a simulator (SMPI): use beff with --clock simulated"
                                 : "invalid --clock simulated: expected a program built for SimGrid's SMPI, "
                                   "but this MPI is real");
    return !alone && simulator == comm->simulated;
}

/* Warns if /dev/shm is too small. MPI uses it for messages within a node. Without enough space, MPI would end
 * the program with a message that does not name /dev/shm. */
static void warn_of_shared_memory(const struct comm *comm)
{
    struct statvfs shared;
    int size, rank;
    comm_launched(&size, &rank);
    if (rank == 0 && statvfs("/dev/shm", &shared) == 0 &&
        (double)shared.f_bavail * (double)shared.f_frsize < MIN_SHARED)
        comm_say(comm,
                 "/dev/shm has only %.1f MiB free, and MPI may fail to start; enlarge it (in a container: "
                 "docker run --shm-size=1g)",
                 (double)shared.f_bavail * (double)shared.f_frsize / 0x1p20);
}

void comm_keep_streams(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != i)
            return;
}

static void end_without_memory(void *context, const char *line)
{
    const struct comm *comm = context;
    comm_say(comm, "%s (rank %d)", line, comm->rank);
    ending_now(EXIT_ENVIRONMENT);
}

/* Ends all processes by MPI_Abort(). If this process only exited, the launcher would kill the others and
 * report their status. */
static void abort_all(int status)
{
    int nowhere = open("/dev/null", O_WRONLY);
    poll(NULL, 0, LAUNCHER_MILLISECONDS);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO); /* suppresses MPI's own messages */
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* Shares the counters of steps among the processes of each node. If MPI cannot, each process sees only its
 * own. */
static void share_steps(struct comm *comm)
{
    enum { BYTES = ENDING_STRIDE * sizeof(sig_atomic_t) };
    MPI_Comm node;
    MPI_Aint size;
    sig_atomic_t *own, *all;
    int unit, rank, count;
    COMM_CHECK(comm, MPI_Comm_split_type(comm->all, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &node));
    COMM_CHECK(comm, MPI_Comm_rank(node, &rank));
    COMM_CHECK(comm, MPI_Comm_size(node, &count));
    if (MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, node, &own, &comm->steps) == MPI_SUCCESS &&
        MPI_Win_shared_query(comm->steps, 0, &size, &unit, &all) == MPI_SUCCESS)
        ending_share_steps(all, count, rank);
    COMM_CHECK(comm, MPI_Comm_free(&node));
}

void comm_start(struct comm *comm, int threads, int *argc, char ***argv)
{
    warn_of_shared_memory(comm);
    MPI_Init_thread(argc, argv, threads, &comm->threads);
    ending_set_abort(abort_all);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    COMM_CHECK(comm, MPI_Comm_dup(MPI_COMM_WORLD, &comm->all));
    COMM_CHECK(comm, MPI_Comm_set_errhandler(comm->all, MPI_ERRORS_RETURN));
    COMM_CHECK(comm, MPI_Comm_rank(comm->all, &comm->rank));
    COMM_CHECK(comm, MPI_Comm_size(comm->all, &comm->size));
    ending_set_rank(comm->rank);
    comm->steps = MPI_WIN_NULL;
    if (!comm->simulated)
        share_steps(comm);
    memory_on_exhaustion(end_without_memory, comm);
}

void comm_end(struct comm *comm)
{
    memory_on_exhaustion(NULL, NULL);
    ending_share_steps(NULL, 1, 0);
    if (comm->steps != MPI_WIN_NULL)
        COMM_CHECK(comm, MPI_Win_free(&comm->steps));
    COMM_CHECK(comm, MPI_Comm_free(&comm->all));
    ending_set_abort(NULL); /* each process ends itself if MPI_Finalize() hangs */
    MPI_Finalize();
}

void comm_activity(struct comm *comm, const char *format, ...)
{
    TEXT_PRINT(comm->activity, sizeof comm->activity, format);
    ending_set_activity(*comm->activity ? comm->activity : "measuring");
}

void comm_say(const struct comm *comm, const char *format, ...)
{
    char text[1024];
    TEXT_PRINT(text, sizeof text, format);
    fprintf(stderr, "%s: %s\n", comm->program, text); /* one write: lines of several processes do not mix */
}

void comm_split(struct comm *comm, MPI_Comm members, const char *text, MPI_Comm *alike)
{
    int size, rank, first = 0;
    COMM_CHECK(comm, MPI_Comm_size(members, &size));
    COMM_CHECK(comm, MPI_Comm_rank(members, &rank));
    uint64_t own = checksum_add(CHECKSUM_START, text, strlen(text));
    uint64_t *all = memory_new((size_t)size, sizeof own, "the nodes");
    COMM_CHECK(comm, MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, members));
    while (all[first] != own)
        first++;
    free(all);
    COMM_CHECK(comm, MPI_Comm_split(members, first, rank, alike));
}

void comm_names(const struct comm *comm, struct utsname *names)
{
    char simulated[MPI_MAX_PROCESSOR_NAME];
    int length;
    uname(names);
    COMM_CHECK(comm, MPI_Get_processor_name(simulated, &length));
    if (comm->simulated)
        snprintf(names->nodename, sizeof names->nodename, "%.*s", (int)sizeof names->nodename - 1, simulated);
}

enum exit_status comm_agree(struct comm *comm, enum exit_status status, const struct message *error)
{
    struct {
        enum exit_status status;
        struct message error;
    } said = {.status = status};
    int own = status == EXIT_OK ? comm->size : comm->rank, first = comm->size;
    COMM_CHECK(comm, comm_allreduce(comm, &own, &first, 1, MPI_INT, MPI_MIN));
    if (first == comm->size)
        return EXIT_OK;
    if (comm->rank == first)
        said.error = *error;
    COMM_CHECK(comm, MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, first, comm->all));
    if (comm->rank == 0)
        comm_say(comm, "%s", said.error.text);
    return said.status;
}

const char *comm_error_text(int code, char text[MPI_MAX_ERROR_STRING])
{
    int length;
    strcpy(text, "unknown error");
    MPI_Error_string(code, text, &length);
    char *stack = strstr(text, ", error stack:"), *line = stack ? strrchr(stack, '\n') : NULL;
    const char *reason = line ? strstr(line, "): ") : NULL;
    text[stack ? (size_t)(stack - text) : strcspn(text, "\n")] = 0;
    return reason ? reason + 3 : text;
}

void comm_check(const struct comm *comm, int code, const char *call, const char *file, int line)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    comm_say(comm, "%.*s failed at %s:%d: %s (rank %d%s%s)", (int)strcspn(call, "("), call, file, line,
             comm_error_text(code, text), comm->rank, *comm->activity ? ", while " : "", comm->activity);
    ending_now(EXIT_ERRORS);
}

void comm_fail(struct comm *comm, const char *format, ...)
{
    if (*comm->failure)
        return;
    TEXT_PRINT(comm->failure, sizeof comm->failure, format);
    ending_fail(comm->failure);
}

double comm_clock(const struct comm *comm)
{
    return comm->simulated ? MPI_Wtime() : clock_since_start();
}

double comm_elapsed(const struct comm *comm)
{
    return comm_clock(comm) - comm->origin;
}

double comm_read_clocks(double pair[2], int tries)
{
    double within = INFINITY;
    for (int i = 0; i < tries && within > 2e-6; i++) {
        double before = clock_since_start(), own = MPI_Wtime(), took = clock_since_start() - before;
        if (took >= within)
            continue;
        within = took;
        pair[0] = own;
        pair[1] = before + took / 2;
    }
    return within;
}

double comm_now(void *unused)
{
    (void)unused;
    return MPI_Wtime();
}

/* Waits by testing and yielding. On an oversubscribed node, MPI's own busy waiting would occupy a processor
 * for milliseconds, while the other process, which has to send the message, has no processor. */
static int wait_for(int code, MPI_Request *request)
{
    for (int done = 0; code == MPI_SUCCESS && !done;) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
    return code;
}

/* Lets all processes sleep until the same moment of the simulated clock, which they share. This moment is the
 * time of the last arrival plus three times the duration of the longest barrier so far. */
static int simulated_barrier(struct comm *comm)
{
    double own[2] = {MPI_Wtime(), comm->barrier_seconds}, all[2];
    int code = MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, comm->all);
    double left = all[0] + (all[1] > 0 ? 3 * all[1] : FIRST_BARRIER) - MPI_Wtime();
    comm->barrier_seconds = fmax(all[1], MPI_Wtime() - all[0]);
    struct timespec nap = {(time_t)left, (long)(1e9 * (left - floor(left)))};
    if (code == MPI_SUCCESS && left > 0)
        nanosleep(&nap, NULL);
    return code;
}

int comm_barrier(struct comm *comm)
{
    MPI_Request request;
    if (comm->simulated)
        return simulated_barrier(comm);
    if (!comm->yield)
        return MPI_Barrier(comm->all);
    return wait_for(MPI_Ibarrier(comm->all, &request), &request);
}

static int count_of(const struct comm *comm, size_t size)
{
    if (size > INT_MAX) {
        comm_say(comm, "cannot send %zu bytes to all processes: expected at most %d", size, INT_MAX);
        ending_now(EXIT_ERRORS);
    }
    return (int)size;
}

void comm_broadcast(struct comm *comm, void *data, size_t size)
{
    MPI_Request request;
    int count = count_of(comm, size);
    if (!comm->yield)
        COMM_CHECK(comm, MPI_Bcast(data, count, MPI_BYTE, 0, comm->all));
    else
        COMM_CHECK(comm, wait_for(MPI_Ibcast(data, count, MPI_BYTE, 0, comm->all, &request), &request));
}

void comm_reduce(struct comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    if (!comm->yield)
        COMM_CHECK(comm, MPI_Reduce(in, out, count, type, op, 0, comm->all));
    else
        COMM_CHECK(comm, wait_for(MPI_Ireduce(in, out, count, type, op, 0, comm->all, &request), &request));
}

int comm_allreduce(struct comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    if (!comm->yield)
        return MPI_Allreduce(in, out, count, type, op, comm->all);
    return wait_for(MPI_Iallreduce(in, out, count, type, op, comm->all, &request), &request);
}

void comm_broadcast_sleeping(struct comm *comm, void *data, size_t size, double idle_since, double longest)
{
    MPI_Request request;
    int done = 0;
    COMM_CHECK(comm, MPI_Ibcast(data, count_of(comm, size), MPI_BYTE, 0, comm->all, &request));
    while (!done) {
        COMM_CHECK(comm, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        /* An eighth of the time waited so far. Each process on the way delays the data by at most that share.
         */
        double nap = fmin(fmax((MPI_Wtime() - idle_since) / 8, 0.5e-3), longest);
        struct timespec pause = {0, (long)(nap * 1e9)};
        if (!done && isfinite(idle_since))
            nanosleep(&pause, NULL);
        else if (!done && comm->yield)
            sched_yield();
    }
}

char *comm_share_text(struct comm *comm, char *text)
{
    size_t size = comm->rank == 0 && text ? strlen(text) + 1 : 0;
    comm_broadcast(comm, &size, sizeof size);
    if (comm->rank != 0)
        text = size ? memory_new(size, 1, "a text") : NULL;
    comm_broadcast(comm, text, size);
    return text;
}

enum exit_status comm_same_text(struct comm *comm, const char *text, struct message *error)
{
    char *first = comm_share_text(comm, comm->rank == 0 ? memory_text(text) : NULL);
    enum exit_status status = EXIT_OK;
    if (strcmp(first, text) != 0)
        status = EXIT_WITH(EXIT_USAGE, error,
                           "rank %d was started as \"%.200s\", but rank 0 as \"%.200s\": start all processes "
                           "with the same program and options",
                           comm->rank, text, first);
    free(first);
    return comm_agree(comm, status, error);
}

/* Returns the contents of a text file, to be freed, or NULL with a message in `error`. */
static char *read_file(const char *option, const char *path, struct message *error)
{
    FILE *file = fopen(path, "r");
    char *text = memory_text(""); /* an empty file */
    size_t room = 1;
    ssize_t size = file ? getdelim(&text, &room, 0, file) : -1; /* reads to a zero byte or to the end */
    const char *foreign = size > 0 && !text[size - 1] ? text_foreign(text, (size_t)size) : NULL;
    int failed = 0;
    if (!file || ferror(file))
        failed = message_set(error, "%s: %.200s cannot be read: %s", option, path, strerror(errno));
    else if (size > 0 && !text[size - 1])
        failed =
            message_set(error, "%s: %.200s: %s", option, path, foreign ? foreign : "the file is no text");
    struct text_lines lines = {text};
    while (!failed && text_next(&lines))
        if (strlen(lines.line) == sizeof lines.line - 1)
            failed = message_set(error, "%s: %.200s, line %d is too long: expected at most %zu bytes", option,
                                 path, lines.number, sizeof lines.line - 2);
    if (file)
        fclose(file);
    if (failed)
        free(text);
    return failed ? NULL : text;
}

int comm_read_text(struct comm *comm, const char *option, const char *path, char **text,
                   struct message *error)
{
    *text = comm_share_text(comm, path && comm->rank == 0 ? read_file(option, path, error) : NULL);
    return path && !*text ? -1 : 0;
}
