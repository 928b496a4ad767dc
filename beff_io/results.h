/* The sheet of beff_io: figures, criteria, tables, from the protocol alone. Pure. */
#ifndef BEFF_IO_RESULTS_H
#define BEFF_IO_RESULTS_H

#include "beff_io/rating.h"
#include "common/sheet.h"

/* Validity for comparison (docs/definition.md 2.3): seconds for each partition, and for each of three or
 * more. */
#define IO_VALID_SECONDS      900.0
#define IO_VALID_SECONDS_MANY 600.0

struct io_results {
    struct io_rating rating;
    struct io_pattern patterns[IO_PATTERNS];
    int64_t processes; /* of the whole run */
    double memory_mib; /* per process */
    double time;       /* T, seconds */
    int partitions;    /* that were to be measured */
    struct sheet sheet;
};

/* Everything that a protocol tells. 0, or -1 with one line. */
int io_results_make(struct io_results *results, const struct protocol *protocol, struct message *error);

/* Adds the tables to the sheet. */
void io_add_tables(struct io_results *results);

/* One table for each pattern type: every pattern's bandwidth by partition and access method. Free it with
 * table_free. */
void io_type_table(const struct io_results *results, enum io_type type, struct table *table);

void io_results_free(struct io_results *results);

#endif
