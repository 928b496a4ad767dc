#include "beff_io/mpi/reduction.h"

#include <math.h>
#include <string.h>

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
        all->t_excluded = fmax(all->t_excluded, one->t_excluded);
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

void io_reduction_make(struct io_reduction *r, const struct comm *comm)
{
    COMM_CHECK(comm, MPI_Type_contiguous((int)sizeof(struct io_measurement), MPI_BYTE, &r->type));
    COMM_CHECK(comm, MPI_Type_commit(&r->type));
    COMM_CHECK(comm, MPI_Op_create(combine, 1, &r->op));
}

void io_reduction_free(struct io_reduction *r, const struct comm *comm)
{
    COMM_CHECK(comm, MPI_Type_free(&r->type));
    COMM_CHECK(comm, MPI_Op_free(&r->op));
}

void io_reduce(const struct io_reduction *r, struct comm *group, const struct io_command *command,
               struct io_measurement *m)
{
    const struct io_measurement own = *m;
    struct io_record *all = &m->record;
    COMM_CHECK(group, comm_allreduce(group, &own, m, 1, r->type, r->op));
    all->t_open /= group->size;
    all->t_calls /= group->size;
    all->t_sync /= group->size;
    all->t_close /= group->size;
    all->bytes = all->calls * command->place.memory * group->size;
}
