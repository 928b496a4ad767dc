/* Keeps the end points, exchanges and findings of a fabric, and writes them to the protocol. */
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
    f->finding = NULL;
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
