#include "common/sheet.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/metadata.h"

/* ---- making ---- */

void sheet_value(struct sheet *sheet, const char *name, const char *label, const char *unit, double value)
{
    array_grow(&sheet->values, (size_t)sheet->value_count, sizeof *sheet->values);
    sheet->values[sheet->value_count++] = (struct sheet_value){name, label, unit, value};
}

void sheet_detail(struct sheet *sheet, const char *name, const char *label, const char *unit, double value)
{
    sheet_value(sheet, name, label, unit, value);
    sheet->values[sheet->value_count - 1].detail = true;
}

void sheet_use(struct sheet *sheet, unsigned uses)
{
    sheet->values[sheet->value_count - 1].uses = uses;
}

void sheet_criterion(struct sheet *sheet, enum criterion_state state, const char *format, ...)
{
    array_grow(&sheet->criteria, (size_t)sheet->criterion_count, sizeof *sheet->criteria);
    struct sheet_criterion *criterion = &sheet->criteria[sheet->criterion_count++];
    *criterion = (struct sheet_criterion){.state = state};
    TEXT_PRINT(criterion->text, sizeof criterion->text, format);
}

void sheet_completed(struct sheet *sheet)
{
    const char *end = protocol_get(sheet->protocol, "interrupted");
    end = end ? end : sheet->protocol->end ? sheet->protocol->end : "the record has no end line";
    sheet->completed = sheet->criterion_count;
    if (strcmp(end, "complete") == 0)
        sheet_criterion(sheet, CRITERION_REACHED, "run completed");
    else
        sheet_criterion(sheet, CRITERION_MISSED, "run completed (%.100s)", end);
}

const struct sheet_criterion *sheet_reported(const struct sheet *sheet, int i)
{
    return &sheet->criteria[i == 0 ? sheet->completed : i <= sheet->completed ? i - 1 : i];
}

void sheet_of_time(struct sheet *sheet)
{
    if (sheet->criterion_count)
        sheet->criteria[sheet->criterion_count - 1].of_time = true;
}

void sheet_table(struct sheet *sheet, const struct table *table, const void *context)
{
    array_grow(&sheet->tables, (size_t)sheet->table_count, sizeof *sheet->tables);
    sheet->tables[sheet->table_count] = *table;
    sheet->tables[sheet->table_count++].context = context;
}

bool sheet_valid(const struct sheet *sheet)
{
    bool valid = !sheet->unknown;
    for (int i = 0; i < sheet->criterion_count; i++)
        valid = valid && sheet->criteria[i].state != CRITERION_MISSED;
    return valid;
}

const char *sheet_verdict(const struct sheet *sheet)
{
    bool valid = sheet_valid(sheet);
    if (sheet->unknown)
        return "no verdict";
    if (sheet->rates_nothing)
        return valid ? "checks passed" : "checks FAILED";
    return valid ? "VALID" : "NOT VALID";
}

bool sheet_rates(const struct sheet *sheet, const char *name)
{
    return strcmp(name, sheet->headline_name) == 0;
}

const struct sheet_value *sheet_find(const struct sheet *sheet, const char *name)
{
    for (int i = 0; i < sheet->value_count; i++)
        if (strcmp(sheet->values[i].name, name) == 0)
            return &sheet->values[i];
    return NULL;
}

void sheet_free(struct sheet *sheet)
{
    texts_free(&sheet->notes);
    free(sheet->values);
    free(sheet->criteria);
    free(sheet->tables);
    free(sheet->passes);
    *sheet = (struct sheet){0};
}

/* ---- text ---- */

static void put_environment(const struct sheet *sheet, FILE *out)
{
    static const char keys[] =
        "component version definition started host nodes processes ranks_per_node threads cpu cores "
        "hardware_threads memory_mib memory_limit_mib memory_per_process_mib lmax mpi mpi_version compiler "
        "binding oversubscribed clock_resolution_s seed time_s command";
    fprintf(out, "\n%s\n", sheet->protocol->type->program);
    for (const char *at = keys; *at; at += strcspn(at, " "), at += *at == ' ') {
        char key[32];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(at, " "), at);
        const char *value = protocol_get(sheet->protocol, key);
        if (value)
            fprintf(out, "  %-24s%s\n", key, value);
    }
}

