/* A small record type, a protocol and its file, for the tests of protocols. */
#ifndef COMMON_PROTOCOL_TEST_H
#define COMMON_PROTOCOL_TEST_H

#include "common/protocol.h"

#include <float.h>
#include <math.h>

#include "tests/unit.h"

struct record {
    int64_t number;
    char word[COLUMN_WORD_SIZE];
    double value;
};

static const struct column columns[] = {COLUMN_OF(record, INTEGER, number, -INFINITY, INFINITY, false),
                                        COLUMN_OF(record, WORD, word, 0, 0, false),
                                        COLUMN_OF(record, REAL, value, -INFINITY, INFINITY, false)};

struct measured {
    int64_t colour, number;
    double value;
    char host[COLUMN_HOST_SIZE];
};

static const char *const colours[] = {"red", "green", NULL};
static const struct column measured_columns[] = {
    COLUMN_OF_WORDS(measured, colour, colours), COLUMN_OF(measured, INTEGER, number, 0, COLUMN_MAX, true),
    COLUMN_OF(measured, REAL, value, 0, COLUMN_MAX, true), COLUMN_OF(measured, WORD, host, 0, 0, true)};
enum { FIRST, SECOND };
static const struct record_table tables[] = {RECORD_TABLE("first", measured_columns, struct measured),
                                             RECORD_TABLE("second", measured_columns, struct measured)};
static const struct record_type small_type = {.program = "small",
                                              .records = RECORD_TABLE("records", columns, struct record),
                                              .tables = tables,
                                              .table_count = COUNT(tables)};

struct wide_record {
    struct record record;
    double more[100];
};

static const struct record_type wide_type = {"wide", "wide-1",
                                             RECORD_TABLE("records", columns, struct wide_record)};
static const struct record_type *const types[] = {&small_type, &wide_type, NULL};

/* The directory and the file of the current test, the protocol that was read or written last, and its error.
 */
static char *directory, *path;
static struct protocol p;
static struct message error;

static inline int set_up(void **state)
{
    (void)state;
    directory = unit_directory();
    path = unit_path(directory, "run.prot");
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    protocol_free(&p);
    return 0;
}

#define FILE_TEST(name) TEST_WITH(name, set_up, tear_down)

static inline void create(void)
{
    protocol_free(&p);
    assert_int_equal(protocol_create(&p, path, true, &small_type, &error), 0);
}

/* Closes the file and reads it. */
static inline int reread(void)
{
    protocol_free(&p);
    error = (struct message){""};
    return protocol_read(&p, path, types, NULL, &error);
}

static inline struct record make_record(int i)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, DBL_MAX, -DBL_MIN, 0, 123456789.123456789};
    struct record record = {.number = i == 1 ? INT64_MIN : i == 2 ? INT64_MAX : i, .value = values[i % 8]};
    snprintf(record.word, sizeof record.word, "ring-%d", i);
    return record;
}

/* Writes a complete protocol with `records` records. */
static inline void write_protocol(int records)
{
    create();
    protocol_meta(&p, "host", "a node");
    for (int i = 0; i < records; i++) {
        struct record record = make_record(i);
        protocol_record(&p, &record);
    }
    protocol_meta(&p, "finished", "late");
    protocol_result(&p, "b_eff", 0.1, "MB/s");
    protocol_end(&p, "complete");
    assert_int_equal(protocol_error(&p, &error), 0);
    protocol_free(&p);
}

static inline void assert_records(size_t count)
{
    assert_int_equal(p.records.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct record *found = protocol_at(&p, i);
        struct record expected = make_record((int)i);
        assert_true(found->number == expected.number);
        assert_string_equal(found->word, expected.word);
        assert_memory_equal(&found->value, &expected.value, sizeof(double));
    }
}

/* Reads text as a protocol. */
static inline int read_text(const char *text)
{
    unit_write(path, text, strlen(text));
    return reread();
}

#endif
