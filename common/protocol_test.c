/* Writing and reading protocols: exact values, files cut at every byte, damaged at every byte, foreign, odd;
 * a disk that fills up. */
#include "common/protocol.h"

#include <float.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

#include "common/checksum.h"
#include "tests/unit.h"

struct record {
    int64_t number;
    char word[COLUMN_TEXT_SIZE];
    double value;
};

static const struct column columns[] = {{"number", COLUMN_INTEGER, offsetof(struct record, number)},
                                        {"word", COLUMN_TEXT, offsetof(struct record, word)},
                                        {"value", COLUMN_REAL, offsetof(struct record, value)}};
static const struct record_type small_type = {"small", columns, COUNT(columns), sizeof(struct record)};

struct wide_record {
    struct record record;
    double more[100];
};

static const struct record_type wide_type = {"wide", columns, COUNT(columns), sizeof(struct wide_record)};
static const struct record_type *const types[] = {&small_type, &wide_type, NULL};

struct place {
    char *directory, *path;
};

static int set_up(void **state)
{
    static struct place place;
    place.directory = unit_directory();
    place.path = unit_path(place.directory, "run.prot");
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    free(place->path);
    unit_remove(place->directory);
    return 0;
}

static struct record make_record(int i)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, DBL_MAX, -DBL_MIN, 0, 123456789.123456789};
    struct record record = {.number = i == 1 ? INT64_MIN : i == 2 ? INT64_MAX : i, .value = values[i % 8]};
    snprintf(record.word, sizeof record.word, "ring-%d", i);
    return record;
}

/* A protocol of `records` records, written and ended. */
static void write_protocol(const char *path, int records)
{
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_create(&p, path, true, &small_type, &error), 0);
    assert_int_equal(protocol_meta(&p, "host", "a node", &error), 0);
    for (int i = 0; i < records; i++) {
        struct record record = make_record(i);
        assert_int_equal(protocol_record(&p, &record, &error), 0);
    }
    assert_int_equal(protocol_meta(&p, "finished", "late", &error), 0);
    assert_int_equal(protocol_result(&p, "b_eff", 0.1, "MB/s", &error), 0);
    assert_int_equal(protocol_end(&p, "complete", &error), 0);
    protocol_free(&p);
}

static void assert_records(const struct protocol *p, size_t count)
{
    assert_int_equal(p->record_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct record *found = protocol_at(p, i);
        struct record expected = make_record((int)i);
        assert_true(found->number == expected.number);
        assert_string_equal(found->word, expected.word);
        assert_memory_equal(&found->value, &expected.value, sizeof(double));
    }
}

/* Reads text as a protocol. */
static int read_text(const struct place *place, struct protocol *p, const char *text, struct message *error)
{
    unit_write(place->path, text, strlen(text));
    *error = (struct message){""};
    return protocol_read(p, place->path, types, error);
}

/* ---- there and back ---- */

static void reads_what_was_written(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    write_protocol(place->path, 20);
    assert_int_equal(protocol_read(&p, place->path, types, &error), 0);
    assert_ptr_equal(p.type, &small_type);
    assert_records(&p, 20);
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
    protocol_free(&p);
}

/* The lines themselves, as protocols/README.md describes them. */
static void writes_the_format(void **state)
{
    const struct place *place = *state;
    write_protocol(place->path, 2);
    size_t size;
    char *text = unit_read(place->path, &size);
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
    free(text);
}

static void keeps_values_that_are_no_numbers(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    const double values[] = {NAN, INFINITY, -INFINITY, -0.0};
    assert_int_equal(protocol_create(&p, place->path, true, &small_type, &error), 0);
    for (size_t i = 0; i < COUNT(values); i++) {
        struct record record = {.word = "x", .value = values[i]};
        assert_int_equal(protocol_record(&p, &record, &error), 0);
    }
    assert_int_equal(protocol_end(&p, "complete", &error), 0);
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, place->path, types, &error), 0);
    for (size_t i = 0; i < COUNT(values); i++) {
        double found = ((const struct record *)protocol_at(&p, i))->value;
        assert_true(isnan(values[i]) ? isnan(found)
                                     : found == values[i] && signbit(found) == signbit(values[i]));
    }
    protocol_free(&p);
}

