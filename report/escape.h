/* Text from protocols (host names, pattern names, comments) is data: it is made harmless here before it goes
 * into a gnuplot script or a page. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* All make it valid UTF-8 on one line: control characters become blanks; what is not UTF-8, and characters
 * that turn the direction of writing or are not seen, become U+FFFD. */

/* A string of gnuplot: in single quotes, in which it neither expands backquotes and macros nor reads escape
 * sequences. */
void escape_gnuplot(const char *text, FILE *out);

/* A word of a data file that gnuplot reads: in double quotes, which it has none of. */
void escape_data(const char *text, FILE *out);

/* Text or the value of an attribute in quotes, of HTML, SVG and XML. */
void escape_html(const char *text, FILE *out);

/* Writes HTML, printf's way, with %s, which is escaped, %d, and nothing else. */
void html_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
