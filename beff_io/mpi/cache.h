/* Shows whether reads come from storage or from the memory of the nodes: drops files from memory, and counts
 * the bytes that each node moved (docs/definition-beff_io-2.md 8). */
#ifndef BEFF_IO_MPI_CACHE_H
#define BEFF_IO_MPI_CACHE_H

#include "beff_io/mpi/file.h"

/* Bytes transferred. The members about the node are valid on the process that leads it. */
struct io_cache {
    double moved;      /* bytes that this process transferred, not yet included in node_moved */
    double node_moved; /* bytes that this node transferred */
    double limit;      /* bytes after which reads are cold: twice --cache, or the physical memory */
    double moved_at[IO_MAX_PARTITIONS][IO_TYPES]; /* node_moved at the last write access to each file */
};

/* Evicts other files from the node's cache: writes and reads as many bytes as the node must still move so
 * that the reads of all files are cold. Takes at most IO_EVICT_SHARE of T. Sets t_total. */
void io_cache_evict(struct io_cache *cache, const struct io_job *job, char *area,
                    struct io_measurement *measurement);

/* Returns the seconds that io_cache_evict() will take, judging by a trial with a small file. Collective. */
double io_cache_evict_seconds(const struct io_cache *cache, const struct io_job *job, char *area);

/* After a file was closed: counts the bytes that the node moved. If the command says so, drops the file's
 * pages on every node that may hold them. Collective. */
void io_cache_closed(struct io_cache *cache, const struct io_file *file, const struct io_partition *partition,
                     const struct io_command *command, struct io_measurement *measurement);

#endif