static int put_value(const struct sheet_value *v, FILE *out)
{
    char text[TEXT_NUMBER_SIZE];
    const char *unit = isnan(v->value) ? "" : v->unit;
    return fprintf(out, "  %-52s%14s%s%s%s\n", v->label, text_number(text, v->value), *unit ? " " : "", unit,
                   v->uses & SHEET_STATED ? " (not recomputed)" : "") > 0;
}

static void put_summary(const struct sheet *sheet, FILE *out)
{
    int count[CRITERION_STATES] = {0};
    for (int i = 0; i < sheet->criterion_count; i++)
        count[sheet->criteria[i].state]++;
    const char *noun = sheet->rates_nothing ? "checks" : "criteria";
    if (sheet->unknown || !sheet->rates_nothing)
        fprintf(out, "%s%s%s", sheet_verdict(sheet), sheet->unknown ? "" : " for comparison",
                sheet->criterion_count ? ": " : "");
    if (count[CRITERION_MISSED])
        fprintf(out, "%d of %d %s FAIL", count[CRITERION_MISSED], sheet->criterion_count, noun);
    else if (sheet->criterion_count)
        fprintf(out, "all %d %s pass", count[CRITERION_REACHED], noun);
    if (count[CRITERION_UNCHECKED])
        fprintf(out, ", %d not checked", count[CRITERION_UNCHECKED]);
    fputc('\n', out);
}

static int put_failures(const struct sheet *sheet, FILE *out)
{
    int lines = 0, failed = 0;
    for (int i = 0; i < sheet->criterion_count; i++) {
        const struct sheet_criterion *criterion = sheet_reported(sheet, i);
        if (criterion->state == CRITERION_MISSED && failed++ < SHEET_REASONS)
            lines += text_wrap("  FAIL  ", criterion->text, SHEET_COLUMNS, out);
    }
    if (failed > SHEET_REASONS)
        lines += fprintf(out, "  %d more FAIL: see summary.txt\n", failed - SHEET_REASONS) > 0;
    return lines;
}

/* Writes rating, verdict and criteria. If `brief`, writes only the first missed criteria. Returns the number
 * of lines, which is correct only if `brief`. */
static int put_rating(const struct sheet *sheet, bool brief, FILE *out)
{
    static const char *const leads[CRITERION_STATES] = {"  FAIL  ", "  pass  ", "  not checked  "};
    const struct sheet_value *rated = sheet_find(sheet, sheet->headline_name);
    int lines = 1;
    if (rated)
        lines += put_value(rated, out);
    put_summary(sheet, out);
    if (brief)
        lines += put_failures(sheet, out);
    for (int i = 0; i < sheet->criterion_count && !brief; i++)
        fprintf(out, "%s%s\n", leads[sheet->criteria[i].state], sheet->criteria[i].text);
    if (*sheet->noise)
        lines += fprintf(out, "  %s\n", sheet->noise) > 0;
    if (*sheet->noise && *sheet->disturbance)
        lines += text_wrap("  ", sheet->disturbance, brief ? SHEET_COLUMNS : SIZE_MAX, out);
    return lines;
}

/* Writes as many notes as fit on `room` lines. */
static void put_notes(const struct sheet *sheet, int room, size_t width, FILE *out)
{
    static const char lead[] = "  note: ";
    size_t i = 0;
    for (; i < sheet->notes.count; i++) {
        int lines = text_wrap(lead, sheet->notes.text[i], width, NULL);
        if (lines > room - (i + 1 < sheet->notes.count))
            break;
        room -= text_wrap(lead, sheet->notes.text[i], width, out);
    }
    if (i < sheet->notes.count)
        fprintf(out, "  %zu more note%s: see summary.txt\n", sheet->notes.count - i,
                TEXT_S(sheet->notes.count - i));
}

