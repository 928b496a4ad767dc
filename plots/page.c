/* The page: what comes where; its parts are in page_parts.c. All text of protocols goes through page_put,
 * which escapes it. Uses escape. */
#include "plots/page.h"

#include <stdarg.h>
#include <string.h>

#include "common/version.h"
#include "plots/escape.h"

void page_put(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *c = format; *c; c++) {
        if (*c != '%')
            fputc(*c, out);
        else if (*++c == 's')
            escape_html(va_arg(arguments, const char *), out);
        else if (*c == 'd')
            fprintf(out, "%d", va_arg(arguments, int));
    }
    va_end(arguments);
}

void page_name(const struct page_run *run, FILE *out)
{
    const char *processes = report_meta(run->report, "processes"),
               *started = report_meta(run->report, "started");
    char date[11], minute[6];
    snprintf(date, sizeof date, "%s", started);
    snprintf(minute, sizeof minute, "%s", strlen(started) > sizeof date ? started + sizeof date : "");
    page_put(out, "%s on %s, %s process%s, %s %s", run->report->engine->program,
             report_meta(run->report, "host"), processes, strcmp(processes, "1") == 0 ? "" : "es", date,
             minute);
}

/* ---- plots ---- */

/* A picture as an image: what is in it can neither run nor load anything. */
static void put_image(const char *svg, const char *label, FILE *out)
{
    page_put(out, "<img class=\"plot\" alt=\"%s\" src=\"data:image/svg+xml,", label);
    for (; *svg; svg++) {
        bool plain = *svg >= ' ' && *svg < 127 && !strchr("\"#%&<>", *svg);
        fprintf(out, plain ? "%c" : "%%%02X", (unsigned char)*svg);
    }
    fputs("\">\n", out);
}

static void put_plots(const struct page *page, FILE *out)
{
    if (page->without_plots)
        page_put(out, "<p>There are no plots: %s.</p>\n", page->without_plots);
    for (int r = 0; r < page->count && !page->without_plots; r++) {
        const struct page_run *run = &page->run[r];
        fputs("<h3>", out);
        page_name(run, out);
        page_put(out, "</h3>\n<p class=\"note\">%s</p>\n<div class=\"plots\">\n",
                 run->figures.count ? run->figures.figure[0].subtitle
                                    : "Nothing was measured that could be drawn.");
        for (int i = 0; i < run->figures.count; i++) {
            const struct figure *figure = &run->figures.figure[i];
            page_put(out, "<figure>\n<figcaption>%s", figure->title);
            if (*figure->note)
                page_put(out, "<span>%s</span>", figure->note);
            fputs("</figcaption>\n", out);
            put_image(run->svg[i], figure->title, out);
            fputs("</figure>\n", out);
        }
        fputs("</div>\n", out);
    }
}

/* ---- head ---- */

/* Hosts of all runs, each once. */
static void put_hosts(const struct page *page, FILE *out)
{
    for (int i = 0; i < page->count; i++) {
        const char *host = report_meta(page->run[i].report, "host");
        int before = 0;
        while (before < i && strcmp(report_meta(page->run[before].report, "host"), host) != 0)
            before++;
        if (before == i)
            page_put(out, "%s%s", i ? ", " : "", host);
    }
}

static const struct section {
    const char *id, *title;
    void (*put)(const struct page *page, FILE *out);
} sections[] = {{"rating", "Rating sheet", page_ratings},
                {"verdict", "Verdict and reasons", page_verdicts},
                {"environment", "Environment", page_environment},
                {"plots", "Plots", put_plots},
                {"tables", "Tables", page_tables},
                {"recompute", "How to recompute", page_recompute}};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static void put_head(const struct page *page, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n",
          out);
    page_put(out, "<meta name=\"generator\" content=\"beff_report %s (commit %s)\">\n<title>Rating of ",
             version_number, version_commit);
    put_hosts(page, out);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>Rating of ", page_style);
    put_hosts(page, out);
    fputs("</h1>\n<p class=\"lead\">", out);
    for (int i = 0; i < page->count; i++) {
        fputs(i ? "; " : "", out);
        page_name(&page->run[i], out);
    }
    fputs("</p>\n<nav aria-label=\"Sections\"><ul>\n", out);
    for (int i = 0; i < SECTIONS; i++)
        page_put(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
    fputs("</ul></nav>\n</header>\n<main>\n", out);
}

/* ---- all ---- */

void page_write(const struct page *page, FILE *out)
{
    put_head(page, out);
    for (int i = 0; i < SECTIONS; i++) {
        page_put(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                 sections[i].id, sections[i].id, sections[i].id, sections[i].title);
        sections[i].put(page, out);
        fputs("</section>\n", out);
    }
    page_put(out,
             "</main>\n<footer><p class=\"note\">Made by beff_report %s (commit %s) from the protocols "
             "alone.</p></footer>\n",
             version_number, version_commit);
    fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", page_script);
}
