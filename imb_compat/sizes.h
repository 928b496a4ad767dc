/* Determines the message sizes of a table (docs/definition-imb.md 2). */
#ifndef IMB_COMPAT_SIZES_H
#define IMB_COMPAT_SIZES_H

#include "imb_compat/tables.h"

struct imb_sizes {
    int64_t *bytes; /* freed by the caller */
    int count;
    bool listed;        /* the user listed the sizes (IMB-MT, IMB-P2P: always true) */
    int64_t max_wanted; /* the largest listed size that was reduced to 2^max; 0 if none was */
};

/* Reads the sizes that the user listed with -msgsize or in the -msglen file (`text` is the text of this file,
 * or NULL). If the user listed no sizes, the list is empty. In IMB-MT and IMB-P2P, all options that add sizes
 * are applied in the order given; without such options, the list has the default sizes. In IMB-MT, a size
 * counts the bytes of all threads of a process. */
int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error);

/* Computes the message sizes of one table. Listed sizes are limited to 2^max and rounded up to whole units.
 * If none are listed, the sizes are 0, 2^min, ... 2^max in whole units (docs/definition-imb.md 2). A table of
 * IMB_CLASS_UNSIZED has only the size 0, and a table of IMB_CLASS_ELEMENT has only the size of one unit. */
void imb_sizes_make(struct imb_sizes *sizes, const struct imb_table *table, const struct imb_sizes *listed);

/* Rounds a size up to whole units. */
static inline int64_t imb_round_up(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

#endif
