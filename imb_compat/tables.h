/* Which benchmarks run, in which order; and their tables: each a benchmark on a number of processes, in
 * groups or not, in one mode. Pure. */
#ifndef IMB_COMPAT_TABLES_H
#define IMB_COMPAT_TABLES_H

#include <stdio.h>

#include "imb_compat/settings.h"

/* ---- which benchmarks ---- */

struct imb_selection {
    const struct imb_benchmark **benchmarks;
    size_t count;
    bool by_name; /* the default list has no part in it */
};

/* Names to include, then those of the command line, then those of the input file (`input`: its text, NULL for
 * none), or else the default list; without the excluded ones. 0, or -1 with one line that names the culprit:
 * an unknown name, an input file without names, nothing left. */
int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error);
void imb_selection_free(struct imb_selection *selection);

/* What -list prints: all names, sorted. */
void imb_selection_list(enum imb_component component, FILE *out);

/* ---- which processes take part ---- */

enum { IMB_MAX_COUNTS = 40 };

/* The numbers of processes that a benchmark runs on, of `processes` that were started
 * (docs/from-imb.md 3); none if they are too few for it. */
int imb_process_counts(const struct imb_benchmark *benchmark, int processes, int64_t npmin,
                       int counts[IMB_MAX_COUNTS]);

/* 0, or -1 with a line that says why this map does not fit the processes. */
int imb_map_fits(const struct imb_settings *settings, int processes, struct message *error);

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

struct imb_groups imb_groups_make(const struct imb_settings *settings, int processes, int size);

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

/* Whether all repetitions are completed together: no single one then has a time of its own. */
bool imb_completed_together(const struct imb_benchmark *benchmark, enum imb_mode mode);

/* As tables and records name it; NULL if it has no name. */
extern const char *const imb_mode_names[];

/* ---- the list ---- */

struct imb_table {
    const struct imb_settings *settings;
    const struct imb_benchmark *benchmark;
    struct imb_groups groups; /* of size 0: there are too few processes for the benchmark */
    enum imb_mode mode;
};

struct imb_tables {
    struct imb_table *table;
    size_t count;
};

/* All tables in the order of the run. 0, or -1 when out of memory. */
int imb_tables_make(struct imb_tables *tables, const struct imb_settings *settings,
                    const struct imb_selection *selection, int processes);
void imb_tables_free(struct imb_tables *tables);

#endif