/* Metadata can hold anything that was on a command line or in /proc. */
static void keeps_odd_metadata(void **state)
{
    const struct place *place = *state;
    static const char *const rows[][2] = {
        {"", ""},           {" ", " "},
        {"a = b", "a = b"}, {"two\nlines\r\n", "two lines  "},
        {"#: x", "#: x"},   {"\xff\xfe", "\xff\xfe"},
        {"%s%n", "%s%n"},   {"trailing  ", "trailing  "},
    };
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_create(&p, place->path, true, &small_type, &error), 0);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(protocol_meta(&p, "key", rows[i][0], &error), 0);
    assert_int_equal(protocol_end(&p, "partial (stopped\nhere)", &error), 0);
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, place->path, types, &error), 0);
    assert_int_equal(p.meta_count, COUNT(rows) + 2);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(p.meta[i + 2].key, "key");
        assert_string_equal(p.meta[i + 2].value, rows[i][1]);
    }
    assert_string_equal(protocol_get(&p, "key"), "trailing  "); /* the last one counts */
    assert_string_equal(p.end, "partial (stopped here)");
    protocol_free(&p);
}

/* Each finished measurement is in the file at once: a run may be killed at any point. */
static void flushes_every_record(void **state)
{
    const struct place *place = *state;
    struct protocol writing, reading;
    struct message error;
    assert_int_equal(protocol_create(&writing, place->path, false, &small_type, &error), 0);
    for (int i = 0; i < 5; i++) {
        struct record record = make_record(i);
        assert_int_equal(protocol_record(&writing, &record, &error), 0);
        assert_int_equal(protocol_read(&reading, place->path, types, &error), 0);
        assert_records(&reading, (size_t)i + 1);
        assert_null(reading.end);
        protocol_free(&reading);
    }
    protocol_free(&writing);
}

static void overwrites_only_when_told(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    write_protocol(place->path, 1);
    assert_int_equal(protocol_create(&p, place->path, false, &small_type, &error), -1);
    assert_contains(error.text, place->path);
    protocol_free(&p);
    assert_int_equal(protocol_create(&p, place->path, true, &small_type, &error), 0);
    protocol_free(&p);
}

static void ends_once(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_create(&p, place->path, true, &small_type, &error), 0);
    assert_int_equal(protocol_end(&p, "complete", &error), 0);
    protocol_end(&p, "partial (again)", &error);
    protocol_end(&p, "partial (and again)", &error);
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, place->path, types, &error), 0);
    assert_string_equal(p.end, "complete");
    protocol_free(&p);
}

/* ---- cut and damaged ---- */

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Cut anywhere: it reads as far as it goes, as partial; without the program's line it is no protocol. */
static void reads_as_far_as_it_goes(void **state)
{
    const struct place *place = *state;
    enum { RECORDS = 6, HEAD = 2, BEFORE_RECORDS = 4 };
    write_protocol(place->path, RECORDS);
    size_t size;
    char *text = unit_read(place->path, &size);
    for (size_t cut = 0; cut < size; cut++) {
        struct protocol p;
        struct message error = {""};
        unit_write(place->path, text, cut);
        size_t lines = count_lines(text, cut);
        int failed = protocol_read(&p, place->path, types, &error);
        assert_int_equal(failed, lines < HEAD ? -1 : 0);
        if (failed) {
            assert_contains(error.text, "run.prot:");
            continue;
        }
        assert_null(p.end);
        size_t records = lines < BEFORE_RECORDS ? 0 : lines - BEFORE_RECORDS;
        assert_records(&p, records < RECORDS ? records : RECORDS);
        protocol_free(&p);
    }
    free(text);
}

/* No damaged byte passes for a whole protocol. */
static void notices_every_damaged_byte(void **state)
{
    const struct place *place = *state;
    write_protocol(place->path, 3);
    size_t size;
    char *text = unit_read(place->path, &size);
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct protocol p;
            struct message error = {""};
            text[at] = (char)(text[at] ^ 1 << bit);
            unit_write(place->path, text, size);
            text[at] = (char)(text[at] ^ 1 << bit);
            if (protocol_read(&p, place->path, types, &error)) {
                assert_contains(error.text, "run.prot:");
                continue;
            }
            /* A line that lost its end looks cut short; a changed case of a hexadecimal digit is the same
             * number. */
            if (p.end)
                assert_true(at > size - 18 && bit == 5);
            else
                assert_true(text[at] == '\n');
            protocol_free(&p);
        }
    free(text);
}

