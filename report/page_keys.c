/* The page's names of runs, and its tables of their metadata. Uses metadata, escape. */
#include "report/page.h"

#include <string.h>

#include "report/escape.h"

void page_put_name(const struct page_run *run, FILE *out)
{
    const char *processes = report_meta(&run->report, "processes"),
               *started = report_meta(&run->report, "started"),
               *component = report_meta(&run->report, "component"); /* of imb_compat */
    char date[11], minute[6];
    snprintf(date, sizeof date, "%s", started);
    snprintf(minute, sizeof minute, "%s", strlen(started) > sizeof date ? started + sizeof date : "");
    html_put(out, "%s%s%s on %s, %s process%s, %s %s", run->report.engine->program, *component ? " " : "",
             component, report_meta(&run->report, "host"), processes, strcmp(processes, "1") == 0 ? "" : "es",
             date, minute);
}

/* Among the first `lines`. */
static int count_key(const struct report *report, const char *key, size_t lines)
{
    int count = 0;
    for (size_t i = 0; i < report->protocol.meta_count && i < lines; i++)
        count += strcmp(report->protocol.meta[i].key, key) == 0;
    return count;
}

static bool is_setting(const char *key)
{
    return strncmp(key, OPTION_KEY, strlen(OPTION_KEY)) == 0;
}

/* Whether a run before this one, or an earlier line of it, has the key. */
static bool was_put(const struct page *page, int run, size_t line, const char *key)
{
    int count = count_key(&page->run[run].report, key, line);
    for (int r = 0; r < run; r++)
        count += count_key(&page->run[r].report, key, SIZE_MAX);
    return count > 0;
}

static void put_key(const struct page *page, const char *key, FILE *out)
{
    const char *first = NULL;
    bool differs = false;
    for (int r = 0; r < page->count; r++) {
        const char *value = protocol_get(&page->run[r].report.protocol, key);
        differs |= first && value && strcmp(first, value) != 0;
        first = first ? first : value;
    }
    html_put(out, "<tr class=\"%s\"><th scope=\"row\">%s</th>", differs ? "differs" : "",
             is_setting(key) ? key + strlen(OPTION_KEY) : key);
    for (int r = 0; r < page->count; r++) {
        int count = count_key(&page->run[r].report, key, SIZE_MAX);
        if (count > 1)
            html_put(out, "<td>%d lines in run.prot</td>", count);
        else
            html_put(out, "<td>%s</td>", report_meta(&page->run[r].report, key));
    }
    fputs("</tr>\n", out);
}

/* One table for all runs: metadata, or settings. */
static void put_keys(const struct page *page, bool settings, FILE *out)
{
    html_put(out, "<div class=\"scroll\"><table class=\"keys\">\n<thead><tr><th scope=\"col\">%s</th>",
             settings ? "setting" : "");
    for (int r = 0; r < page->count; r++) {
        fputs("<th scope=\"col\">", out);
        page_put_name(&page->run[r], out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int r = 0; r < page->count; r++) {
        const struct protocol *p = &page->run[r].report.protocol;
        for (size_t i = 0; i < p->meta_count; i++) {
            const char *key = p->meta[i].key;
            if (is_setting(key) == settings && !was_put(page, r, i, key))
                put_key(page, key, out);
        }
    }
    fputs("</tbody></table></div>\n", out);
}

void page_put_environment(const struct page *page, FILE *out)
{
    if (page->count > 1)
        fputs("<p class=\"note\">Coloured rows differ between the runs.</p>\n", out);
    put_keys(page, false, out);
    fputs("<h3>Settings</h3>\n", out);
    put_keys(page, true, out);
}
