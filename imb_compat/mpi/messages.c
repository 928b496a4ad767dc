/* Measures messages: creates buffers, types and windows, provides the steps of the timed loop, and checks the
 * received data. One-sided transfers have a window, and an epoch around the repetitions. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/memory.h"
#include "imb_compat/mpi/kernels.h"
#include "imb_compat/mpi/run.h"

/* Barriers of threads after each call of a collective; starts and tag of a trial of a persistent one. */
enum { BARRIERS = 5, TRIAL_STARTS = 3, TRIAL_TAG = 2 };

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

/* ---- contents; for buffers in a GPU, they pass through the host buffer ---- */

static bool has_threads(const struct messages *m)
{
    return imb_components[m->settings->component].work == IMB_THREADS;
}

/* Returns true if the team frees the buffers. */
static bool is_threads_buffer(const struct messages *m)
{
    return has_threads(m) && !m->base.checking;
}

static const struct space *space_of(const struct messages *m)
{
    return &m->base.context->run->run.space;
}

static void fill_place(const struct messages *m, char *place, int64_t items)
{
    char *bytes = m->host ? m->host : place;
    imb_fill(&m->transfer.e, bytes, items);
    if (m->host)
        space_put(space_of(m), place, bytes, (size_t)(items * m->base.memory.stride));
}

static void check_place(struct messages *m, const char *place, size_t bytes)
{
    if (m->host)
        space_get(space_of(m), m->host, place, bytes);
    imb_check(&m->transfer.e, m->host ? m->host : place, m->transfer.root, &m->base.mismatch);
}

/* Fills the send buffer, and prepares the copies of the receive buffer that were used. */
static void fill(struct messages *m)
{
    const struct imb_buffer *send = &m->base.memory.send, *receive = &m->base.memory.receive;
    const bool filled = imb_starts_filled(m->base.benchmark);
    struct imb_exchange target = m->transfer.e;
    target.rank = m->transfer.target;
    if (m->base.benchmark->flags & IMB_INTEGER)
        imb_fill(&target, (char *)&m->transfer.compared, 1);
    for (int64_t c = 0; c < send->copies; c++)
        fill_place(m, m->send + c * send->step, send->bytes / m->base.memory.stride);
    for (int64_t c = 0; c < receive->copies; c++) {
        char *place = m->receive + c * receive->step;
        if (!m->used || m->used[c])
            space_clear(space_of(m), place, 0, (size_t)receive->step);
        if (filled)
            fill_place(m, place, m->base.memory.items);
    }
}

/* ---- steps of the timed loop ---- */

/* Synchronises all groups. measure() calls this twice, so that there are two barriers as in IMB. */
static int synchronise(void *context)
{
    struct messages *m = context;
    if (!m->base.first)
        imb_partners_reset(&m->transfer.partners);
    if (has_threads(m))
        return imb_team_synchronise(context);
    if (imb_components[m->settings->component].adaptive)
        return MPI_Barrier(m->base.context->active);
    return imb_message_barrier(m->transfer.comm, m->transfer.e.rank, m->transfer.e.size);
}

static int wait_for_others(void *context)
{
    struct messages *m = context;
    struct imb_transfer *t = &m->transfer;
    for (int i = 0; m->waiting && has_threads(m) && i < BARRIERS; i++)
        IMB_DO(imb_team_synchronise(context));
    if (!m->waiting || has_threads(m))
        return MPI_SUCCESS;
    return m->settings->imb_barrier ? imb_message_barrier(t->comm, t->e.rank, t->e.size)
                                    : MPI_Barrier(t->comm);
}

/* The steps of an epoch do nothing if there is none. */
static int open_epoch(void *context)
{
    struct messages *m = context;
    return imb_step(m->epoch.open, &m->transfer);
}

static int complete(void *context)
{
    struct messages *m = context;
    return imb_step(m->epoch.complete, &m->transfer);
}

/* The epoch goes on after a flush, or after the fence that opened it. */
static int settle(void *context)
{
    const struct messages *m = context;
    return !m->base.completes ? MPI_SUCCESS : m->passive ? complete(context) : open_epoch(context);
}

