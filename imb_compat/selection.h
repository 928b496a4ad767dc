/* Which benchmarks run, in which order. Pure. */
#ifndef IMB_COMPAT_SELECTION_H
#define IMB_COMPAT_SELECTION_H

#include <stdio.h>

#include "imb_compat/settings.h"

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

#endif
