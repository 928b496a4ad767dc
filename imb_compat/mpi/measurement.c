/* One benchmark, one size, one process. Uses kernels, memory, check, load, measure. */
#include "imb_compat/mpi/measurement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/measure.h"

/* ---- the measuring loop's view ---- */

double imb_now(void *unused)
{
    (void)unused;
    return MPI_Wtime();
}

static int barrier(const struct imb_measurer *m)
{
    const struct imb_transfer *t = &m->transfer;
    return m->site->settings->imb_barrier ? imb_message_barrier(t->comm, t->rank, t->size)
                                          : MPI_Barrier(t->comm);
}

/* All groups start together. */
static int synchronise(void *context)
{
    const struct imb_measurer *m = context;
    int code = MPI_Barrier(m->site->active);
    return code == MPI_SUCCESS ? MPI_Barrier(m->transfer.comm) : code;
}

static void move(struct imb_measurer *m, long iteration)
{
    struct imb_transfer *t = &m->transfer;
    const struct imb_buffer *send = &m->memory.send, *receive = &m->memory.receive;
    t->send = m->send + iteration % send->copies * send->step;
    t->receive = m->receive + iteration % receive->copies * receive->step;
    if (m->site->settings->root_shift)
        t->root = (int)(iteration % t->size);
}

static int at_once(void *context)
{
    (void)context;
    return 0;
}

static int compute_once(void *context, long iteration)
{
    (void)iteration;
    const struct imb_measurer *m = context;
    imb_load_run(m->load, m->products);
    return 0;
}