void sheet_text(const struct sheet *sheet, FILE *out)
{
    put_rating(sheet, false, out);
    fputc('\n', out);
    for (int i = 0; i < sheet->value_count; i++)
        put_value(&sheet->values[i], out);
    fputs(sheet->notes.count ? "\n" : "", out);
    put_notes(sheet, INT_MAX, SIZE_MAX, out);
    put_environment(sheet, out);
    for (int i = 0; i < sheet->table_count; i++) {
        fputc('\n', out);
        table_text(&sheet->tables[i], "", out);
    }
    fprintf(out, "\n%s\n", sheet->headline);
}

/* ---- text on a screen ---- */

static void describe_machine(const struct sheet *sheet, char *text, size_t size)
{
    static const char *const parts[][3] = {{"on ", "host", ""},
                                           {", ", "cpu", ""},
                                           {": ", "processes", " processes"},
                                           {", ", "ranks_per_node", " per node"},
                                           {", ", "memory_per_process_mib", " MiB each"},
                                           {", ", "mpi", ""}};
    *text = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *value = protocol_get(sheet->protocol, parts[i][1]);
        const char *unit = strcmp(parts[i][1], "processes") == 0 && value && strcmp(value, "1") == 0
                               ? " process"
                               : parts[i][2];
        if (value)
            text_append(text, size, "%s%.70s%s", parts[i][0], value, unit);
    }
}

/* Writes the headline. If it is too long, it is cut before the verdict, if possible at a comma. */
static void put_headline(const struct sheet *sheet, FILE *out)
{
    const char *headline = sheet->headline, *verdict = strstr(headline, ", NOT VALID"), *comma;
    const char *shown = verdict ? ", NOT VALID" : (verdict = strstr(headline, ", VALID")) ? ", VALID" : "";
    size_t body = verdict ? (size_t)(verdict - headline) : strlen(headline);
    size_t fits = text_line(headline, SHEET_COLUMNS - strlen(shown));
    if (fits < body && (comma = memrchr(headline, ',', fits)))
        fits = (size_t)(comma - headline);
    fprintf(out, "%.*s%s\n", (int)(fits < body ? fits : body), headline, shown);
}

void sheet_brief(const struct sheet *sheet, const char *directory, FILE *out)
{
    char machine[400];
    describe_machine(sheet, machine, sizeof machine);
    /* 5: three empty lines, the directory and the headline */
    int lines = put_rating(sheet, true, out) + text_wrap("  ", machine, SHEET_COLUMNS, NULL) + 5, shown = 0;
    fputc('\n', out);
    for (const struct sheet_value *v = sheet->values; v < sheet->values + sheet->value_count; v++)
        if (!v->detail && !isnan(v->value) && v->value != 0 && !sheet_rates(sheet, v->name))
            shown += put_value(v, out);
    lines += shown;
    fputs(shown ? "\n" : "", out);
    put_notes(sheet, SHEET_LINES - lines, SHEET_COLUMNS, out);
    text_wrap("  ", machine, SHEET_COLUMNS, out);
    fprintf(out, "  files: %s\n\n", directory);
    put_headline(sheet, out);
}

/* ---- as JSON: metadata ---- */

