/* One self-contained HTML page of a few runs. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/command.h"
#include "report/pictures.h"

struct page_run {
    struct report report;   /* verified, and not valid if it has faults */
    struct texts faults;    /* of verify_faults */
    struct drawing drawing; /* closed by who opened it */
    bool one_of_several;    /* it is called by its directory, too */
};

struct page {
    struct page_run *run;
    int count;
    const char *without_plots; /* why there are none; NULL: there are */
};

void page_write(const struct page *page, FILE *out);

#endif
