/* Limits, from the metadata of a protocol. Uses protocol, stats. */
#include "beff/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest of several lines; NaN if there is none. */
static double largest_of(const struct protocol *protocol, const char *key)
{
    double largest = NAN;
    const char *value;
    for (size_t i = 0; (value = protocol_next(protocol, key, &i));)
        largest = fmax(largest, strtod(value, NULL));
    return largest;
}

/* `crossing = PATTERN MESSAGES`: the most messages that leave one node in an iteration; NaN: not known. */
static double crossing(const struct protocol *protocol, const char *id)
{
    size_t length = strlen(id);
    const char *value;
    for (size_t i = 0; (value = protocol_next(protocol, "crossing", &i));)
        if (strncmp(value, id, length) == 0 && value[length] == ' ')
            return strtod(value + length, NULL);
    return NAN;
}

/* logavg of the limits of all patterns of one kind. */
static double kind_limit(const struct protocol *protocol, const struct pattern_list *list,
                         enum pattern_kind kind, double memory, double link)
{
    double logs = 0;
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const struct pattern *p = &list->patterns[i];
        if (p->kind != kind)
            continue;
        double leaving = link > 0 ? crossing(protocol, p->id) : 0;
        double limit = leaving == 0 ? memory : fmin(memory, link * (double)p->messages / leaving);
        logs += log(isnan(leaving) ? NAN : limit);
        count++;
    }
    return exp(logs / count);
}

static void describe(struct limits *limits, double given, bool whole, double nodes, double link)
{
    char memory[96], links[64] = "";
    if (given > 0)
        snprintf(memory, sizeof memory, "memory copy of %g MB/s as given", given);
    else if (isnan(limits->copy_before) || isnan(limits->copy_after))
        snprintf(memory, sizeof memory, "memory copy of %.0f MB/s",
                 fmax(limits->copy_before, limits->copy_after));
    else
        snprintf(memory, sizeof memory, "memory copy of %.0f MB/s before and %.0f after the patterns",
                 limits->copy_before, limits->copy_after);
    if (nodes > 1)
        snprintf(links, sizeof links, "links of %g MB/s on %g nodes; ", link, nodes);
    if (nodes > 1 && !(link > 0))
        snprintf(limits->what, sizeof limits->what,
                 "none known: --limit-link gives the bandwidth of a node's link");
    else if (!(given > 0) && isnan(limits->copy_before) && isnan(limits->copy_after))
        snprintf(limits->what, sizeof limits->what, "none known: memory copies were not measured");
    else
        snprintf(limits->what, sizeof limits->what, "%s%s, %s", links, memory,
                 whole ? "whole, as large messages are faster than two copies allow"
                       : "half of it, as MPI copies twice");
}

struct limits limits_find(const struct protocol *protocol, const struct pattern_list *list, double largest)
{
    double nodes = fmax(protocol_number(protocol, "nodes"), 1),
           link = protocol_number(protocol, "option_limit-link");
    double given = nodes * protocol_number(protocol, "option_limit-memory");
    struct limits limits = {.lmax = NAN,
                            .lmax_rings = NAN,
                            .copy_before = largest_of(protocol, "copy_before"),
                            .copy_after = largest_of(protocol, "copy_after")};
    double memory = given > 0 ? given : fmax(limits.copy_before, limits.copy_after);
    bool whole = largest > memory / 2;
    memory *= whole ? 1 : 0.5;
    describe(&limits, given, whole, nodes, link);
    if (nodes > 1 && !(link > 0))
        return limits;
    if (nodes == 1)
        link = 0;
    limits.lmax_rings = kind_limit(protocol, list, PATTERN_RING, memory, link);
    limits.lmax = sqrt(limits.lmax_rings * kind_limit(protocol, list, PATTERN_RANDOM, memory, link));
    return limits;
}
