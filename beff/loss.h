/* Where the bandwidth goes: compares b_eff with what it would be if no message met another one, which follows
 * from pairs of processes that are measured alone (docs/between-nodes.md). Nothing of this is rated. */
#ifndef BEFF_LOSS_H
#define BEFF_LOSS_H

#include "beff/fabric.h"
#include "beff/results.h"

/* Finds the end points of two nodes whose quiet exchange of the large size takes the median time. Returns
 * false if there is none. */
bool loss_pair(const struct fabric *fabric, int32_t pair[2]);

/* Add b_eff without contention, the cost of contention and the line about both; and the table by_loss. */
void loss_add(struct beff_results *results);
void loss_add_table(struct beff_results *results);

#endif
