/* Messages under load (docs/under-load.md): some processes, the victims, exchange messages while others, the
 * congestors, load the network. Divides the processes, orders the blocks, paces the batches of a block, and
 * computes the figures from the blocks of a protocol. */
#ifndef BEFF_LOAD_H
#define BEFF_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/histogram.h"
#include "common/inference.h"
#include "common/sheet.h"

/* What the victims do: polygons with 8 B (latency) and 128 KiB (bandwidth), and Allreduce of 8 B. */
enum load_victim { LOAD_LATENCY, LOAD_BANDWIDTH, LOAD_ALLREDUCE, LOAD_VICTIMS };
/* What the congestors do: nothing, incast of 128 KiB, polygons with 1 MiB, all-to-all with 64 KiB. */
enum load_congestor { LOAD_NOTHING, LOAD_INCAST, LOAD_POLYGONS, LOAD_ALLTOALL, LOAD_CONGESTORS };

/* Every combination of a victim and a congestor has LOAD_BLOCKS blocks. */
enum { LOAD_BLOCKS = 8, LOAD_COMBINATIONS = (int)LOAD_VICTIMS * (int)LOAD_CONGESTORS };

/* LOAD_MIN: least number of nodes (with --load-processes: of processes). LOAD_MIN_INCAST: least number of
 * congesting nodes for an incast. LOAD_GROUP: largest number of processes of an incast group. LOAD_LARGEST:
 * largest message in bytes. LOAD_BATCHES: batches per block. LOAD_MANY: iterations of a
 * combination that the 99.9th percentile needs, because a stall may hit all victims at once. */
enum {
    LOAD_MIN = 4,
    LOAD_MIN_INCAST = 3,
    LOAD_GROUP = 32,
    LOAD_LARGEST = 1 << 20,
    LOAD_BATCHES = 50,
    LOAD_MANY = 10000
};

/* Share of a block that does not count, at its start. */
#define LOAD_START 0.2
/* Largest share of T that blocks under load may take. */
#define LOAD_SHARE 0.3

/* The words of these activities in run.prot, NULL last. */
extern const char *const load_victims[], *const load_congestors[];

enum { LOAD_ROLE_VICTIM, LOAD_ROLE_CONGESTOR };
extern const char *const load_roles[];

/* Rows of run.prot: the role of a node, and the durations of the exchanges of a block in seconds. */
struct load_role {
    char host[COLUMN_HOST_SIZE];
    int64_t role;
};
struct load_block {
    int64_t block;                         /* number in the order of measurement, from 1 */
    int64_t victim, congestor;             /* enum load_victim, enum load_congestor */
    int64_t iterations;                    /* of a victim; -1: unknown */
    int64_t exchanges;                     /* of all victims */
    double min, mean, p50, p99, p999, max; /* NaN: unknown; p999: of all blocks of the combination so far */
    int64_t rank;                          /* of the process with the longest exchange */
    char host[COLUMN_HOST_SIZE];           /* its node */
    int64_t errors;                        /* wrong bytes or words */
};

/* Return the bytes of a message. */
int64_t load_victim_bytes(enum load_victim victim);
int64_t load_congestor_bytes(enum load_congestor congestor);

/* Returns the seconds that all blocks take, where each takes `block` seconds. */
double load_seconds(double block);

/* ---- roles ---- */

/* Chooses the victims among `count` nodes or processes by the seed: half of them, rounded up.
 * victim[i] becomes true for a victim. */
void load_divide(uint64_t seed, size_t count, bool *victim);

/* Finds the role of a host in the text of a file with lines `HOST victim|congestor` (beff/groups.h). */
int load_find_role(const char *text, const char *host, bool *victim, struct message *error);

/* ---- order and groups ---- */

/* Returns true if `congestors` processes on `nodes` congesting nodes are enough for this congestor. */
bool load_possible(enum load_congestor congestor, int64_t congestors, int64_t nodes);

