/* What a run measures: which benchmarks, in which order; their tables, each a benchmark on a number of
 * processes, in groups or not, in one mode; the sizes of a table, the buffers that they need, and how often
 * each is repeated (docs/from-imb.md 2 to 4). */
#ifndef IMB_COMPAT_PLAN_H
#define IMB_COMPAT_PLAN_H

#include <stdio.h>

#include "imb_compat/settings.h"

/* ---- which benchmarks ---- */

extern const struct imb_benchmark imb_benchmarks[]; /* in the order of IMB's default list */
extern const size_t imb_benchmark_count;

/* By name, in any case; NULL if the component has none of that name. */
const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name);

struct imb_selection {
    const struct imb_benchmark **benchmarks; /* for free() */
    size_t count;
    bool by_name; /* the default list has no part in it */
};

/* Names to include, then those of the command line, then those of the input file (`input`: its text, NULL for
 * none), or else the default list; without the excluded ones. 0, or -1 with one line that names the culprit:
 * an unknown name, an input file without names, nothing left. */
int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error);

/* What -list prints: all names, sorted. */
void imb_selection_list(enum imb_component component, FILE *out);

/* ---- which processes take part ---- */

enum { IMB_MAX_COUNTS = 40 };

/* The numbers of processes that a benchmark runs on, of `processes` that were started
 * (docs/from-imb.md 3); none if they are too few for it. */
int imb_process_counts(const struct imb_benchmark *benchmark, const struct imb_settings *settings,
                       int processes, int counts[IMB_MAX_COUNTS]);

/* IMB-MT: the distance between partners. 0 if there are none. */
int imb_stride(const struct imb_settings *settings, int processes);

/* 0, or -1 with a line that says why this map or this stride does not fit the processes. */
int imb_processes_fit(const struct imb_settings *settings, int processes, struct message *error);

/* The number that a process has under the map of P times Q (0: no map), and back (docs/from-imb.md 3). */
int imb_map_number(int rank, int p, int q);
int imb_map_rank(int number, int p, int q);

/* How the processes are shared out for one table. */
struct imb_groups {
    int processes;    /* that were started */
    int size;         /* of a group */
    int count;        /* of groups that run at once */
    int active;       /* processes in them; the others are idle */
    int map_p, map_q; /* 0: no map */
};

/* The process (rank) that has number `i` in group `group`. */
int imb_groups_rank(const struct imb_groups *groups, int group, int i);

/* ---- modes: whether transfers are completed together or each by itself ---- */

enum imb_mode {
    IMB_MODE_NONE,         /* the benchmark has no modes */
    IMB_MODE_AGGREGATE,    /* all repetitions are completed together */
    IMB_MODE_NON_AGGREGATE /* each by itself */
};

/* The modes that a benchmark runs in, in the order of its component; returns how many, at least one. */
enum { IMB_MAX_MODES = 2 };
int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MAX_MODES]);

/* As tables and records name it. */
extern const char *const imb_mode_names[];

/* ---- the list ---- */

struct imb_table {
    const struct imb_settings *settings;
    const struct imb_benchmark *benchmark;
    struct imb_groups groups; /* of size 0: there are too few processes for the benchmark */
    enum imb_mode mode;

    /* Made from the above. */
    enum imb_type type;      /* that is transferred */
    int unit;                /* sizes are multiples of so many bytes */
    enum imb_policy policy;  /* dynamic, multiple_np or off */
    bool started_together;   /* all repetitions are started at once and then waited for */
    bool completed_together; /* all are: no single one then has a time of its own */
};

/* That of a benchmark on groups of `size` of `processes` processes; size 0: they are too few. */
struct imb_table imb_table_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                enum imb_mode mode, int processes, int size);

struct imb_tables {
    struct imb_table *table; /* for free() */
    size_t count;
};

/* All tables in the order of the run. */
void imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                     const struct imb_selection *selection, int processes);

/* ---- message sizes: the series of powers of two, and lists ---- */

struct imb_sizes {
    int64_t *bytes; /* for free() */
    int count;
    bool listed;        /* by the user (IMB-MT, IMB-P2P: always) */
    int64_t max_wanted; /* the largest of a list that was cut to 2^max; 0: none was */
};

/* Sizes that the user listed, by -msgsize or in the text of the -msglen file (`text`, NULL for none),
 * unchanged; an empty list if there are none. IMB-MT, IMB-P2P: those of all their options in turn, or the
 * default ones; of IMB-MT in bytes of all threads of a process. 0, or -1 with one line that names file, line
 * and reason. */
int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error);

/* Sizes of one table: the list, cut to 2^max and rounded up to units, or 0, 2^min, ... 2^max in units
 * (docs/from-imb.md 2); the one size 0 if it transfers nothing, or one unit if that is all it
 * transfers. */
void imb_sizes_make(struct imb_sizes *sizes, const struct imb_table *table, const struct imb_sizes *listed);

/* ---- the message buffers of one process: how large, how many copies ---- */

struct imb_buffer {
    int64_t bytes;  /* what one repetition uses */
    int64_t step;   /* from one copy to the next */
    int64_t copies; /* used in turn, so that a message is out of the cache when its turn comes again */
};

struct imb_memory {
    struct imb_buffer send, receive;
    int64_t items, stride; /* of one message: items, and bytes from one to the next */
    int64_t second;        /* exchanges: where the second message is received */
    int64_t places;        /* windows and files: places where messages are received in turn */
};

/* Returns the buffers for messages of `bytes` bytes. In checked repetitions, messages that would otherwise
 * share a place each get a place of their own (docs/from-imb.md 4). */
struct imb_memory imb_memory_make(const struct imb_table *table, int64_t bytes, int64_t repetitions,
                                  bool checked);

double imb_memory_gib(const struct imb_memory *memory);

/* Whether a buffer has more items than an int can count. */
bool imb_memory_overflows(const struct imb_memory *memory);

/* ---- how often a kernel is repeated ---- */

/* Repetitions of one size, before any time is looked at; `listed`: the sizes are, and the first number then
 * does not limit those of the non-aggregate mode. */
int64_t imb_repetitions(const struct imb_table *table, bool listed, int64_t bytes);

/* Repetitions of the second probe, after one that took `seconds`. */
int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds);

/* At most so many that they keep within `left` seconds, with the warm-up before them; at least one. `first`
 * and `second`: seconds for one repetition as the two probes had it. The quicker one counts: a disturbed
 * probe does not lower the number. */
int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left);

/* Returns the number of checked repetitions that -check puts before `repetitions` timed ones, before any time
 * is looked at. */
int64_t imb_repetitions_checked(int64_t repetitions);

/* Untimed repetitions before the timed ones. */
int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions);

#endif
