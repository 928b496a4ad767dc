/* The rating: b_eff_io of types, access methods, partitions and the system, from raw records alone
 * (docs/definition.md 2.1, 2.7). */
#ifndef BEFF_IO_RATING_H
#define BEFF_IO_RATING_H

#include "beff_io/record.h"

/* Figures of shorter measurements may be off by more than 5 %: a cache or token bucket in front of the
 * storage may hold credit for tenths of a second. */
#define IO_TRUSTED_SECONDS 4.0

struct io_partition_rating {
    int64_t processes;
    double type[IO_ACCESSES][IO_TYPES]; /* MB/s; NaN: not measured */
    double access[IO_ACCESSES];         /* NaN: some type was not measured */
    double b_eff_io;                    /* NaN where an access method was not measured in full */
    double release_2_1;
};

struct io_rating {
    struct io_partition_rating partition[IO_MAX_PARTITIONS];
    int partitions;
    int best;           /* the partition with the highest b_eff_io; -1: there is none */
    double release_2_1; /* the highest of the partitions; NaN: there is none */
    int64_t errors;     /* wrong words */
    /* Patterns of any access method. */
    int measured;  /* with a time slice */
    int skipped;   /* not measured: for want of time, or the file system was full */
    int by_bytes;  /* initial writes that ended by their share of --max-bytes, ... */
    int by_space;  /* ... by a full file system, ... */
    int by_repeat; /* ... by their repeat factor */
    int by_data;   /* rewrites and reads that had no more data */
    int brief;     /* measured for less than IO_TRUSTED_SECONDS */
    /* Files that were read, by io_record_coldness(); and those that were not dropped, or for which residence
     * is not known. */
    int dropped, direct, elsewhere, by_amounts, warm, unverified;
    int64_t file_bytes; /* of the initial writes of all partitions */
};

/* Records of unknown types or access methods, or a number that cannot be, are errors. 0 or -1. */
int io_rating_make(struct io_rating *rating, const struct protocol *protocol, struct message *error);

/* Whether options selected a part of the run: there is no b_eff_io then. */
bool io_is_selection(const struct protocol *protocol);

/* Share of the scheduled writing time of a partition that was fulfilled, from 0 to 1
 * (docs/definition.md 2.8). `slice`: scheduled seconds of one U. */
double io_rating_fulfilled(const struct protocol *protocol, const struct io_pattern *patterns,
                           int64_t processes, double slice);

/* Bandwidth of one pattern; NaN if it was not measured. */
double io_rating_pattern(const struct protocol *protocol, int64_t processes, enum io_access access,
                         int number);

#endif
