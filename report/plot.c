/* plot: the pictures of a run as files; those of compare, trend and rank. Uses pictures, draw. */
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

static struct draw_style style_of(const struct report_settings *settings)
{
    return (struct draw_style){
        .format = draw_formats[settings->picture], .mono = settings->mono, .column = settings->column};
}

static enum report_status plot_run(const char *path, const struct draw_style *style)
{
    struct report report;
    struct drawing drawing;
    struct message error = {"out of memory"};
    bool missing;
    int plots = -1;
    if (report_load(&report, path, &error))
        return report_refuse(&error);
    verify_run(&report);
    char *folder = folder_of(&report);
    if (!draw_open(&drawing, &error) && folder && !pictures_of_run(&drawing, &report, &error) &&
        !draw_all(&drawing, style, &missing, &error))
        plots = draw_save(&drawing, style, folder, &error);
    if (plots < 0)
        report_say("%s: %s", path, error.text);
    else
        printf("%d plots in %s/\n", plots, folder);
    draw_close(&drawing);
    free(folder);
    report_free(&report);
    return plots < 0 ? REPORT_REFUSED : REPORT_FINE;
}

static enum report_status plot_command(const struct report_settings *settings)
{
    const struct draw_style style = style_of(settings);
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        enum report_status plotted = plot_run(settings->runs.word[i], &style);
        status = plotted ? plotted : status;
    }
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_CHOICE(picture, draw_formats, "svg, png, pdf or eps"),
                                         REPORT_LOOKS, REPORT_HELP};

static const char notes[] =
    "Draws the pictures of each run into its folder plots/ with gnuplot (5.0 or later), and leaves the\n"
    "scripts there, to be changed by hand: gnuplot -c RUN/plots/rings.gp RUN draws RUN/plots/rings.svg\n"
    "from RUN/patterns/. beff: rings, methods, patterns, repetitions; beff_io: partitions, chunks;\n"
    "imb_compat: each benchmark, from its table in plots/.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read, a file can't be written, or gnuplot is missing.\n";

REPORT_COMMAND(plot, "[--format svg|png|pdf|eps] [--mono] [--column] RUN...",
               "draw the pictures of each run into its folder plots/");

/* ---- several runs ---- */

/* Draws what was added, if it was, into the folder of the settings. */
static int draw_several(struct drawing *drawing, int failed, const struct report_settings *settings,
                        struct message *error)
{
    const struct draw_style style = style_of(settings);
    bool missing;
    failed = failed || draw_all(drawing, &style, &missing, error) ||
             draw_save(drawing, &style, settings->plots, error) < 0;
    draw_close(drawing);
    return failed ? -1 : 0;
}

#define PLOT(what)                                                                                           \
    int plot_##what(const struct what *of, const struct report_settings *settings, struct message *error)    \
    {                                                                                                        \
        struct drawing drawing;                                                                              \
        int failed = draw_open(&drawing, error) || pictures_of_##what(&drawing, of, error);                  \
        return draw_several(&drawing, failed, settings, error);                                              \
    }
PLOT(comparison)
PLOT(trend)
PLOT(rank)
