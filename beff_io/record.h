/* The record of one pattern, or of one type from opening to closing its file: the columns of beff_io's
 * protocol, and the durations of calls that its percentiles come from. */
#ifndef BEFF_IO_RECORD_H
#define BEFF_IO_RECORD_H

#include "beff_io/patterns.h"
#include "common/protocol.h"

/* Name of the pattern in the record of a whole type. */
#define RECORD_TOTAL "total"
/* Why reads of a file are cold, or that they are not (docs/definition.md 2.9). */
#define RECORD_DROPPED   "dropped"
#define RECORD_DIRECT    "direct"
#define RECORD_ELSEWHERE "elsewhere"
#define RECORD_AMOUNTS   "amounts"
#define RECORD_WARM      "warm"

struct io_record {
    int64_t processes;
    char access[COLUMN_TEXT_SIZE];
    int64_t type;
    char pattern[COLUMN_TEXT_SIZE]; /* its number, or RECORD_TOTAL */
    int64_t chunk_disk, chunk_mem, units;
    int64_t calls; /* of each process; of a total: all patterns */
    int64_t bytes; /* of all processes */
    /* Seconds. t_total: slowest process, from the first call to the end of the sync; of a total: opening,
     * setting views, patterns, closing. The others: mean over the processes, waiting for slower ones in
     * t_calls; t_vote: agreeing alone. */
    double t_open, t_calls, t_vote, t_sync, t_close, t_total;
    double bandwidth;   /* bytes / t_total / 1e6, MB/s */
    int64_t errors;     /* 8-byte words that differ */
    double t_view;      /* slowest process */
    double t_excluded;  /* filling and checking data, and the tool's own work: in none of the other times */
    double t_scheduled; /* the slice */
    char ended_by[COLUMN_TEXT_SIZE]; /* once, time, bytes (its share), data (no more), repeat, space, skipped
                                      */
    int64_t offset;                  /* where the pattern starts in the file, or in each segment */
    int64_t planned;                 /* calls that have room in the file; -1: as many as come */
    /* Seconds of one call, over all processes; the process whose calls took longest in all, and its node. */
    double call_median, call_95, call_99, call_max;
    int64_t slowest_rank; /* -1: no calls */
    char slowest_node[COLUMN_TEXT_SIZE];
    /* Of a total of reads: whether the file came from storage. */
    double resident;   /* largest share of it in some node's memory after dropping it; -1: not known */
    double passed;     /* minimum over the nodes: bytes moved since its last write / physical memory */
    int64_t direct;    /* 1: every process read with O_DIRECT, and no page was in memory before; else 0 */
    int64_t elsewhere; /* 1: every process read what a process of another kernel had written; else 0 */
    char cold[COLUMN_TEXT_SIZE]; /* see io_record_coldness(); "" of other records */
};

extern const struct record_type io_record_type;

bool io_record_is_total(const struct io_record *record);

/* Adds a pattern, or the opening or closing of the file, to the total of its type. */
void io_record_add(struct io_record *total, const struct io_record *part);

/* Returns why the reads of a total record are cold (docs/definition.md 2.9): RECORD_DROPPED if at most 1 % of
 * the file is resident, RECORD_DIRECT, RECORD_ELSEWHERE, or RECORD_AMOUNTS if every node moved more than its
 * memory; if they are not, RECORD_WARM. */
const char *io_record_coldness(const struct io_record *record);

/* ---- durations of calls (docs/definition.md 2.12) ---- */

/* Logarithmic bins, 8 per factor of 2, from 2^-30 s, about 1 ns, to 2^16 s, about 18 hours. The first and the
 * last one take what lies beyond. */
enum {
    HISTOGRAM_PER_OCTAVE = 8,
    HISTOGRAM_LOW = -30,
    HISTOGRAM_HIGH = 16,
    HISTOGRAM_BINS = HISTOGRAM_PER_OCTAVE * (HISTOGRAM_HIGH - HISTOGRAM_LOW)
};

/* Bins of several processes are added up; so nothing grows with the number of calls. */
struct histogram {
    int64_t bin[HISTOGRAM_BINS];
};

/* One call that took `seconds`. */
void histogram_add(struct histogram *histogram, double seconds);

/* The duration in seconds that a share (0 to 1) of the calls does not exceed, interpolated within its bin; 0
 * without calls. At most 9 % off, the width of a bin. */
double histogram_quantile(const struct histogram *histogram, double share);

#endif
