/* A figure as a gnuplot script (5.0 or later) that holds its data and draws to standard output. Pure. */
#ifndef PLOTS_SCRIPT_H
#define PLOTS_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/figure.h"

enum script_format { SCRIPT_SVG, SCRIPT_PNG, SCRIPT_PDF, SCRIPT_EPS, SCRIPT_FORMATS };

/* "svg", "png", ...: the format's name and the end of its files' names; NULL at the end. */
extern const char *const script_formats[SCRIPT_FORMATS + 1];

struct script_style {
    enum script_format format;
    bool mono;   /* black and grey */
    bool bare;   /* without title and subtitle: they stand elsewhere */
    bool column; /* for a column of 8.5 cm: bare, panels below one another */
};

/* Writes the script. The figure must be scaled. */
void script_write(const struct figure *figure, const struct script_style *style, FILE *out);

#endif
