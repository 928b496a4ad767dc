/* The sheet of beff_io: figures, criteria, tables, from the protocol alone. Pure. */
#ifndef BEFF_IO_RESULTS_H
#define BEFF_IO_RESULTS_H

#include "beff_io/rating.h"
#include "common/sheet.h"

struct io_results {
    struct sheet sheet;
    struct io_rating rating;
    struct io_pattern patterns[IO_PATTERNS];
    int64_t processes; /* of the whole run */
    double memory_mib; /* per process */
    double time;       /* T, seconds */
    int partitions;    /* that were to be measured */
    size_t *totals;    /* numbers of the records of totals; ... */
    int total_count;
    size_t *timed; /* ... and of those of patterns with a slice that were measured */
    int timed_count;
};

/* Everything that a protocol tells. 0, or -1 with one line. */
int io_results_make(void *results, const struct protocol *protocol, struct message *error);

/* Adds the tables to the sheet. 0, or -1 with one line. */
int io_add_tables(struct io_results *results, struct message *error);

/* One table for each pattern type: every pattern's bandwidth by partition and access method. */
int io_type_tables(const void *results);
void io_type_table(const void *results, int type, struct table *table);

void io_results_free(void *results);

#endif
