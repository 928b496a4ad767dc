/* JUnit's XML and OpenMetrics, with text from anywhere. */
#include "report/outcome.h"

#include "tests/unit.h"

static char *text;
static size_t size;

static FILE *start(void)
{
    free(text);
    text = NULL;
    return open_memstream(&text, &size);
}

static int tear_down(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void put_sample(const void *context, FILE *out)
{
    (void)context;
    outcome_metric("value", "Help.", out);
    outcome_sample("value", (const char *const[]){"figure", "a\"b\\\n", "unit", "MB/s", NULL}, 0.5,
                   1700000000, out);
    outcome_sample("value", (const char *const[]){"figure", "c", NULL}, NAN, NAN, out);
}

/* Writes a hostile outcome to `text`. */
static void put(enum report_status status, int format)
{
    struct texts reasons = {0}, none = {0};
    texts_add(&reasons, "a & b");
    const struct outcome outcome = {.command = "trend",
                                    .figure = "b_eff",
                                    .verdict = "a <verdict> \"&\"\x1b\xef\xbf\xbe\xff",
                                    .threshold = "",
                                    .status = status,
                                    .notes = &none,
                                    .reasons = &reasons,
                                    .errors = &none,
                                    .metrics = put_sample};
    FILE *out = start();
    assert_int_equal(outcome_put(&outcome, format, out), status);
    fclose(out);
    texts_free(&reasons);
}

static void junit(void **state)
{
    (void)state;
    static const struct {
        enum report_status status;
        const char *counts, *element;
    } rows[] = {{REPORT_FINE, "failures=\"0\" errors=\"0\" skipped=\"0\"", "<system-out>a "},
                {REPORT_DIFFERS, "failures=\"1\" errors=\"0\" skipped=\"0\"", "<failure message=\"a "},
                {REPORT_REFUSED, "failures=\"0\" errors=\"1\" skipped=\"0\"", "<error message=\"a "},
                {REPORT_UNDECIDED, "failures=\"0\" errors=\"0\" skipped=\"1\"", "<skipped message=\"a "}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        put(rows[i].status, FORMAT_JUNIT);
        assert_contains(text, rows[i].counts);
        assert_contains(text, rows[i].element);
        assert_contains(text, "a &lt;verdict&gt; &quot;&amp;&quot; \uFFFD\uFFFD");
        if (rows[i].status)
            assert_contains(text, ">reason: a &amp; b\n</");
    }
}

static void openmetrics(void **state)
{
    (void)state;
    put(REPORT_DIFFERS, FORMAT_OPENMETRICS);
    assert_string_equal(
        text, "# TYPE beff_value gauge\n# HELP beff_value Help.\n"
              "beff_value{figure=\"a\\\"b\\\\ \",unit=\"MB/s\"} 0.5 1700000000\n"
              "# TYPE beff_status gauge\n"
              "# HELP beff_status Exit status: 0 fine, 1 worse, 3 refused, 5 more runs are needed.\n"
              "beff_status{command=\"trend\",figure=\"b_eff\"} 1\n# EOF\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(junit, tear_down),
                                       cmocka_unit_test_teardown(openmetrics, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
