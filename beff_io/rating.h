/* Rates a run: computes the bandwidths of types, access methods and partitions, and b_eff_io, from the
 * records (docs/definition-beff_io-2.md 1, 6). */
#ifndef BEFF_IO_RATING_H
#define BEFF_IO_RATING_H

#include "beff_io/record.h"

/* Minimum duration, in seconds, of a measurement that is accurate to 5 %. The error of a shorter measurement
 * may be larger, because a cache or token bucket in front of the storage may hold burst credit for tenths of
 * a second. */
#define IO_TRUSTED_SECONDS 4.0

struct io_partition_rating {
    int64_t processes;
    double type[IO_ACCESSES][IO_TYPES]; /* MB/s; NaN if not measured */
    double access[IO_ACCESSES];         /* MB/s; NaN if a type was not measured */
    double b_eff_io;                    /* MB/s; NaN if an access method was not measured in full */
    double release_2_1;                 /* MB/s, as release 2.1 computes it; NaN if a type was not measured */
};

struct io_rating {
    struct io_partition_rating partition[IO_MAX_PARTITIONS];
    int partitions;
    int best;           /* index of the partition with the highest b_eff_io; -1 if there is none */
    double release_2_1; /* maximum over the partitions in MB/s; NaN if no partition has a value */
    int64_t errors;     /* number of wrong words */
    /* Pattern counts, over all partitions and access methods. */
    int measured;             /* measured patterns that have a slice */
    int skipped;              /* patterns not measured for lack of time, or of space for the first call */
    int by_bytes;             /* initial writes that ended because their share of --max-bytes was used up */
    int by_space;             /* initial writes that ended because the file system was full */
    int by_repeat;            /* initial writes that ended because they reached their repeat factor */
    int by_data;              /* rewrites and reads that ended because they reached the end of their data */
    int brief;                /* patterns that were measured for less than IO_TRUSTED_SECONDS */
    int files[IO_COLDNESSES]; /* files read, by their coldness */
    int unverified;     /* files with an unknown share in memory that are neither direct nor elsewhere */
    int64_t file_bytes; /* bytes of the initial writes of all partitions */
};

/* Rates a run. Fails if a record is inconsistent, or if there are too many partitions. */
int io_rating_make(struct io_rating *rating, const struct protocol *protocol, struct message *error);

/* Returns the size in bytes of a cache in the storage servers that would raise the partition's b_eff_io by
 * the share `raise`; NaN if a part of the run is missing. The model: type 0 counts twice; its initial write
 * fills the cache, which then stays full, and its reads find the newest data in it. */
double io_rating_cache(const struct protocol *protocol, const struct io_partition_rating *rated,
                       double raise);

/* Returns true if options limited the run to selected patterns or access methods. Such a run has no
 * b_eff_io. */
bool io_is_selection(const struct protocol *protocol);

/* Returns the fulfilled share of a partition's scheduled writing time, from 0 to 1
 * (docs/definition-beff_io-2.md 7). `slice` is the scheduled time of one U in seconds. */
double io_rating_fulfilled(const struct protocol *protocol, const struct io_pattern *patterns,
                           int64_t processes, double slice);

/* Returns the bandwidth of one pattern in MB/s; NaN if it was not measured. */
double io_rating_pattern(const struct protocol *protocol, int64_t processes, enum io_access access,
                         int number);

#endif
