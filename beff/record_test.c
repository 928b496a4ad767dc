/* Tests the columns of beff's records and the names of methods. Protocols and other programs rely on both. */
#include "beff/record.h"

#include "tests/unit.h"

TEST(has_the_columns_of_the_definition)
{
    static const char *const names[] = {"pass",  "rep",   "pattern", "method", "bytes",     "messages",
                                        "loops", "t_min", "t_avg",   "t_max",  "bandwidth", "errors"};
    assert_string_equal(beff_record_type.program, "beff");
    assert_int_equal(beff_record_type.records.size, sizeof(struct beff_record));
    for (size_t i = 0; i < COUNT(names); i++) {
        int found = 0;
        for (size_t c = 0; c < beff_record_type.records.column_count; c++)
            found += strcmp(beff_record_type.records.columns[c].name, names[i]) == 0;
        assert_int_equal(found, 1);
    }
}

/* Each column has its own member of the record, of the column's kind. */
TEST(keeps_columns_apart)
{
    char used[sizeof(struct beff_record)] = {0};
    for (size_t c = 0; c < beff_record_type.records.column_count; c++) {
        const struct column *column = &beff_record_type.records.columns[c];
        size_t size = column->kind == COLUMN_WORD ? COLUMN_WORD_SIZE : 8;
        assert_true(column->offset + size <= sizeof used);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(used[column->offset + i]++, 0);
    }
    for (size_t i = 0; i < sizeof used; i++) /* the reason is only in the table of discarded attempts */
        assert_int_equal(used[i], i < offsetof(struct beff_record, reason));
}

/* A record with a different value in each member is unchanged after writing and reading. */
TEST(is_unchanged_after_writing_and_reading)
{
    static const struct record_type *const types[] = {&beff_record_type, NULL};
    char *directory = unit_directory(), *path = unit_path(directory, "run.prot");
    struct beff_record record = {1,   2,   "random-01", "Alltoallv",           3, 4, 5,
                                 0.1, 0.2, 0.3,         3 * 4 * 5 / 0.3 / 1e6, 6};
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_create(&p, path, false, &beff_record_type, &error), 0);
    protocol_meta(&p, "definition", beff_record_type.definition);
    protocol_record(&p, &record);
    protocol_end(&p, "complete");
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, path, types, NULL, &error), 0);
    assert_int_equal(p.records.count, 1);
    assert_memory_equal(protocol_at(&p, 0), &record, sizeof record);
    protocol_free(&p);
}

TEST(names_methods)
{
    static const char *const names[METHODS] = {"Sendrecv", "nonblocking", "Alltoallv"};
    static const char *const others[] = {"", "sendrecv", "Sendrec", "Sendrecv2", "Nonblocking", "null"};
    for (int m = 0; m < METHODS; m++) {
        assert_string_equal(method_name((enum method)m), names[m]);
        assert_int_equal(method_find(names[m]), m);
    }
    for (size_t i = 0; i < COUNT(others); i++)
        assert_int_equal(method_find(others[i]), METHODS);
}
