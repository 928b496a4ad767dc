#include "common/mpi/gpu.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/ending.h"
#include "common/memory.h"
#include "common/sysinfo.h"

/* ---- does MPI take GPU memory? ---- */

enum answer { ANSWER_NO, ANSWER_UNKNOWN, ANSWER_YES };

/* Returns true if the library's info key has the memory kind, with or without restrictors. */
static bool has_kind(const struct space *space, const char *kinds)
{
    const size_t bare = strcspn(space->kind, ":");
    for (const char *at = kinds; *at; at += strcspn(at, ","), at += *at == ',') {
        const char *form = at + bare;
        if (strncmp(at, space->kind, bare) != 0 || (*form && *form != ',' && *form != ':'))
            continue;
        const char *found = *form == ':' ? strstr(form, space->kind + bare) : form;
        if (found && found <= at + strcspn(at, ","))
            return true;
    }
    return false;
}

/* Asks the info key of MPI 4.1. Returns true if the answer is yes. */
static bool ask_info(const struct comm *comm, const struct space *space, char *source, size_t size)
{
    char kinds[MPI_MAX_INFO_VAL] = "";
    int found = 0;
    MPI_Info info;
    COMM_CHECK(comm, MPI_Comm_get_info(MPI_COMM_WORLD, &info));
    COMM_CHECK(comm, MPI_Info_get(info, "mpi_memory_alloc_kinds", sizeof kinds - 1, kinds, &found));
    COMM_CHECK(comm, MPI_Info_free(&info));
    if (found)
        text_append(source, size, "mpi_memory_alloc_kinds is %.60s; ", kinds);
    return found && has_kind(space, kinds);
}

/* Asks the library's own functions. Returns true if the answer is yes. */
static bool ask_library(const struct space *space, char *source, size_t size)
{
    const bool cuda = strncmp(space->kind, "cuda", 4) == 0;
    const char *name = "MPIX_GPU_query_support";
    void *symbol = dlsym(RTLD_DEFAULT, name);
    int (*by_type)(int, int *), (*plain)(void), is = 0;
    if (symbol) {
        memcpy(&by_type, &symbol, sizeof symbol);
        if (by_type(cuda ? 0 : 2, &is) != MPI_SUCCESS)
            is = 0;
    } else { /* MPICH before 4.0 asserts in MPIX_Query_cuda_support */
        name = cuda ? "MPIX_Query_cuda_support" : "MPIX_Query_rocm_support";
        symbol = dlsym(RTLD_DEFAULT, name);
        memcpy(&plain, &symbol, sizeof symbol);
        is = symbol ? plain() : 0;
    }
    if (symbol)
        text_append(source, size, "%s returns %d; ", name, is);
    return is == 1;
}

/* Looks at the variables that switch support on or off. */
static enum answer ask_switch(char *source, size_t size)
{
    static const char *const rows[][2] = {
        {"CRAY", "MPICH_GPU_SUPPORT_ENABLED"}, {"Intel", "I_MPI_OFFLOAD"}, {"MVAPICH", "MV2_USE_CUDA"}};
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    comm_library(library);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *value = getenv(rows[i][1]);
        if (!value || !strstr(library, rows[i][0]))
            continue;
        snprintf(source, size, "%s=%.20s; ", rows[i][1], value);
        return strcmp(value, "0") == 0 ? ANSWER_NO : ANSWER_YES;
    }
    return ANSWER_UNKNOWN;
}

