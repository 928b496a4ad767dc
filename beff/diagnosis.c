#include "beff/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/stats.h"

enum { SMALL = 64 * 1024, LARGE = 1024 * 1024 };

/* Pairs the nodes as in a round-robin tournament: the last place stays, the others move along a circle. */
int64_t diagnosis_partner(int64_t nodes, int round, int64_t node)
{
    int64_t places = nodes + nodes % 2, circle = places - 1, partner;
    if (node == circle)
        partner = round % circle;
    else if (node == round % circle)
        partner = circle;
    else
        partner = ((2 * (int64_t)round - node) % circle + circle) % circle;
    return partner < nodes ? partner : -1;
}

void diagnosis_sizes(int64_t lmax, int64_t bytes[DIAGNOSIS_SIZES])
{
    bytes[0] = lmax < SMALL ? lmax : SMALL;
    bytes[1] = lmax < LARGE ? lmax : LARGE;
}

/* Reads one line `node = INDEX HOST PROCESSES TIME...`, with a time or - for each round of each size. Stores
 * the shortest time of each size in `factor`: a pair is as slow as its slower node, so the shortest time says
 * most about this node. */
static int read_node(struct diagnosis *d, const char *line, struct message *error)
{
    struct diagnosis_node node = {.factor = {NAN, NAN}};
    int used;
    int64_t index;
    if (sscanf(line, "%" SCNd64 " %64s %" SCNd64 "%n", &index, node.host, &node.processes, &used) != 3 ||
        index != d->nodes)
        return message_set(error, "invalid metadata \"node = %.80s\": expected INDEX HOST PROCESSES TIME...",
                           line);
    const char *at = line + used;
    for (int s = 0; s < d->sizes; s++) {
        double times[DIAGNOSIS_ROUNDS];
        size_t count = 0;
        for (int r = 0; r < DIAGNOSIS_ROUNDS; r++) {
            char word[32];
            if (sscanf(at, "%31s%n", word, &used) != 1)
                return message_set(error, "invalid metadata \"node = %.80s\": a time is missing", line);
            at += used;
            double seconds = strtod(word, NULL);
            if (seconds > 0)
                times[count++] = seconds;
        }
        node.factor[s] = stats_min(times, count);
    }
    d->node[d->nodes++] = node;
    return 0;
}

/* Turns the times at one size into factors. `values` is work space for one value per node. */
static void judge(struct diagnosis *d, int size, double *values)
{
    size_t n = (size_t)d->nodes;
    for (size_t i = 0; i < n; i++)
        values[i] = d->node[i].factor[size];
    double middle = stats_median(values, n);
    for (size_t i = 0; i < n; i++) {
        struct diagnosis_node *node = &d->node[i];
        node->factor[size] /= middle;
        if (node->factor[size] > node->factor[node->slowest])
            node->slowest = size;
        values[i] = fabs(node->factor[size] - 1);
    }
    double limit = fmax(DIAGNOSIS_FACTOR, 1 + DIAGNOSIS_DISTANCE * stats_median(values, n));
    for (size_t i = 0; i < n; i++)
        d->node[i].stands_out = d->node[i].stands_out || d->node[i].factor[size] > limit;
}

int diagnosis_make(struct diagnosis *d, const struct protocol *p, struct message *error)
{
    *d = (struct diagnosis){0};
    const char *sizes = protocol_get(p, "diagnosis"), *line;
    size_t count = 0;
    for (size_t i = 0; protocol_next(p, "node", &i);)
        count++;
    if (sizes) /* if there was no diagnosis, this is a text with the reason */
        d->sizes = sscanf(sizes, "%" SCNd64 " %" SCNd64, &d->bytes[0], &d->bytes[1]);
    d->sizes = d->sizes < 0 ? 0 : d->sizes;
    d->node = memory_new(count, sizeof *d->node, "the nodes");
    double *values = memory_new(count, sizeof *values, "the nodes");
    int failed = 0;
    for (size_t i = 0; !failed && (line = protocol_next(p, "node", &i));)
        failed = read_node(d, line, error);
    for (int s = 0; s < d->sizes && !failed; s++)
        judge(d, s, values);
    for (int64_t i = 0; i < d->nodes; i++)
        d->standing_out += d->node[i].stands_out;
    free(values);
    return failed;
}

void diagnosis_free(struct diagnosis *d)
{
    free(d->node);
    *d = (struct diagnosis){0};
}
