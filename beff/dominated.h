/* Methods that were left out as dominated (docs/definition.md 1.5), from a protocol. Pure. */
#ifndef BEFF_DOMINATED_H
#define BEFF_DOMINATED_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "common/protocol.h"

/* The cells that the lines `dominated = CLASS METHOD BYTES` name: [class][METHODS][BEFF_SIZES], to be freed.
 * A line that names nothing is an error with its number: NULL. */
bool *dominated_read(const struct protocol *protocol, const struct pattern_list *list, struct message *error);

/* Whether the records bear a line out: the method was measured at a smaller size of the class, and was slower
 * there than the best other method at this size with every pattern of the class. */
bool dominated_follows(const struct protocol *protocol, const struct pattern_list *list, int class,
                       int method, int size);

#endif
