/* Tests writing protocols and reading them back: exact values, the format, odd metadata, full disks. */
#include "common/protocol_test.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

#include "common/checksum.h"

/* ---- writing and reading back ---- */

FILE_TEST(reads_what_was_written)
{
    write_protocol(20);
    assert_int_equal(reread(), 0);
    assert_ptr_equal(p.type, &small_type);
    assert_records(20);
    assert_string_equal(protocol_get(&p, "format"), PROTOCOL_FORMAT);
    assert_string_equal(protocol_get(&p, "program"), "small");
    assert_string_equal(protocol_get(&p, "host"), "a node");
    assert_string_equal(protocol_get(&p, "finished"), "late");
    assert_null(protocol_get(&p, "hos"));
    assert_int_equal(p.result_count, 1);
    assert_string_equal(p.results[0].name, "b_eff");
    assert_string_equal(p.results[0].unit, "MB/s");
    assert_real(p.results[0].value, 0.1);
    assert_string_equal(p.end, "complete");
}

/* The lines are as protocols/README.md describes them. */
FILE_TEST(writes_the_format)
{
    write_protocol(2);
    size_t size;
    char *text = unit_read(path, &size);
    const char expected[] = "#: format = " PROTOCOL_FORMAT "\n"
                            "#: program = small\n"
                            "#: host = a node\n"
                            "# columns: number word value\n"
                            "0\tring-0\t0.10000000000000001\n"
                            "-9223372036854775808\tring-1\t0.33333333333333331\n"
                            "#: finished = late\n"
                            "#: result b_eff = 0.10000000000000001 MB/s\n"
                            "#: end = complete\n";
    char *whole = text_format("%s#: checksum = %016" PRIx64 "\n", expected,
                              checksum_add(CHECKSUM_START, expected, sizeof expected - 1));
    assert_string_equal(text, whole);
    free(whole);
}

/* Rows keep their order in each table. A number without a value is written as "-". */
FILE_TEST(writes_and_reads_several_tables)
{
    static const struct measured rows[] = {
        {1, 3, 0.5, "n1"},
        {0, -1, NAN, ""},
        {1, 0, 0, "0123456789012345678901234567890123456789012345678901234567890123"}};
    struct record record = make_record(0);
    size_t size, count;
    create();
    protocol_add(&p, SECOND, rows, 2);
    protocol_record(&p, &record);
    protocol_add(&p, FIRST, &rows[1], 1);
    protocol_add(&p, SECOND, &rows[2], 1);
    protocol_add(&p, FIRST, rows, 0);
    protocol_end(&p, "complete");
    char *text = unit_read(path, &size);
    assert_contains(text, "# columns of second: colour number value host\n"
                          "#@second\tgreen\t3\t0.5\tn1\n"
                          "#@second\tred\t-\t-\t\n"
                          "# columns: number word value\n"
                          "0\tring-0\t0.10000000000000001\n"
                          "# columns of first: colour number value host\n"
                          "#@first\tred\t-\t-\t\n"
                          "#@second\tgreen\t0\t0\t0123");
    assert_int_equal(reread(), 0);
    assert_records(1);
    const struct measured *found = protocol_table(&p, SECOND, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].colour, rows[i].colour);
        assert_int_equal(found[i].number, rows[i].number);
        assert_true(found[i].value == rows[i].value || (isnan(found[i].value) && isnan(rows[i].value)));
        assert_string_equal(found[i].host, rows[i].host);
    }
    protocol_table(&p, FIRST, &count);
    assert_int_equal(count, 1);
}

FILE_TEST(keeps_infinity)
{
    const double values[] = {INFINITY, -INFINITY, -0.0};
    create();
    for (size_t i = 0; i < COUNT(values); i++) {
        struct record record = {.word = "x", .value = values[i]};
        protocol_record(&p, &record);
    }
    protocol_end(&p, "complete");
    assert_int_equal(reread(), 0);
    for (size_t i = 0; i < COUNT(values); i++) {
        double found = ((const struct record *)protocol_at(&p, i))->value;
        assert_true(found == values[i] && signbit(found) == signbit(values[i]));
    }
}

