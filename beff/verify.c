/* Checks that the records of a run follow the schedule (docs/definition-beff-1-schedule.md 2 and 3). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "beff/sweep.h"

/* The schedule is replayed: the records decide only where a sweep ended. */
struct replay {
    const struct pattern_list *list;
    const struct beff_record *record, *end; /* the next record; the end of the records */
    struct rules rules;
    int polygons;
    bool wanted[PATTERN_MAX];
    uint32_t order[PATTERN_MAX];
};

/* Replays the methods of a cell. Returns false if a record is missing. */
static bool replay_cell(struct replay *v, int sweep, int pattern, int size)
{
    for (int m = 0; m < METHODS; m++) {
        if (!rules_take(&v->rules, sweep, pattern, (enum method)m, size))
            continue;
        const struct beff_record *r = v->record;
        if (r == v->end || r->pass != sweep_pass(sweep) || r->rep != sweep_rep(sweep) ||
            r->bytes != v->list->sizes[size] || strcmp(r->pattern, v->list->patterns[pattern].id) != 0 ||
            strcmp(r->method, method_name((enum method)m)) != 0)
            return false;
        rules_learn(&v->rules, sweep, pattern, (enum method)m, size, r->t_max / (double)r->loops);
        v->record++;
    }
    return true;
}

/* Replays a sweep until a record is missing. Returns true if the sweep is complete. */
static bool replay_sweep(struct replay *v, int sweep)
{
    for (int size = 0; size < BEFF_SIZES; size++) {
        sweep_draw(v->list, sweep, size, v->order);
        for (int i = 0; i < v->list->count; i++)
            if (sweep_has(v->list, sweep, v->polygons, v->wanted, (int)v->order[i]) &&
                !replay_cell(v, sweep, (int)v->order[i], size))
                return false;
    }
    return true;
}

static bool is_empty(const struct replay *v, int sweep)
{
    for (int p = 0; p < v->list->count; p++)
        if (sweep_has(v->list, sweep, v->polygons, v->wanted, p))
            return false;
    return true;
}

/* Replays the pairs alone until a record is missing. Their sweeps have the numbers of the repetitions. */
static void replay_alone(struct replay *v)
{
    int alone = v->list->alone, cells = alone * BEFF_SIZES;
    for (int i = 0; i < SWEEP_REPETITIONS * cells; i++)
        if (!replay_cell(v, SWEEP_POLYGONS + i / cells, v->list->count + i % alone, i % cells / alone))
            return;
}

/* Returns 0, or -1 if a sweep begins or continues with another record. `due` is the next sweep. If one ended
 * early, only the analysis patterns follow. */
static int replay(struct replay *v)
{
    bool cut = false;
    for (int due = SWEEP_OPENING; v->record < v->end;) {
        const struct beff_record *first = v->record;
        int pattern = pattern_find(v->list, first->pattern);
        if (pattern >= v->list->count) {
            replay_alone(v);
            if (v->record == first)
                return -1;
            continue;
        }
        int sweep = sweep_of(v->list, first->pass, first->rep, pattern);
        bool analysis = sweep == SWEEP_ANALYSIS;
        while (due < sweep && is_empty(v, due))
            due++;
        if (analysis ? due > sweep : due != sweep || cut)
            return -1;
        bool whole = replay_sweep(v, sweep);
        if (v->record == first)
            return -1;
        cut |= analysis ? due < sweep : !whole;
        due = sweep + 1;
    }
    return 0;
}

int beff_verify(const void *results, struct message *error)
{
    const struct beff_results *r = results;
    const struct protocol *p = r->sheet.protocol;
    const char *largest = protocol_get(p, "largest_sizes");
    const struct beff_record *records = protocol_at(p, 0);
    struct replay v = {.list = &r->list, .record = records, .end = records + p->records.count};
    int64_t polygons, patterns;
    if (!protocol_integer(p, "patterns", r->list.count, r->list.count, &patterns))
        return 0; /* of another version: the orders were drawn from another list */
    v.polygons =
        protocol_integer(p, "polygons", 0, r->list.polygons, &polygons) ? (int)polygons : r->list.polygons;
    rules_make(&v.rules, &r->list);
    if (largest)
        v.rules.largest_from = (int)strtol(largest + strcspn(largest, " "), NULL, 10);
    for (const struct beff_record *record = records; record < v.end; record++) {
        int pattern = pattern_find(&r->list, record->pattern);
        if (pattern < 0)
            return 0;
        v.wanted[pattern] = true;
        if (record->pass > v.end - records)
            return message_set(error, "pass %" PRId64 " of %td records", record->pass, v.end - records);
    }
    if (replay(&v) == 0)
        return 0;
    return message_set(error,
                       "record %td (pass %" PRId64 ", repetition %" PRId64 ", %s, %s, %" PRId64
                       " B) does not follow the schedule: a record before it is missing, added or moved",
                       v.record - records + 1, v.record->pass, v.record->rep, v.record->pattern,
                       v.record->method, v.record->bytes);
}
