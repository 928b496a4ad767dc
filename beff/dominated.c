/* Dominated methods. Uses patterns, record, schedule (the rule), protocol. */
#include "beff/dominated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff/record.h"
#include "beff/schedule.h"

struct cell {
    int class;
    enum method method;
    int size;
};

static int find_class(const struct pattern_list *list, const char *name)
{
    for (int class = 0; class < list->classes; class ++)
        if (strcmp(pattern_class_name(list, class), name) == 0)
            return class;
    return -1;
}

/* The class, method and size that a line names; -1 if it names none. */
static int read_cell(const char *value, const struct pattern_list *list, struct cell *cell)
{
    char name[COLUMN_TEXT_SIZE], method[COLUMN_TEXT_SIZE];
    long long bytes = -1;
    if (sscanf(value, "%23s %23s %lld", name, method, &bytes) != 3)
        return -1;
    *cell = (struct cell){find_class(list, name), method_find(method), pattern_find_size(list, bytes)};
    return cell->class < 0 || cell->method == METHODS || cell->size < 0 ? -1 : 0;
}

static size_t index_of(const struct cell *cell)
{
    return ((size_t)cell->class * METHODS + cell->method) * BEFF_SIZES + (size_t)cell->size;
}

bool *dominated_read(const struct protocol *protocol, const struct pattern_list *list, struct message *error)
{
    bool *cells = calloc((size_t)list->classes * METHODS * BEFF_SIZES, sizeof *cells);
    if (!cells)
        message_set(error, "out of memory for the dominated methods");
    for (size_t i = 0; cells && i < protocol->meta_count; i++) {
        const struct protocol_pair *meta = &protocol->meta[i];
        struct cell cell;
        if (strcmp(meta->key, "dominated") != 0)
            continue;
        if (read_cell(meta->value, list, &cell)) {
            message_set(error, "line %zu: dominated = %.60s names no class, method and size", meta->line,
                        meta->value);
            free(cells);
            return NULL;
        }
        cells[index_of(&cell)] = true;
    }
    return cells;
}

bool dominated_follows(const struct protocol *protocol, const struct pattern_list *list, size_t i)
{
    struct cell c;
    double slow[BEFF_SIZES] = {0}, best = INFINITY;
    const struct beff_record *last = NULL; /* at this size */
    if (read_cell(protocol->meta[i].value, list, &c))
        return false;
    for (size_t k = 0; k < protocol->record_count && protocol->record_lines[k] < protocol->meta[i].line;
         k++) {
        const struct beff_record *r = protocol_at(protocol, k);
        int pattern = pattern_find(list, r->pattern), size = pattern_find_size(list, r->bytes);
        if (pattern < 0 || size < 0 || list->patterns[pattern].class != c.class)
            continue;
        double one = r->t_max / (double)r->loops;
        if (method_find(r->method) == c.method)
            slow[size] = slow[size] > 0 ? fmin(slow[size], one) : one;
        else if (size == c.size) {
            bool same = last && last->rep == r->rep && strcmp(last->pattern, r->pattern) == 0;
            best = same ? fmin(best, one) : one;
            last = r;
        }
    }
    for (int s = 0; s < c.size; s++)
        if (schedule_dominates(best, slow[s]))
            return true;
    return false;
}
