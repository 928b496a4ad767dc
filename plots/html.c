/* html: one page of a few runs. Uses page, draw, load. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/draw.h"
#include "plots/page.h"
#include "protocols/load.h"

/* The plots of one run. */
static int draw(struct page_run *run, struct page *page, struct message *error)
{
    const struct script_style style = {.format = SCRIPT_SVG, .bare = true};
    if (figures_make(&run->figures, &run->report, error))
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

const struct report_command report_command_html = {
    .name = "html",
    .options = {.program = "beff_report html",
                .synopsis = "[-o FILE] RUN...",
                .purpose = "make one page of a few runs, with everything in it",
                .notes = notes,
                REPORT_ROWS(rows),
                .arguments = &report_runs},
    .run = html_command};
