#include "beff_io/mpi/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/mpi/transfer.h"

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
    io_cache_opened(&r->cache, r->job, c, m);
}

static void perform_close(struct io_runner *r, const struct io_command *c, struct io_measurement *m)
{
    struct io_partition *partition = &r->partitions[c->partition];
    bool own_file = c->type == TYPE_SEPARATED || r->job->comm->rank == 0;
    m->elsewhere = partition->elsewhere && c->type != TYPE_SCATTER && c->type != TYPE_SEG_COLL;
    io_cache_closing(&r->file, c, m);
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
    m.record.t_excluded = fmax(0, MPI_Wtime() - begin - m.record.t_view - m.record.t_total);
    m.stop = ending_signal();
    if (*comm->failure) {
        m.failed_rank = comm->rank + (r->file.failed_remotely ? comm->size : 0);
        message_set(&m.failure, "%s", comm->failure);
    }
    io_reduce(&r->reduction, &partition->group, c, &m);
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
    io_reduction_make(&r->reduction, job->comm);
    for (int i = 0; i < job->task.partition_count; i++)
        io_partition_make(&r->partitions[i], job, i);
    io_cache_start(&r->cache, job);
    size_t size = (size_t)content_area(job->task.mpart); /* a multiple of the page size */
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
    io_reduction_free(&r->reduction, r->job->comm);
    free(r->area);
    comm_activity(r->job->comm, "%s", "");
}