/* Draws the order of all blocks: order[i] / LOAD_BLOCKS is the number of the combination, victim *
 * LOAD_CONGESTORS + congestor; order[i] % LOAD_BLOCKS is the number of the block within it. */
void load_order(uint64_t seed, uint32_t order[LOAD_COMBINATIONS * LOAD_BLOCKS]);

/* Finds the neighbours of process `own` of `count` in the polygon of block `block` of a combination. Victims
 * and congestors have different polygons. */
void load_polygon(uint64_t seed, bool victims, int block, size_t count, uint32_t own, uint32_t *left,
                  uint32_t *right);

/* Finds the incast group of process `own` of `count`, in a random order. The groups differ by at most one
 * process. Writes the ranks of the group to `group`, the receiver first, and returns their number. */
int load_group(uint64_t seed, int block, size_t count, uint32_t own, uint32_t group[LOAD_GROUP]);

/* ---- batches ---- */

/* The batches of one block on one process. All processes of a role agree on when to stop and on the
 * iterations of each batch: they reduce `load_vote` by its maximum. The vote that starts with batch n ends
 * before batch n + 2. */
struct load_vote {
    double over;    /* 1 if the time of a process is over */
    double seconds; /* longest duration of the batch before */
};
struct load_pace {
    double length;      /* seconds of the block */
    long iterations[4]; /* of the latest batches, by the number of the batch modulo 4 */
    int batch;          /* number of the next batch, from 0 */
    double elapsed;     /* at the latest vote, in seconds since the start of the block */
};

/* Starts a block with `iterations` in the first batches. */
void load_pace_start(struct load_pace *pace, double length, long iterations);

/* Returns this process's vote at the start of a batch, `elapsed` seconds after the start of the block. */
struct load_vote load_pace_vote(struct load_pace *pace, double elapsed);

/* Returns the iterations of the next batch; 0: the block is over. `agreed` is the result of the vote two
 * batches before; NULL before the third batch. */
long load_pace_next(struct load_pace *pace, const struct load_vote *agreed);

/* ---- results ---- */

/* Durations of the exchanges of a block. */
enum load_value { LOAD_MEAN, LOAD_P50, LOAD_P99, LOAD_P999, LOAD_MAX, LOAD_VALUES };

/* The exchanges of all blocks of a combination so far. */
struct load_pool {
    struct histogram durations;
    int64_t iterations;
};

/* Adds a block. Returns the 99.9th percentile in seconds; NaN if there are too few iterations. */
double load_pool_p999(struct load_pool *pool, const struct histogram *block, int64_t iterations);

struct load_combination {
    const char *victim, *congestor;
    int64_t blocks, iterations, exchanges;
    double middle[LOAD_VALUES];     /* in seconds: medians over the blocks; p99.9 and maximum of all blocks;
                                       NaN: unknown */
    struct ratio mean, p99;         /* loaded / alone; NaN if there is no load or no block */
    char name[2][40], label[2][80]; /* of these two ratios in a sheet */
};

struct load {
    bool measured;  /* there is at least one block */
    bool processes; /* processes were divided instead of nodes */
    int64_t errors; /* wrong bytes or words */
    struct load_combination combination[LOAD_COMBINATIONS];
    double seconds[LOAD_COMBINATIONS][LOAD_VALUES][LOAD_BLOCKS]; /* of each block; NaN: unknown */
    int worst;   /* combination with the largest significant slowdown of the mean; -1: none */
    double most; /* upper end of the highest interval; NaN: no interval */
};

/* Computes the figures from the blocks of a protocol. */
int load_make(struct load *load, const struct protocol *protocol, struct message *error);

/* Adds a note about the worst combination, if there are blocks. */
void load_note(const struct load *load, struct sheet *sheet);

/* Adds values and the table `load` to a sheet, if there are blocks. `load` must outlive the sheet. */
void load_add(struct load *load, struct sheet *sheet);

#endif
