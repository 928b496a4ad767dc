/* What the keys of a protocol's metadata are (protocols/README.md). Pure. */
#ifndef COMMON_METADATA_H
#define COMMON_METADATA_H

#include <stdbool.h>

#include "common/options.h"

#define METADATA_OPTION "option_" /* what stands before the name of an option */

/* Whether the value is a number, or a word where none is known: of an option by its kind in the program's
 * `options` (NULL: there are none), of another key by itself. Seeds are no quantities: they have up to 64
 * bits, which a reader's floating point would round, and stay text. */
bool metadata_is_number(const char *key, const struct option_table *options);

/* Whether it is an option that is another spelling of one before it: both have one field. */
bool metadata_is_alias(const char *key, const struct option_table *options);

#endif
