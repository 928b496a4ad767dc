/* Validity for comparison: the criteria, each reached or not (docs/definition.md 2.3 to 2.5). Pure. */
#ifndef BEFF_IO_VERDICT_H
#define BEFF_IO_VERDICT_H

#include "beff_io/results.h"

/* Share of each partition's scheduled writing time that must be fulfilled. */
#define IO_VALID_WRITING 0.9

/* Seconds that each partition must be scheduled. */
double io_valid_seconds(int partitions);

/* Adds the criteria to the sheet; the rating must be made. */
void io_add_criteria(struct io_results *results);

#endif