/* Selects the copies of the buffers and the root for a repetition. */
static void move(struct messages *m, int64_t iteration)
{
    struct imb_transfer *t = &m->transfer;
    const struct imb_buffer *send = &m->base.memory.send, *receive = &m->base.memory.receive;
    t->send = m->send + imb_copy_of(&m->base.memory, send, iteration) * send->step;
    t->receive = m->receive + imb_copy_of(&m->base.memory, receive, iteration) * receive->step;
    t->place = m->base.benchmark->flags & IMB_EXPOSED_SEND
                   ? (t->send - m->send) / m->base.memory.stride
                   : (t->receive - m->receive) / m->base.memory.stride;
    if (m->settings->root_shift && m->base.benchmark->flags & IMB_ROOTED)
        t->root = (int)(iteration % t->e.size);
}

static int repeat(void *context, long iteration)
{
    struct messages *m = context;
    if (m->moving)
        move(m, m->base.first + iteration);
    if (m->transfer.started) {
        m->transfer.started = &m->requests[(m->base.first + iteration) % m->request_count];
        IMB_DO(m->transfer.persistent ? MPI_Start(m->transfer.started) : m->kernel(&m->transfer));
    }
    if (m->products) /* during the call; a passive target computes before its barrier */
        m->base.computed += imb_compute_time(&m->base.context->run->compute, m->products, comm_now);
    return m->transfer.started ? MPI_Wait(m->transfer.started, MPI_STATUS_IGNORE) : m->kernel(&m->transfer);
}

/* Returns the number of matrix products to be computed in each repetition, so that the computation takes as
 * long as the call without computation. A passive target uses the time of the origin's call. */
static long choose_products(const struct messages *m)
{
    double pure = m->base.pure;
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Bcast(&pure, 1, MPI_DOUBLE, 0, m->transfer.comm));
    return m->passive && m->transfer.acts ? 0 : imb_compute_products(&m->base.context->run->compute, pure);
}

/* Frees the persistent requests. */
static void free_requests(struct messages *m)
{
    for (long i = 0; i < m->request_count; i++)
        COMM_CHECK(m->comm, MPI_Request_free(&m->requests[i]));
    m->is_set_up = false;
}

/* Sets up the persistent requests, one for each copy of the buffers. Checked repetitions start the same
 * requests again and again. */
static void set_up_requests(struct messages *m)
{
    double start = comm_now(NULL);
    for (long i = 0; i < m->request_count; i++) {
        if (m->moving)
            move(m, i);
        m->transfer.started = &m->requests[i];
        comm_check(m->comm, m->kernel(&m->transfer), m->base.benchmark->name, __FILE__, __LINE__);
    }
    m->base.setup = (comm_now(NULL) - start) / (double)m->request_count;
    m->is_set_up = true;
}

static void begin(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    if (base->first == 0)
        m->products = base->overlapping ? choose_products(m) : 0;
    if (m->transfer.persistent && !m->is_set_up)
        set_up_requests(m);
}

static void end(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    comm_check(m->comm, imb_step(m->epoch.close, &m->transfer), base->benchmark->name, __FILE__, __LINE__);
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Barrier(m->transfer.comm));
    if (m->is_set_up && !base->checking)
        free_requests(m);
    for (int64_t i = 0; m->used && i < base->count; i++)
        m->used[imb_copy_of(&base->memory, &base->memory.receive, base->first + i)]++;
}

/* Compares each copy of the receive buffer after the last repetition that used it. */
static void check(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    struct imb_transfer *t = &m->transfer;
    const struct imb_buffer *receive = &base->memory.receive;
    const int64_t copies = receive->copies;
    if (m->base.benchmark->content == IMB_HOLDS_NOTHING)
        return;
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->e.rank, 0, t->win));
    for (int64_t i = base->count > copies ? base->count - copies : 0; i < base->count; i++) {
        int64_t copy = imb_copy_of(&base->memory, receive, base->first + i);
        if (m->moving)
            move(m, base->first + i);
        m->transfer.e.before = m->used[copy] - 1;
        check_place(m, m->receive + copy * receive->step, (size_t)receive->bytes);
    }
    if (base->checking) { /* data that stay from an earlier repetition are wrong in the next one */
        t->e.round++;
        fill(m);
        memset(m->used, 0, (size_t)copies * sizeof *m->used);
    }
    for (int i = 0; t->e.origins && !t->e.neighbour_count && i < t->e.places; i++)
        t->e.origins[i].rank = -1;
    if (m->base.benchmark->content == IMB_HOLDS_WINDOW && t->e.rank < t->e.near.partner)
        imb_compare(&(char){IMB_ANSWER}, &t->answer, 1, 0, t->e.near.partner, &base->mismatch);
    t->answer = 0;
    if (m->passive)
        COMM_CHECK(m->comm, MPI_Win_unlock(t->e.rank, t->win));
}

