/* What --plan prints: figures and a table, as text or as one JSON object. Pure. */
#ifndef COMMON_PLAN_H
#define COMMON_PLAN_H

#include "common/table.h"

struct plan {
    FILE *out;
    bool as_json;
    struct json json; /* with as_json: the open object */
};

void plan_start(struct plan *plan, FILE *out, bool as_json);

/* Writes a figure: its key in JSON, its label and unit ("" for none) for people, and its value. */
void plan_figure(struct plan *plan, const char *name, const char *label, const char *unit, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));

/* Writes a list of numbers or words, in JSON as an array, and frees it. */
void plan_list(struct plan *plan, const char *name, const char *label, const char *unit,
               struct texts *values);

/* Writes the table, after everything else. */
void plan_finish(struct plan *plan, const struct table *table);

#endif