static void notices_an_edited_record(void **state)
{
    const struct place *place = *state;
    write_protocol(place->path, 3);
    size_t size;
    char *text = unit_read(place->path, &size);
    strstr(text, "ring-1")[5] = '2';
    struct protocol p;
    struct message error;
    assert_int_equal(read_text(place, &p, text, &error), -1);
    assert_contains(error.text, "checksum");
    assert_contains(error.text, "damaged or edited");
    free(text);
}

/* ---- foreign and odd files ---- */

#define HEAD    "#: format = " PROTOCOL_FORMAT "\n#: program = small\n"
#define COLUMNS "# columns: number word value\n"

static void refuses_what_does_not_fit(void **state)
{
    const struct place *place = *state;
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "no line names the program"},
        {"\n", "no protocol"},
        {"hello\n", "no protocol"},
        {"b_eff = 4128.646 MB/s = 2064.323 * 2 PEs\n", "no protocol"},
        {"# columns: number word value\n", "no protocol"},
        {"#: format = beff-protocol-0\n#: program = small\n", ":1: this is no protocol"},
        {"#: program = small\n", ":1: this is no protocol"},
        {"#: result b_eff = 1 MB/s\n#: program = small\n", ":1: this is no protocol"},
        {"#: format\n", ":1: a metadata line"},
        {"#: format = " PROTOCOL_FORMAT "\n", "no line names the program"},
        {"#: format = " PROTOCOL_FORMAT "\n#: program = other\n", ":2: program \"other\" is not known"},
        {"#: format = " PROTOCOL_FORMAT "\n" COLUMNS, ":2: columns before"},
        {HEAD "1\tx\t2\n", ":3: a record before"},
        {HEAD COLUMNS COLUMNS, ":4: a second line of columns"},
        {HEAD COLUMNS "#: program = wide\n1\tx\t2\n", ":4: "},
        {HEAD "# columns: number word\n", ":3: 1 of the 3 columns"},
        {HEAD "# columns:\n", ":3: 3 of the 3 columns"},
        {HEAD "# columns: number word word value\n", ":3: column word is there twice"},
        {HEAD "# columns: number word value number\n", ":3: column number is there twice"},
        {HEAD COLUMNS "1\tx\n", ":4: 2 fields instead of 3"},
        {HEAD COLUMNS "1\tx\t2\t3\n", ":4: more than 3 fields"},
        {HEAD COLUMNS "1 x 2\n", ":4: number"},
        {HEAD COLUMNS "1.5\tx\t2\n", ":4: number: \"1.5\" is no number"},
        {HEAD COLUMNS "\tx\t2\n", ":4: number: \"\" is no number"},
        {HEAD COLUMNS "99999999999999999999\tx\t2\n", ":4: number"},
        {HEAD COLUMNS "1\tx\t\n", ":4: value: \"\" is no number"},
        {HEAD COLUMNS "1\tx\t2MB\n", ":4: value: \"2MB\" is no number"},
        {HEAD COLUMNS "1\t123456789012345678901234\t2\n", ":4: word is longer"},
        {HEAD "#: key without value\n", ":3: a metadata line"},
        {HEAD "#: result b_eff\n", ":3: a result without"},
        {HEAD "#: result b_eff = fast MB/s\n", ":3: result b_eff is not a number"},
        {HEAD "#: result b_eff = 1\n", ":3: result b_eff is not a number"},
        {HEAD "#: checksum = 12\n", ":3: the checksum is not 16"},
        {HEAD "#: checksum = 00000000000000zz\n", ":3: the checksum is not 16"},
        {HEAD "#: checksum = 00000000000000000\n", ":3: the checksum is not 16"},
        {HEAD "#: checksum = 0000000000000000\n", "damaged or edited"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p;
        struct message error;
        if (read_text(place, &p, rows[i].text, &error) != -1)
            fail_msg("row %zu was read: %s", i, rows[i].text);
        assert_contains(error.text, rows[i].error);
        assert_contains(error.text, "run.prot:");
        assert_null(strchr(error.text, '\n'));
    }
}

