/* html: one page of a few runs. Uses page, draw, verify. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/command.h"
#include "plots/draw.h"
#include "plots/page.h"
#include "plots/verify.h"

/* What `verify` finds, but for what is damaged so that it can't be loaded. */
static void check(struct report *report)
{
    verify_protocol(report, &report->findings);
    if (report->directory && report->engine->has_directory) {
        verify_summary(report, &report->findings);
        verify_tables(report, &report->findings);
        verify_json(report, &report->findings);
    }
}

/* The plots of one run. */
static int draw(struct page_run *run, struct page *page, struct message *error)
{
    const struct script_style style = {.format = SCRIPT_SVG, .bare = true};
    if (figures_make(&run->figures, run->report, error))
        return -1;
    run->svg = calloc((size_t)run->figures.count + 1, sizeof *run->svg);
    for (int i = 0; run->svg && i < run->figures.count && !page->without_plots; i++) {
        bool missing = false;
        run->svg[i] = draw_svg(&run->figures.figure[i], &style, &missing, error);
        if (!run->svg[i] && !missing)
            return -1;
        if (missing)
            page->without_plots = "gnuplot is missing";
    }
    return run->svg ? 0 : message_set(error, "out of memory for the plots");
}

/* Writes the page beside its name, then gives it that name: no half a page is left. */
static int write_page(const struct page *page, const char *path, struct message *error)
{
    char *partial = text_format("%s.part", path);
    FILE *out = partial ? fopen(partial, "w") : NULL;
    int failed = out ? page_write(page, out, error)
                     : message_set(error, "%s can't be written: %s", path, strerror(errno));
    if (out && (ferror(out) | fclose(out)) && !failed)
        failed = message_set(error, "%s can't be written: %s", path, strerror(errno));
    if (out && !failed && rename(partial, path))
        failed = message_set(error, "%s can't be written: %s", path, strerror(errno));
    if (out && failed)
        unlink(partial);
    free(partial);
    return failed;
}

static void free_run(struct page_run *run, struct report *report)
{
    for (int i = 0; run->svg && i < run->figures.count; i++)
        free(run->svg[i]);
    free(run->svg);
    figures_free(&run->figures);
    report_free(report);
}

static int make_page(struct page *page, struct page_run *runs, struct report *reports,
                     const struct report_settings *settings, struct message *error)
{
    for (size_t i = 0; i < settings->runs.count; i++) {
        if (report_load(&reports[i], settings->runs.word[i], error))
            return -1;
        runs[i].report = &reports[i];
        page->count = (int)i + 1;
        check(&reports[i]);
        if (draw(&runs[i], page, error))
            return -1;
    }
    return write_page(page, settings->output, error);
}

enum report_status report_html(const struct report_settings *settings)
{
    struct message error;
    struct page_run *runs = calloc(settings->runs.count, sizeof *runs);
    struct report *reports = calloc(settings->runs.count, sizeof *reports);
    struct page page = {.run = runs};
    int failed = runs && reports ? make_page(&page, runs, reports, settings, &error)
                                 : message_set(&error, "out of memory");
    if (failed)
        report_say("%s", error.text);
    else if (page.without_plots)
        report_say("%s has no plots: %s", settings->output, page.without_plots);
    else
        puts(settings->output);
    for (int i = 0; i < page.count; i++)
        free_run(&runs[i], &reports[i]);
    free(runs);
    free(reports);
    return failed || page.without_plots ? REPORT_REFUSED : REPORT_FINE;
}
