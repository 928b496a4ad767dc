/* A row of the one table of the benchmarks (benchmarks.def): name, class, columns, buffers, what travels.
 * Lists, help, text, kernels and checks all go by it. */
#ifndef IMB_COMPAT_BENCHMARKS_H
#define IMB_COMPAT_BENCHMARKS_H

/* ---- components: the programs that a user of IMB starts ---- */

enum imb_component { IMB_MPI1, IMB_EXT, IMB_IO, IMB_NBC, IMB_RMA, IMB_MPI4, IMB_MT, IMB_P2P, IMB_COMPONENTS };

/* ---- benchmarks ---- */

enum imb_class {
    IMB_CLASS_ALONE,      /* one process */
    IMB_CLASS_PAIR,       /* two processes */
    IMB_CLASS_ELEMENT,    /* two processes, one item: one row */
    IMB_CLASS_PARALLEL,   /* all at once, point to point */
    IMB_CLASS_RATE,       /* pairs: an even number of processes */
    IMB_CLASS_COLLECTIVE, /* one call by all */
    IMB_CLASS_GRID,       /* neighbours in a grid */
    IMB_CLASS_ONE_TO_ALL, /* the first one puts to or gets from all others */
    IMB_CLASS_SYNC        /* a collective that transfers nothing: one row per number of processes */
};

enum imb_columns {
    IMB_COLUMNS_TIME,
    IMB_COLUMNS_TIMES_RATE,
    IMB_COLUMNS_TIMES,
    IMB_COLUMNS_MESSAGES,
    IMB_COLUMNS_OVERLAP,
    IMB_COLUMNS_PASSIVE,
    IMB_COLUMNS_MEAN, /* the mean time of a message, and rates */
    IMB_COLUMNS_BAND  /* the same, of windows of messages of threads */
};

/* Bytes of a buffer, for messages of X bytes on P processes. */
enum imb_space { IMB_NOTHING, IMB_X, IMB_2X, IMB_4X, IMB_6X, IMB_PX, IMB_PORTION };

/* How one-sided transfers are kept together: what precedes and follows them. From IMB_LOCK on the target has
 * no part in it. */
enum imb_epoch {
    IMB_NO_EPOCH,
    IMB_FENCE,       /* a fence completes */
    IMB_FENCE_APART, /* fences before and after, with nothing before the first and after the last */
    IMB_LOCK,        /* the target is locked; a flush completes */
    IMB_LOCK_LOCAL,  /* ... at the origin alone */
    IMB_LOCK_SIDES,  /* both neighbours are locked */
    IMB_LOCK_ALL,
    IMB_LOCK_ALL_LOCAL,
    IMB_EPOCHS
};

/* What a process must have in its receive buffer afterwards: see check.h. */
enum imb_content {
    IMB_HOLDS_NOTHING,
    IMB_HOLDS_PARTNER,    /* what the other one of the pair sent */
    IMB_HOLDS_LEFT,       /* what the left neighbour sent */
    IMB_HOLDS_NEIGHBOURS, /* two blocks: what the left one sent to its right, and the right one to its left */
    IMB_HOLDS_WINDOW,     /* in each block, what the other one of the pair sent; upper half only, or all */
    IMB_HOLDS_ALL,        /* block r: what process r sent */
    IMB_HOLDS_PARTS,      /* block r: what process r sent to this one */
    IMB_HOLDS_ROOT,       /* what the root sent */
    IMB_HOLDS_ROOT_PART,  /* what the root sent to this one */
    IMB_HOLDS_SUM,        /* the sum over all processes */
    IMB_HOLDS_SUM_PART,   /* this process's block of the sum */
    IMB_HOLDS_OWN_SUM,    /* the sum of its own two operands */
    IMB_HOLDS_OWN_ITEM,   /* its own first item */
    IMB_HOLDS_OTHERS,     /* block r: what process r sent, but none of its own */
    IMB_HOLDS_FETCHED,    /* filled before; the first one then has what the other had, that one the sum */
    IMB_HOLDS_SWAPPED,    /* filled before; each then has what the other had */
    IMB_HOLDS_REPLACED,   /* filled before; then what the left neighbour had */
    IMB_HOLDS_DRAWN       /* in each block, what came from a process that the kernel names */
};

enum {
    IMB_REQUEST = 1 << 0,   /* runs only when it is asked for by its name */
    IMB_REDUCTION = 1 << 1, /* of the type for reductions */
    IMB_ROOTED = 1 << 2,    /* the root may move; the root alone has the result (Bcast: sends) */
    IMB_AT_ROOT = 1 << 3,   /* only the root receives something */
    IMB_EACH = 1 << 4,      /* every call timed by itself, with a barrier in between */
    IMB_NONBLOCKING = 1 << 5,
    IMB_OVERLAPPED = 1 << 6, /* with computation at the same time */
    IMB_ROUND_TRIP = 1 << 7, /* one repetition is there and back: half of its time counts */
    IMB_ANY_SOURCE = 1 << 8,
    IMB_BOTH_WAYS = 1 << 9,
    IMB_HIDDEN = 1 << 10,        /* in no list */
    IMB_HAS_AGGREGATE = 1 << 11, /* has that mode */
    IMB_HAS_NON_AGGREGATE = 1 << 12,
    IMB_FEW = 1 << 13,              /* one mode, with the repetitions of the non-aggregate one */
    IMB_AT_END = 1 << 14,           /* one mode; all repetitions are completed together */
    IMB_BY_FIRST = 1 << 15,         /* only the first process moves data */
    IMB_BY_LAST = 1 << 16,          /* only the last one */
    IMB_AT_LAST = 1 << 17,          /* only the last one receives something */
    IMB_EXPOSED_SEND = 1 << 18,     /* the window is the send buffer */
    IMB_INTEGER = 1 << 19,          /* of MPI_INT */
    IMB_NO_DEFECTS = 1 << 20,       /* IMB's table has no column for them */
    IMB_WRITES = 1 << 21,           /* files: else it reads */
    IMB_PRIVATE = 1 << 22,          /* each process has a file of its own */
    IMB_OWN_POINTER = 1 << 23,      /* ... file pointer of its own; */
    IMB_SHARED_POINTER = 1 << 24,   /* there is one for all; neither: offsets are explicit */
    IMB_FIRST_ANY_SOURCE = 1 << 25, /* release 3.0 received from any source */
    IMB_FIRST_SPLIT = 1 << 26,      /* release 3.0 shared one vector out among the processes */
    IMB_NOT_FIRST = 1 << 27,        /* release 3.0 did not have it */
    IMB_PERSISTENT = 1 << 28 /* nonblocking, with requests that are set up once before the repetitions */
};

struct imb_benchmark {
    enum imb_component component;
    const char *name;
    enum imb_class class;
    enum imb_columns columns;
    enum imb_space send, receive;
    enum imb_content content;
    unsigned flags;
    enum imb_epoch epoch;
    int rate;                 /* MB/s and messages count so many messages of X bytes per repetition; IMB-P2P:
                               * that a process sends in it */
    const char *const *lines; /* lines that lists print below its name, up to a NULL; NULL: none */
};

#endif
