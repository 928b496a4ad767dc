/* html: one page of a few runs. Uses page, draw, load. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/draw.h"
#include "report/figures_runs.h"
#include "report/page.h"
#include "report/load.h"

/* Draws figures for a page, `svg` has room for all; `without` is set where there is no gnuplot. */
static int draw_all(const struct figure *figures, int count, char **svg, const char **without,
                    struct message *error)
{
    const struct script_style style = {.format = SCRIPT_SVG, .bare = true};
    for (int i = 0; i < count && !*without; i++) {
        bool missing = false;
        svg[i] = draw_svg(&figures[i], &style, &missing, error);
        if (!svg[i] && !missing)
            return -1;
        if (missing)
            *without = "gnuplot is missing";
    }
    return 0;
}

int html_rank(const struct rank *rank, const struct table *table, struct message *error)
{
    struct figure figures[3];
    char *svg[3] = {NULL};
    struct page_systems page = {table, &rank->runs.notes, figures, svg, 0, NULL};
    page.count = rank->count ? figures_rank(figures, rank) : 0;
    for (int i = 0; i < page.count; i++)
        figure_scale(&figures[i]);
    int failed = draw_all(figures, page.count, svg, &page.without_plots, error);
    if (!failed)
        page_write_systems(&page, stdout);
    for (int i = 0; i < page.count; i++) {
        free(svg[i]);
        figure_free(&figures[i]);
    }
    return failed;
}

/* The plots of one run. */
static int draw(struct page_run *run, struct page *page, struct message *error)
{
    if (figures_make(&run->figures, &run->report, error))
        return -1;
    run->svg = calloc((size_t)run->figures.count + 1, sizeof *run->svg);
    return run->svg ? draw_all(run->figures.figure, run->figures.count, run->svg, &page->without_plots, error)
                    : message_set(error, "out of memory for the plots");
}

/* Writes the page beside its name, then gives it that name: no half a page is left. */
static int write_page(const struct page *page, const char *path, struct message *error)
{
    char *partial = text_format("%s.part", path);
    FILE *out = partial ? fopen(partial, "w") : NULL;
    if (out)
        page_write(page, out);
    int failed = !out || ferror(out) | fclose(out) || rename(partial, path)
                     ? message_set(error, "%s can't be written: %s", path, strerror(errno))
                     : 0;
    if (out && failed)
        unlink(partial);
    free(partial);
    return failed;
}

static void free_run(struct page_run *run)
{
    for (int i = 0; run->svg && i < run->figures.count; i++)
        free(run->svg[i]);
    free(run->svg);
    figures_free(&run->figures);
    report_free(&run->report);
}

static int make_page(struct page *page, const struct report_settings *settings, struct message *error)
{
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct page_run *run = &page->run[i];
        if (report_load(&run->report, settings->runs.word[i], error))
            return -1;
        page->count++;
        verify_run(&run->report);
        if (draw(run, page, error))
            return -1;
    }
    return write_page(page, settings->output, error);
}

static enum report_status html_command(const struct report_settings *settings)
{
    struct message error = {"out of memory"};
    struct page page = {.run = calloc(settings->runs.count, sizeof *page.run)};
    int failed = page.run ? make_page(&page, settings, &error) : -1;
    if (failed)
        report_say("%s", error.text);
    else if (page.without_plots)
        report_say("%s has no plots: %s", settings->output, page.without_plots);
    else
        puts(settings->output);
    for (int i = 0; i < page.count; i++)
        free_run(&page.run[i]);
    free(page.run);
    return failed || page.without_plots ? REPORT_REFUSED : REPORT_FINE;
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    {"o", OPTION_TEXT, REPORT_FIELD(output), "FILE", "the page to write, default page.html"}, REPORT_HELP};

static const char notes[] =
    "One file that needs no network and no other file: rating sheets with verdicts and reasons, plots (by\n"
    "gnuplot, 5.0 or later), all tables, how to compute the numbers again, environment. A run whose files\n"
    "state what does not follow from its records is not called VALID. Several runs, such as beff's and\n"
    "beff_io's of one machine, stand side by side. It is laid out for A4 when it is printed.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read, the page can't be written, or gnuplot is missing (the "
    "page is\n"
    "made without plots then).\n";

REPORT_COMMAND(html, "[-o FILE] RUN...", "make one page of a few runs, with everything in it");
