/* The rating: b_eff_io of types, access methods, partitions and the system, from raw records alone
 * (docs/definition.md 2.3). Pure. */
#ifndef BEFF_IO_RATING_H
#define BEFF_IO_RATING_H

#include "beff_io/record.h"

struct io_partition_rating {
    int64_t processes;
    double type[IO_ACCESSES][IO_TYPES]; /* MB/s; NaN: not measured */
    double access[IO_ACCESSES];         /* NaN: some type was not measured */
    double b_eff_io;                    /* NaN where an access method was not measured in full */
    double release_2_1;
    int64_t bytes[IO_ACCESSES];
    double seconds[IO_ACCESSES]; /* from opening to closing, of all types */
    double open, view, calls, vote, sync, close, excluded;
};

struct io_rating {
    struct io_partition_rating partition[IO_MOST_PARTITIONS];
    int partitions;
    int best; /* the partition with the highest b_eff_io; -1: there is none */
    int best_2_1;
    int64_t errors; /* wrong words, while looking ahead, too */
    int skipped, by_bytes,
        cut; /* patterns: not measured, ended by their share of bytes or a full disk, left a hole */
    int64_t file_bytes; /* of the initial writes of all partitions */
};

/* Records of unknown types or access methods, or a number that can't be, are errors. 0 or -1. */
int io_rating_make(struct io_rating *rating, const struct protocol *protocol, struct message *error);

/* Bandwidth of one pattern; NaN if it was not measured. */
double io_rating_pattern(const struct protocol *protocol, int64_t processes, enum io_access access,
                         int number);

#endif
