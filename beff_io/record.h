/* The records. A record describes one pattern, or one type from opening its file to closing it. */
#ifndef BEFF_IO_RECORD_H
#define BEFF_IO_RECORD_H

#include "beff_io/patterns.h"
#include "common/protocol.h"

/* Value of the column `pattern` in the record of a whole type (its total). */
#define RECORD_TOTAL "total"

/* The reason why the reads of a file are cold, or that they are not (docs/definition-beff_io-2.md 8). */
enum io_coldness { COLD_DROPPED, COLD_DIRECT, COLD_ELSEWHERE, COLD_AMOUNTS, COLD_WARM, IO_COLDNESSES };
extern const char *const io_coldness_words[IO_COLDNESSES]; /* values of the column `cold` */

struct io_record {
    int64_t processes;
    char access[COLUMN_WORD_SIZE];
    int64_t type;
    char pattern[COLUMN_WORD_SIZE];       /* number of the pattern, or RECORD_TOTAL */
    int64_t chunk_disk, chunk_mem, units; /* l and L in bytes, U */
    int64_t calls; /* calls of each process; in the total of a type, the sum over its patterns */
    int64_t bytes; /* bytes of all processes */
    /* Times in seconds. t_total is the time of the slowest process, from the first call to the end of the
     * sync; in a total, it covers opening, setting views, patterns and closing. The other times are means
     * over the processes, except t_vote, which is the time of the votes without waiting for slower processes.
     * t_calls includes the time spent waiting. */
    double t_open, t_calls, t_vote, t_sync, t_close, t_total;
    double bandwidth;                /* bytes / t_total / 1e6, MB/s */
    int64_t errors;                  /* number of wrong 8-byte words */
    double t_view;                   /* time to set the view, on the slowest process */
    double t_scheduled;              /* the slice */
    char ended_by[COLUMN_WORD_SIZE]; /* once, time, bytes (share of --max-bytes used up), data (nothing left
                                        to rewrite or read), repeat, space or skipped */
    int64_t offset;                  /* start of the pattern in the file, or in each segment, in bytes */
    int64_t planned;                 /* number of calls that fit into the file; -1: no limit */
    /* Percentiles and maximum of the durations of single calls in seconds, over all processes. */
    double call_median, call_95, call_99, call_max;
    int64_t slowest_rank; /* rank with the largest total time of its calls; -1 if there were no calls */
    char slowest_node[COLUMN_HOST_SIZE]; /* node of that rank */
    /* In the total of a read: figures that show whether the data came from storage or from memory. */
    double resident; /* share of the file in memory after dropping it, maximum over the nodes; -1: unknown */
    double passed;   /* bytes moved since the file's last write / memory or twice --cache, minimum over the
                        nodes */
    int64_t direct;  /* 1 if all reads used O_DIRECT and no page was in memory before them; else 0 */
    int64_t elsewhere;           /* 1 if every process read data written under another kernel; else 0 */
    char cold[COLUMN_WORD_SIZE]; /* io_coldness_words; "" in all other records */
};

extern const struct record_type io_record_type;

/* Returns the bandwidth of a struct io_record in MB/s; 0 if it took no time. */
double io_record_bandwidth(const void *record);

/* Returns true if the record is the total of a type. */
bool io_record_is_total(const struct io_record *record);

/* Adds a pattern, or the opening or closing of the file, to the total of its type. */
void io_record_add(struct io_record *total, const struct io_record *part);

/* Returns the coldness of a total record: COLD_DROPPED if at most 1 % of the file is resident, COLD_DIRECT,
 * COLD_ELSEWHERE, COLD_AMOUNTS if every node transferred more data than its memory holds, or COLD_WARM. */
enum io_coldness io_record_coldness(const struct io_record *record);

#endif
