/* The sheet of imb_compat: counts, criteria, tables, from the protocol alone. Pure. */
#ifndef IMB_COMPAT_RESULTS_H
#define IMB_COMPAT_RESULTS_H

#include "common/sheet.h"
#include "imb_compat/record.h"

/* One table: a benchmark in a mode on a number of processes, in groups or not. */
struct imb_series {
    char benchmark[COLUMN_TEXT_SIZE], mode[COLUMN_TEXT_SIZE];
    int64_t processes, groups;
    size_t *row; /* numbers of its rows' records */
    int rows;
};

struct imb_results {
    struct sheet sheet;
    struct imb_series all, *series; /* all rows, as they come; and table by table */
    int series_count;
};

/* Everything that follows from a protocol; its result `left_out` (sizes and tables) does not follow from the
 * records. The protocol must live as long as the results. 0, or -1 with one line. */
int imb_results_make(void *results, const struct protocol *protocol, struct message *error);

/* The rows of one series; times in microseconds. */
void imb_series_table(const void *results, int series, struct table *table);

void imb_results_free(void *results);

#endif
