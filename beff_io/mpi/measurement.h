/* One order as all processes of the partition carry it out together, and what is known about it afterwards on
 * rank 0. */
#ifndef BEFF_IO_MPI_MEASUREMENT_H
#define BEFF_IO_MPI_MEASUREMENT_H

#include "beff_io/mpi/transfer.h"

/* What an order gave, on one process and, reduced, on all. */
struct io_tally {
    double t_open, t_view, t_calls, t_sync, t_close, parts; /* sums; parts: how many processes */
    double t_vote;                /* what agreeing costs, without waiting for the slower ones */
    double t_total, t_excluded;   /* largest */
    int64_t calls, bytes, errors; /* largest, sum, sum */
    int64_t stop, failed_rank;    /* largest; lowest, -1: nothing failed */
    double cache_left; /* largest share of a file in memory after dropping; -1: not asked or not known */
    char failure[TRANSFER_FAILURE_SIZE];
};

struct io_measurer {
    struct world *world;
    struct transfer transfer;
    struct world group[IO_MOST_PARTITIONS]; /* the processes of each partition */
    int groups;
    bool leads_node;
    MPI_Datatype type;
    MPI_Op combine;
    char doing[160]; /* what is going on, for messages */
};

/* Makes communicators and buffers; 0, or -1 when out of memory on this process. Collective. */
int io_measurer_make(struct io_measurer *measurer, struct world *world, const int64_t *partitions, int count,
                     int64_t mpart);
void io_measurer_free(struct io_measurer *measurer);

/* Whether this process takes part in a partition. */
bool io_measurer_takes_part(const struct io_measurer *measurer, const struct io_order *order);

/* Carries out; by the processes of the partition. The tally of all is complete on rank 0. */
struct io_tally io_measurer_perform(struct io_measurer *measurer, const struct io_order *order);

#endif
