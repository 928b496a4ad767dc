/* Writes a self-contained HTML page that shows a few runs. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/command.h"
#include "report/pictures.h"

struct page_run {
    struct report report;
    struct texts faults; /* see verify_faults() */
    struct drawing drawing;
    bool one_of_several; /* the page has several runs: headings name the directory */
};

struct page {
    struct page_run *run;
    int count;
    const char *without_plots; /* reason why the page has no plots; NULL if it has plots */
};

void page_write(const struct page *page, FILE *out);

#endif
