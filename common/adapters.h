/* The network adapters of a node: links, PCIe links and error counters, compared between nodes
 * (docs/between-nodes.md). They may explain a slow node; they are never a criterion. */
#ifndef COMMON_ADAPTERS_H
#define COMMON_ADAPTERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/column.h"
#include "common/text.h"

enum { ADAPTERS = 64, ADAPTER_FACTS = 26 };

/* A port of an InfiniBand ("mlx5_0/1") or Slingshot adapter ("cxi0"), or a network interface ("eth0"). */
struct adapter {
    int64_t node;
    char host[COLUMN_HOST_SIZE], name[COLUMN_WORD_SIZE];
    double value[ADAPTER_FACTS]; /* NaN: unknown */
};

/* A row of run.prot: a fact about an adapter that deviates from the other nodes. */
struct adapter_row {
    char host[COLUMN_HOST_SIZE], adapter[COLUMN_WORD_SIZE], property[COLUMN_WORD_SIZE];
    double value, usual; /* of a counter: its rise during the run, and the median node's */
    int64_t order;       /* of the rows; not in the table */
};

/* Reads the first ADAPTERS adapters of this node from `root`/sys ("" except in tests). Skips those without
 * hardware (a link `device`), and files that this process may not read. Returns their number. */
int adapters_read(const char *root, int64_t node, const char *host, struct adapter list[ADAPTERS]);

/* Reads the same adapters again. Properties become the worse of both values, and counters their rise. A
 * counter that went down is unknown. An adapter that is no longer there is down. */
void adapters_read_again(const char *root, struct adapter list[ADAPTERS]);

/* Sorts the adapters of all nodes, and compares those with the same name; "": none. Writes the facts that
 * deviate into `*rows`, to be freed, ordered by node. Returns their number. */
size_t adapters_compare(struct adapter *all, size_t count, struct adapter_row **rows);

/* Adds a line for each of the first `nodes` nodes, and one about the others: "n6: mlx5_0/1 width 2X, the
 * others 4X; 1204 symbol_error during the run". */
void adapters_describe(const struct adapter_row *rows, size_t count, size_t nodes, struct texts *lines);

/* Returns true if the names of a finding, such as "n3-n6", contain the node of a line. */
bool adapters_concern(const char *line, const char *names);

#endif
