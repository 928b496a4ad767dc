/* html: one page of a few runs. Uses page, pictures, folder, load. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/folder.h"
#include "report/load.h"
#include "report/page.h"

/* Reads the pictures that were drawn. NULL with one line. */
static char **read_pictures(const struct drawing *drawing, struct message *error)
{
    char **svg = calloc((size_t)drawing->count + 1, sizeof *svg);
    bool failed = !svg;
    if (failed)
        message_set(error, "out of memory for the plots");
    for (int i = 0; i < drawing->count && !failed; i++)
        if (drawing->picture[i].drawn)
            failed = !(svg[i] = draw_read(drawing, &drawing->picture[i], "svg", error));
    for (int i = 0; i < drawing->count && svg && failed; i++)
        free(svg[i]);
    if (failed)
        free(svg);
    return failed ? NULL : svg;
}

/* Draws what was added, for a page; `without` is set where there is no gnuplot. */
static int draw_pictures(struct page_pictures *pictures, const char **without, struct message *error)
{
    const struct draw_style style = {.format = "svg", .bare = true};
    bool missing = false;
    if (!*without && draw_all(&pictures->drawing, &style, &missing, error) && !missing)
        return -1;
    if (missing)
        *without = "gnuplot is missing";
    pictures->svg = read_pictures(&pictures->drawing, error);
    return pictures->svg ? 0 : -1;
}

static void free_pictures(struct page_pictures *pictures)
{
    for (int i = 0; pictures->svg && i < pictures->drawing.count; i++)
        free(pictures->svg[i]);
    free(pictures->svg);
    draw_close(&pictures->drawing);
}

int html_rank(const struct rank *rank, const struct table *table, struct message *error)
{
    struct page_systems page = {.table = table, .notes = &rank->runs.notes};
    struct drawing *drawing = &page.pictures.drawing;
    int failed = draw_open(drawing, error) || (rank->count && pictures_of_rank(drawing, rank, error)) ||
                 draw_pictures(&page.pictures, &page.without_plots, error);
    if (!failed)
        page_write_systems(&page, stdout);
    free_pictures(&page.pictures);
    return failed ? -1 : 0;
}

/* The plots of one run. */
static int draw(struct page_run *run, struct page *page, struct message *error)
{
    struct drawing *drawing = &run->pictures.drawing;
    return draw_open(drawing, error) || pictures_of_run(drawing, &run->report, error)
               ? -1
               : draw_pictures(&run->pictures, &page->without_plots, error);
}

/* Whole or not at all, and never through a link. */
static int write_page(const struct page *page, const char *path, struct message *error)
{
    const char *slash = strrchr(path, '/');
    char *parent = text_format("%.*s/", slash ? (int)(slash - path) : 1, slash ? path : ".");
    int folder = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct folder_file file;
    int failed = folder < 0 ? message_set(error, "%s can't be written: %s", path, strerror(errno))
                            : folder_start(&file, folder, slash ? slash + 1 : path, error);
    if (!failed) {
        page_write(page, file.out);
        failed = folder_finish(&file, 1, error);
    }
    if (folder >= 0)
        close(folder);
    free(parent);
    return failed;
}

static void free_run(struct page_run *run)
{
    free_pictures(&run->pictures);
    report_free(&run->report);
}

/* The systems of a program's runs, if there are several. */
static int add_rank(struct page *page, const struct report_engine *row, char *const *paths,
                    struct message *error)
{
    char **own = calloc((size_t)page->count, sizeof *own);
    size_t count = 0;
    for (int i = 0; own && i < page->count; i++)
        if (page->run[i].report.row == row)
            own[count++] = paths[i];
    int failed =
        !own ? message_set(error, "out of memory")
        : count < 2 || !row->ranked
            ? 0
            : rank_make(&page->rank[page->rank_count],
                        &(struct report_settings){
                            .runs = {own, count}, .sides = 1, .side = {{count, NULL}}, .allow_invalid = true},
                        error);
    page->rank_count += !failed && count > 1 && row->ranked;
    free(own);
    return failed;
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
    if (add_rank(page, &report_beff, settings->runs.word, error) ||
        add_rank(page, &report_beff_io, settings->runs.word, error))
        return -1;
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
    for (int i = 0; i < page.rank_count; i++)
        rank_free(&page.rank[i]);
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
    "beff_io's of one machine, stand side by side; of several of one program the median and the interval\n"
    "of each system, as by rank. It is laid out for A4 when it is printed.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read, the page can't be written, or gnuplot is missing (the "
    "page is\n"
    "made without plots then).\n";

REPORT_COMMAND(html, "[-o FILE] RUN...", "make one page of a few runs, with everything in it");
