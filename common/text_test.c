/* Tests messages and formatted text: lengths, control characters, command lines, numbers. */
#include "common/text.h"

#include <errno.h>

#include "tests/unit.h"

TEST(sets_messages)
{
    struct message message;
    assert_int_equal(message_set(&message, "%s has %d", "it", 3), -1);
    assert_string_equal(message.text, "it has 3");
}

TEST(cuts_long_messages)
{
    struct message message;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_int_equal(message_set(&message, "%s", text), -1);
    assert_int_equal(strlen(message.text), sizeof message.text - 1);
}

TEST(formats_text_of_any_length)
{
    char *text = text_format("%5000d", 7);
    assert_int_equal(strlen(text), 5000);
    assert_int_equal(text[4999], '7');
    free(text);
    text = text_format("%s", "");
    assert_string_equal(text, "");
    free(text);
}

TEST(appends_up_to_the_size)
{
    char text[12] = "ab";
    text_append(text, sizeof text, "%s", "cd");
    text_append(text, sizeof text, "%f", 1e300);
    assert_string_equal(text, "abcd1000000");
    text_append(text, sizeof text, "%s", "more");
    assert_string_equal(text, "abcd1000000");
}

TEST(makes_one_line)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"a\nb\r\n", "a b  "},
        {"\x01\x1f\x7f tab\t", "    tab "},
        {"gr\xc3\xbc\xc3\x9f\x65", "gr\xc3\xbc\xc3\x9f\x65"}, /* UTF-8 is kept */
        {"\xff\xfe", "??"},
        {"\xc2\x9b[31m \xc2\xa0", "  [31m \xc2\xa0"},
        {"\u202egnp.exe\u2066\u061c\u200f", "   gnp.exe        "},
        {"\xe2\x80", "??"}, /* cut short */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *line = text_one_line(rows[i][0]);
        assert_string_equal(line, rows[i][1]);
        free(line);
    }
}

TEST(names_what_is_not_plain_text)
{
    static const struct {
        const char *line, *expected;
        size_t length;
    } rows[] = {{"#: format = x\n", NULL, 14},
                {"#: format = x\r\n", "as on Windows", 15},
                {"\xef\xbb\xbf#: format", "byte order mark", 13},
                {"\xff\xfe#", "UTF-16", 3},
                {"#\0:\0", "UTF-16", 4},
                {"\x1f\x8b\x08", "compressed", 3},
                {"\n", NULL, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *found = text_foreign(rows[i].line, rows[i].length);
        assert_true(rows[i].expected ? found && strstr(found, rows[i].expected) : !found);
    }
}

TEST(quotes_a_command_line)
{
    char *words[] = {"beff", "--time",       "10", "",    "a b", "it's", "$HOME",
                     "x;y",  "--output=dir", "~a", "b~c", "#d",  "e#f"};
    char *line = text_command(COUNT(words), words);
    assert_string_equal(line,
                        "beff --time 10 '' 'a b' 'it'\\''s' '$HOME' 'x;y' --output=dir '~a' b~c '#d' e#f");
    free(line);
}

TEST(shows_numbers)
{
    static const struct {
        double number;
        const char *text;
    } rows[] = {
        {0, "0"},
        {-7, "-7"},
        {16384, "16384"},
        {3192.0451, "3192"},
        {11280.7, "11280"},
        {33958.895, "33960"},
        {0.47487, "0.4749"},
        {0.000123456, "0.0001235"},
        {-22.7558, "-22.76"},
        {99999.6, "100000"},
        {12345678.9, "12350000"},
        {NAN, "-"},
        {0.99997, "1.000"},
        {9999.6, "10000"},
    };
    char text[TEXT_NUMBER_SIZE];
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(text_number(text, rows[i].number), rows[i].text);
    assert_true(strlen(text_number(text, 4.9e-324)) < TEXT_NUMBER_SIZE);
    assert_true(strlen(text_number(text, -1.7e308)) < TEXT_NUMBER_SIZE);
}

TEST(reads_lines_without_comments)
{
    struct text_lines lines = {"\xef\xbb\xbf\n# a comment\n \t a  b \r\n  # another\n\r\nlast#1\t#2 # 3"},
                      none = {""};
    assert_true(text_next(&lines));
    assert_string_equal(lines.line, "a  b");
    assert_int_equal(lines.number, 3);
    assert_true(text_next(&lines));
    assert_string_equal(lines.line, "last#1");
    assert_int_equal(lines.number, 6);
    assert_false(text_next(&lines));
    assert_false(text_next(&none));
}

TEST(cuts_long_lines)
{
    char text[3 * sizeof((struct text_lines *)NULL)->line];
    memset(text, 'x', sizeof text);
    memcpy(text + sizeof text - 3, "\ny", 3);
    struct text_lines lines = {text};
    assert_true(text_next(&lines));
    assert_int_equal(strlen(lines.line), sizeof lines.line - 1);
    assert_true(text_next(&lines));
    assert_string_equal(lines.line, "y");
}

/* A stream that takes at most 3 bytes, and whose every second write is interrupted. */
static ssize_t write_interrupted(void *taken, const char *text, size_t size)
{
    static int calls;
    if (size > 3) {
        errno = EINTR;
        size = ++calls % 2 ? 3 : 0;
    }
    strncat(taken, text, size);
    return (ssize_t)size;
}

TEST(continues_a_write_that_was_interrupted)
{
    char taken[64] = "";
    FILE *file = fopencookie(taken, "w", (cookie_io_functions_t){.write = write_interrupted});
    setvbuf(file, NULL, _IONBF, 0);
    assert_int_equal(text_write(file, "one two three four\n", 19), 0);
    assert_string_equal(taken, "one two three four\n");
    fclose(file);
}
