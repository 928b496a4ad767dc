/* JUnit's XML and OpenMetrics, with text from anywhere. */
#include "protocols/ci.h"

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

static struct ci_result result(enum report_status status, const struct texts *reasons)
{
    static const struct texts none = {0};
    return (struct ci_result){"trend", "b_eff", "a <verdict> \"&\"\x1b\xef\xbf\xbe\xff",
                              status,  reasons, &none};
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
    struct texts reasons = {0};
    texts_add(&reasons, "a & b");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ci_result r = result(rows[i].status, &reasons);
        FILE *out = start();
        ci_junit(&r, out);
        fclose(out);
        assert_contains(text, rows[i].counts);
        assert_contains(text, rows[i].element);
        assert_contains(text, "a &#60;verdict&#62; &#34;&#38;&#34;???");
        if (rows[i].status)
            assert_contains(text, ">reason: a &#38; b\n</");
    }
    texts_free(&reasons);
}

static void openmetrics(void **state)
{
    (void)state;
    const struct texts reasons = {0};
    struct ci_result r = result(REPORT_DIFFERS, &reasons);
    FILE *out = start();
    ci_metric("value", "Help.", out);
    ci_sample("value", (const char *const[]){"figure", "a\"b\\\n", "unit", "MB/s", NULL}, 0.5, 1700000000,
              out);
    ci_sample("value", (const char *const[]){"figure", "c", NULL}, NAN, NAN, out);
    ci_metrics_end(&r, out);
    fclose(out);
    assert_string_equal(
        text, "# TYPE beff_value gauge\n# HELP beff_value Help.\n"
              "beff_value{figure=\"a\\\"b\\\\?\",unit=\"MB/s\"} 0.5 1700000000\n"
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
