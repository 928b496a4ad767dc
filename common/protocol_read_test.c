/* Tests the reader with protocols that are cut or damaged at any byte, edited or unusual, and with files that
 * are not protocols. */
#include "common/protocol_test.h"

#include <fcntl.h>
#include <inttypes.h>

#include "common/checksum.h"

/* ---- cut and damaged ---- */

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* A file that is cut anywhere is read up to its last complete line. Without the program's line it is not a
 * protocol. */
FILE_TEST(reads_a_file_that_was_cut_short)
{
    enum { RECORDS = 6, HEAD = 2, BEFORE_RECORDS = 4 };
    write_protocol(RECORDS);
    size_t size;
    char *text = unit_read(path, &size);
    for (size_t cut = 0; cut < size; cut++) {
        unit_write(path, text, cut);
        size_t lines = count_lines(text, cut);
        int failed = reread();
        assert_int_equal(failed, lines < HEAD ? -1 : 0);
        if (failed) {
            assert_contains(error.text,
                            "run.prot is not a record of a run: it has no line \"#: program = ...\"");
            continue;
        }
        assert_null(p.end);
        size_t records = lines < BEFORE_RECORDS ? 0 : lines - BEFORE_RECORDS;
        assert_records(records < RECORDS ? records : RECORDS);
    }
}

/* A file with a damaged byte is never read as complete. */
FILE_TEST(notices_every_damaged_byte)
{
    write_protocol(3);
    size_t size;
    char *text = unit_read(path, &size);
    int file = open(path, O_WRONLY);
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            char damaged = (char)(text[at] ^ 1 << bit);
            assert_int_equal(pwrite(file, &damaged, 1, (off_t)at), 1);
            int refused = reread();
            assert_int_equal(pwrite(file, &text[at], 1, (off_t)at), 1);
            if (refused) {
                assert_contains(error.text, "run.prot:");
                continue;
            }
            /* A line without its newline looks cut short. The case of a hexadecimal digit has no meaning. */
            if (p.end)
                assert_true(at > size - 18 && bit == 5);
            else
                assert_true(text[at] == '\n');
        }
    close(file);
}

FILE_TEST(notices_an_edited_record)
{
    write_protocol(3);
    size_t size;
    char *text = unit_read(path, &size);
    strstr(text, "ring-1")[5] = '2';
    assert_int_equal(read_text(text), -1);
    assert_contains(error.text, "checksum");
    assert_contains(error.text, "damaged or edited");
}

/* ---- foreign and odd files ---- */

#define HEAD    "#: format = " PROTOCOL_FORMAT "\n#: program = small\n"
#define COLUMNS "# columns: number word value\n"

FILE_TEST(refuses_invalid_files)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "it has no line \"#: program = ...\""},
        {"\n", "not a record"},
        {"hello\n", "not a record"},
        {"b_eff = 4128.646 MB/s = 2064.323 * 2 PEs\n", "not a record"},
        {"# columns: number word value\n", "not a record"},
        {"#: format = beff-protocol-0\n#: program = small\n", ":1: not a record"},
        {"#: program = small\n", ":1: not a record"},
        {"#: result b_eff = 1 MB/s\n#: program = small\n", ":1: not a record"},
        {"#: format\n", ":1: expected \" = \" in a metadata line"},
        {"#: format = " PROTOCOL_FORMAT "\n", "it has no line \"#: program = ...\""},
        {"#: format = " PROTOCOL_FORMAT "\n#: program = other\n", ":2: unknown program \"other\""},
        {"#: format = " PROTOCOL_FORMAT "\n" COLUMNS, ":2: expected the line \"#: program = ...\" before"},
        {HEAD "1\tx\t2\n", ":3: expected the line of columns before"},
        {HEAD COLUMNS COLUMNS, ":4: expected only one line of columns"},
        {HEAD COLUMNS "#: program = wide\n1\tx\t2\n", ":4: "},
        {HEAD "# columns: number word\n", ":3: the column value of small is missing"},
        {HEAD "# columns: number word word value\n", ":3: duplicate column word"},
        {HEAD "# columns: number word value number\n", ":3: duplicate column number"},
        {HEAD COLUMNS "1\tx\n", ":4: expected 3 fields, found 2"},
        {HEAD COLUMNS "1\tx\t2\t3\n", ":4: expected 3 fields, found more"},
        {HEAD COLUMNS "1 x 2\n", ":4: invalid number"},
        {HEAD COLUMNS "1.5\tx\t2\n", ":4: invalid number \"1.5\": expected a number"},
        {HEAD COLUMNS "\tx\t2\n", ":4: invalid number \"\": expected a number"},
        {HEAD COLUMNS "99999999999999999999\tx\t2\n", ":4: invalid number"},
        {HEAD COLUMNS "1\tx\t\n", ":4: invalid value \"\": expected a number"},
        {HEAD COLUMNS "1\tx\tnan\n", ":4: value = nan is not from -inf to inf"},
        {HEAD COLUMNS "1\tx\t2MB\n", ":4: invalid value \"2MB\": expected a number"},
        {HEAD COLUMNS "1\t12345678901234567890123456789012\t2\n", ":4: word is longer"},
        {HEAD "#: key without value\n", ":3: expected \" = \" in a metadata line"},
        {HEAD "#: result b_eff\n", ":3: expected \" = \" in a result"},
        {HEAD "#: result b_eff = fast MB/s\n", ":3: result b_eff: expected a number and a unit"},
        {HEAD "#: result b_eff = 1\n", ":3: result b_eff: expected a number and a unit"},
        {HEAD "#: checksum = 12\n", ":3: expected a checksum of 16"},
        {HEAD "#: checksum = 00000000000000zz\n", ":3: expected a checksum of 16"},
        {HEAD "#: checksum = 00000000000000000\n", ":3: expected a checksum of 16"},
        {HEAD "#: checksum = 0000000000000000\n", "damaged or edited"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (read_text(rows[i].text) != -1)
            fail_msg("row %zu was read: %s", i, rows[i].text);
        assert_contains(error.text, rows[i].error);
        assert_contains(error.text, strstr(rows[i].error, "it has no line")
                                        ? "run.prot is not a record of a run: "
                                        : "run.prot:");
        assert_null(strchr(error.text, '\n'));
    }
}

