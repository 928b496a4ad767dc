/* Implements the command plot, and the option --plots of compare, trend and rank. */
#include <stdlib.h>
#include <string.h>

#include "report/pictures.h"

/* Returns the folder for the plots of a run: plots/ in its directory, or next to its protocol file. The
 * caller must free it. */
static char *folder_of(const struct report *report)
{
    if (report->directory)
        return text_format("%s/plots", report->directory);
    const char *slash = strrchr(report->path, '/');
    int length = slash ? (int)(slash - report->path) + 1 : 0;
    return text_format("%.*splots", length, report->path);
}

/* Draws all pictures into a folder and closes the drawing. Returns the number of plots, or -1 with a message
 * in `error`. */
static int draw_into(struct drawing *drawing, const struct report_settings *settings, const char *folder,
                     struct message *error)
{
    const struct draw_style style = {
        .format = draw_formats[settings->picture], .mono = settings->mono, .column = settings->column};
    int plots = draw_all(drawing, &style, error) ? -1 : draw_save(drawing, &style, folder, error);
    if (plots >= 0 && draw_failed(drawing, error))
        plots = -1;
    draw_close(drawing);
    return plots;
}

static enum report_status plot_run(const char *path, const struct report_settings *settings)
{
    struct report report;
    struct drawing drawing = {0};
    struct message error;
    if (report_open(&report, path, &error)) {
        report_free(&report);
        return report_refuse(&error);
    }
    char *folder = folder_of(&report);
    pictures_of_run(&drawing, &report);
    int plots = draw_into(&drawing, settings, folder, &error);
    finding_clean(folder);
    if (plots < 0)
        report_say("%s: %s", path, error.text);
    else
        printf("%d plot%s in %s/\n", plots, PLURAL(plots), folder);
    free(folder);
    report_free(&report);
    return plots < 0 ? REPORT_REFUSED : REPORT_FINE;
}

static enum report_status plot_command(const struct report_settings *settings)
{
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        enum report_status plotted = plot_run(settings->runs.text[i], settings);
        status = plotted ? plotted : status;
    }
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_CHOICE(picture, draw_formats, "svg, png, pdf or eps"),
                                         REPORT_LOOKS, REPORT_HELP};

static const char notes[] =
    "Draws the plots of each run with gnuplot (5.0 or later) into its folder plots/, next to the scripts\n"
    "that draw them. To change a script, edit a copy under another name, because plot overwrites its own\n"
    "scripts. To draw a plot by hand, run gnuplot -c RUN/plots/rings.gp RUN, which draws\n"
    "RUN/plots/rings.svg from RUN/patterns/.\n"
    "beff has the plots rings, methods, patterns and repetitions. beff_io has partitions and chunks.\n"
    "imb_compat has one plot for each benchmark, drawn from a table in plots/.\n\n"
    "Exit status: 0 all plots were drawn; 2 usage; 3 a run cannot be read, a file cannot be written, or\n"
    "gnuplot is missing or fails.\n";

REPORT_COMMAND(plot, "[--format svg|png|pdf|eps] [--mono] [--column] RUN...",
               "draw the plots of each run into its folder plots/");

/* ---- several runs ---- */

#define PLOT(what)                                                                                           \
    int plot_##what(const struct what *of, const struct report_settings *settings, struct message *error)    \
    {                                                                                                        \
        struct drawing drawing = {0};                                                                        \
        pictures_of_##what(&drawing, of);                                                                    \
        return draw_into(&drawing, settings, settings->plots, error) < 0 ? -1 : 0;                           \
    }
PLOT(comparison)
PLOT(trend)
PLOT(rank)
