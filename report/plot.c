/* plot: the pictures of a run as files; those of compare, trend and rank. */
#include <stdlib.h>
#include <string.h>

#include "report/pictures.h"

/* Where the plots of a run go: plots/ in its directory, or next to the protocol's file. */
static char *folder_of(const struct report *report)
{
    if (report->directory)
        return text_format("%s/plots", report->directory);
    const char *slash = strrchr(report->path, '/');
    int length = slash ? (int)(slash - report->path) + 1 : 0;
    return text_format("%.*splots", length, report->path);
}

/* Draws what was added into a folder, and closes the drawing. Returns the number of plots, or -1 with a
 * message in `error`. */
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
    "Draws the plots of each run into its folder plots/ with gnuplot (5.0 or later), next to the scripts\n"
    "that draw them. Edit a copy under another name, as plot overwrites its own. By hand:\n"
    "gnuplot -c RUN/plots/rings.gp RUN draws RUN/plots/rings.svg from RUN/patterns/.\n"
    "beff: rings, methods, patterns, repetitions; beff_io: partitions, chunks;\n"
    "imb_compat: each benchmark, from its table in plots/.\n\n"
    "Exit status: 0; 2 usage; 3 a run cannot be read, a file cannot be written, or gnuplot is missing.\n";

REPORT_COMMAND(plot, "[--format svg|png|pdf|eps] [--mono] [--column] RUN...",
               "plot each run, into its folder plots/");

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
