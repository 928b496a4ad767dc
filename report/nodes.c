/* Implements the command nodes: prints slow nodes, groups, links and pairs of one or more runs of beff. Nodes
 * and groups are judged in each run, pairs and latencies from all runs together. */
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "common/adapters.h"
#include "common/checksum.h"
#include "common/memory.h"
#include "report/output.h"

enum nodes_format { NODES_TEXT, NODES_LIST, NODES_JSON };

/* A finding, in the run in which it was worst. */
struct culprit {
    struct fabric_finding found;
    int64_t bytes;
};

struct summary {
    struct culprit *culprit;
    size_t culprits;
    struct texts hosts; /* of slow nodes, once for each run */
    struct texts slow;  /* those that are listed */
    struct grouped notes;
    struct texts lines; /* of the notes */
    struct fabric pool; /* all runs together */
    uint64_t *checksum; /* of the exchanges of each run */
    size_t checksums;
    int runs, judged;
    bool any, slower; /* list nodes slow in any run; something is slow */
    double warn;
};

static void add_finding(struct summary *s, const struct fabric *f, const struct fabric_finding *found,
                        int runs)
{
    size_t i = 0;
    while (i < s->culprits &&
           (s->culprit[i].found.kind != found->kind || strcmp(s->culprit[i].found.names, found->names) != 0))
        i++;
    if (i == s->culprits) {
        array_grow(&s->culprit, s->culprits, sizeof *s->culprit);
        s->culprit[s->culprits++] = (struct culprit){.found = {found->kind, memory_text(found->names)}};
    }
    struct culprit *c = &s->culprit[i];
    c->found.runs += runs;
    if (c->found.text && found->factor < c->found.factor)
        return;
    free(c->found.text);
    c->found.text = memory_text(found->text);
    text_clean(c->found.text);
    c->bytes = f->bytes;
    c->found.factor = found->factor;
    c->found.partners = found->partners;
}

/* Returns true if a run has the same exchanges as an earlier one. */
static bool is_copy(struct summary *s, const struct fabric *f)
{
    bool copy = false;
    uint64_t own = CHECKSUM_START;
    for (size_t i = 0; i < f->exchanges; i++)
        own = checksum_add(own, &f->exchange[i].seconds, sizeof f->exchange[i].seconds);
    for (size_t i = 0; i < s->checksums; i++)
        copy |= s->checksum[i] == own && f->exchanges;
    array_grow(&s->checksum, s->checksums, sizeof *s->checksum);
    s->checksum[s->checksums++] = own;
    return copy;
}

static void add_run(struct summary *s, const struct report *report, const struct fabric *f)
{
    if (is_copy(s, f)) {
        grouped_add(&s->notes, report_name(report),
                    "skipped: the same exchanges as in an earlier run, and equal runs count once");
        s->runs--;
        return;
    }
    s->judged += f->judged;
    for (size_t i = 0; i < f->findings; i++)
        if (f->finding[i].kind < FABRIC_SLOW_LINK)
            add_finding(s, f, &f->finding[i], 1);
    const char *last = "";
    for (int i = 0; i < f->points; i++)
        if (strcmp(f->point[i].finding, "slow") == 0 && strcmp(f->point[i].host, last) != 0)
            texts_add(&s->hosts, "%s", last = f->point[i].host);
    for (size_t i = 0; i < f->notes.count; i++)
        grouped_add(&s->notes, report_name(report), "%s", f->notes.text[i]);
    if (f->verdict != FABRIC_OPEN && fabric_add_run(&s->pool, f))
        grouped_add(&s->notes, report_name(report),
                    "pairs are not judged together with those of other runs: another large size");
    struct texts lines = {0};
    size_t count;
    const struct adapter_row *rows = protocol_table(&report->protocol, BEFF_ADAPTERS, &count);
    adapters_describe(rows, count, SIZE_MAX, &lines);
    for (size_t i = 0; i < lines.count; i++)
        grouped_add(&s->notes, report_name(report), "%s", lines.text[i]);
    texts_free(&lines);
}

/* Returns true if a node was slow in each judged run. */
static bool is_slow(const struct summary *s, const char *name)
{
    bool slow = false;
    for (size_t i = 0; i < s->culprits; i++)
        slow |= s->culprit[i].found.kind == FABRIC_SLOW_NODE && s->culprit[i].found.runs >= s->judged &&
                strcmp(s->culprit[i].found.names, name) == 0;
    return slow;
}

/* Judges all runs together, and lists the nodes that were slow in each judged run, or in any. */
static void finish(struct summary *s)
{
    fabric_judge(&s->pool);
    for (size_t i = 0; i < s->pool.findings; i++)
        if (s->pool.finding[i].kind >= FABRIC_SLOW_LINK && !is_slow(s, s->pool.finding[i].names))
            add_finding(s, &s->pool, &s->pool.finding[i],
                        s->pool.finding[i].runs ? s->pool.finding[i].runs : 1);
    for (size_t i = 0; i < s->hosts.count; i++) {
        int count = 0;
        for (size_t k = 0; k < s->hosts.count; k++)
            count += strcmp(s->hosts.text[i], s->hosts.text[k]) == 0;
        if (s->any || count >= s->judged)
            texts_add_once(&s->slow, s->hosts.text[i]);
    }
    grouped_texts(&s->notes, &s->lines);
    s->slower = s->slow.count;
    for (size_t i = 0; i < s->culprits; i++) {
        const struct fabric_finding *found = &s->culprit[i].found;
        s->slower |= found->kind == FABRIC_MARGINAL   ? found->factor >= 1 + s->warn
                     : found->kind < FABRIC_SLOW_LINK ? s->any || found->runs >= s->judged
                                                      : true;
    }
}

