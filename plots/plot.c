/* plot: the figures of a run as files. Uses figures, draw, comparison. */
#include <stdlib.h>
#include <string.h>

#include "plots/command.h"
#include "plots/comparison.h"
#include "plots/draw.h"
#include "plots/report.h"

/* Where the plots of a run go: plots/ in its directory, or beside the protocol's file. */
static char *folder_of(const struct report *report)
{
    if (report->directory)
        return text_format("%s/plots", report->directory);
    const char *slash = strrchr(report->path, '/');
    int length = slash ? (int)(slash - report->path) + 1 : 0;
    return text_format("%.*splots", length, report->path);
}

static enum report_status plot_run(const char *path, const struct script_style *style)
{
    struct report report;
    struct figure_list figures = {0};
    struct message error;
    if (report_load(&report, path, &error)) {
        report_say("%s", error.text);
        return REPORT_REFUSED;
    }
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

enum report_status report_plot(const struct report_settings *settings)
{
    const struct script_style style = {.format = (enum script_format)settings->picture,
                                       .mono = settings->mono};
    enum report_status status = REPORT_FINE;
    for (size_t i = 0; i < settings->runs.count; i++) {
        enum report_status plotted = plot_run(settings->runs.word[i], &style);
        status = plotted ? plotted : status;
    }
    return status;
}

int plot_comparison(const struct comparison *c, const char *folder, struct message *error)
{
    const struct script_style style = {.format = SCRIPT_SVG};
    struct figure_list figures;
    int failed = figures_overlay(&figures, c->side[0].runs, (int)c->side[0].count, "before", c->side[1].runs,
                                 (int)c->side[1].count, "after", error);
    failed = failed ? failed : draw_files(&figures, &style, folder, error);
    figures_free(&figures);
    return failed;
}