/* Writes the settings, or all other metadata. A repeated key is written once, as an array of its values. */
static void put_pairs(const struct sheet *sheet, bool settings, struct json *json)
{
    const struct protocol *p = sheet->protocol;
    size_t lead = strlen(OPTION_KEY);
    json_begin(json, settings ? "settings" : "system", JSON_OBJECT);
    for (size_t i = 0; i < p->meta_count; i++) {
        const char *key = p->meta[i].key, *name = key + (settings ? lead : 0), *value;
        if ((strncmp(key, OPTION_KEY, lead) == 0) != settings || p->meta[i].repeats)
            continue;
        void (*put)(struct json *, const char *, const char *) =
            metadata_is_number(metadata_find(p->type->metadata, key).kind) ? json_number : json_text;
        if (!p->meta[i].next) {
            put(json, name, p->meta[i].value);
            continue;
        }
        json_begin(json, name, JSON_ARRAY);
        for (size_t k = 0; (value = protocol_next(p, key, &k));)
            put(json, NULL, value);
        json_end(json);
    }
    json_end(json);
}

/* ---- as JSON: result ---- */

/* Writes the criteria in one state as an array. An empty array is omitted only for UNCHECKED. */
static void put_criteria(const struct sheet *sheet, const char *key, enum criterion_state state,
                         struct json *json)
{
    struct texts texts = {0};
    for (int i = 0; i < sheet->criterion_count; i++)
        if (sheet->criteria[i].state == state)
            texts_add(&texts, "%s", sheet->criteria[i].text);
    if (texts.count || state != CRITERION_UNCHECKED)
        json_texts(json, key, &texts);
    texts_free(&texts);
}

static void put_result(const struct sheet *sheet, struct json *json)
{
    json_begin(json, "result", JSON_OBJECT);
    for (int i = 0; i < sheet->value_count; i++) {
        json_real(json, sheet->values[i].name, sheet->values[i].value);
        if (sheet_rates(sheet, sheet->values[i].name))
            json_text(json, "unit", sheet->values[i].unit);
    }
    if (sheet->unknown)
        json_text(json, "valid", NULL);
    else
        json_boolean(json, "valid", sheet_valid(sheet));
    put_criteria(sheet, "reasons", CRITERION_MISSED, json);
    put_criteria(sheet, "not_checked", CRITERION_UNCHECKED, json);
    json_texts(json, "notes", &sheet->notes);
    if (*sheet->disturbance)
        json_text(json, "disturbance", sheet->disturbance);
    json_reals(json, "passes", sheet->passes, sheet->pass_count);
    json_text(json, "line", sheet->headline);
    json_text(json, "end", sheet->protocol->end);
    json_end(json);
}

/* ---- as JSON: records, and the whole sheet ---- */

static void put_rows(const struct record_table *table, const struct protocol_rows *rows, struct json *json)
{
    json_begin(json, table->name, JSON_ARRAY);
    for (size_t i = 0; i < rows->count; i++)
        row_json(table->columns, table->column_count, rows->row + i * table->size, json);
    json_end(json);
}

/* Writes the other tables that have rows. */
static void put_measured(const struct protocol *p, struct json *json)
{
    json_begin(json, "measured", JSON_OBJECT);
    for (size_t i = 0; i < p->type->table_count; i++)
        if (p->tables[i].count)
            put_rows(&p->type->tables[i], &p->tables[i], json);
    json_end(json);
}

void sheet_json(const struct sheet *sheet, bool records, FILE *out)
{
    static const char *const first[] = {"format", "program", "version", "command"};
    const struct protocol *p = sheet->protocol;
    struct json json;
    json_start(&json, out);
    json_begin(&json, NULL, JSON_OBJECT);
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (protocol_get(p, first[i]))
            json_text(&json, first[i], protocol_get(p, first[i]));
    put_pairs(sheet, false, &json);
    put_pairs(sheet, true, &json);
    put_result(sheet, &json);
    json_begin(&json, "tables", JSON_OBJECT);
    for (int i = 0; i < sheet->table_count; i++)
        table_json(&sheet->tables[i], &json, sheet->tables[i].name);
    json_end(&json);
    if (records) {
        if (p->type->table_count)
            put_measured(p, &json);
        put_rows(&p->type->records, &p->records, &json);
    } else {
        json_text(&json, "records", NULL);
        json_text(&json, "records_in", "run.prot");
    }
    json_end(&json);
    json_finish(&json);
}