FILE_TEST(accepts_columns_in_any_order)
{
    assert_int_equal(read_text(HEAD "# columns: later value number note word\n"
                                    "9\t2.5\t1\ttext with blanks\tx\n"
                                    "# a comment, and an empty line\n\n"
                                    "\t3.5\t2\t\ty\n"),
                     0);
    assert_int_equal(p.records.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct record *record = protocol_at(&p, i);
        assert_int_equal(record->number, i + 1);
        assert_real(record->value, 2.5 + (double)i);
        assert_string_equal(record->word, i ? "y" : "x");
    }
}

FILE_TEST(selects_the_type_by_the_program)
{
    assert_int_equal(read_text("#: format = " PROTOCOL_FORMAT
                               "\n#: program = wide\n#: definition = wide-1\n" COLUMNS "1\tx\t2\n3\ty\t4\n"),
                     0);
    assert_ptr_equal(p.type, &wide_type);
    assert_int_equal(((const struct wide_record *)protocol_at(&p, 1))->record.number, 3);
}

#define FIRST_COLUMNS "# columns of first: colour number value host\n"
#define HOST_64       "0123456789012345678901234567890123456789012345678901234567890123"

/* A reader skips the tables and columns that it does not know, and gives missing columns no value. */
FILE_TEST(reads_tables_of_other_versions)
{
    size_t count;
    assert_int_equal(read_text(HEAD "# columns of later: x y\n#@later\t1\n#@later\n# columns of later\n#@\n"
                                    "# columns of first: new colour host number\n"
                                    "#@first\t1\tgreen\t" HOST_64 "\t-\n"),
                     0);
    const struct measured *row = protocol_table(&p, FIRST, &count);
    assert_int_equal(count, 1);
    assert_int_equal(row->colour, 1);
    assert_string_equal(row->host, HOST_64);
    assert_int_equal(row->number, -1);
    assert_true(isnan(row->value));
    protocol_table(&p, SECOND, &count);
    assert_int_equal(count, 0);
}

