#include "common/plan.h"

enum { LABEL_WIDTH = 34, WIDTH = 100 };

void plan_start(struct plan *plan, FILE *out, bool as_json)
{
    *plan = (struct plan){.out = out, .as_json = as_json};
    json_start(&plan->json, out);
    if (as_json)
        json_begin(&plan->json, NULL, JSON_OBJECT);
}

void plan_figure(struct plan *plan, const char *name, const char *label, const char *unit, const char *format,
                 ...)
{
    char value[1024], lead[LABEL_WIDTH + 3];
    TEXT_PRINT(value, sizeof value, format);
    if (plan->as_json) {
        json_number(&plan->json, name, value);
        return;
    }
    snprintf(lead, sizeof lead, "%-*s  ", LABEL_WIDTH, label);
    text_append(value, sizeof value, "%s%s", *unit ? " " : "", unit);
    text_wrap(lead, value, WIDTH, plan->out);
}

void plan_list(struct plan *plan, const char *name, const char *label, const char *unit, struct texts *values)
{
    char joined[1000] = "";
    if (plan->as_json)
        json_begin(&plan->json, name, JSON_FLAT_ARRAY);
    for (size_t i = 0; i < values->count; i++)
        if (plan->as_json)
            json_number(&plan->json, NULL, values->text[i]);
        else
            text_append(joined, sizeof joined, "%s%s", i ? ", " : "", values->text[i]);
    if (plan->as_json)
        json_end(&plan->json);
    else
        plan_figure(plan, name, label, unit, "%s", values->count ? joined : "none");
    texts_free(values);
}

void plan_finish(struct plan *plan, const struct table *table)
{
    if (plan->as_json) {
        table_json(table, &plan->json, table->name);
        json_end(&plan->json);
    } else {
        fputc('\n', plan->out);
        table_text(table, "", plan->out);
    }
    json_finish(&plan->json);
}
