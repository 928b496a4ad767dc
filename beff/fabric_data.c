/* Keeps the end points, exchanges and findings of a fabric, writes them to the protocol, and reads them back.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "beff/fabric.h"
#include "beff/record.h"
#include "common/memory.h"

void fabric_add_point(struct fabric *f, const struct fabric_point *point)
{
    array_grow(&f->point, (size_t)f->points, sizeof *f->point);
    f->point[f->points++] = *point;
    f->nodes = point->node + 1 > f->nodes ? (int)point->node + 1 : f->nodes;
}

void fabric_add_exchange(struct fabric *f, const struct fabric_exchange *x, struct protocol *protocol)
{
    array_grow(&f->exchange, f->exchanges, sizeof *f->exchange);
    f->exchange[f->exchanges++] = *x;
    if (protocol)
        protocol_add(protocol, BEFF_EXCHANGES, x, 1);
}

void fabric_put_matrix(const struct fabric *f, struct protocol *protocol)
{
    struct fabric_pair *row = memory_new((size_t)f->points, sizeof *row, "the matrix of nodes");
    for (int a = 0; a + 1 < f->points; a++) {
        size_t count = 0;
        for (int b = a + 1; b < f->points; b++) {
            float seconds = f->matrix[fabric_cell(f->points, a, b)];
            if (seconds > 0)
                row[count++] = (struct fabric_pair){a, b, (double)seconds};
        }
        protocol_add(protocol, BEFF_MATRIX, row, count);
    }
    free(row);
}

static float *new_matrix(int points)
{
    size_t n = (size_t)points;
    return memory_new(n * (n - 1) / 2, sizeof(float), "the matrix of nodes");
}

static bool is_pair(const struct fabric *f, int64_t a, int64_t b)
{
    return a != b && a < f->points && b < f->points;
}

int fabric_read(struct fabric *f, const struct protocol *p, struct message *error)
{
    size_t count;
    const struct fabric_point *point = protocol_table(p, BEFF_END_POINTS, &count);
    *f = (struct fabric){.left_out = protocol_get(p, "nodes_left_out")};
    protocol_integer(p, "nodes_errors", 0, INT64_MAX, &f->other_errors);
    for (size_t i = 0; i < count; i++) {
        int64_t last = f->points ? point[i - 1].node : 0;
        if (point[i].node < last || point[i].node > f->nodes)
            return message_set(error, "row %zu of end_point: node %" PRId64 " does not follow node %" PRId64,
                               i + 1, point[i].node, last);
        fabric_add_point(f, &point[i]);
    }
    const struct fabric_exchange *x = protocol_table(p, BEFF_EXCHANGES, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_pair(f, x[i].a, x[i].b))
            return message_set(
                error, "row %zu of exchange: %" PRId64 " and %" PRId64 " are not two of %d end points", i + 1,
                x[i].a, x[i].b, f->points);
        fabric_add_exchange(f, &x[i], NULL);
    }
    const struct fabric_pair *pair = protocol_table(p, BEFF_MATRIX, &count);
    if (count && f->points <= FABRIC_MATRIX_MAX)
        f->matrix = new_matrix(f->points);
    for (size_t i = 0; i < count; i++) {
        if (!f->matrix || !is_pair(f, pair[i].a, pair[i].b) || pair[i].a > pair[i].b)
            return message_set(error,
                               "row %zu of matrix: %" PRId64 " and %" PRId64
                               " are not two of %d end points, the lower one first",
                               i + 1, pair[i].a, pair[i].b, f->points);
        f->matrix[fabric_cell(f->points, (int)pair[i].a, (int)pair[i].b)] = (float)pair[i].seconds;
    }
    return 0;
}

void fabric_find_ways(struct fabric *f)
{
    size_t n = (size_t)f->points;
    f->way = memory_new(n * n, sizeof *f->way, "the matrix of nodes");
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++) {
        float *way = &f->way[(size_t)x->a * n + (size_t)x->b], seconds = (float)x->seconds;
        if (x->stage == FABRIC_ONE_WAY && !(*way > 0 && *way < seconds))
            *way = seconds;
    }
}

void fabric_drop_findings(struct fabric *f, size_t from)
{
    while (f->findings > from) {
        free(f->finding[--f->findings].names);
        free(f->finding[f->findings].text);
    }
}

void fabric_reset(struct fabric *f)
{
    texts_free(&f->notes);
    fabric_drop_findings(f, 0);
    free(f->finding);
    free(f->group);
    free(f->pair);
    free(f->way);
    f->finding = NULL;
    f->way = NULL;
    f->group = NULL;
    f->pair = NULL;
    f->pairs = f->measured = 0;
    f->groups = 0;
}

void fabric_free(struct fabric *f)
{
    fabric_reset(f);
    free(f->point);
    free(f->exchange);
    free(f->matrix);
    *f = (struct fabric){0};
}

void fabric_add_finding(struct fabric *f, const struct fabric_finding *finding)
{
    array_grow(&f->finding, f->findings, sizeof *f->finding);
    f->finding[f->findings++] = *finding;
}

char *fabric_name(const struct fabric *f, int point)
{
    const struct fabric_point *p = &f->point[point];
    bool device = strcmp(p->device, "-") != 0;
    return text_format("%s%s%s", p->host, device ? " " : "", device ? p->device : "");
}

int fabric_add_run(struct fabric *pool, const struct fabric *run)
{
    int *number = memory_new((size_t)run->points, sizeof *number, "the nodes");
    double factor = pool->runs ? pool->median[0] / run->median[0] : 1;
    if (!pool->runs) {
        pool->median[0] = run->median[0];
        pool->bytes = run->bytes;
    } else if (pool->bytes != run->bytes) {
        free(number);
        return -1;
    }
    for (int i = 0; i < run->points; i++) {
        const struct fabric_point *p = &run->point[i];
        int k = 0;
        while (k < pool->points &&
               (strcmp(pool->point[k].host, p->host) != 0 || strcmp(pool->point[k].device, p->device) != 0))
            k++;
        if (k == pool->points) {
            struct fabric_point added = *p;
            added.node = k && strcmp(pool->point[k - 1].host, p->host) == 0 ? pool->nodes - 1 : pool->nodes;
            fabric_add_point(pool, &added);
        }
        pool->point[k].runs++;
        number[i] = k;
    }
    for (size_t i = 0; i < run->exchanges; i++) {
        struct fabric_exchange x = run->exchange[i];
        x.a = number[x.a];
        x.b = number[x.b];
        x.seconds *= factor;
        x.run = pool->runs;
        fabric_add_exchange(pool, &x, NULL);
    }
    pool->runs++;
    free(number);
    return 0;
}
