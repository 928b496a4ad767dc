/* Selects the benchmarks of a run (docs/definition-imb.md 1). */
#ifndef IMB_COMPAT_SELECTION_H
#define IMB_COMPAT_SELECTION_H

#include <stdio.h>

#include "imb_compat/settings.h"

struct imb_selection {
    const struct imb_benchmark **benchmarks; /* freed by the caller */
    size_t count;
    size_t requested; /* the first ones, which options or the input file name; the default list follows */
};

/* Selects the benchmarks: first those of -include, then those of the command line, then those of the input
 * file (`input` is the text of this file, or NULL). If neither the command line nor the input file names any,
 * the default list follows. Removes excluded benchmarks. Fails if a name is unknown, the input file has no
 * names, or all benchmarks are excluded. */
int imb_selection_make(struct imb_selection *selection, const struct imb_settings *settings,
                       const char *input, struct message *error);

/* Writes the names of all benchmarks of a component, sorted, as -list does. */
void imb_selection_list(enum imb_component component, FILE *out);

#endif
