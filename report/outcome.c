/* Writing what several runs tell. Uses csv, report. */
#include "report/outcome.h"

#include "report/csv.h"
#include "report/report.h"

static void put_texts(const char *what, const struct texts *texts, FILE *out)
{
    for (int i = 0; i < texts->count; i++)
        fprintf(out, "%s: %s\n", what, texts->text[i]);
}

static void put_text(const struct outcome *o, FILE *out)
{
    for (int i = 0; i < o->table_count; i++)
        if (o->tables[i].rows) {
            table_text(&o->tables[i], "", out);
            fputc('\n', out);
        }
    if (o->left_out)
        put_texts("left out", o->left_out, out);
    put_texts("note", o->notes, out);
    put_texts("refused", o->reasons, out);
    put_texts("wrong", o->errors, out);
    if (*o->threshold)
        fprintf(out, "%s\n", o->threshold);
    if (o->verdict)
        fprintf(out, "%s\n", o->verdict);
}

static int put_json(const struct outcome *o, FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_begin(&json, NULL, JSON_OBJECT);
    for (int i = 0; i < o->table_count; i++) {
        if (i && i == o->first_figures)
            json_begin(&json, "figures", JSON_OBJECT);
        table_json(&o->tables[i], &json, o->tables[i].name);
    }
    if (o->first_figures)
        json_end(&json);
    if (o->left_out)
        json_texts(&json, "left_out", o->left_out);
    json_texts(&json, "refused", o->reasons);
    json_texts(&json, "notes", o->notes);
    if (o->json)
        o->json(o->context, &json);
    json_integer(&json, "status", o->status);
    json_end(&json);
    return json_finish(&json);
}

enum report_status outcome_put(const struct outcome *o, int format, FILE *out)
{
    const struct texts *const all[] = {o->notes, o->reasons, o->errors, o->left_out};
    int failed = 0;
    for (int k = 0; k < (o->left_out ? 4 : 3); k++)
        for (int i = 0; i < all[k]->count; i++)
            finding_clean(all[k]->text[i]);
    if (format == FORMAT_TEXT)
        put_text(o, out);
    else if (format == FORMAT_JSON)
        failed = put_json(o, out);
    else if (format == FORMAT_CSV)
        csv_table(o->csv ? o->csv : o->tables, true, out);
    for (int i = 0; o->left_out && i < o->left_out->count && format != FORMAT_TEXT; i++)
        report_say("left out: %s", o->left_out->text[i]);
    for (int i = 0; i < o->reasons->count && format != FORMAT_TEXT; i++)
        report_say("refused: %s", o->reasons->text[i]);
    for (int i = 0; i < o->errors->count && format != FORMAT_TEXT; i++)
        report_say("%s", o->errors->text[i]);
    if (failed)
        report_say("JSON can't be written");
    return failed ? REPORT_REFUSED : o->status;
}