/* Finds the answer of all processes. */
static enum exit_status find_support(struct gpus *gpus, struct comm *comm, const struct space *space)
{
    static const char *const words[] = {"no", "unknown", "yes"};
    char source[140] = "";
    struct message error = {""};
    int own = ask_info(comm, space, source, sizeof source) || ask_library(space, source, sizeof source)
                  ? ANSWER_YES
                  : ANSWER_UNKNOWN,
        all;
    if (own == ANSWER_UNKNOWN)
        own = (int)ask_switch(source, sizeof source);
    source[*source ? strlen(source) - 2 : 0] = 0;
    if (own == ANSWER_NO)
        message_set(&error, "this MPI's support for GPU memory is switched off (%s): set %.*s=1", source,
                    (int)strcspn(source, "="), source);
    enum exit_status status = comm_agree(comm, own == ANSWER_NO ? EXIT_ENVIRONMENT : EXIT_OK, &error);
    COMM_CHECK(comm, MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm->all));
    snprintf(gpus->support, sizeof gpus->support, "%s: %s", words[all],
             own != all ? "the processes differ"
             : *source  ? source
                        : "this MPI answers no query");
    return status;
}

/* ---- which process uses which GPU ---- */

static int by_gpu(const void *a, const void *b)
{
    const struct space_place *x = a, *y = b;
    int order = (x->node > y->node) - (x->node < y->node);
    order = order ? order : strcmp(x->pci, y->pci);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Appends the numbers of the visible devices that no process of this node uses. */
static void list_idle(char *text, size_t size, const struct space_place *place, int first, int count)
{
    bool any = false;
    for (int64_t device = 0; device < place[first].devices; device++) {
        bool used = false;
        for (int i = 0; i < count; i++)
            used = used || (place[i].node == place[first].node && place[i].device == device);
        if (!used)
            text_append(text, size, "%s %" PRId64, any ? "" : "; idle:", device);
        any = any || !used;
    }
}

/* Summarises the sorted places: the largest number of processes on one GPU, the fewest and the most GPUs of a
 * node, and the least free memory per process. */
struct summary {
    int most, fewest_gpus, most_gpus, far;
    int64_t memory_mib;
};

static struct summary summarise(struct gpus *gpus, const struct space_place *sorted, int count)
{
    struct summary s = {.fewest_gpus = count, .memory_mib = INT64_MAX};
    int used = 0;
    strcpy(gpus->shared, "no");
    for (int first = 0, end; first < count; first = end) {
        const struct space_place *p = &sorted[first];
        for (end = first; end < count && sorted[end].node == p->node && strcmp(sorted[end].pci, p->pci) == 0;
             end++) {
            s.far += (int)sorted[end].far;
            if (p->free_mib > sorted[end].free_mib)
                p = &sorted[end];
        }
        const int sharing = end - first;
        if (p->free_mib / sharing < s.memory_mib)
            s.memory_mib = p->free_mib / sharing;
        if (sharing > 1 && s.most < 2) {
            snprintf(gpus->shared, sizeof gpus->shared,
                     "ranks %" PRId64 " and %" PRId64 " use GPU %" PRId64 " (%s) of node %" PRId64,
                     sorted[first].rank, sorted[first + 1].rank, p->device, p->pci, p->node);
            list_idle(gpus->shared, sizeof gpus->shared, sorted, first, count);
        }
        s.most = sharing > s.most ? sharing : s.most;
        used++;
        if (end < count && sorted[end].node == p->node)
            continue;
        s.fewest_gpus = used < s.fewest_gpus ? used : s.fewest_gpus;
        s.most_gpus = used > s.most_gpus ? used : s.most_gpus;
        used = 0;
    }
    return s;
}

static void report(const struct comm *comm, const struct gpus *gpus, const struct summary *s)
{
    char number[32], each[48] = "one process each", name[sizeof gpus->place->name];
    strcpy(name, gpus->place->name);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    snprintf(number, sizeof number, s->fewest_gpus < s->most_gpus ? "%d-%d" : "%d", s->fewest_gpus,
             s->most_gpus);
    if (s->most > 1)
        snprintf(each, sizeof each, "up to %d processes each", s->most);
    comm_say(comm, "GPU: %s per node, %s, %s", number, name, each);
    if (s->far)
        comm_say(comm,
                 "%d process%s in another NUMA domain than the GPU: bind them to the GPU's processors "
                 "(Slurm: --gpu-bind=closest)",
                 s->far, s->far > 1 ? "es are" : " is");
}

enum exit_status gpus_find(struct gpus *gpus, struct comm *comm, struct machine *machine,
                           const struct space *space)
{
    char kind[sizeof space->kind];
    struct message error;
    memcpy(kind, space->kind, sizeof kind);
    comm_broadcast(comm, kind, sizeof kind);
    message_set(&error,
                "rank %d uses %s memory and rank 0 %s memory: give all processes the same command line",
                comm->rank, *space->kind ? space->kind : "system", *kind ? kind : "system");
    enum exit_status status =
        comm_agree(comm, strcmp(kind, space->kind) ? EXIT_ENVIRONMENT : EXIT_OK, &error);
    if (status != EXIT_OK || space_is_system(space))
        return status;
    const size_t count = gpus->count = comm->rank == 0 ? (size_t)comm->size : 0;
    struct thread_set threads;
    topology_affinity(&threads);
    struct space_place own = space->place;
    own.rank = comm->rank;
    own.node = machine->node_number;
    own.far = topology_is_far("", own.pci, &threads);
    gpus->place = memory_new(count, sizeof own, "the GPUs");
    COMM_CHECK(comm, MPI_Gather(&own, sizeof own, MPI_BYTE, gpus->place, sizeof own, MPI_BYTE, 0, comm->all));
    struct summary s = {0};
    if (comm->rank == 0) {
        struct space_place *sorted = memory_new(count, sizeof own, "the GPUs");
        memcpy(sorted, gpus->place, count * sizeof own);
        qsort(sorted, count, sizeof own, by_gpu);
        s = summarise(gpus, sorted, comm->size);
        free(sorted);
        report(comm, gpus, &s);
    }
    comm_broadcast(comm, &s, sizeof s);
    if (space->form != SPACE_OF_HOST)
        machine->memory_mib = machine->available_mib = s.memory_mib;
    return find_support(gpus, comm, space);
}

void gpus_describe(const struct gpus *gpus, const struct space *space, struct protocol *protocol)
{
    if (space_is_system(space))
        return;
    protocol_meta(protocol, "buffers", space->kind);
    protocol_meta(protocol, "gpu_library", space->library);
    protocol_meta(protocol, "gpu_support", gpus->support);
    protocol_meta(protocol, "gpu_shared", gpus->shared);
    for (size_t i = 0; i < protocol->type->table_count; i++)
        if (protocol->type->tables[i].columns == space_columns)
            protocol_add(protocol, i, gpus->place, gpus->count);
}

/* ---- calls that may crash ---- */

static struct {
    char line[GPU_LINE + 64];
    size_t length;
    int rank;
    bool active;
    struct sigaction earlier[2];
} guard;

/* The other ranks wait a little, so that usually only rank 0 prints the line. */
static void end_guarded(int signal)
{
    (void)signal;
    if (guard.rank)
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    if (write(STDERR_FILENO, guard.line, guard.length) >= 0)
        guard.length = 0; /* a crash in MPI_Abort() prints no second line */
    ending_now(EXIT_ENVIRONMENT);
}

void gpu_guard(const struct comm *comm, const char *line)
{
    static const int signals[2] = {SIGSEGV, SIGBUS};
    const struct sigaction action = {.sa_handler = end_guarded, .sa_flags = SA_NODEFER};
    if (line) {
        int length = snprintf(guard.line, sizeof guard.line, "%s: %s\n", comm->program, line);
        guard.length = (size_t)length;
        guard.rank = comm->rank;
    }
    for (int i = 0; i < 2 && !!line != guard.active; i++)
        sigaction(signals[i], line ? &action : &guard.earlier[i], line ? &guard.earlier[i] : NULL);
    guard.active = line != NULL;
}
