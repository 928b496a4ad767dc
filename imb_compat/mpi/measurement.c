/* One benchmark, one size, one process: its buffers, types and windows. Uses kernels, io, memory, check. */
#include "imb_compat/mpi/measurement.h"

#include <stdlib.h>
#include <string.h>

#include "imb_compat/mpi/io.h"

void imb_measurer_prepare(const struct imb_measurer *m, int64_t copy)
{
    const struct imb_buffer *receive = &m->memory.receive;
    char *place = m->receive + copy * receive->step;
    memset(place, 0, (size_t)receive->step);
    if (imb_starts_filled(m->site->benchmark))
        imb_fill(&m->exchange, place, m->memory.items);
}

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
    for (int64_t c = 0; c < send->copies; c++)
        imb_fill(&m->exchange, m->send + c * send->step, send->bytes / m->memory.stride);
    for (int64_t c = 0; c < receive->copies; c++)
        imb_measurer_prepare(m, c);
    t->send = m->send;
    t->receive = m->receive;
    return 0;
}

/* The window, and this process's part in the epochs. */
static void make_window(struct imb_measurer *m)
{
    const struct imb_benchmark *b = m->site->benchmark;
    struct imb_transfer *t = &m->transfer;
    bool exposed_send = b->flags & IMB_EXPOSED_SEND, first_release = m->site->settings->compat == IMB_30;
    const struct imb_buffer *exposed = exposed_send ? &m->memory.send : &m->memory.receive;
    struct imb_exchange other = m->exchange;
    t->acts = !(b->flags & IMB_BY_FIRST && t->rank) && !(b->flags & IMB_BY_LAST && t->rank != t->size - 1);
    t->target = b->class == IMB_COLLECTIVE ? 0 : t->peer;
    t->block = b->receive == IMB_PX ? t->rank * m->memory.items : 0;
    other.rank = t->target;
    if (b->flags & IMB_INTEGER)
        imb_fill(&other, (char *)&t->compared, 1);
    m->untimed = imb_target_passive(b) && !t->acts;
    if (!m->untimed) /* release 3.0 had one fence only */
        m->epoch = *imb_epoch_steps(b->epoch == IMB_FENCE_APART && first_release ? IMB_FENCE : b->epoch);
    if (imb_completed_together(b, m->site->mode))
        m->finish = m->epoch.complete;
    else {
        t->begin = m->epoch.begin;
        t->complete = m->epoch.complete;
    }
    if (b->epoch == IMB_NO_EPOCH)
        return;
    WORLD_CHECK(m->site->world,
                MPI_Win_create(exposed_send ? m->send : m->receive, exposed->step * exposed->copies,
                               (int)m->memory.stride, MPI_INFO_NULL, t->comm, &t->win));
    WORLD_CHECK(m->site->world, MPI_Win_set_errhandler(t->win, MPI_ERRORS_RETURN));
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
    if (b->component == IMB_IO) {
        m->io = imb_io_make(site, load, &m->memory, bytes, repetitions, &m->mismatch);
        return m->io ? 0 : -1;
    }
    m->transfer = (struct imb_transfer){.comm = site->comm,
                                        .rank = site->rank,
                                        .size = site->groups.size,
                                        .message = m->memory.items * m->memory.stride,
                                        .second = m->memory.second,
                                        .places = (int)m->memory.places,
                                        .window = (int)s->window_size,
                                        .win = MPI_WIN_NULL,
                                        .started = b->flags & IMB_NONBLOCKING ? &m->request : NULL};
    m->exchange = (struct imb_exchange){
        .benchmark = b,
        .type = type,
        .rank = site->rank,
        .size = site->groups.size,
        .items = b->content == IMB_HOLDS_OWN_ITEM && m->memory.items ? 1 : m->memory.items,
        .stride = m->memory.stride,
        .blocks_apart = (int)m->memory.places};
    m->checking = s->check && b->class != IMB_SYNC && b->epoch == IMB_NO_EPOCH;
    m->waiting = (b->flags & IMB_EACH && s->sync) || m->checking;
    m->moving =
        (s->root_shift && b->flags & IMB_ROOTED) || m->memory.send.copies > 1 || m->memory.receive.copies > 1;
    make_neighbours(m);
    make_type(m, type);
    int failed = allocate(m);
    if (failed)
        return -1;
    make_counts(m);
    make_window(m);
    return 0;
}

void imb_measurer_free(struct imb_measurer *m)
{
    if (m->io) {
        imb_io_free(m->io);
        return;
    }
    if (m->transfer.win != MPI_WIN_NULL)
        WORLD_CHECK(m->site->world, MPI_Win_free(&m->transfer.win));
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
