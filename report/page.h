/* The page: one HTML file about a few runs, without scripts and without references to other files. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/report.h"

/* Writes HTML or XML. Each %s of the format is a text, which is escaped; there are no other conversions. */
void page_put(FILE *out, const char *format, ...);

/* Writes the head of a page. Its title is the host and the rating of the first of `runs` runs. */
void page_start(const struct report *first, size_t runs, FILE *out);

/* Writes one run: verdict, figures, pictures, tables and metadata. The pictures are the files plots/NAME.svg
 * that beff_plot has drawn. */
void page_run(const struct report *report, FILE *out);

void page_end(FILE *out);

#endif
