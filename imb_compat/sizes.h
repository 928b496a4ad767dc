/* Message sizes: the series of powers of two, and lists. Pure. */
#ifndef IMB_COMPAT_SIZES_H
#define IMB_COMPAT_SIZES_H

#include "imb_compat/settings.h"

struct imb_sizes {
    int64_t *bytes;
    int count;
    bool listed;         /* by -msgsize or -msglen */
    int64_t most_wanted; /* the largest of a list that was cut to 2^max; 0: none was */
};

/* Sizes that the user listed, by -msgsize or in the text of the -msglen file (`text`, NULL for none), as they
 * stand there; an empty list if there are none. 0, or -1 with one line that names file, line and reason. */
int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error);

/* Sizes for one benchmark, whose type has `unit` bytes: the list, cut to 2^max and rounded up to units, or
 * 0, 2^min, ... 2^max in units (docs/definition.md 3.2); the one size 0 if it transfers nothing, or
 * one unit if that is all it transfers. 0, or -1 when out of
 * memory. */
int imb_sizes_make(struct imb_sizes *sizes, const struct imb_settings *settings,
                   const struct imb_sizes *listed, const struct imb_benchmark *benchmark, int unit);

void imb_sizes_free(struct imb_sizes *sizes);

#endif
