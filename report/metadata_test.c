/* Tests that protocols/README.md has the programs' tables of metadata. */
#include "common/metadata.h"

#include "beff/settings.h"
#include "beff_io/settings.h"
#include "common/memory.h"
#include "imb_compat/settings.h"
#include "tests/unit.h"

static const char *const kinds[] = {[METADATA_TEXT] = "text",     [METADATA_INTEGER] = "whole number",
                                    [METADATA_REAL] = "number",   [METADATA_NUMBER] = "number or words",
                                    [METADATA_YES] = "yes or no", [METADATA_LABEL] = "LABEL=VALUE"};
static const char *const uses[] = {"repeats", "required", "defines", "sizes",
                                   "system",  "machine",  "explains"};

static void put_rows(const struct metadata *metadata, FILE *out)
{
    fputs("| key | value | use | meaning |\n| --- | --- | --- | --- |\n", out);
    for (const struct metadata_row *row = metadata->rows; row < metadata->rows + metadata->count; row++) {
        fprintf(out, "| %s | %s%s%s |", row->key, kinds[row->kind], row->unit ? ", " : "",
                row->unit ? row->unit : "");
        for (size_t i = 0, n = 0; i < COUNT(uses); i++)
            if (row->uses & 1U << i)
                fprintf(out, "%s%s", n++ ? ", " : " ", uses[i]);
        fprintf(out, " | %s |\n", row->help);
    }
}

static const struct engine *const engines[] = {&beff_engine, &beff_io_engine, &imb_engine};

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
            fprintf(out, "%s`%s`", n++ ? ", " : lead, options->rows[i].name);
    fputs(n ? "\n" : "", out);
}

static void assert_in_readme(const char *expected)
{
    size_t size;
    char *readme = unit_read("protocols/README.md", &size);
    bool found = strstr(readme, expected);
    if (!found)
        fprintf(stderr, "protocols/README.md lacks this:\n%s.\n",
                expected); /* too long for a message of cmocka */
    free(readme);
    assert_true(found);
}

static void readme_has_the_common_keys(void **state)
{
    char *text;
    size_t size;
    (void)state;
    FILE *out = memory_stream(&text, &size);
    put_rows(&metadata_common, out);
    memory_stream_end(out);
    assert_in_readme(text);
    free(text);
}

static void readme_has_the_keys_of_each_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(engines); i++) {
        const struct engine *engine = engines[i];
        char *text;
        size_t size;
        FILE *out = memory_stream(&text, &size);
        put_rows(engine->type->metadata, out);
        fputc('\n', out);
        put_options(engine, METADATA_DEFINES, "Options that define what was measured: ", out);
        put_options(engine, METADATA_SYSTEM, "Options that identify the system: ", out);
        memory_stream_end(out);
        assert_in_readme(text);
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
        free(sample);
    }
    return found;
}

/* Runs made before an option existed compare with runs in which it has the value `absent`. The options of
 * IMB-IO, IMB-MT and IMB-P2P are in no sample. */
static void later_options_that_define_have_a_value_for_earlier_runs(void **state)
{
    const unsigned sampled = 1U << IMB_MPI1 | 1U << IMB_EXT | 1U << IMB_NBC;
    (void)state;
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
static void keys_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(engines); i++) {
        const struct metadata *own = engines[i]->type->metadata;
        for (size_t k = 0; k < own->count; k++)
            for (size_t j = 0; j < k; j++)
                assert_string_not_equal(own->rows[j].key, own->rows[k].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readme_has_the_common_keys), cmocka_unit_test(readme_has_the_keys_of_each_program),
        cmocka_unit_test(later_options_that_define_have_a_value_for_earlier_runs),
        cmocka_unit_test(keys_are_unique)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
