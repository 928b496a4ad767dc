/* Adds the figures between nodes to beff's sheet: messages that leave a node, net rings, pairs of nodes, all
 * processes at once, and shares of the link's rate (docs/between-nodes.md). None of them is rated. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "common/memory.h"
#include "common/stats.h"

/* A limit counts as exceeded if the bandwidth is more than this many times the limit. The margin allows for
 * measurement errors. */
#define LIMIT_EXCEEDED 1.03

/* The bandwidth counts as reached with the smallest number of processes that reaches this share of it. */
#define REACHED 0.95

/* ---- messages between nodes ---- */

struct leaving beff_leaving(const struct protocol *protocol, const char *id)
{
    struct leaving found = {NAN, NAN, NAN, NAN};
    size_t count;
    const struct beff_between *row = protocol_table(protocol, BEFF_BETWEEN, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(row[i].pattern, id) == 0)
            found = (struct leaving){(double)row[i].messages, (double)row[i].busiest, row[i].leaving,
                                     row[i].staying};
    return found;
}

double beff_leaving_percent(const struct beff_results *r, int pattern)
{
    const struct pattern *p = &r->list.patterns[pattern];
    return 100 * beff_leaving(r->sheet.protocol, p->id).sum / (double)p->messages;
}

static double mean_leaving(const struct beff_results *r, enum pattern_kind kind)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < r->list.count; i++)
        if (r->list.patterns[i].kind == kind) {
            sum += beff_leaving_percent(r, i);
            count++;
        }
    return sum / count;
}

static void note_leaving(struct beff_results *r)
{
    double rings = mean_leaving(r, PATTERN_RING), random = mean_leaving(r, PATTERN_RANDOM);
    if (isfinite(rings) && isfinite(random))
        texts_add(&r->sheet.notes, "messages between nodes: rings %.0f %%, random polygons %.0f %%", rings,
                  random);
}

double beff_link_share(const struct beff_results *r, int size)
{
    const struct protocol *protocol = r->sheet.protocol;
    double link = protocol_number(protocol, "option_limit-link"), logs = 0;
    int count = 0;
    for (int i = 0; i < r->list.count && link > 0; i++) {
        const struct pattern *p = &r->list.patterns[i];
        double limit = link * (double)p->messages / beff_leaving(protocol, p->id).busiest,
               share = rating_cell(&r->rating, i, METHODS, size) / limit;
        if (p->rated && share > 0) { /* 0: the pattern sends nothing between nodes */
            logs += log(share);
            count++;
        }
    }
    return count ? exp(logs / count) : NAN;
}

static void add_limits(struct beff_results *r)
{
    int above = 0;
    double highest = 0;
    for (int s = 0; s < BEFF_SIZES; s++) {
        r->link_share[s] = beff_link_share(r, s);
        above += r->link_share[s] > LIMIT_EXCEEDED;
        highest = fmax(highest, r->link_share[s]);
    }
    if (above)
        texts_add(&r->sheet.notes,
                  "faster than --limit-link %s allows at %d size%s, up to %.3f times: the limit is too low, "
                  "or a token bucket or switch buffer held burst credit",
                  protocol_text(r->sheet.protocol, "option_limit-link"), above, TEXT_S(above), highest);
}

/* ---- net rings ---- */

static void add_net_rings(struct beff_results *r)
{
    double rings[BEFF_RING_PATTERNS];
    for (int i = 0; i < BEFF_RING_PATTERNS; i++) {
        char id[PATTERN_ID_SIZE];
        snprintf(id, sizeof id, "net-ring-%d", i + 1);
        int p = pattern_find(&r->list, id);
        if (p < 0)
            return;
        rings[i] = rating_pattern(&r->rating, p, METHODS);
    }
    sheet_value(&r->sheet, "b_eff_between_nodes", "b_eff between nodes (net rings & random, not rated)",
                "MB/s", sqrt(stats_logavg(rings, BEFF_RING_PATTERNS) * r->rating.figures.random));
}

/* ---- pairs of nodes ---- */

/* Of each node, the fastest attempt counts. */
static void add_pairs(struct beff_results *r)
{
    const struct fabric *f = &r->fabric;
    size_t n = (size_t)f->points;
    double *us = memory_new(n, sizeof *us, "the nodes"), *mb_s = memory_new(n, sizeof *mb_s, "the nodes");
    double latency[2] = {NAN, NAN}, bandwidth[2] = {NAN, NAN}; /* least, largest */
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        double own = 1e6 * x->seconds / 2;
        if (x->stage == FABRIC_PAIR && x->bytes == FABRIC_SMALL)
            us[x->b] = us[x->b] > 0 ? fmin(us[x->b], own) : own;
        else if (x->stage == FABRIC_PAIR)
            mb_s[x->b] = fmax(mb_s[x->b], (double)x->bytes / own);
    }
    for (size_t i = 0; i < n; i++) {
        latency[0] = fmin(latency[0], us[i] > 0 ? us[i] : NAN);
        latency[1] = fmax(latency[1], us[i] > 0 ? us[i] : NAN);
        bandwidth[0] = fmin(bandwidth[0], mb_s[i] > 0 ? mb_s[i] : NAN);
        bandwidth[1] = fmax(bandwidth[1], mb_s[i] > 0 ? mb_s[i] : NAN);
    }
    free(us);
    free(mb_s);
    if (isnan(latency[0]))
        return;
    sheet_value(&r->sheet, "node0_latency_us", "latency from node 0 to another node, least", "microsec",
                latency[0]);
    sheet_detail(&r->sheet, "node0_latency_max_us", "  largest", "microsec", latency[1]);
    sheet_value(&r->sheet, "node0_bandwidth", "bandwidth from node 0 to another node, largest", "MB/s",
                bandwidth[1]);
    sheet_detail(&r->sheet, "node0_bandwidth_min", "  least", "MB/s", bandwidth[0]);
}

