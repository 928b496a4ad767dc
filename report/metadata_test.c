/* Tests that protocols/run.schema.json lists the programs' metadata. */
#include "common/metadata.h"

#include "beff/settings.h"
#include "beff_io/settings.h"
#include "common/memory.h"
#include "imb_compat/settings.h"
#include "tests/unit.h"

static const char *const types[] = {[METADATA_TEXT] = "\"$ref\": \"#/definitions/text\"",
                                    [METADATA_INTEGER] = "\"type\": \"integer\"",
                                    [METADATA_ANSWER] = "\"enum\": [\"yes\", \"no\", \"unknown\"]",
                                    [METADATA_REAL] = "\"type\": \"number\"",
                                    [METADATA_NUMBER] = "\"type\": [\"number\", \"string\"]",
                                    [METADATA_YES] = "\"enum\": [\"yes\", \"no\"]",
                                    [METADATA_LABEL] = "\"$ref\": \"#/definitions/text\""};
static const char *const uses[] = {"repeats", "required", "defines", "sizes",
                                   "system",  "machine",  "explains"};
static const struct engine *const engines[] = {&beff_engine, &beff_io_engine, &imb_engine};

/* Writes the beginning of the schema's line for a key. The unit and the description follow. */
static void put_row(const struct metadata_row *row, FILE *out)
{
    fprintf(out, "\"%s\": {\"$comment\": \"", row->key);
    for (size_t i = 0, n = 0; i < COUNT(uses); i++)
        if (row->uses & 1U << i)
            fprintf(out, "%s%s", n++ ? ", " : "", uses[i]);
}

static bool is_first(const struct option_table *options, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(options->rows[k].name, options->rows[i].name) == 0)
            return false;
    return true;
}

/* Writes the names of the options that have the use `use`. Skips other spellings of an option. */
static void put_options(const struct engine *engine, unsigned use, const char *lead, FILE *out)
{
    const struct option_table *options = engine->options;
    int n = 0;
    for (size_t i = 0; i < options->count; i++)
        if (options->rows[i].uses & use && is_first(options, i))
            fprintf(out, "%s%s", n++ ? " " : lead, options->rows[i].name);
}

/* Returns the place after `expected` in the schema, at or after `from`. Fails if there is none. */
static const char *find(const char *from, const char *expected)
{
    const char *found = strstr(from, expected);
    if (!found)
        fprintf(stderr, "protocols/run.schema.json lacks this, or has it in another order:\n%s\n",
                expected); /* too long for a message of cmocka */
    assert_non_null(found);
    return found + strlen(expected);
}

/* Finds all rows in this order, and returns the place after them. */
static const char *find_rows(const char *from, const struct metadata *metadata)
{
    for (size_t i = 0; i < metadata->count; i++) {
        struct stream stream;
        put_row(&metadata->rows[i], stream_start(&stream));
        char *text = stream_end(&stream);
        from = find(from, text);
        assert_true(*from == '"' || *from == ';');
        free(text);
        const char *end = strchr(from, '\n');
        from = find(find(from, "\"description\": \""), types[metadata->rows[i].kind]);
        assert_true(from < end);
    }
    return from;
}

/* The keys of the programs come first, then the keys of all programs. No other line describes a use. */
TEST(schema_lists_all_keys)
{
    size_t size, rows = metadata_common.count, lines = 0;
    char *schema = unit_read("protocols/run.schema.json", &size);
    const char *at = schema;
    for (size_t i = 0; i < COUNT(engines); i++) {
        at = find_rows(at, engines[i]->type->metadata);
        rows += engines[i]->type->metadata->count;
    }
    find_rows(at, &metadata_common);
    for (const char *use = schema; (use = strstr(use, "{\"$comment\": \"")); use++)
        lines += strncmp(use, "{\"$comment\": \"defines: ", 23) != 0; /* the options of imb_compat */
    assert_int_equal(rows, lines);
}

/* Finds the columns of a table in their order, and returns the place after them. */
static const char *find_columns(const char *from, const struct record_table *table)
{
    assert_in_range(table->column_count, 1, 64);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        char name[80];
        snprintf(name, sizeof name, "\"%s\": {", column->name);
        assert_true(column->offset < table->size);
        if (column->kind == COLUMN_WORD &&
            column->size == COLUMN_HOST_SIZE) /* beff_report pack finds hosts */
            assert_true(!strcmp(column->name, "host") || strstr(column->name, "_node"));
        from = find(from, name);
        for (size_t k = 0; column->kind == COLUMN_CHOICE && column->words[k]; k++) {
            snprintf(name, sizeof name, "\"%s\"", column->words[k]);
            assert_true(find(from, name) < strchr(from, '\n'));
        }
    }
    return from;
}

