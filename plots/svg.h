/* Plots inside of a page. Pure. */
#ifndef PLOTS_SVG_H
#define PLOTS_SVG_H

#include <stdio.h>

#include "common/text.h"

/* Writes gnuplot's SVG so that it can stand in an HTML page: only elements and attributes that draw; names of
 * parts start with `prefix`, so that several plots don't share them; `label` tells people who don't see it
 * what it is. 0, or -1 with one line if there is anything else in it: nothing is to be used then. */
int svg_embed(const char *svg, const char *prefix, const char *label, FILE *out, struct message *error);

#endif