/* ---- links ---- */

/* The fastest network interfaces of rank 0's node. */
struct link {
    double rate, each; /* MB/s of all together, and of each; 0: unknown */
    char names[80];
};

/* Adds an interface such as "mlx5_0/1=100 Gb/sec (4X EDR), ACTIVE" or "eth0=10000 Mbit/s, up" if it is as
 * fast as the fastest one before it. An adapter's port is listed twice: its network interface has "RDMA". A
 * virtual function has "virtual"; it shares the link of its adapter. */
static void add_interface(struct link *link, const char *line)
{
    double rate = 0;
    char name[24] = "", unit[16] = "";
    if (sscanf(line, "%23[^=/]%*[^=]=%lf %15s", name, &rate, unit) != 3 &&
        sscanf(line, "%23[^=]=%lf %15s", name, &rate, unit) != 3)
        return;
    bool port = strcmp(unit, "Gb/sec") == 0;
    rate *= port ? 125 : 0.125;
    if (!(rate > 0) || !strstr(line, port ? "ACTIVE" : ", up") || strstr(line, ", RDMA") ||
        strstr(line, ", virtual") || rate < link->each)
        return;
    if (rate > link->each)
        *link = (struct link){.each = rate};
    link->rate += rate;
    text_append(link->names, sizeof link->names, "%s%s", *link->names ? ", " : "", name);
}

/* Returns --limit-link, or the network interfaces in the recorded environment. */
static struct link find_link(const struct protocol *p)
{
    static const char label[] = "interface ";
    struct link link = {.rate = protocol_number(p, "option_limit-link"), .names = "--limit-link"};
    const char *line;
    if (link.rate > 0)
        return link;
    link = (struct link){0};
    for (size_t i = 0;
         !protocol_is(p, "option_clock", "simulated") && (line = protocol_next(p, "environment", &i));)
        if (strncmp(line, label, strlen(label)) == 0)
            add_interface(&link, line + strlen(label));
    return link;
}

/* ---- all processes of all nodes ---- */

static void read_injection(struct beff_results *r)
{
    for (size_t i = 0; i < r->fabric.exchanges; i++) {
        const struct fabric_exchange *x = &r->fabric.exchange[i];
        struct injection *last = r->injections ? &r->injection[r->injections - 1] : NULL;
        if (x->stage != FABRIC_INJECTION)
            continue;
        if (!last || last->processes < x->round) {
            array_grow(&r->injection, (size_t)r->injections, sizeof *r->injection);
            last = &r->injection[r->injections++];
            *last = (struct injection){x->round, NAN, NAN};
        }
        if (x->bytes == FABRIC_SMALL)
            last->messages = fmax(last->messages, 1 / x->seconds);
        else
            last->mb_s = fmax(last->mb_s, beff_mb_s((double)x->bytes, x->seconds));
    }
}

static void add_injection(struct beff_results *r)
{
    struct link link = find_link(r->sheet.protocol);
    double largest = NAN, messages = NAN;
    int i = 0;
    for (int k = 0; k < r->injections; k++) {
        largest = fmax(largest, r->injection[k].mb_s);
        messages = fmax(messages, r->injection[k].messages);
    }
    if (isnan(messages))
        return;
    sheet_detail(&r->sheet, "injection_messages", "messages from a node, all nodes at once", "1/s", messages);
    if (isnan(largest))
        return;
    while (!(r->injection[i].mb_s >= REACHED * largest))
        i++;
    const struct injection *best = &r->injection[i];
    sheet_value(&r->sheet, "injection_bandwidth", "bandwidth from a node, all nodes at once", "MB/s",
                best->mb_s);
    sheet_detail(&r->sheet, "injection_processes", "  processes per node that reach it", "",
                 (double)best->processes);
    if (r->fabric.groups == 0 &&
        FABRIC_FACTOR * largest < beff_mb_s((double)r->fabric.bytes, r->fabric.median[0]))
        texts_add(&r->sheet.notes, "a node alone sends more than with all nodes at once: without --groups, "
                                   "beff cannot tell whether the node or its switch limits the bandwidth");
    if (!(link.rate > 0))
        return;
    double percent = 100 * best->mb_s / link.rate;
    sheet_value(&r->sheet, "injection_link_percent", "  share of the rate of the node's link", "%", percent);
    texts_add(&r->sheet.notes, "a node sends %.0f %% of %.4g Gbit/s (%s) with %" PRId64 " process%s", percent,
              link.rate / 125, link.names, best->processes, TEXT_ES(best->processes));
}

void beff_add_between(struct beff_results *r)
{
    r->loss.link = r->nodes > 1 ? find_link(r->sheet.protocol).rate : 0;
    read_injection(r);
    note_leaving(r);
    add_limits(r);
    add_net_rings(r);
    add_pairs(r);
    add_injection(r);
}