/* ---- buffers, types, windows ---- */

static void make_type(struct messages *m)
{
    const MPI_Datatype items[IMB_TYPES] = {[IMB_CHAR] = MPI_CHAR,
                                           [IMB_INT] = MPI_INT,
                                           [IMB_FLOAT] = MPI_FLOAT,
                                           [IMB_DOUBLE] = MPI_DOUBLE,
                                           [IMB_BYTE] = MPI_BYTE};
    bool sums_bytes = m->transfer.e.type == IMB_CHAR && m->base.benchmark->flags & IMB_REDUCTION;
    struct imb_transfer *t = &m->transfer;
    int contig = m->base.benchmark->flags & IMB_REDUCTION ? IMB_BASE : m->settings->contig_type;
    MPI_Datatype item = sums_bytes ? MPI_SIGNED_CHAR : items[m->transfer.e.type], resized = MPI_DATATYPE_NULL;
    t->type = item;
    t->count = (int)m->base.memory.items;
    if (contig == IMB_BASE)
        return;
    m->own_type = true;
    if (contig >= IMB_RESIZE) {
        COMM_CHECK(m->comm, MPI_Type_create_resized(item, 0, m->base.memory.stride, &resized));
        t->type = item = resized;
    }
    if (contig != IMB_RESIZE) {
        COMM_CHECK(m->comm, MPI_Type_vector(t->count, 1, 1, item, &t->type));
        t->count = 1;
        if (resized != MPI_DATATYPE_NULL)
            COMM_CHECK(m->comm, MPI_Type_free(&resized));
    }
    COMM_CHECK(m->comm, MPI_Type_commit(&t->type));
}

/* Sets counts and displacements. Release 3.0 divided the vector of Reduce_scatter among the processes; if it
 * did not divide evenly, the processes with the lowest ranks got one more item each. */
static void make_counts(struct messages *m)
{
    struct imb_transfer *t = &m->transfer;
    bool split = m->settings->compat == IMB_30 && m->base.benchmark->flags & IMB_SPLIT_30;
    int at = 0;
    if (m->base.benchmark->send != IMB_PX && m->base.benchmark->receive != IMB_PX)
        return; /* not needed, and the items of P messages may exceed the range of int */
    for (int i = 0; i < t->e.size; i++) {
        t->counts[i] = split ? t->count / t->e.size + (i < t->count % t->e.size) : t->count;
        t->displacements[i] = at;
        at += t->counts[i];
    }
    if (split) {
        m->transfer.e.first = t->displacements[t->e.rank];
        m->transfer.e.items = t->counts[t->e.rank];
    }
}

/* Creates the window, and sets the steps of the epochs that this process takes part in. */
static void make_window(struct messages *m)
{
    const struct imb_benchmark *b = m->base.benchmark;
    struct imb_transfer *t = &m->transfer;
    bool exposed_send = b->flags & IMB_EXPOSED_SEND, is_30 = m->settings->compat == IMB_30;
    const struct imb_buffer *exposed = exposed_send ? &m->base.memory.send : &m->base.memory.receive;
    t->acts =
        !(b->flags & IMB_BY_FIRST && t->e.rank) && !(b->flags & IMB_BY_LAST && t->e.rank != t->e.size - 1);
    t->block = b->receive == IMB_PX ? t->e.rank * m->base.memory.items : 0;
    m->passive = imb_epoch_steps[b->epoch].passive;
    m->base.untimed = m->passive && !t->acts;
    if (!m->base.untimed) /* release 3.0 had only one fence */
        m->epoch = imb_epoch_steps[b->epoch == IMB_FENCE_APART && is_30 ? IMB_FENCE : b->epoch];
    if (m->base.context->table->completed_together)
        m->base.completes = m->epoch.complete;
    else {
        t->begin = m->epoch.begin;
        t->complete = m->epoch.complete;
    }
    if (b->epoch == IMB_NO_EPOCH)
        return;
    COMM_CHECK(m->comm, MPI_Win_create(exposed_send ? m->send : m->receive, exposed->step * exposed->copies,
                                       (int)m->base.memory.stride, t->info, t->comm, &t->win));
    COMM_CHECK(m->comm, MPI_Win_set_errhandler(t->win, MPI_ERRORS_RETURN));
}

