/* What may stand in a page of a picture, and what not. */
#include "plots/svg.h"

#include "tests/unit.h"

static int embed(const char *svg, char **text, struct message *error)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    assert_non_null(out);
    int failed = svg_embed(svg, "p-", "a \"label\"", out, error);
    fclose(out);
    return failed;
}

static void test_good(void **state)
{
    (void)state;
    char *text;
    struct message error;
    assert_int_equal(
        embed("<?xml version=\"1.0\"?>\n<svg \n width=\"600\" height=\"400\"\n viewBox=\"0 0 600 400\">\n"
              "<title>x</title><desc>y</desc>\n<defs><circle id='gpPt0' r='1'/></defs>\n"
              "<use xlink:href='#gpPt0'/><path fill = 'url(#gpPt0)' d='M0,0'/><text>a &lt;b&gt; # "
              "c</text></svg>\n",
              &text, &error),
        0);
    assert_string_equal(
        text, "<svg class=\"plot\" role=\"img\" aria-label=\"a &quot;label&quot;\" viewBox=\"0 0 600 400\">"
              "<defs><circle id='p-gpPt0' r='1'/></defs>"
              "<use xlink:href='#p-gpPt0'/><path fill='url(#p-gpPt0)' d='M0,0'/>"
              "<text>a &lt;b&gt; # c</text></svg>\n");
    free(text);
}

static void test_bad(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "no picture",
        "<svg><script>alert(1)</script></svg>",
        "<svg><SCRIPT>alert(1)</SCRIPT></svg>",
        "<svg><foreignObject/></svg>",
        "<svg><a href='#x'>y</a></svg>",
        "<svg onload='alert(1)'></svg>",
        "<svg><path ONCLICK=\"x\"/></svg>",
        "<svg><use href='http://example.org/x#y'/></svg>",
        "<svg><use xlink:href='javascript:x'/></svg>",
        "<svg><path fill='url(http://example.org)'/></svg>",
        "<svg><g style='background:url(x)'/></svg>",
        "<svg><g style=x></g></svg>",
        "<svg><g class='a<b'/></svg>",
        "<svg><!-- x --></svg>",
        "<svg><g",
        "<svg><g class='",
        "<svg><title>never ends",
        "<svg></g >",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        char *text;
        struct message error = {""};
        assert_int_equal(embed(bad[i], &text, &error), -1);
        assert_contains(error.text, "gnuplot's picture");
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
