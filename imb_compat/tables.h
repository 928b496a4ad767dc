/* Divides a run into tables. A table covers one benchmark in one mode, with one number of processes and one
 * number of groups (docs/definition-imb.md 3). */
#ifndef IMB_COMPAT_TABLES_H
#define IMB_COMPAT_TABLES_H

#include "imb_compat/selection.h"

/* ---- which processes take part ---- */

enum { IMB_MAX_COUNTS = 40 };

/* Sets `counts` to the numbers of processes on which a benchmark runs if `processes` were started
 * (docs/definition-imb.md 3). Returns the number of counts, or 0 if the benchmark cannot run. */
int imb_process_counts(const struct imb_benchmark *benchmark, const struct imb_settings *settings,
                       int processes, int counts[IMB_MAX_COUNTS]);

/* Returns the distance between partners in IMB-MT, or 0 if there are no partners. */
int imb_stride(const struct imb_settings *settings, int processes);

/* Checks that -map and -stride fit the number of processes. */
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
    bool requested; /* not only in the default list */

    /* Derived from the members above. */
    enum imb_type type;
    int64_t unit;            /* sizes are multiples of this number of bytes */
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

#endif