static void takes_columns_in_any_order(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    assert_int_equal(read_text(place, &p,
                               HEAD "# columns: later value number note word\n"
                                    "9\t2.5\t1\ttext with blanks\tx\n"
                                    "# a comment, and an empty line\n\n"
                                    "\t3.5\t2\t\ty\n",
                               &error),
                     0);
    assert_int_equal(p.record_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct record *record = protocol_at(&p, i);
        assert_int_equal(record->number, i + 1);
        assert_real(record->value, 2.5 + (double)i);
        assert_string_equal(record->word, i ? "y" : "x");
    }
    protocol_free(&p);
}

static void takes_the_type_of_the_program(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    assert_int_equal(read_text(place, &p,
                               "#: format = " PROTOCOL_FORMAT "\n#: program = wide\n" COLUMNS
                               "1\tx\t2\n3\ty\t4\n",
                               &error),
                     0);
    assert_ptr_equal(p.type, &wide_type);
    assert_int_equal(((const struct wide_record *)protocol_at(&p, 1))->record.number, 3);
    protocol_free(&p);
}

static void refuses_many_columns(void **state)
{
    const struct place *place = *state;
    char text[4096] = HEAD "# columns: number word value";
    for (int i = 0; i < 70; i++)
        snprintf(text + strlen(text), 20, " more%d", i);
    strcat(text, "\n");
    struct protocol p;
    struct message error;
    assert_int_equal(read_text(place, &p, text, &error), -1);
    assert_contains(error.text, "more than 64 columns");
}

static void refuses_zero_bytes(void **state)
{
    const struct place *place = *state;
    char text[] = HEAD "#: host = a node\n#: more = x\n";
    strstr(text, "node")[1] = 0;
    unit_write(place->path, text, sizeof text - 1);
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_read(&p, place->path, types, &error), -1);
    assert_contains(error.text, ":3: a zero byte");
}

static void reads_very_long_lines(void **state)
{
    const struct place *place = *state;
    const size_t length = 3 << 20;
    char *value = malloc(length + 1);
    memset(value, 'v', length);
    value[length] = 0;
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_create(&p, place->path, true, &small_type, &error), 0);
    assert_int_equal(protocol_meta(&p, "command", value, &error), 0);
    assert_int_equal(protocol_end(&p, "complete", &error), 0);
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, place->path, types, &error), 0);
    assert_string_equal(protocol_get(&p, "command"), value);
    assert_string_equal(p.end, "complete");
    protocol_free(&p);
    free(value);
}

/* Such a file may be larger than memory. */
static void refuses_lines_without_end(void **state)
{
    const struct place *place = *state;
    static const char head[] = "#: format = beff-protocol-1\n#: program = small\n";
    char *text = malloc(sizeof head + PROTOCOL_MOST_LINE);
    memset(text, 'x', sizeof head + PROTOCOL_MOST_LINE);
    memcpy(text, head, sizeof head - 1);
    unit_write(place->path, text, sizeof head + PROTOCOL_MOST_LINE);
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_read(&p, place->path, types, &error), -1);
    assert_contains(error.text, ":3: a line of more than 16777215 bytes");
    free(text);
}

static void tells_the_lines_of_records_and_reads_on_behind_a_wrong_checksum(void **state)
{
    const struct place *place = *state;
    write_protocol(place->path, 5);
    size_t size;
    char *text = unit_read(place->path, &size);
    strstr(text, "a node")[0] = 'b';
    unit_write(place->path, text, size);
    struct protocol p;
    struct message damage, error;
    assert_int_equal(protocol_read(&p, place->path, types, &error), -1);
    assert_int_equal(protocol_read_damaged(&p, place->path, types, &damage, &error), 0);
    assert_contains(damage.text, "the file was damaged or edited");
    assert_records(&p, 5);
    assert_string_equal(p.end, "complete");
    const char *line = text; /* of the first record: behind the columns */
    size_t number = 1;
    for (; *line == '#'; number++)
        line = strchr(line, '\n') + 1;
    for (size_t i = 0; i < p.record_count; i++)
        assert_int_equal(p.record_lines[i], number + i);
    assert_int_equal(p.meta[2].line, 3);
    assert_int_equal(p.results[0].line, number + 6);
    assert_int_equal(p.lines, count_lines(text, size));
    protocol_free(&p);
    text[size - 30] = 0; /* no checksum: cut short, not damaged */
    unit_write(place->path, text, strlen(text));
    assert_int_equal(protocol_read_damaged(&p, place->path, types, &damage, &error), 0);
    assert_string_equal(damage.text, "");
    assert_null(p.end);
    protocol_free(&p);
    free(text);
}