/* Returns the number of bytes of all copies of a buffer. */
static size_t bytes_of(const struct imb_buffer *buffer)
{
    return (size_t)(buffer->step * buffer->copies) + 1;
}

/* Returns a buffer. In system memory, timed repetitions of processes use MPI_Alloc_mem() as IMB does, and the
 * buffers of checked repetitions are allocated with mmap(). If they came from malloc(), it would keep more
 * memory after these large blocks are freed. MPI calls that allocate memory would then be faster in the timed
 * repetitions. */
static char *new_buffer(const struct messages *m, size_t bytes)
{
    char *buffer = NULL;
    if (!space_is_system(space_of(m)) || is_threads_buffer(m))
        buffer = space_new(space_of(m), bytes);
    else if (!m->base.checking)
        buffer = MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &buffer) == MPI_SUCCESS ? buffer : NULL;
    else if ((buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) ==
             MAP_FAILED)
        buffer = NULL;
    if (!buffer)
        memory_exhausted(IMB_BUFFERS, bytes, 1);
    return buffer;
}

/* IMB-MT: returns the send buffer (`which` 0) or the receive buffer (1) of this thread. With -malloc_algo
 * continuous, it is a part of a buffer of all threads. The team frees it. */
static char *thread_buffer(const struct messages *m, int which)
{
    const struct imb_context *context = m->base.context;
    const struct imb_settings *s = m->settings;
    const size_t bytes = bytes_of(which ? &m->base.memory.receive : &m->base.memory.send);
    const size_t align = (size_t)s->malloc_align, step = (bytes + align - 1) / align * align;
    const bool shared = s->malloc_algo == IMB_MALLOC_CONTINUOUS;
    char **buffer = &context->buffers[which];
    if (!*buffer)
        *buffer = new_buffer(m, step * (size_t)(shared ? s->team : 1) + align);
    char *start = *buffer + (align - (uintptr_t)*buffer % align) % align;
    return start + (shared ? step * (size_t)context->thread : 0);
}

static void free_buffer(const struct messages *m, char *buffer, size_t bytes)
{
    if (!space_is_system(space_of(m)))
        space_free(space_of(m), buffer);
    else if (m->base.checking)
        munmap(buffer, bytes);
    else
        COMM_CHECK(m->comm, MPI_Free_mem(buffer));
}

static void allocate(struct messages *m)
{
    struct imb_transfer *t = &m->transfer;
    const struct imb_buffer *send = &m->base.memory.send, *receive = &m->base.memory.receive;
    t->counts = memory_new((size_t)t->e.size, sizeof *t->counts, IMB_BUFFERS);
    t->displacements = memory_new((size_t)t->e.size, sizeof *t->displacements, IMB_BUFFERS);
    t->requests =
        memory_new(2 * (size_t)t->window + 2 * IMB_MAX_NEIGHBOURS, sizeof *t->requests, IMB_BUFFERS);
    if (m->base.benchmark->flags & IMB_NONBLOCKING) {
        m->request_count = t->persistent ? (long)m->base.memory.requests : 1;
        t->started = m->requests = memory_new((size_t)m->request_count, sizeof *m->requests, IMB_BUFFERS);
    }
    const bool threads = is_threads_buffer(m);
    m->send = threads ? thread_buffer(m, 0) : new_buffer(m, bytes_of(send));
    m->receive = threads ? thread_buffer(m, 1) : new_buffer(m, bytes_of(receive));
    if (!space_is_system(space_of(m)))
        m->host = memory_new(1, (size_t)(send->bytes > receive->bytes ? send->bytes : receive->bytes) + 1,
                             IMB_BUFFERS);
    space_clear(space_of(m), m->send, 0, bytes_of(send));
    fill(m);
    if (m->settings->check)
        m->used = memory_new((size_t)receive->copies, sizeof *m->used, IMB_BUFFERS);
    t->send = m->send;
    t->receive = m->receive;
}

