#include "beff_io/mpi/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beff_io/mpi/transfer.h"
#include "beff_io/storage.h"

/* ---- combining the measurements of all processes ---- */

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct io_measurement *from = in;
    struct io_measurement *to = inout;
    for (int i = 0; i < *length; i++, from++, to++) {
        struct io_record *all = &to->record;
        const struct io_record *one = &from->record;
        all->t_open += one->t_open;
        all->t_view = fmax(all->t_view, one->t_view);
        all->t_calls += one->t_calls;
        all->t_vote = fmax(all->t_vote, one->t_vote);
        all->t_sync += one->t_sync;
        all->t_close += one->t_close;
        all->t_total = fmax(all->t_total, one->t_total);
        all->calls = one->calls < all->calls ? one->calls : all->calls;
        all->errors += one->errors;
        histogram_merge(&to->durations, &from->durations);
        to->moving += from->moving;
        to->moving_nodes += from->moving_nodes;
        to->passed = fmin(to->passed, from->passed);
        to->resident_before = fmax(to->resident_before, from->resident_before);
        to->resident_after = fmax(to->resident_after, from->resident_after);
        to->full = to->full || from->full;
        to->direct = to->direct || from->direct;
        to->buffered = to->buffered || from->buffered;
        to->stop = from->stop > to->stop ? from->stop : to->stop;
        if (from->slowest > to->slowest) {
            to->slowest = from->slowest;
            all->slowest_rank = one->slowest_rank;
            memcpy(all->slowest_node, one->slowest_node, sizeof all->slowest_node);
        }
        if (from->failed_rank >= 0 && (to->failed_rank < 0 || from->failed_rank < to->failed_rank)) {
            to->failed_rank = from->failed_rank;
            to->failure = from->failure;
        }
    }
}

/* Combines the measurements of all processes of a partition; all of them get the result. Collective. */
static void reduce(const struct io_runner *r, struct comm *group, const struct io_command *command,
                   struct io_measurement *m)
{
    const struct io_measurement own = *m;
    struct io_record *all = &m->record;
    COMM_CHECK(group, comm_allreduce(group, &own, m, 1, r->type, r->combine));
    all->t_open /= group->size;
    all->t_calls /= group->size;
    all->t_sync /= group->size;
    all->t_close /= group->size;
    all->bytes = all->calls * command->place.memory * group->size;
}

/* ---- commands ---- */

static void describe(const struct io_runner *r, const struct io_command *c)
{
    static const char *const doing[IO_ACCESSES] = {"writing", "rewriting", "reading"};
    struct comm *comm = r->job->comm;
    const char *verb = doing[c->access], *name = io_type_names[c->type];
    int processes = r->partitions[c->partition].group.size;
    if (c->action == IO_PATTERN)
        comm_activity(comm, "%s pattern %d (%s, %" PRId64 " B), %d process%s", verb, c->pattern, name,
                      c->place.disk, processes, TEXT_ES(processes));
    else if (c->action == IO_EVICT)
        comm_activity(comm, "evicting caches, %d process%s", processes, TEXT_ES(processes));
    else
        comm_activity(comm, "%s %s type %d (%s), %d process%s",
                      c->action == IO_OPEN ? "opening the file for" : "closing the file after", verb,
                      (int)c->type, name, processes, TEXT_ES(processes));
}

static void perform_open(struct io_runner *r, const struct io_command *c, struct io_measurement *m)
{
    const struct io_partition *partition = &r->partitions[c->partition];
    int64_t on_node = 0; /* number of processes that transfer data; valid on rank 0 of the node */
    double start = MPI_Wtime();
    io_file_open(&r->file, partition, c);
    m->record.t_open = m->record.t_total = MPI_Wtime() - start;
    m->moving = r->file.share > 0;
    COMM_CHECK(r->job->comm,
               MPI_Reduce(&m->moving, &on_node, 1, MPI_INT64_T, MPI_SUM, 0, partition->on_node));
    m->moving_nodes = on_node > 0;
    if (r->job->machine->leads_node)
        m->passed = (r->cache.node_moved - r->cache.moved_at[c->partition][c->type]) / r->cache.limit;
}