/* Metadata may contain any text from a command line or from /proc. */
FILE_TEST(keeps_odd_metadata)
{
    static const char *const rows[][2] = {
        {"", ""},         {" ", " "},         {"a = b", "a = b"}, {"two\nlines\r\n", "two lines  "},
        {"#: x", "#: x"}, {"\xff\xfe", "??"}, {"%s%n", "%s%n"},   {"trailing  ", "trailing  "},
    };
    create();
    for (size_t i = 0; i < COUNT(rows); i++)
        protocol_meta(&p, "key", rows[i][0]);
    protocol_end(&p, "partial (stopped\nhere)");
    assert_int_equal(reread(), 0);
    assert_int_equal(p.meta_count, COUNT(rows) + 2);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(p.meta[i + 2].key, "key");
        assert_string_equal(p.meta[i + 2].value, rows[i][1]);
    }
    assert_string_equal(protocol_get(&p, "key"), "trailing  "); /* the last one counts */
    assert_string_equal(p.end, "partial (stopped here)");
}

/* Names of hosts, paths and other texts from outside may have any bytes. */
FILE_TEST(whatever_comes_from_outside_can_be_read)
{
    create();
    for (int byte = 1; byte < 256; byte++) {
        struct record record = {.word = {'a', (char)byte, 'b'}};
        char value[] = {'a', (char)byte, 'b', 0};
        protocol_meta(&p, "host", value);
        protocol_record(&p, &record);
    }
    protocol_end(&p, "complete");
    assert_int_equal(reread(), 0);
    for (size_t i = 0; i < 255; i++) {
        const char *word = ((const struct record *)protocol_at(&p, i))->word, *value = p.meta[i + 2].value;
        bool is_word = i + 1 > ' ' && i + 1 < 0x7F;
        char expected[] = {'a', is_word ? (char)(i + 1) : '?', 'b', 0};
        assert_string_equal(word, expected);
        expected[1] = is_word ? expected[1] : i + 1 > 0x7F ? '?' : ' ';
        assert_string_equal(value, expected);
    }
}

/* Each record is in the file immediately, because a run may be killed at any time. */
FILE_TEST(flushes_every_record)
{
    struct protocol writing;
    assert_int_equal(protocol_create(&writing, path, false, &small_type, &error), 0);
    for (int i = 0; i < 5; i++) {
        struct record record = make_record(i);
        protocol_record(&writing, &record);
        assert_int_equal(reread(), 0);
        assert_records((size_t)i + 1);
        assert_null(p.end);
    }
    protocol_free(&writing);
}

FILE_TEST(overwrites_only_on_request)
{
    write_protocol(1);
    assert_int_equal(protocol_create(&p, path, false, &small_type, &error), -1);
    assert_contains(error.text, path);
    create();
}

FILE_TEST(ends_once)
{
    create();
    protocol_end(&p, "complete");
    protocol_end(&p, "partial (again)");
    protocol_end(&p, "partial (and again)");
    assert_int_equal(reread(), 0);
    assert_string_equal(p.end, "complete");
}

/* ---- disk full ---- */

FILE_TEST(reports_a_full_device)
{
    if (access("/dev/full", W_OK))
        skip();
    struct record record = make_record(0);
    assert_int_equal(protocol_create(&p, "/dev/full", true, &small_type, &error), -1);
    assert_contains(error.text, "/dev/full cannot be written");
    assert_contains(error.text, "No space left on device");
    /* The protocol continues in memory, and the failure is reported once. */
    protocol_record(&p, &record);
    assert_records(1);
}

/* A limit on the file size simulates a disk that fills up during a run. */
FILE_TEST(keeps_what_was_written_before_the_disk_was_full)
{
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 300;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    create();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int written = 0, failures = 0;
    for (int i = 0; i < 50; i++) {
        struct record record = make_record(i);
        protocol_record(&p, &record);
        failures += protocol_error(&p, &error) != 0;
        written += !failures;
    }
    protocol_end(&p, "complete");
    int end = protocol_error(&p, &(struct message){""});
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(failures, 1);
    assert_int_equal(end, 0);
    assert_contains(error.text, "run.prot cannot be written after ");
    assert_true(written > 2 && written < 20);
    assert_records(50);
    assert_int_equal(reread(), 0);
    assert_records((size_t)written);
    assert_null(p.end);
}
