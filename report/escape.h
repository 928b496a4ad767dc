/* Escapes text from protocols (host names, pattern names, comments), so that it stays data in gnuplot scripts
 * and pages. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* All functions write valid UTF-8 on one line: control characters become spaces; invalid UTF-8, and
 * characters that are invisible or change the writing direction, become U+FFFD. */

/* Writes a string constant for gnuplot, in single quotes. gnuplot expands no backquotes, macros or escape
 * sequences in it. */
void escape_gnuplot(const char *text, FILE *out);

/* Writes a word of a gnuplot data file, in double quotes. In the text, double quotes become single quotes,
 * and backslashes are doubled. */
void escape_data(const char *text, FILE *out);

/* Writes text, or the value of a quoted attribute, for HTML, SVG and XML. */
void escape_html(const char *text, FILE *out);

/* Writes HTML, formatted like printf. Supports only %s, which is escaped, and %d. */
void html_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
