/* One self-contained HTML page of a few runs. Pure. */
#ifndef PLOTS_PAGE_H
#define PLOTS_PAGE_H

#include <stdio.h>

#include "report/command.h"
#include "report/pictures.h"

struct page_pictures {
    struct drawing drawing;
    char **svg; /* of each picture; NULL: not drawn */
};

struct page_run {
    struct report report; /* verified: its findings are those of verify_run */
    struct page_pictures pictures;
};

enum { PAGE_PROGRAMS = 2 };

struct page {
    struct page_run *run;
    int count;
    struct rank rank[PAGE_PROGRAMS]; /* of each rated program of which there are several runs */
    int rank_count;
    const char *without_plots; /* why there are none; NULL: there are */
};

void page_write(const struct page *page, FILE *out);

/* A page of several systems. */
struct page_systems {
    const struct table *table;
    const struct texts *notes;
    struct page_pictures pictures;
    const char *without_plots; /* as above */
};

void page_write_systems(const struct page_systems *page, FILE *out);

/* See report_pictures. */
int plot_comparison(const struct comparison *comparison, const struct report_settings *settings,
                    struct message *error);
int plot_trend(const struct trend *trend, const struct report_settings *settings, struct message *error);
int plot_rank(const struct rank *rank, const struct report_settings *settings, struct message *error);
int html_rank(const struct rank *rank, const struct table *table, struct message *error);

extern const struct report_command report_command_plot, report_command_html;

/* ---- its parts that page_keys.c has ---- */

/* "beff on vm, 2 processes, 2026-11-21 12:34": what a run is called. */
void page_put_name(const struct page_run *run, FILE *out);

/* Metadata and settings of all runs, a column each. */
void page_put_environment(const struct page *page, FILE *out);

#endif
