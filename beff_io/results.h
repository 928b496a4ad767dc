/* Makes the rating sheet of beff_io from a protocol: figures, criteria of the verdict, notes and tables.
 * Before a run starts, lists the criteria that it cannot meet. */
#ifndef BEFF_IO_RESULTS_H
#define BEFF_IO_RESULTS_H

#include "beff_io/rating.h"
#include "beff_io/settings.h"
#include "common/sheet.h"

struct io_results {
    struct sheet sheet;
    struct io_rating rating;
    int64_t processes;               /* processes of the whole run */
    double memory_mib;               /* memory per process in MiB */
    double time;                     /* T in seconds */
    struct io_task task;             /* the patterns and the planned partitions */
    const struct io_record **totals; /* the total records */
    int total_count;
    const struct io_record **timed; /* the records of measured patterns that have a slice */
    int timed_count;
};

/* Computes the results of a run (`results`: struct io_results) from its protocol, which must outlive them.
 * Call io_results_free() in either case. */
int io_results_make(void *results, const struct protocol *protocol, struct message *error);

/* Checks that the totals follow from the patterns (docs/definition-beff_io-2.md 6): equal sums of bytes,
 * calls and wrong words, and at least the patterns' time. */
int io_verify(const void *results, struct message *error);

/* Adds the tables to the sheet. */
void io_add_tables(struct io_results *results);

/* Describes the table of one pattern type: the bandwidth of each pattern by partition and access method. */
void io_type_table(const void *results, int type, struct table *table);

void io_results_free(void *results);

/* Facts that are known before a run starts and that decide which criteria it can meet
 * (docs/definition-beff_io-2.md 7). */
struct io_prospect {
    const struct io_settings *settings;
    const struct io_task *task;
    double memory;    /* physical memory of all nodes together in bytes; 0: unknown */
    bool in_memory;   /* the file system is in memory, such as tmpfs */
    bool hides_cache; /* for files on the file system, mincore does not show which pages are in memory */
};

/* Adds a line for each criterion that cannot be met, with a remedy. */
void io_prospect_unreachable(const struct io_prospect *prospect, struct texts *lines);

/* Adds a warning for each pattern type that is too slow with this number of processes, and a warning if the
 * file system does not show which pages are in memory. */
void io_prospect_warnings(const struct io_prospect *prospect, struct texts *lines);

/* Returns the highest mean write bandwidth in MB/s at which max_bytes is sufficient to meet the writing rule
 * (docs/definition-beff_io-2.md 7). */
double io_prospect_fastest(const struct io_prospect *prospect);

#endif
