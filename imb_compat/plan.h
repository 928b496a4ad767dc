/* Plans a run: selects the benchmarks and divides them into tables. A table covers one benchmark in one mode,
 * with one number of processes and one number of groups. Also determines the message sizes of a table, the
 * message buffers and the number of repetitions (docs/definition-imb.md 2 to 4). */
#ifndef IMB_COMPAT_PLAN_H
#define IMB_COMPAT_PLAN_H

#include <stdio.h>

#include "imb_compat/settings.h"

/* ---- which benchmarks ---- */

extern const struct imb_benchmark imb_benchmarks[]; /* in the order of IMB's default list */
extern const size_t imb_benchmark_count;

/* Returns the benchmark with this name, ignoring case, or NULL if the component has none. */
const struct imb_benchmark *imb_benchmark_find(enum imb_component component, const char *name);

struct imb_selection {
    const struct imb_benchmark **benchmarks; /* freed by the caller */
    size_t count;
    bool by_name; /* the command line or the input file names benchmarks, so the default list is not used */
};

/* Selects the benchmarks: first those of -include, then those of the command line, then those of the input
 * file (`input` is the text of this file, or NULL). If neither the command line nor the input file names any,
 * the default list follows. Removes excluded benchmarks. Returns 0, or -1 with a message if a name is
 * unknown, the input file has no names, or all benchmarks are excluded. */
int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error);

/* Writes the names of all benchmarks of a component, sorted, as -list does. */
void imb_selection_list(enum imb_component component, FILE *out);

/* ---- which processes take part ---- */

enum { IMB_MAX_COUNTS = 40 };

/* Sets `counts` to the numbers of processes on which a benchmark runs if `processes` were started
 * (docs/definition-imb.md 3). Returns the number of counts, or 0 if the benchmark cannot run. */
int imb_process_counts(const struct imb_benchmark *benchmark, const struct imb_settings *settings,
                       int processes, int counts[IMB_MAX_COUNTS]);

/* Returns the distance between partners in IMB-MT, or 0 if there are no partners. */
int imb_stride(const struct imb_settings *settings, int processes);

/* Returns 0, or -1 with a message if -map or -stride does not fit the number of processes. */
int imb_processes_fit(const struct imb_settings *settings, int processes, struct message *error);

/* Convert a rank to its number under the map of P x Q processes, and back (docs/definition-imb.md 3). If P is
 * 0, there is no map. */
int imb_map_number(int rank, int p, int q);
int imb_map_rank(int number, int p, int q);

/* The division of the processes into groups for one table. */
struct imb_groups {
    int processes;    /* number of processes started */
    int size;         /* processes in a group */
    int count;        /* groups that run at the same time */
    int active;       /* processes in all groups; the others are idle */
    int map_p, map_q; /* 0: no map */
};

/* Returns the rank of the process with number `i` in group `group`. */
int imb_groups_rank(const struct imb_groups *groups, int group, int i);

/* ---- modes: transfers are completed together or separately ---- */

enum imb_mode {
    IMB_MODE_NONE,         /* the benchmark has no modes */
    IMB_MODE_AGGREGATE,    /* all repetitions are completed together */
    IMB_MODE_NON_AGGREGATE /* each repetition is completed separately */
};

/* Sets the modes of a benchmark, in the order that its component uses. Returns their number, at least 1. */
enum { IMB_MAX_MODES = 2 };
int imb_modes_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                 enum imb_mode modes[IMB_MAX_MODES]);

/* Names of the modes in tables and records. */
extern const char *const imb_mode_names[];

/* ---- tables ---- */

struct imb_table {
    const struct imb_settings *settings;
    const struct imb_benchmark *benchmark;
    struct imb_groups groups; /* size 0: the benchmark cannot run on this number of processes */
    enum imb_mode mode;

