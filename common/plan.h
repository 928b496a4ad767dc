/* The output of --plan: values and a table, as text or as one JSON object. */
#ifndef COMMON_PLAN_H
#define COMMON_PLAN_H

#include "common/table.h"

struct plan {
    FILE *out;
    bool as_json;
    struct json json; /* the open object, if as_json */
};

void plan_start(struct plan *plan, FILE *out, bool as_json);

/* Writes a value: in JSON with the key `name`, in text with its label and unit ("" for none). */
void plan_figure(struct plan *plan, const char *name, const char *label, const char *unit, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));

/* Writes a list of numbers or words, as an array in JSON, and frees it. */
void plan_list(struct plan *plan, const char *name, const char *label, const char *unit,
               struct texts *values);

/* Writes the table, which comes last, and ends the output. */
void plan_finish(struct plan *plan, const struct table *table);

#endif
