/* Methods that were left out as dominated (docs/definition.md 1.5), from a protocol. Pure. */
#ifndef BEFF_DOMINATED_H
#define BEFF_DOMINATED_H

#include <stdbool.h>

#include "beff/patterns.h"
#include "common/protocol.h"

/* The cells that the lines `dominated = CLASS METHOD BYTES` name: [class][METHODS][BEFF_SIZES], to be freed.
 * A line that names nothing is an error with its number: NULL. */
bool *dominated_read(const struct protocol *protocol, const struct pattern_list *list, struct message *error);

/* Whether the records before line number `i` of the metadata, one of these, bear it out: the method's fastest
 * time at a smaller size of the class is more than twice that of the best other one in the pattern that was
 * being measured at this size, and long enough (schedule_dominates). */
bool dominated_follows(const struct protocol *protocol, const struct pattern_list *list, size_t i);

#endif