static void free_messages(struct imb_measurement *base)
{
    struct messages *m = (struct messages *)base;
    if (m->transfer.win != MPI_WIN_NULL)
        COMM_CHECK(m->comm, MPI_Win_free(&m->transfer.win));
    if (m->is_set_up)
        free_requests(m);
    if (m->own_type)
        COMM_CHECK(m->comm, MPI_Type_free(&m->transfer.type));
    if (!is_threads_buffer(m)) { /* otherwise the team frees its buffers */
        free_buffer(m, m->send, bytes_of(&m->base.memory.send));
        free_buffer(m, m->receive, bytes_of(&m->base.memory.receive));
    }
    free(m->host);
    free(m->transfer.partners.ring);
    free(m->transfer.e.origins);
    free(m->transfer.counts);
    free(m->transfer.displacements);
    free(m->transfer.requests);
    free(m->requests);
    free(m->used);
    free(m);
}

static struct imb_measurement *prepare(const struct imb_context *context, const struct imb_memory *memory,
                                       bool checking)
{
    const struct imb_settings *s = context->table->settings;
    const struct imb_benchmark *b = context->table->benchmark;
    const struct imb_exchange e = imb_exchange_make(context->table, memory, context->rank);
    bool any_source = b->flags & IMB_ANY_SOURCE || (s->compat == IMB_30 && b->flags & IMB_ANY_SOURCE_30);
    const bool in_cache = b->component == IMB_P2P && space_is_system(&context->run->run.space);
    struct messages *m = memory_new(1, sizeof *m, IMB_BUFFERS);
    *m = (struct messages){
        .base = {.context = context, .benchmark = b, .memory = *memory, .checking = checking},
        .settings = s,
        .comm = context->run->run.comm,
        .kernel = imb_kernels[b - imb_benchmarks].transfer};
    m->transfer = (struct imb_transfer){.e = e,
                                        .comm = context->members,
                                        .target = b->class == IMB_CLASS_COLLECTIVE ? 0 : e.near.partner,
                                        .source = any_source ? MPI_ANY_SOURCE : e.near.partner,
                                        .message = memory->items * memory->stride,
                                        .second = memory->second,
                                        .second_sent = b->send == IMB_2X ? memory->items * memory->stride : 0,
                                        .writes = in_cache && s->writes,
                                        .reads = in_cache && s->reads,
                                        .window = (int)s->window_size,
                                        .threads = s->threads == IMB_THREADS_MULTIPLE,
                                        .win = MPI_WIN_NULL,
                                        .info = context->run->info,
                                        .persistent = b->flags & IMB_PERSISTENT};
    m->base.apart = b->flags & IMB_EACH && s->compat == IMB_2021;
    m->base.at_once = /* each repetition overwrites the data of the previous one */
        b->content == IMB_HOLDS_DRAWN || b->content == IMB_HOLDS_WINDOW ? 1 : memory->receive.copies;
    m->waiting = b->flags & IMB_EACH && s->sync && b->class != IMB_CLASS_UNSIZED;
    m->moving =
        (s->root_shift && b->flags & IMB_ROOTED) || memory->send.copies > 1 || memory->receive.copies > 1;
    make_type(m);
    m->transfer.partners = (struct imb_partners){
        .size = e.size, .ring = e.origins ? memory_new((size_t)e.size, sizeof(int), IMB_BUFFERS) : NULL};
    allocate(m);
    make_counts(m);
    make_window(m);
    return &m->base;
}

const struct imb_kind imb_kind_messages = {.prepare = prepare,
                                           .begin = begin,
                                           .end = end,
                                           .check = check,
                                           .free = free_messages,
                                           .synchronise = synchronise,
                                           .open = open_epoch,
                                           .repetition = repeat,
                                           .wait = wait_for_others,
                                           .settle = settle,
                                           .complete = complete};

/* ---- trying persistent collectives ---- */

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
