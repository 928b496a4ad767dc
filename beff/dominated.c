/* Dominated methods. Uses patterns, record, protocol. */
#include "beff/dominated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff/record.h"

static int find_class(const struct pattern_list *list, const char *name)
{
    for (int class = 0; class < list->classes; class ++)
        if (strcmp(pattern_class_name(list, class), name) == 0)
            return class;
    return -1;
}

bool *dominated_read(const struct protocol *protocol, const struct pattern_list *list, struct message *error)
{
    bool *cells = calloc((size_t)list->classes * METHODS * BEFF_SIZES, sizeof *cells);
    if (!cells)
        message_set(error, "out of memory for the dominated methods");
    for (size_t i = 0; cells && i < protocol->meta_count; i++) {
        const struct protocol_pair *meta = &protocol->meta[i];
        char name[COLUMN_TEXT_SIZE], method_text[COLUMN_TEXT_SIZE];
        long long bytes = -1;
        if (strcmp(meta->key, "dominated") != 0)
            continue;
        int fields = sscanf(meta->value, "%23s %23s %lld", name, method_text, &bytes);
        int class = fields == 3 ? find_class(list, name) : -1, size = pattern_find_size(list, bytes);
        enum method method = fields == 3 ? method_find(method_text) : METHODS;
        if (class < 0 || method == METHODS || size < 0) {
            message_set(error, "line %zu: dominated = %.60s names no class, method and size", meta->line,
                        meta->value);
            free(cells);
            return NULL;
        }
        cells[((size_t) class * METHODS + method) * BEFF_SIZES + (size_t)size] = true;
    }
    return cells;
}

/* The fastest iteration of the method at each size of the class, and the slowest pattern's fastest one of any
 * other method at `size`. */
struct times {
    double method[BEFF_SIZES];
    double *other; /* of each pattern */
};

static void take(struct times *t, const struct pattern_list *list, const struct beff_record *r, int class,
                 int method, int size)
{
    int pattern = pattern_find(list, r->pattern), at = pattern_find_size(list, r->bytes);
    if (pattern < 0 || at < 0 || list->patterns[pattern].class != class)
        return;
    double one = r->t_max / (double)r->loops;
    if ((int)method_find(r->method) == method)
        t->method[at] = fmin(t->method[at], one);
    else if (at == size)
        t->other[pattern] = fmin(t->other[pattern], one);
}

bool dominated_follows(const struct protocol *protocol, const struct pattern_list *list, int class,
                       int method, int size)
{
    struct times t = {.other = malloc((size_t)list->count * sizeof *t.other)};
    double floor = 0, slowest = 0;
    if (!t.other)
        return false;
    for (int s = 0; s < BEFF_SIZES; s++)
        t.method[s] = INFINITY;
    for (int p = 0; p < list->count; p++)
        t.other[p] = INFINITY;
    for (size_t i = 0; i < protocol->record_count; i++)
        take(&t, list, protocol_at(protocol, i), class, method, size);
    for (int s = 0; s < size; s++)
        floor = isfinite(t.method[s]) ? fmax(floor, t.method[s]) : floor;
    for (int p = 0; p < list->count; p++)
        slowest = isfinite(t.other[p]) ? fmax(slowest, t.other[p]) : slowest;
    free(t.other);
    return floor > slowest && slowest > 0;
}