/* Prints the notes about the adapters of a finding's nodes; NULL: all other notes. */
static void put_notes(const struct summary *s, const struct culprit *c)
{
    for (size_t i = 0; i < s->notes.count; i++) {
        const char *note = s->notes.line[i].text;
        bool other = true;
        for (size_t k = 0; k < s->culprits; k++)
            other &= !adapters_concern(note, s->culprit[k].found.names);
        if (c ? !adapters_concern(note, c->found.names) : !other)
            continue;
        printf("%s%s\n", c ? "  " : "", s->lines.text[i]);
    }
}

static void put_text(const struct summary *s)
{
    for (int kind = 0; kind < FABRIC_KINDS; kind++) {
        int count = 0;
        for (size_t i = 0; i < s->culprits; i++) {
            const struct fabric_finding *found = &s->culprit[i].found;
            if ((int)found->kind != kind)
                continue;
            printf("%s (in %d of %d run%s)\n", found->text, found->runs, s->runs, TEXT_S(s->runs));
            put_notes(s, &s->culprit[i]);
            count++;
        }
        if (count)
            printf("  %s: %s\n", fabric_kind((enum fabric_kind)kind), fabric_advice((enum fabric_kind)kind));
    }
    put_notes(s, NULL);
}

static void put_list(const struct summary *s)
{
    for (size_t i = 0; i < s->slow.count; i++) {
        text_clean(s->slow.text[i]);
        puts(s->slow.text[i]);
    }
}

static void put_json(const struct summary *s)
{
    struct json json;
    json_start(&json, stdout);
    json_begin(&json, NULL, JSON_OBJECT);
    json_integer(&json, "runs", s->runs);
    json_integer(&json, "judged", s->judged);
    json_begin(&json, "findings", JSON_ARRAY);
    for (const struct culprit *c = s->culprit; c < s->culprit + s->culprits; c++) {
        json_begin(&json, NULL, JSON_FLAT_OBJECT);
        json_text(&json, "kind", fabric_kind(c->found.kind));
        json_text(&json, "names", c->found.names);
        json_real(&json, "factor", c->found.factor);
        json_integer(&json, "bytes", c->bytes);
        json_integer(&json, "partners", c->found.partners);
        json_integer(&json, "runs", c->found.runs);
        json_text(&json, "text", c->found.text);
        json_end(&json);
    }
    json_end(&json);
    json_texts(&json, "slow_nodes", &s->slow);
    json_texts(&json, "notes", &s->lines);
    json_end(&json);
    json_finish(&json);
}

static void free_summary(struct summary *s)
{
    for (size_t i = 0; i < s->culprits; i++) {
        free(s->culprit[i].found.names);
        free(s->culprit[i].found.text);
    }
    free(s->culprit);
    free(s->checksum);
    texts_free(&s->hosts);
    texts_free(&s->slow);
    fabric_free(&s->pool);
    grouped_free(&s->notes);
    texts_free(&s->lines);
}

static enum report_status nodes_command(const struct report_settings *settings)
{
    static void (*const put[])(const struct summary *) = {put_text, put_list, put_json};
    struct summary s = {.runs = (int)settings->runs.count,
                        .notes.all = settings->all,
                        .any = settings->any,
                        .warn = settings->warn};
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
    finish(&s);
    put[settings->format](&s);
    enum report_status status = s.slower ? REPORT_DIFFERS : s.judged == s.runs ? REPORT_FINE : REPORT_REFUSED;
    free_summary(&s);
    return status;
}

/* ---- the command ---- */

static const char *const formats[] = {"text", "list", "json", NULL};

static const struct option_row rows[] = {
    {"format", OPTION_CHOICE, REPORT_FIELD(format), "FORMAT", "text, list or json", .choices = formats},
    {"any", OPTION_FLAG, REPORT_FIELD(any), NULL,
     "list nodes that were slow in any run, not only those slow in each run"},
    {"warn", OPTION_PERCENT, REPORT_FIELD(warn), "N%", "status 1 if a node is at least this much slower",
     .max = 99},
    {REPORT_ALL},
    {REPORT_HELP}};

static const char notes[] =
    "Prints slow nodes, sets of nodes behind a slow shared link, groups with slow links to the others, slow\n"
    "links between two groups, slow pairs, long latencies, from two runs on nodes that are a little slower,\n"
    "and adapters that differ from those of the other nodes. Runs of any verdict are read, also stopped\n"
    "ones. --format list prints only the host names of nodes that are slow in each run that could be\n"
    "judged, one a line, for example for \"scontrol update state=drain\".\n\n"
    "Exit status: 0 nothing is slow; 1 something is (a node or group: in each run); 2 usage; 3 the nodes\n"
    "of a run cannot be judged.\n";

REPORT_COMMAND(nodes, "[--format text|list|json] [--any] [--warn PERCENT] RUN...",
               "print slow nodes and slow links between nodes");
