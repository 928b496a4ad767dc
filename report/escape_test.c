/* Tests that text from protocols cannot act as markup or commands in the output. */
#include "report/escape.h"

#include "tests/unit.h"

static char *escaped(void (*escape)(const char *text, FILE *out), const char *text)
{
    char *result;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    assert_non_null(out);
    escape(text, out);
    fclose(out);
    return result;
}

static void check(void (*escape)(const char *, FILE *), const char *text, const char *expected)
{
    char *found = escaped(escape, text);
    assert_string_equal(found, expected);
    free(found);
}

static void test_gnuplot(void **state)
{
    (void)state;
    check(escape_gnuplot, "vm", "'vm'");
    check(escape_gnuplot, "it's", "'it''s'");
    check(escape_gnuplot, "\"; system(\"touch pwned\")", "'\"; system(\"touch pwned\")'");
    check(escape_gnuplot, "'; system('x')\nset output\r", "'''; system(''x'') set output '");
    check(escape_gnuplot, "`touch pwned` @macro \\", "'`touch pwned` @macro \\'");
}

static void test_data(void **state)
{
    (void)state;
    check(escape_data, "vm 1", "\"vm 1\"");
    check(escape_data, "\"; system(\"x\")\n#\\", "\"'; system('x') #\\\\\"");
}

static void test_html(void **state)
{
    (void)state;
    check(escape_html, "<script>alert('1' & \"2\")</script>",
          "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
    check(escape_html, "a\tb\x01", "a b ");
}

static void test_utf8(void **state)
{
    (void)state;
    check(escape_html, "Jülich 东京 \xF0\x9F\x96\xA7", "Jülich 东京 \xF0\x9F\x96\xA7");
    check(escape_html, "\xC2\x85", " ");                                        /* a control character */
    check(escape_html, "\xFF\xC3", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* invalid, truncated */
    check(escape_html, "\xC0\xBC", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* overlong '<' */
    check(escape_html, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* a surrogate */
    check(escape_html,
          "a\xE2\x80\xAE"
          "b",
          "a\xEF\xBF\xBD"
          "b"); /* changes the writing direction */
    check(escape_html, "\xF4\x90\xEF\xBF\xBF",
          "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* beyond Unicode, two bytes; a noncharacter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gnuplot), cmocka_unit_test(test_data),
                                       cmocka_unit_test(test_html), cmocka_unit_test(test_utf8)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
