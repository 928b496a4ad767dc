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

/* The columns, which protocols/run.schema.json describes. Times are in seconds. */
struct io_record {
    int64_t processes;
    char access[COLUMN_WORD_SIZE];
    int64_t type;
    char pattern[COLUMN_WORD_SIZE]; /* number of the pattern, or RECORD_TOTAL */
    int64_t chunk_disk, chunk_mem, units, calls, bytes;
    double t_open, t_calls, t_vote, t_sync, t_close, t_total, bandwidth;
    int64_t errors;
    double t_view, t_scheduled;
    char ended_by[COLUMN_WORD_SIZE];
    int64_t offset, planned;
    double call_median, call_95, call_99, call_max;
    int64_t slowest_rank;
    char slowest_node[COLUMN_HOST_SIZE];
    /* In the total of a read */
    double resident, passed;
    int64_t direct, elsewhere;
    char cold[COLUMN_WORD_SIZE]; /* io_coldness_words; "" in all other records */
};

extern const struct record_type io_record_type;

/* Returns the bandwidth of a struct io_record in MB/s; 0 if it took no time. */
double io_record_bandwidth(const void *record);

/* Returns true if the record is the total of a type. */
bool io_record_is_total(const struct io_record *record);

/* Adds a pattern, or the opening or closing of the file, to the total of its type. */
void io_record_add(struct io_record *total, const struct io_record *part);

/* Returns the coldness of a total record: the first reason that holds. */
enum io_coldness io_record_coldness(const struct io_record *record);

#endif
