/* One self-contained HTML page of a few runs. Pure. */
#ifndef PLOTS_PAGE_H
#define PLOTS_PAGE_H

#include <stdio.h>

#include "plots/figures.h"
#include "protocols/report.h"

/* The page's style and script, from page.css and page.js. */
extern const char page_style[], page_script[];

struct page_run {
    const struct report *report; /* checked: its findings are what `verify` finds */
    struct figure_list figures;
    char **svg; /* of each figure; NULL: could not be drawn */
};

struct page {
    const struct page_run *run;
    int count;
    const char *without_plots; /* why there are none; NULL: there are */
};

void page_write(const struct page *page, FILE *out);

/* ---- parts ---- */

/* Writes HTML, printf's way, with %s, which is escaped, %d, and nothing else. */
void page_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "beff on vm, 2 processes, 2026-11-21 12:34": what a run is called. */
void page_name(const struct page_run *run, FILE *out);

void page_ratings(const struct page *page, FILE *out);
void page_verdicts(const struct page *page, FILE *out);
void page_environment(const struct page *page, FILE *out);
void page_tables(const struct page *page, FILE *out);
void page_recompute(const struct page *page, FILE *out);

#endif