/* The tables of an engine are in the schema in their order, with all columns and words, and no others are. */
TEST(schema_lists_all_tables)
{
    size_t size;
    const char *at = unit_read("protocols/run.schema.json", &size);
    for (size_t i = 0; i < COUNT(engines); i++) {
        const struct record_type *type = engines[i]->type;
        char *text = text_format("\n  \"%s\": {\n", type->program);
        find_columns(find(at, text), &type->records);
        free(text);
        assert_true(type->table_count <= PROTOCOL_TABLES);
        text = text_format("\n  \"%s_measured\": {\n", type->program);
        const char *start = strstr(at, text), *place = start;
        assert_true(start || !type->table_count);
        for (size_t t = 0; t < type->table_count; t++) {
            free(text);
            text = text_format("\n    \"%s\": {\n", type->tables[t].name);
            place = find_columns(find(place, text), &type->tables[t]);
        }
        size_t tables = 0;
        const char *end = start ? find(place, "\n  }") : NULL;
        for (const char *other = start; other && (other = strstr(other, "\n    \"")) && other < end; other++)
            tables++;
        assert_int_equal(tables, type->table_count);
        free(text);
    }
}

TEST(schema_lists_the_uses_of_options)
{
    size_t size;
    char *schema = unit_read("protocols/run.schema.json", &size);
    const char *at = schema;
    for (size_t i = 0; i < COUNT(engines); i++) {
        struct stream stream;
        FILE *out = stream_start(&stream);
        put_options(engines[i], METADATA_DEFINES, "\"$comment\": \"defines: ", out);
        put_options(engines[i], METADATA_SYSTEM, "; system: ", out);
        fputs("\"}", out);
        char *text = stream_end(&stream);
        at = find(at, text);
        free(text);
    }
}

/* Returns true if a sample of the program records the option. The samples are older than later options. */
static bool has_sample(const struct engine *engine, const char *name)
{
    static const char *const samples[] = {"beff-n2", "beff_io-n2", "imb-mpi1-n2", "imb-ext-n2", "imb-nbc-n2"};
    char path[80], program[40], key[80];
    bool found = false;
    snprintf(program, sizeof program, "\n#: program = %s\n", engine->program);
    snprintf(key, sizeof key, "\n#: " OPTION_KEY "%s = ", name);
    for (size_t i = 0; i < COUNT(samples) && !found; i++) {
        size_t size;
        snprintf(path, sizeof path, "protocols/samples/%s/run.prot", samples[i]);
        char *sample = unit_read(path, &size);
        found = strstr(sample, program) && strstr(sample, key);
    }
    return found;
}

/* Runs made before an option existed compare with runs in which it has the value `absent`. The options of
 * IMB-IO, IMB-MT and IMB-P2P are in no sample. */
TEST(later_options_that_define_have_a_value_for_earlier_runs)
{
    const unsigned sampled = 1U << IMB_MPI1 | 1U << IMB_EXT | 1U << IMB_NBC;
    for (size_t i = 0; i < COUNT(engines); i++)
        for (size_t k = 0; k < engines[i]->options->count; k++) {
            const struct option_row *row = &engines[i]->options->rows[k];
            char *key = text_format(OPTION_KEY "%s", row->name);
            if (row->uses & (METADATA_DEFINES | METADATA_SYSTEM) &&
                (!row->in_parts || row->in_parts & sampled) && !has_sample(engines[i], row->name))
                assert_non_null(metadata_find(engines[i]->type->metadata, key).absent);
            free(key);
        }
}

/* Two rows for one key could contradict each other. */
TEST(keys_are_unique)
{
    for (size_t i = 0; i < COUNT(engines); i++) {
        const struct metadata *own = engines[i]->type->metadata;
        for (size_t k = 0; k < own->count; k++)
            for (size_t j = 0; j < k; j++)
                assert_string_not_equal(own->rows[j].key, own->rows[k].key);
    }
}
