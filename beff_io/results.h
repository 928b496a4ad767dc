/* The sheet of beff_io: figures, criteria, tables, from the protocol alone; and which criteria a run cannot
 * reach. */
#ifndef BEFF_IO_RESULTS_H
#define BEFF_IO_RESULTS_H

#include "beff_io/rating.h"
#include "beff_io/settings.h"
#include "common/sheet.h"

struct io_results {
    struct sheet sheet;
    struct io_rating rating;
    struct io_pattern patterns[IO_PATTERNS];
    int64_t processes;               /* of the whole run */
    double memory_mib;               /* per process */
    double time;                     /* T, seconds */
    int partitions;                  /* that were to be measured */
    const struct io_record **totals; /* the records of totals; ... */
    int total_count;
    const struct io_record **timed; /* ... and those of patterns with a slice that were measured */
    int timed_count;
};

/* The results of a protocol. 0, or -1 with one line. */
int io_results_make(void *results, const struct protocol *protocol, struct message *error);

/* Adds the tables to the sheet. */
void io_add_tables(struct io_results *results);

/* One table for each pattern type: every pattern's bandwidth by partition and access method. */
void io_type_table(const void *results, int type, struct table *table);

void io_results_free(void *results);

/* Which criteria a run as it was started cannot meet, and what would help: printed before it starts, and by
 * --plan (docs/definition.md 2.8). */
struct io_prospect {
    const struct io_settings *settings;
    int partition_count;
    double max_bytes; /* of files */
    double memory;    /* bytes, physical, of all nodes together; 0: not known */
    bool in_memory;   /* the file system lives in memory */
    bool hides_cache; /* it does not show what of a file is in the page cache */
};

/* Adds one line for each criterion that cannot be reached. */
void io_prospect_unreachable(const struct io_prospect *prospect, struct texts *lines);

/* Adds one line for each pattern type that cannot work with so many processes, and one if the file system
 * does not show what is in the page cache. */
void io_prospect_warnings(const struct io_prospect *prospect, const struct io_task *task,
                          struct texts *lines);

/* Mean speed of writing, in MB/s, up to which the bytes suffice for the writing rule. */
double io_prospect_fastest(const struct io_prospect *prospect);

#endif
