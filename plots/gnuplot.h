/* Calls gnuplot, without a shell. Pure (POSIX processes). */
#ifndef PLOTS_GNUPLOT_H
#define PLOTS_GNUPLOT_H

#include <stdio.h>

#include "common/text.h"

enum gnuplot_status {
    GNUPLOT_OK = 0,
    GNUPLOT_MISSING, /* there is none in PATH */
    GNUPLOT_FAILED   /* it refused the script, or did not draw anything */
};

/* Draws a script to `out` (an empty file: its standard output). `script` is read from its start. The user's
 * own settings (gnuplotrc) are not read. The error is one line. */
enum gnuplot_status gnuplot_draw(FILE *script, FILE *out, struct message *error);

#endif