/* Computes while a call is under way; its time is measured in between. */
static int compute(struct imb_measurer *m)
{
    struct measure_world world = {.now = imb_now, .synchronise = at_once, .work = compute_once, .context = m};
    struct measured measured;
    int failed = measure(&world, 0, 1, &measured) == MEASURE_FAILED;
    m->computed += measured.seconds;
    return failed ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int work(void *context, long iteration)
{
    struct imb_measurer *m = context;
    if (m->moving)
        move(m, iteration);
    int code = m->kernel(&m->transfer);
    if (!m->transfer.started || code != MPI_SUCCESS)
        return code;
    if (m->products)
        code = compute(m);
    return code == MPI_SUCCESS ? MPI_Wait(&m->request, MPI_STATUS_IGNORE) : code;
}

static void check(struct imb_measurer *m)
{
    struct imb_transfer *t = &m->transfer;
    imb_check(&m->exchange, t->receive, t->root, &m->mismatch);
    memset(t->receive, 0, (size_t)m->memory.receive.bytes);
    bool answered = m->site->benchmark->columns == IMB_MESSAGES && t->rank < t->peer;
    if (answered && t->answer != IMB_ANSWER && m->mismatch.wrong++ == 0) {
        m->mismatch.source = t->peer;
        m->mismatch.expected = IMB_ANSWER;
        m->mismatch.found = (unsigned char)t->answer;
    }
    t->answer = 0;
}

static int after(void *context, long iteration, double seconds)
{
    struct imb_measurer *m = context;
    if (m->each)
        m->each[iteration] = seconds;
    if (m->checking)
        check(m);
    return m->waiting ? barrier(m) : MPI_SUCCESS;
}

/* Seconds for one repetition. */
static double run_loop(struct imb_measurer *m, int64_t repetitions)
{
    bool each = (m->site->benchmark->flags & IMB_EACH && m->site->settings->compat == IMB_2021) ||
                m->checking || m->each;
    struct measure_world world = {
        .now = imb_now, .synchronise = synchronise, .work = work, .after = each ? after : NULL, .context = m};
    struct measured measured;
    enum measure_status status = measure(&world, 0, (long)repetitions, &measured);
    if (status == MEASURE_FAILED)
        world_check(m->site->world, measured.error, m->site->benchmark->name, __FILE__, __LINE__);
    if (status == MEASURE_CLOCK_BACKWARDS) {
        world_say(m->site->world, "%s (rank %d)", measure_status_text(status), m->site->world->rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_ERRORS);
    }
    return measured.seconds / (double)repetitions;
}

struct imb_share imb_measurer_run(struct imb_measurer *m, int64_t repetitions, double *each)
{
    struct imb_share share = {0};
    bool overlapped = m->site->benchmark->flags & IMB_OVERLAPPED;
    m->products = 0;
    m->each = overlapped ? NULL : each;
    share.seconds = run_loop(m, repetitions);
    if (overlapped) {
        m->each = each;
        share.pure = share.seconds;
        m->products = imb_load_products(m->load, share.pure);
        m->computed = 0;
        share.seconds = run_loop(m, repetitions);
        share.cpu = m->computed / (double)repetitions;
    }
    share.defects = (double)m->mismatch.wrong;
    return share;
}

/* ---- preparation ---- */

static MPI_Datatype basic_type(enum imb_type type)
{
    switch (type) {
    case IMB_CHAR:
        return MPI_CHAR;
    case IMB_INT:
        return MPI_INT;
    case IMB_FLOAT:
        return MPI_FLOAT;
    case IMB_DOUBLE:
        return MPI_DOUBLE;
    case IMB_BYTE:
    case IMB_TYPES:
        break;
    }
    return MPI_BYTE;
}

/* Reductions are of basic types only. */
static void make_type(struct imb_measurer *m, enum imb_type type)
{
    struct imb_transfer *t = &m->transfer;
    int contig = m->site->benchmark->flags & IMB_REDUCTION ? IMB_BASE : m->site->settings->contig_type;
    MPI_Datatype item = basic_type(type), resized = MPI_DATATYPE_NULL;
    t->type = item;
    t->count = (int)m->memory.items;
    if (contig == IMB_BASE)
        return;
    m->own_type = true;
    if (contig >= IMB_RESIZE) {
        WORLD_CHECK(m->site->world, MPI_Type_create_resized(item, 0, m->memory.stride, &resized));
        t->type = item = resized;
    }
    if (contig != IMB_RESIZE) {
        WORLD_CHECK(m->site->world, MPI_Type_vector(t->count, 1, 1, item, &t->type));
        t->count = 1;
        if (resized != MPI_DATATYPE_NULL)
            WORLD_CHECK(m->site->world, MPI_Type_free(&resized));
    }
    WORLD_CHECK(m->site->world, MPI_Type_commit(&t->type));
}

/* Release 3.0 split the vector of Reduce_scatter among the processes, the rest to the first ones. */
static void make_counts(struct imb_measurer *m)
{
    struct imb_transfer *t = &m->transfer;
    bool split = m->site->settings->compat == IMB_30 && m->site->benchmark->kernel == IMB_REDUCE_SCATTER;
    int at = 0;
    for (int i = 0; i < t->size; i++) {
        m->counts[i] = split ? t->count / t->size + (i < t->count % t->size) : t->count;
        m->displacements[i] = at;
        at += m->counts[i];
    }
    t->counts = m->counts;
    t->displacements = m->displacements;
    m->exchange.first = m->displacements[t->rank];
    if (split)
        m->exchange.items = m->counts[t->rank];
}

static int allocate(struct imb_measurer *m)
{
    struct imb_transfer *t = &m->transfer;
    const struct imb_buffer *send = &m->memory.send, *receive = &m->memory.receive;
    m->counts = calloc((size_t)t->size, sizeof *m->counts);
    m->displacements = calloc((size_t)t->size, sizeof *m->displacements);
    t->requests = calloc(2 * (size_t)t->window + 2, sizeof *t->requests);
    if (!m->counts || !m->displacements || !t->requests)
        return -1;
    MPI_Aint bytes[2] = {send->step * send->copies + 1, receive->step * receive->copies + 1};
    if (MPI_Alloc_mem(bytes[0], MPI_INFO_NULL, &m->send) != MPI_SUCCESS ||
        MPI_Alloc_mem(bytes[1], MPI_INFO_NULL, &m->receive) != MPI_SUCCESS)
        return -1;
    memset(m->send, 0, (size_t)bytes[0]);
    memset(m->receive, 0, (size_t)bytes[1]);
    for (int64_t c = 0; c < send->copies; c++)
        imb_fill(&m->exchange, m->send + c * send->step, send->bytes / m->memory.stride);
    t->send = m->send;
    t->receive = m->receive;
    return 0;
}

static void make_neighbours(struct imb_measurer *m)
{
    const struct imb_settings *settings = m->site->settings;
    struct imb_transfer *t = &m->transfer;
    int half = t->size / 2;
    bool any = m->site->benchmark->flags & IMB_ANY_SOURCE ||
               (settings->compat == IMB_30 && m->site->benchmark->kernel == IMB_PINGPONG);
    t->left = (t->rank + t->size - 1) % t->size;
    t->right = (t->rank + 1) % t->size;
    t->peer = t->rank < half ? t->rank + half : t->rank - half;
    t->source = any ? MPI_ANY_SOURCE : t->peer;
}

int imb_measurer_make(struct imb_measurer *m, const struct imb_site *site, struct imb_load *load,
                      int64_t bytes, int64_t repetitions)
{
    const struct imb_settings *s = site->settings;
    const struct imb_benchmark *b = site->benchmark;
    enum imb_type type = imb_type_of(s, b);
    *m = (struct imb_measurer){.site = site, .load = load, .kernel = imb_kernel(b->kernel)};
    m->memory = imb_memory_make(s, b, site->groups.size, bytes, repetitions);
    m->transfer = (struct imb_transfer){.comm = site->comm,
                                        .rank = site->rank,
                                        .size = site->groups.size,
                                        .message = m->memory.items * m->memory.stride,
                                        .second = m->memory.second,
                                        .places = m->memory.places,
                                        .window = (int)s->window_size,
                                        .started = b->flags & IMB_NONBLOCKING ? &m->request : NULL};
    m->exchange = (struct imb_exchange){.benchmark = b,
                                        .type = type,
                                        .rank = site->rank,
                                        .size = site->groups.size,
                                        .items = m->memory.items,
                                        .stride = m->memory.stride,
                                        .blocks_apart = m->memory.places};
    m->checking = s->check && b->class != IMB_SYNC;
    m->waiting = (b->flags & IMB_EACH && s->sync) || m->checking;
    m->moving =
        (s->root_shift && b->flags & IMB_ROOTED) || m->memory.send.copies > 1 || m->memory.receive.copies > 1;
    make_neighbours(m);
    make_type(m, type);
    int failed = allocate(m);
    if (!failed)
        make_counts(m);
    return failed;
}

void imb_measurer_free(struct imb_measurer *m)
{
    if (m->own_type)
        WORLD_CHECK(m->site->world, MPI_Type_free(&m->transfer.type));
    if (m->send)
        WORLD_CHECK(m->site->world, MPI_Free_mem(m->send));
    if (m->receive)
        WORLD_CHECK(m->site->world, MPI_Free_mem(m->receive));
    free(m->counts);
    free(m->displacements);
    free(m->transfer.requests);
}
