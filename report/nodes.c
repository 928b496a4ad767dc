/* Implements the command nodes: prints slow nodes, shared links and slow groups of one or more runs of beff.
 */
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "common/memory.h"
#include "report/output.h"

enum nodes_format { NODES_TEXT, NODES_LIST, NODES_JSON };

/* A finding, in the run in which it was worst. */
struct culprit {
    struct fabric_finding found;
    char *text;
    int64_t bytes;
    int runs; /* number of runs with this finding */
};

struct summary {
    struct culprit *culprit;
    size_t culprits;
    struct texts hosts; /* of slow nodes */
    struct grouped notes;
    int runs, judged;
};

static void add_finding(struct summary *s, const struct fabric *f, const struct fabric_finding *found)
{
    size_t i = 0;
    bool less_is_worse = found->kind == FABRIC_SLOW_GROUP;
    while (i < s->culprits &&
           (s->culprit[i].found.kind != found->kind || strcmp(s->culprit[i].found.names, found->names) != 0))
        i++;
    if (i == s->culprits) {
        array_grow(&s->culprit, s->culprits, sizeof *s->culprit);
        s->culprit[s->culprits++] = (struct culprit){.found = {found->kind, memory_text(found->names), 0, 0}};
    }
    struct culprit *c = &s->culprit[i];
    c->runs++;
    if (c->text && (found->factor < c->found.factor) != less_is_worse)
        return;
    free(c->text);
    c->text = fabric_text(f, found);
    text_clean(c->text);
    c->bytes = f->bytes;
    c->found.factor = found->factor;
    c->found.partners = found->partners;
}

static void add_run(struct summary *s, const struct report *report, const struct fabric *f)
{
    s->judged += f->verdict != FABRIC_OPEN;
    for (size_t i = 0; i < f->findings; i++)
        add_finding(s, f, &f->finding[i]);
    for (int i = 0; i < f->points; i++)
        if (strcmp(f->point[i].finding, "slow") == 0)
            texts_add_once(&s->hosts, f->point[i].host);
    for (size_t i = 0; i < f->notes.count; i++)
        grouped_add(&s->notes, report_name(report), "%s", f->notes.text[i]);
    if (f->loaded_mb_s > 0)
        grouped_add(&s->notes, report_name(report),
                    "all pairs at once: %.0f MB/s, %.0f %% of the same pairs alone", f->loaded_mb_s,
                    f->loaded_percent);
}

static void put_text(const struct summary *s)
{
    for (size_t i = 0; i < s->culprits; i++)
        printf("%s (in %d of %d run%s)\n", s->culprit[i].text, s->culprit[i].runs, s->runs, TEXT_S(s->runs));
    for (size_t i = 0; i < s->notes.count; i++) {
        char *line = grouped_text(&s->notes.line[i]);
        puts(line);
        free(line);
    }
}

static void put_list(const struct summary *s)
{
    for (size_t i = 0; i < s->hosts.count; i++) {
        text_clean(s->hosts.text[i]);
        puts(s->hosts.text[i]);
    }
}

static void put_json(const struct summary *s)
{
    static const char *const kinds[] = {"slow node", "shared link", "slow group"};
    struct json json;
    json_start(&json, stdout);
    json_begin(&json, NULL, JSON_OBJECT);
    json_integer(&json, "runs", s->runs);
    json_integer(&json, "judged", s->judged);
    json_begin(&json, "findings", JSON_ARRAY);
    for (size_t i = 0; i < s->culprits; i++) {
        const struct culprit *c = &s->culprit[i];
        json_begin(&json, NULL, JSON_FLAT_OBJECT);
        json_text(&json, "kind", kinds[c->found.kind]);
        json_text(&json, "names", c->found.names);
        json_real(&json, "factor", c->found.factor);
        json_integer(&json, "bytes", c->bytes);
        json_integer(&json, "partners", c->found.partners);
        json_integer(&json, "runs", c->runs);
        json_text(&json, "text", c->text);
        json_end(&json);
    }
    json_end(&json);
    json_texts(&json, "slow_nodes", &s->hosts);
    json_begin(&json, "notes", JSON_ARRAY);
    for (size_t i = 0; i < s->notes.count; i++) {
        char *line = grouped_text(&s->notes.line[i]);
        json_text(&json, NULL, line);
        free(line);
    }
    json_end(&json);
    json_end(&json);
    json_finish(&json);
}

static void free_summary(struct summary *s)
{
    for (size_t i = 0; i < s->culprits; i++) {
        free(s->culprit[i].found.names);
        free(s->culprit[i].text);
    }
    free(s->culprit);
    texts_free(&s->hosts);
    grouped_free(&s->notes);
}

static enum report_status nodes_command(const struct report_settings *settings)
{
    static void (*const put[])(const struct summary *) = {put_text, put_list, put_json};
    struct summary s = {.runs = (int)settings->runs.count, .notes.all = settings->all};
    for (size_t i = 0; i < settings->runs.count; i++) {
        struct report report;
        struct message error;
        int failed = report_open(&report, settings->runs.text[i], &error);
        if (!failed && (!report.sheet || report.engine->type != &beff_record_type))
            failed = message_set(&error, "%.300s: only runs of beff compare nodes", settings->runs.text[i]);
        if (failed)
            report_refuse(&error);
        else
            add_run(&s, &report, &((const struct beff_results *)(const void *)report.sheet)->fabric);
        report_free(&report);
    }
    put[settings->format](&s);
    enum report_status status = s.culprits           ? REPORT_DIFFERS
                                : s.judged == s.runs ? REPORT_FINE
                                                     : REPORT_REFUSED;
    free_summary(&s);
    return status;
}

/* ---- the command ---- */

static const char *const formats[] = {"text", "list", "json", NULL};

static const struct option_row rows[] = {REPORT_CHOICE(format, formats, "text, list or json"), REPORT_ALL,
                                         REPORT_HELP};

static const char notes[] =
    "Prints nodes whose exchanges with all other nodes are slow, sets of nodes behind a slow shared link, "
    "and\n"
    "groups of nodes with slow links to the others. Runs of any verdict are read, also stopped ones.\n"
    "--format list prints only the host names of slow nodes, one a line, for example for\n"
    "\"scontrol update state=drain\". It never prints the nodes behind a shared link or of a slow group.\n\n"
    "Exit status: 0 nothing is slow; 1 something is; 2 usage; 3 the nodes of a run cannot be judged.\n";

REPORT_COMMAND(nodes, "[--format text|list|json] RUN...", "print slow nodes and slow links between nodes");