static void perform_close(struct io_runner *r, const struct io_command *c, struct io_measurement *m)
{
    struct io_partition *partition = &r->partitions[c->partition];
    bool own_file = c->type == TYPE_SEPARATED || r->job->comm->rank == 0;
    m->elsewhere = partition->elsewhere && c->type != TYPE_SCATTER && c->type != TYPE_SEG_COLL;
    int direct = c->access == ACCESS_READ ? storage_is_direct(r->file.path) : -1;
    m->direct = direct == 1;
    m->buffered = direct == 0;
    double start = MPI_Wtime();
    io_file_close(&r->file);
    m->record.t_close = m->record.t_total = MPI_Wtime() - start;
    if (c->access == ACCESS_WRITE && own_file)
        io_file_check_size(&r->file, c->end);
    io_partition_barrier(partition, r->job->comm);
    io_cache_closed(&r->cache, &r->file, partition, c, m);
    if (c->remove && own_file && !r->job->settings->keep)
        io_file_remove(r->job, c->partition, c->type, partition->group.rank);
}

struct io_measurement io_runner_perform(struct io_runner *r, const struct io_command *c)
{
    struct io_measurement m = {
        .passed = INFINITY, .resident_before = -1, .resident_after = -1, .failed_rank = -1};
    struct comm *comm = r->job->comm;
    struct io_partition *partition = &r->partitions[c->partition];
    struct io_transfer transfer = {
        .job = r->job, .file = &r->file, .partition = partition, .command = c, .area = r->area};
    describe(r, c);
    double begin = MPI_Wtime();
    io_partition_barrier(partition, comm);
    if (c->action == IO_OPEN)
        perform_open(r, c, &m);
    else if (c->action == IO_PATTERN)
        io_transfer_measure(&transfer, begin, &m);
    else if (c->action == IO_CLOSE)
        perform_close(r, c, &m);
    else
        io_cache_evict(&r->cache, r->job, r->area, &m);
    r->cache.moved += (double)(m.record.calls * c->place.memory) * r->file.share;
    m.stop = ending_signal();
    if (*comm->failure) {
        m.failed_rank = comm->rank + (r->file.failed_remotely ? comm->size : 0);
        message_set(&m.failure, "%s", comm->failure);
    }
    reduce(r, &partition->group, c, &m);
    if (m.record.errors)
        io_transfer_print_errors(&transfer);
    free(transfer.error);
    ending_forgive(); /* all processes now know of any failure */
    return m;
}

/* ---- making ---- */

enum { PAGE = 4096 };

int io_runner_make(struct io_runner *r, const struct io_job *job)
{
    r->job = r->file.job = job;
    COMM_CHECK(job->comm, MPI_Type_contiguous((int)sizeof(struct io_measurement), MPI_BYTE, &r->type));
    COMM_CHECK(job->comm, MPI_Type_commit(&r->type));
    COMM_CHECK(job->comm, MPI_Op_create(combine, 1, &r->combine));
    for (int i = 0; i < job->task.partition_count; i++)
        io_partition_make(&r->partitions[i], job, i);
    r->cache.limit = job->settings->cache ? IO_CACHE_FACTOR * (double)job->settings->cache
                                          : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    size_t size = (size_t)(content_area(job->task.mpart) + CONTENT_AREA); /* a multiple of the page size */
    r->area = aligned_alloc(PAGE, size);
    if (r->area)
        memset(r->area, 0, size); /* touches all pages now, so that no measurement includes page faults */
    return r->area ? 0 : -1;
}

void io_runner_free(struct io_runner *r)
{
    if (!r->job)
        return;
    for (int i = 0; i < r->job->task.partition_count; i++)
        io_partition_free(&r->partitions[i], r->job->comm);
    COMM_CHECK(r->job->comm, MPI_Type_free(&r->type));
    COMM_CHECK(r->job->comm, MPI_Op_free(&r->combine));
    free(r->area);
    comm_activity(r->job->comm, "%s", "");
}