FILE_TEST(refuses_invalid_rows)
{
    static const char *const rows[][2] = {
        {"#@first\tred\t1\t1\tx\n", ":3: expected the line of columns"},
        {FIRST_COLUMNS "#@first\n", ":4: expected fields"},
        {FIRST_COLUMNS "#@first\tred\t1\t1\n", ":4: expected 4 fields, found 3"},
        {FIRST_COLUMNS "#@first\tred\t1\t1\tx\ty\n", ":4: expected 4 fields, found more"},
        {FIRST_COLUMNS "#@first\tblue\t1\t1\tx\n", ":4: unknown colour \"blue\""},
        {FIRST_COLUMNS "#@first\t-\t1\t1\tx\n", ":4: unknown colour \"-\""},
        {FIRST_COLUMNS "#@first\tred\t-1\t1\tx\n", ":4: number = -1 is not from 0"},
        {FIRST_COLUMNS "#@first\tred\t1\tnan\tx\n", ":4: value = nan is not from 0"},
        {FIRST_COLUMNS "#@first\tred\t1\t1\t" HOST_64 "4\n", ":4: host is longer than 64"},
        {FIRST_COLUMNS "#@first\tred\t1\t1\ta b\n", ":4: invalid host"},
        {FIRST_COLUMNS FIRST_COLUMNS, ":4: expected only one line of columns"},
        {"# columns of first: number\n", ":3: the column colour of first is missing"},
        {"# columns of first\n", ":3: expected \":\" after the name"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = text_format("%s%s", HEAD, rows[i][0]);
        assert_int_equal(read_text(text), -1);
        assert_contains(error.text, rows[i][1]);
        free(text);
    }
}

FILE_TEST(reads_records_of_the_earlier_format)
{
    assert_int_equal(read_text("#: format = " PROTOCOL_EARLIER "\n#: program = small\n" COLUMNS "1\tx\t2\n"),
                     0);
    assert_int_equal(p.records.count, 1);
}

FILE_TEST(refuses_many_columns)
{
    char text[4096] = HEAD "# columns: number word value";
    for (int i = 0; i < 70; i++)
        snprintf(text + strlen(text), 20, " more%d", i);
    strcat(text, "\n");
    assert_int_equal(read_text(text), -1);
    assert_contains(error.text, "more than 64 columns");
}

FILE_TEST(refuses_zero_bytes)
{
    char text[] = HEAD "#: host = a node\n#: more = x\n";
    strstr(text, "node")[1] = 0;
    unit_write(path, text, sizeof text - 1);
    assert_int_equal(reread(), -1);
    assert_contains(error.text, ":3: the line contains a zero byte");
}

/* Writes a value of `length` bytes, and returns the length that is read. */
static size_t length_after(const char *key, size_t length)
{
    char *value = malloc(length + 1);
    memset(value, 'v', length);
    value[length] = 0;
    create();
    protocol_meta(&p, key, value);
    protocol_end(&p, "complete");
    assert_int_equal(reread(), 0);
    assert_string_equal(p.end, "complete");
    length = strlen(protocol_get(&p, key));
    free(value);
    return length;
}

FILE_TEST(cuts_values_that_are_too_long_for_a_line)
{
    assert_int_equal(length_after("host", 65000), 65000);
    assert_int_equal(length_after("host", 70000), PROTOCOL_MAX_LINE - strlen("#: host = \n"));
    assert_int_equal(length_after("command", 1000000), 1000000);
    assert_int_equal(length_after("command", 3 << 20), PROTOCOL_MAX_COMMAND - strlen("#: command = \n"));
}

/* A file without newlines may be larger than memory. */
FILE_TEST(refuses_lines_without_end)
{
    static const char head[] = "#: format = beff-protocol-2\n#: program = small\n";
    char *text = malloc(sizeof head + PROTOCOL_MAX_LINE);
    memset(text, 'x', sizeof head + PROTOCOL_MAX_LINE);
    memcpy(text, head, sizeof head - 1);
    unit_write(path, text, sizeof head + PROTOCOL_MAX_LINE);
    assert_int_equal(reread(), -1);
    assert_contains(error.text, ":3: a line of more than 65535 bytes");
    free(text);
}

FILE_TEST(keeps_line_numbers_and_reads_on_after_a_wrong_checksum)
{
    write_protocol(5);
    size_t size;
    char *text = unit_read(path, &size);
    strstr(text, "a node")[0] = 'b';
    unit_write(path, text, size);
    struct message damage;
    assert_int_equal(reread(), -1);
    assert_int_equal(protocol_read(&p, path, types, &damage, &error), 0);
    assert_contains(damage.text, "the file was damaged or edited");
    assert_records(5);
    assert_string_equal(p.end, "complete");
    const char *line = text; /* becomes the line of the first record */
    size_t number = 1;
    for (; *line == '#'; number++)
        line = strchr(line, '\n') + 1;
    assert_int_equal(p.results[0].line, number + 6);
    assert_int_equal(p.lines, count_lines(text, size));
    text[size - 30] = 0; /* without a checksum it is cut short, not damaged */
    unit_write(path, text, strlen(text));
    protocol_free(&p);
    assert_int_equal(protocol_read(&p, path, types, &damage, &error), 0);
    assert_string_equal(damage.text, "");
    assert_null(p.end);
}

FILE_TEST(refuses_lines_after_the_end)
{
    static const char *const rows[] = {"#: host = other\n", "# a comment\n", "\n", "1\tx\t2\n",
                                       "#: end = complete\n"};
    write_protocol(1);
    size_t size;
    char *text = unit_read(path, &size);
    char *checksum = strstr(text, "#: checksum");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *more = text_format("%s%s", text, rows[i]);
        assert_int_equal(read_text(more), -1);
        assert_contains(error.text, "expected nothing after");
        free(more);
        /* Lines between the end and the checksum are refused too. */
        more = text_format("%.*s%s%s", (int)(checksum - text), text, rows[i], checksum);
        assert_int_equal(read_text(more), -1);
        free(more);
    }
}

FILE_TEST(names_a_missing_file)
{
    assert_int_equal(reread(), -1);
    assert_contains(error.text, "run.prot cannot be read: ");
    assert_int_equal(protocol_read(&p, directory, types, NULL, &error), -1);
}
