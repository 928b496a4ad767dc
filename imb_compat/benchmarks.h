/* Columns of the benchmark table (benchmarks.def). The lists, the plan, the output, the kernels and the
 * checks all use this table. */
#ifndef IMB_COMPAT_BENCHMARKS_H
#define IMB_COMPAT_BENCHMARKS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- components: the programs that a user of IMB starts ---- */

enum imb_component {
    IMB_MPI1,
    IMB_EXT,
    IMB_IO,
    IMB_NBC,
    IMB_RMA,
    IMB_MPI4,
    IMB_MT,
    IMB_P2P,
    IMB_MPI1_GPU, /* the benchmarks of IMB_MPI1 */
    IMB_RMA_GPU,  /* the benchmarks of IMB_RMA, except those of single elements */
    IMB_COMPONENTS
};

/* ---- benchmarks ---- */

enum imb_class {
    IMB_CLASS_ALONE,      /* one process */
    IMB_CLASS_PAIR,       /* two processes */
    IMB_CLASS_ELEMENT,    /* two processes, messages of one item: the table has one row */
    IMB_CLASS_PARALLEL,   /* all processes at once, point to point */
    IMB_CLASS_RATE,       /* pairs: an even number of processes */
    IMB_CLASS_COLLECTIVE, /* one call on all processes */
    IMB_CLASS_GRID,       /* neighbours in a grid */
    IMB_CLASS_ONE_TO_ALL, /* rank 0 puts to or gets from all other processes */
    IMB_CLASS_UNSIZED     /* all processes, no sizes: one row for each number of processes */
};

enum imb_columns {
    IMB_COLUMNS_TIME,
    IMB_COLUMNS_TIMES_RATE,
    IMB_COLUMNS_TIMES,
    IMB_COLUMNS_MESSAGES,
    IMB_COLUMNS_OVERLAP,
    IMB_COLUMNS_PASSIVE,
    IMB_COLUMNS_MEAN, /* mean time of a message, and rates */
    IMB_COLUMNS_BAND  /* like IMB_COLUMNS_MEAN, for the windows of IMB-MT's threads */
};

/* Size of a buffer, for messages of X bytes on P processes. */
enum imb_space { IMB_NOTHING, IMB_X, IMB_2X, IMB_4X, IMB_6X, IMB_PX, IMB_PORTION };

/* Synchronisation of one-sided transfers; imb_epoch_steps has its calls. */
enum imb_epoch {
    IMB_NO_EPOCH,
    IMB_FENCE,       /* a fence completes the transfers */
    IMB_FENCE_APART, /* fences before (MPI_MODE_NOPRECEDE) and after (MPI_MODE_NOSUCCEED) the transfers */
    IMB_LOCK,        /* the target is locked; a flush completes the transfers */
    IMB_LOCK_LOCAL,  /* the target is locked; a flush completes the transfers at the origin only */
    IMB_LOCK_SIDES,  /* both neighbours are locked */
    IMB_LOCK_ALL,
    IMB_LOCK_ALL_LOCAL,
    IMB_EPOCHS
};

/* Expected content of the receive buffer after a repetition, for imb_check(). The "partner" is the other
 * process of the pair. */
enum imb_content {
    IMB_HOLDS_NOTHING,
    IMB_HOLDS_PARTNER,    /* the partner's message */
    IMB_HOLDS_LEFT,       /* the left neighbour's message */
    IMB_HOLDS_NEIGHBOURS, /* two blocks: messages of the left neighbour and of the right neighbour */
    IMB_HOLDS_WINDOW,     /* each block: the partner's message (lower ranks: only if IMB_BOTH_WAYS) */
    IMB_HOLDS_ALL,        /* block r: the message of process r */
    IMB_HOLDS_PARTS,      /* block r: the part of process r's buffer that is sent to this process */
    IMB_HOLDS_ROOT,       /* the root's message */
    IMB_HOLDS_ROOT_PART,  /* the part of the root's buffer that is sent to this process */
    IMB_HOLDS_SUM,        /* the sum over all processes */
    IMB_HOLDS_SUM_PART,   /* this process's block of the sum */
    IMB_HOLDS_OWN_SUM,    /* the sum of the process's own two operands */
    IMB_HOLDS_OWN_ITEM,   /* the process's own first item */
    IMB_HOLDS_OTHERS,     /* block r: the message of process r; the process's own block stays empty */
    IMB_HOLDS_FETCHED,    /* filled beforehand; then rank 0 has rank 1's items, and rank 1 has the sum */
    IMB_HOLDS_SWAPPED,    /* filled beforehand; then each process has the partner's item */
    IMB_HOLDS_REPLACED,   /* filled beforehand; then each process has the left neighbour's items */
    IMB_HOLDS_DRAWN       /* each block: a message whose sender the kernel has recorded */
};

