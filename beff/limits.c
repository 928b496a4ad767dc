/* Limits, from the metadata of a protocol. Uses protocol, stats. */
#include "beff/limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

/* A metadata value as a number; 0 if it is missing. */
static double number(const struct protocol *protocol, const char *key)
{
    const char *text = protocol_get(protocol, key);
    return text ? strtod(text, NULL) : 0;
}

/* Metadata `copy = BYTES MB/s`: the largest for each size. */
static void read_copies(const struct protocol *protocol, const int64_t sizes[BEFF_SIZES],
                        double at[BEFF_SIZES])
{
    for (size_t i = 0; i < protocol->meta_count; i++) {
        int64_t bytes;
        double bandwidth;
        if (strcmp(protocol->meta[i].key, "copy") ||
            sscanf(protocol->meta[i].value, "%" SCNd64 " %lf", &bytes, &bandwidth) != 2)
            continue;
        for (int s = 0; s < BEFF_SIZES; s++)
            if (sizes[s] == bytes)
                at[s] = fmax(at[s], bandwidth);
    }
}

static void finish(struct limits *limits, double constant, double factor)
{
    for (int s = 0; s < BEFF_SIZES; s++)
        limits->at[s] = factor * (constant > 0 ? constant : limits->at[s]);
    limits->mean = stats_mean(limits->at, BEFF_SIZES);
}

struct limits limits_find(const struct protocol *protocol, const int64_t sizes[BEFF_SIZES], double largest)
{
    struct limits limits;
    double nodes = number(protocol, "nodes"), link = number(protocol, "option_limit-link");
    double memory = number(protocol, "option_limit-memory");
    for (int s = 0; s < BEFF_SIZES; s++)
        limits.at[s] = NAN;
    if (nodes > 1) {
        finish(&limits, link * nodes, 1);
        snprintf(limits.what, sizeof limits.what,
                 link > 0 ? "links of %g MB/s on %g nodes"
                          : "none known: --limit-link gives the bandwidth of a link",
                 link, nodes);
        return limits;
    }
    read_copies(protocol, sizes, limits.at);
    double copy = memory > 0 ? memory : limits.at[BEFF_SIZES - 1];
    bool once = largest > copy / 2;
    finish(&limits, memory, once ? 1 : 0.5);
    snprintf(limits.what, sizeof limits.what, "%s memory-copy bandwidth, %s",
             memory > 0 ? "the given" : "the measured",
             once ? "whole: large messages are faster than two copies allow"
                  : "half of it, as MPI copies twice");
    return limits;
}