    /* Derived from the members above. */
    enum imb_type type;
    int unit;                /* sizes are multiples of this number of bytes */
    enum imb_policy policy;  /* dynamic, multiple_np or off */
    bool started_together;   /* all repetitions are started before the first wait */
    bool completed_together; /* all repetitions are completed together and cannot be timed separately */
};

/* Returns the table of a benchmark that runs in groups of `size` processes if `processes` were started.
 * `size` is 0 if the benchmark cannot run on this number of processes. */
struct imb_table imb_table_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                enum imb_mode mode, int processes, int size);

struct imb_tables {
    struct imb_table *table; /* freed by the caller */
    size_t count;
};

/* Makes all tables in the order of the run. */
void imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                     const struct imb_selection *selection, int processes);

/* ---- message sizes ---- */

struct imb_sizes {
    int64_t *bytes; /* freed by the caller */
    int count;
    bool listed;        /* the user listed the sizes (IMB-MT, IMB-P2P: always true) */
    int64_t max_wanted; /* the largest listed size that was reduced to 2^max; 0 if none was */
};

/* Reads the sizes that the user listed with -msgsize or in the -msglen file (`text` is the text of this file,
 * or NULL). If the user listed no sizes, the list is empty. In IMB-MT and IMB-P2P, all options that add sizes
 * are applied in the order given; without such options, the list has the default sizes. In IMB-MT, a size
 * counts the bytes of all threads of a process. Returns 0, or -1 with a message that states the file, the
 * line and the reason. */
int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error);

/* Computes the message sizes of one table. Listed sizes are limited to 2^max and rounded up to whole units.
 * If none are listed, the sizes are 0, 2^min, ... 2^max in whole units (docs/definition-imb.md 2). A table of
 * IMB_CLASS_SYNC has only the size 0, and a table of IMB_CLASS_ELEMENT has only the size of one unit. */
void imb_sizes_make(struct imb_sizes *sizes, const struct imb_table *table, const struct imb_sizes *listed);

/* ---- the message buffers of one process ---- */

struct imb_buffer {
    int64_t bytes;  /* size of one copy */
    int64_t step;   /* bytes from one copy to the next */
    int64_t copies; /* copies are used in turn, so that each has left the cache before its next use */
};

struct imb_memory {
    struct imb_buffer send, receive;
    int64_t items, stride; /* items in a message; bytes from one item to the next */
    int64_t second;        /* exchanges: offset of the second message in the receive buffer */
    int64_t places;        /* windows, random partners, files: places in the receive buffer, used in turn */
};

/* Returns the buffers for messages of `bytes` bytes. If the repetitions are `checked`, each message has its
 * own place in the receive buffer, so that no message overwrites another one before it is compared
 * (docs/definition-imb.md 4). */
struct imb_memory imb_memory_make(const struct imb_table *table, int64_t bytes, int64_t repetitions,
                                  bool checked);

double imb_memory_gib(const struct imb_memory *memory);

/* Returns true if the number of items in a buffer exceeds the range of int. */
bool imb_memory_overflows(const struct imb_memory *memory);

/* ---- numbers of repetitions ---- */

/* Returns the number of repetitions of one size, without a time limit. If the user listed the sizes
 * (`listed`), COUNT of -iter does not limit the repetitions of the non-aggregate mode. */
int64_t imb_repetitions(const struct imb_table *table, bool listed, int64_t bytes);

/* Returns the number of repetitions of the second probe, if the first probe took `seconds`. */
int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds);

/* Reduces `repetitions` so that they and their warm-up fit into `left` seconds; returns at least 1. `first`
 * and `second` are the times of one repetition in the two probes, in seconds. The smaller of the two is used,
 * so that a disturbed probe does not reduce the number. */
int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left);

/* Returns the number of checked repetitions for `repetitions` timed ones (-check), without a time limit. */
int64_t imb_repetitions_checked(int64_t repetitions);

/* Returns the number of untimed repetitions before the timed ones. */
int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions);

#endif