/* What a benchmark is, grouped by what the flags describe. */
enum {
    /* Lists. */
    IMB_BY_NAME_ONLY = 1 << 0, /* not in the default list */
    IMB_HIDDEN = 1 << 1,       /* not printed by -list, not in the default list */

    /* Data. */
    IMB_REDUCTION = 1 << 2, /* uses -red_data_type instead of -data_type */
    IMB_INTEGER = 1 << 3,   /* always uses MPI_INT */

    /* Calls. */
    IMB_NONBLOCKING = 1 << 4,
    IMB_PERSISTENT = 1 << 5, /* nonblocking, with requests that are set up once before the repetitions */
    IMB_OVERLAPPED = 1 << 6, /* computes during the transfers */
    IMB_ANY_SOURCE = 1 << 7,
    IMB_ROOTED = 1 << 8, /* has a root, which -root_shift moves */

    /* Processes that move and receive data; all of them unless stated. */
    IMB_BOTH_WAYS = 1 << 9,     /* windows of messages: both processes of a pair send */
    IMB_BY_FIRST = 1 << 10,     /* only rank 0 moves data */
    IMB_BY_LAST = 1 << 11,      /* only the last process moves data */
    IMB_AT_ROOT = 1 << 12,      /* only the root receives data */
    IMB_AT_LAST = 1 << 13,      /* only the last process receives data */
    IMB_EXPOSED_SEND = 1 << 14, /* the window is the send buffer */

    /* Repetitions and their time. */
    IMB_EACH = 1 << 15,       /* every call is timed separately, with a barrier between calls */
    IMB_ROUND_TRIP = 1 << 16, /* a repetition is a round trip: the table shows half of its time */
    IMB_HAS_AGGREGATE = 1 << 17,
    IMB_HAS_NON_AGGREGATE = 1 << 18,
    IMB_FEW = 1 << 19,        /* no modes; same number of repetitions as in non-aggregate mode */
    IMB_AT_END = 1 << 20,     /* no modes; all repetitions are completed together */
    IMB_NO_DEFECTS = 1 << 21, /* IMB's table has no column for wrong bytes */

    /* Files (IMB-IO); with neither pointer, explicit offsets. */
    IMB_WRITES = 1 << 22,         /* writes; without this flag the benchmark reads */
    IMB_PRIVATE = 1 << 23,        /* each process has its own file */
    IMB_OWN_POINTER = 1 << 24,    /* each process has its own file pointer */
    IMB_SHARED_POINTER = 1 << 25, /* one shared file pointer */

    /* Release 3.0. */
    IMB_NOT_IN_30 = 1 << 26,     /* did not have this benchmark */
    IMB_ANY_SOURCE_30 = 1 << 27, /* received from any source */
    IMB_SPLIT_30 = 1 << 28,      /* divided one vector among the processes */
};

struct imb_benchmark {
    enum imb_component component; /* see imb_benchmark_in() */
    const char *name;
    enum imb_class class;
    enum imb_columns columns;
    enum imb_space send, receive;
    enum imb_content content;
    unsigned flags;
    enum imb_epoch epoch;
    int rate;                 /* number of messages per repetition, for bandwidth and message rate; IMB-P2P:
                               * number of messages that a process sends per repetition */
    const char *const *lines; /* description printed below the name, ends with NULL; or NULL: none */
};

extern const struct imb_benchmark imb_benchmarks[]; /* in the order of IMB's default list */
extern const size_t imb_benchmark_count;

/* Returns true if the component has the benchmark. */
bool imb_benchmark_in(const struct imb_benchmark *benchmark, enum imb_component component);

/* Returns the benchmark with this name, ignoring case, or NULL if the component has none. */
const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name);

#endif
