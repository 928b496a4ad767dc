/* One self-contained HTML page of a few runs. Pure. */
#ifndef PLOTS_PAGE_H
#define PLOTS_PAGE_H

#include <stdio.h>

#include "plots/figures.h"
#include "protocols/report.h"

/* The page's style and script, from page.css and page.js. */
extern const char page_style[], page_script[];

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

#endif