static void takes_nothing_behind_the_end(void **state)
{
    const struct place *place = *state;
    static const char *const rows[] = {"#: host = other\n", "# a comment\n", "\n", "1\tx\t2\n",
                                       "#: end = complete\n"};
    write_protocol(place->path, 1);
    size_t size;
    char *text = unit_read(place->path, &size);
    char *checksum = strstr(text, "#: checksum");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p;
        struct message error;
        char *more = text_format("%s%s", text, rows[i]);
        assert_int_equal(read_text(place, &p, more, &error), -1);
        assert_contains(error.text, "something follows");
        free(more);
        /* The same between the end and the checksum. */
        more = text_format("%.*s%s%s", (int)(checksum - text), text, rows[i], checksum);
        assert_int_equal(read_text(place, &p, more, &error), -1);
        free(more);
    }
    free(text);
}

static void names_a_file_that_is_not_there(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error;
    char *path = unit_path(place->directory, "missing.prot");
    assert_int_equal(protocol_read(&p, path, types, &error), -1);
    assert_contains(error.text, "missing.prot can't be read: ");
    assert_int_equal(protocol_read(&p, place->directory, types, &error), -1); /* a directory */
    free(path);
}

/* ---- disk full ---- */

static void reports_a_full_device(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    struct protocol p;
    struct message error;
    struct record record = make_record(0);
    assert_int_equal(protocol_create(&p, "/dev/full", true, &small_type, &error), -1);
    assert_contains(error.text, "/dev/full can't be written");
    assert_contains(error.text, "No space left on device");
    /* It goes on in memory: what is measured is kept, and the damage is reported once. */
    assert_int_equal(protocol_record(&p, &record, &error), 0);
    assert_records(&p, 1);
    protocol_free(&p);
}

/* A file that may not grow beyond a few records, in place of a disk that fills up in the middle of a run. */
static void keeps_what_was_written_before_the_disk_was_full(void **state)
{
    const struct place *place = *state;
    struct protocol p;
    struct message error = {""};
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 300;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(protocol_create(&p, place->path, true, &small_type, &error), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int written = 0, failures = 0;
    for (int i = 0; i < 50; i++) {
        struct record record = make_record(i);
        int failed = protocol_record(&p, &record, &error);
        failures += failed != 0;
        written += !failures;
    }
    int end = protocol_end(&p, "complete", &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(failures, 1);
    assert_int_equal(end, 0);
    assert_contains(error.text, "run.prot can't be written after ");
    assert_true(written > 2 && written < 20);
    assert_records(&p, 50);
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, place->path, types, &error), 0);
    assert_records(&p, (size_t)written);
    assert_null(p.end);
    protocol_free(&p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_what_was_written),
        TEST(writes_the_format),
        TEST(keeps_values_that_are_no_numbers),
        TEST(keeps_odd_metadata),
        TEST(flushes_every_record),
        TEST(overwrites_only_when_told),
        TEST(ends_once),
        TEST(reads_as_far_as_it_goes),
        TEST(notices_every_damaged_byte),
        TEST(notices_an_edited_record),
        TEST(refuses_what_does_not_fit),
        TEST(takes_columns_in_any_order),
        TEST(takes_the_type_of_the_program),
        TEST(refuses_many_columns),
        TEST(refuses_zero_bytes),
        TEST(reads_very_long_lines),
        TEST(refuses_lines_without_end),
        TEST(tells_the_lines_of_records_and_reads_on_behind_a_wrong_checksum),
        TEST(takes_nothing_behind_the_end),
        TEST(names_a_file_that_is_not_there),
        TEST(reports_a_full_device),
        TEST(keeps_what_was_written_before_the_disk_was_full),
    };
    return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
