/* One self-contained HTML page of a few runs. Pure. */
#ifndef PLOTS_PAGE_H
#define PLOTS_PAGE_H

#include <stdio.h>

#include "report/figures.h"
#include "report/report.h"

struct page_run {
    struct report report; /* verified: its findings are those of verify_run */
    struct figure_list figures;
    char **svg; /* of each figure; NULL: could not be drawn */
};

struct page {
    struct page_run *run;
    int count;
    const char *without_plots; /* why there are none; NULL: there are */
};

void page_write(const struct page *page, FILE *out);

/* A page of several systems. */
struct page_systems {
    const struct table *table;
    const struct texts *notes;
    struct figure *figure;
    char **svg; /* of each figure */
    int count;
    const char *without_plots; /* as above */
};

void page_write_systems(const struct page_systems *page, FILE *out);

/* ---- its parts that page_keys.c has ---- */

/* "beff on vm, 2 processes, 2026-11-21 12:34": what a run is called. */
void page_put_name(const struct page_run *run, FILE *out);

/* Metadata and settings of all runs, a column each. */
void page_put_environment(const struct page *page, FILE *out);

#endif
