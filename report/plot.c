/* plot: the figures of a run as files. Uses figures, draw, comparison. */
#include <stdlib.h>
#include <string.h>

#include "report/draw.h"
#include "report/figures_runs.h"
#include "report/comparison.h"
#include "report/load.h"

/* Where the plots of a run go: plots/ in its directory, or beside the protocol's file. */
static char *folder_of(const struct report *report)
{
    if (report->directory)
        return text_format("%s/plots", report->directory);
    const char *slash = strrchr(report->path, '/');
    int length = slash ? (int)(slash - report->path) + 1 : 0;
    return text_format("%.*splots", length, report->path);
}

static struct script_style style_of(const struct report_settings *settings)
{
    return (struct script_style){
        .format = (enum script_format)settings->picture, .mono = settings->mono, .column = settings->column};
}

static enum report_status plot_run(const char *path, const struct script_style *style)
{
    struct report report;
    struct figure_list figures = {0};
    struct message error;
    if (report_load(&report, path, &error))
        return report_refuse(&error);
    verify_run(&report);
    char *folder = folder_of(&report);
    int failed = folder ? figures_make(&figures, &report, &error) : message_set(&error, "out of memory");
    failed = failed ? failed : draw_files(&figures, style, folder, &error);
    if (failed)
        report_say("%s: %s", path, error.text);
    else
        printf("%d plots in %s/\n", figures.count, folder);
    figures_free(&figures);
    free(folder);
    report_free(&report);
    return failed ? REPORT_REFUSED : REPORT_FINE;
}

static enum report_status plot_command(const struct report_settings *settings)
{
    const struct script_style style = style_of(settings);
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        enum report_status plotted = plot_run(settings->runs.word[i], &style);
        status = plotted ? plotted : status;
    }
    return status;
}

/* ---- the command ---- */

static const struct option_row rows[] = {REPORT_CHOICE(picture, script_formats, "svg, png, pdf or eps"),
                                         REPORT_LOOKS, REPORT_HELP};

static const char notes[] =
    "Draws the figures of each run into its folder plots/ with gnuplot (5.0 or later), and leaves each "
    "script\n"
    "with its data beside them, NAME.gp: gnuplot NAME.gp > NAME.svg. beff: rings, random polygons, methods,\n"
    "additional patterns, repetitions, nodes; beff_io: chunk sizes and numbers of processes;\n"
    "imb_compat: time and bandwidth of each benchmark.\n\n"
    "Exit status: 0; 2 usage; 3 a run can't be read, a file can't be written, or gnuplot is missing.\n";

REPORT_COMMAND(plot, "[--format svg|png|pdf|eps] [--mono] [--column] RUN...",
               "draw the figures of each run into its folder plots/");

/* ---- several runs ---- */

/* Draws figures, and frees them. */
static int draw_made(struct figure *made, int count, const struct report_settings *settings,
                     struct message *error)
{
    const struct script_style style = style_of(settings);
    const struct figure_list figures = {made, count};
    int failed = 0;
    for (int i = 0; i < count; i++) {
        failed = made[i].failed ? message_set(error, "out of memory for the figures") : failed;
        figure_scale(&made[i]);
    }
    failed = failed ? failed : draw_files(&figures, &style, settings->plots, error);
    for (int i = 0; i < count; i++)
        figure_free(&made[i]);
    return failed;
}

int plot_comparison(const struct comparison *c, const struct report_settings *settings, struct message *error)
{
    const struct script_style style = style_of(settings);
    struct figure_list figures;
    const struct figure_side sides[2] = {{"before", c->side[0].runs, (int)c->side[0].count},
                                         {"after", c->side[1].runs, (int)c->side[1].count}};
    int failed = figures_overlay(&figures, sides, error);
    failed = failed ? failed : draw_files(&figures, &style, settings->plots, error);
    figures_free(&figures);
    struct figure ratios;
    if (failed || !c->count)
        return failed;
    figure_ratios(&ratios, c);
    return draw_made(&ratios, 1, settings, error);
}

int plot_trend(const struct trend *t, const struct report_settings *settings, struct message *error)
{
    struct figure figure;
    figure_trend(&figure, t);
    return draw_made(&figure, 1, settings, error);
}

int plot_rank(const struct rank *rank, const struct report_settings *settings, struct message *error)
{
    struct figure figures[3];
    return draw_made(figures, figures_rank(figures, rank), settings, error);
}
