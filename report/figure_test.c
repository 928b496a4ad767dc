/* Figures, their axes and scripts. */
#include "report/figure.h"

#include "report/script.h"
#include "tests/unit.h"

/* ---- axes ---- */

static struct figure_axis scaled(enum axis_kind kind, double low, double high)
{
    struct figure_axis axis = {.kind = kind};
    axis_scale(&axis, low, high);
    return axis;
}

/* The labels of an axis, with blanks between them. */
static void check_labels(const struct figure_axis *axis, const char *expected)
{
    char labels[1024] = "";
    for (int i = 0; i < axis->tick_count; i++) {
        assert_true(axis->ticks[i].at >= axis->low * (1 - 1e-6) &&
                    axis->ticks[i].at <= axis->high * (1 + 1e-6));
        if (*axis->ticks[i].text)
            snprintf(labels + strlen(labels), sizeof labels - strlen(labels), "%s%s", *labels ? "|" : "",
                     axis->ticks[i].text);
    }
    assert_string_equal(labels, expected);
}

static void test_axes(void **state)
{
    (void)state;
    static const struct {
        enum axis_kind kind;
        double low, high;
        const char *labels;
    } rows[] = {{AXIS_BYTES, 1, 8388608, "1 B|16 B|256 B|4 KiB|64 KiB|1 MiB"},
                {AXIS_BYTES, 1, 64, "1 B|4 B|16 B|64 B"},
                {AXIS_BYTES, 1, 1.0 * (1 << 30), "1 B|64 B|4 KiB|256 KiB|16 MiB|1 GiB"},
                {AXIS_BYTES, 1024, 1024, "1 KiB"},
                {AXIS_COUNT, 2, 16, "2|4|8|16"},
                {AXIS_LOG, 3, 9000, "10|100|1000|10000"},
                {AXIS_LOG, 0.4, 30, "0.5|1|2|5|10|20"},
                {AXIS_LOG, 2e5, 4e6, "200000|500000|1 M|2 M"},
                {AXIS_LOG, 990, 1010, "960|980|1000|1020|1040"},
                {AXIS_LOG, 0.7124, 0.7137, "0.68|0.7|0.72|0.74"},
                {AXIS_LOG, 5, 5, "4.8|4.9|5|5.1|5.2"},
                {AXIS_LINEAR, 0, 80, "0|20|40|60|80"},
                {AXIS_LINEAR, 3000, 3000, "2850|2900|2950|3000|3050|3100|3150"},
                {AXIS_PERCENT, 0, 0, "0|20|40|60|80|100"},
                {AXIS_NUMBERS, 1, 5, "1|2|3|4|5"},
                {AXIS_NUMBERS, 1, 1, "1"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct figure_axis axis = scaled(rows[i].kind, rows[i].low, rows[i].high);
        assert_true(axis.low < rows[i].low && axis.high > rows[i].high);
        check_labels(&axis, rows[i].labels);
    }
    struct figure_axis huge = scaled(AXIS_LOG, 1e-200, 1e200);
    assert_true(huge.tick_count > 0 && huge.tick_count <= FIGURE_MOST_TICKS);
    static const enum axis_kind kinds[] = {AXIS_LINEAR, AXIS_NUMBERS, AXIS_LOG};
    for (size_t i = 0; i < COUNT(kinds); i++) { /* steps that are lost in rounding */
        struct figure_axis narrow = scaled(kinds[i], 1e18, nextafter(1e18, 2e18));
        assert_true(narrow.low < narrow.high && narrow.tick_count > 1);
    }
}

static void test_given_range(void **state)
{
    (void)state;
    struct figure_axis axis = {.kind = AXIS_LOG, .low = 10, .high = 1000};
    axis_scale(&axis, 3, 5000);
    assert_real(axis.low, 10);
    assert_real(axis.high, 1000);
    struct figure_axis below = {.kind = AXIS_LOG, .high = 2}; /* all data are beyond */
    axis_scale(&below, 3, 5000);
    assert_true(below.low < 3 && below.high > 5000);
}

/* ---- figures ---- */

static struct figure make_figure(void)
{
    struct figure figure = {.title = "a 'title'", .subtitle = "vm `x`", .x = {.kind = AXIS_BYTES}};
    figure_panel(&figure, "", AXIS_LOG, "MB/s");
    struct figure_series *series = figure_series(&figure, SERIES_MEASURED, 0, "%s", "one");
    figure_point(&figure, series, (struct figure_point){0, 2, NAN, NAN});
    figure_point(&figure, series, (struct figure_point){1, 4, 3, 5});
    figure_point(&figure, series, (struct figure_point){2, NAN, NAN, NAN});
    figure_point(&figure, series, (struct figure_point){4, 8, 0, 1e9});
    figure_series(&figure, SERIES_CURVE, 1, "nothing was measured");
    return figure;
}

static void test_scale(void **state)
{
    (void)state;
    struct figure figure = make_figure();
    assert_int_equal(figure_points(&figure), 3);
    figure_scale(&figure);
    assert_int_equal(figure.panel[0].series_count, 1); /* the empty one is gone */
    assert_real(figure.series[0].points[0].x, axis_zero(1));
    assert_string_equal(figure.x.ticks[0].text, "0");
    assert_true(figure.panel[0].y.high > 1e9); /* bars are shown whole */
    figure_free(&figure);
    /* Where the smallest size is large, zero stands where a power of two would: that one has no tick. */
    figure = make_figure();
    figure.series[0].points[1].x = figure.series[0].points[2].x = figure.series[0].points[3].x = 4096;
    figure_scale(&figure);
    assert_real(figure.x.ticks[0].at, 1024);
    assert_string_equal(figure.x.ticks[0].text, "0");
    for (int i = 1; i < figure.x.tick_count; i++)
        assert_true(figure.x.ticks[i].at >= 4096);
    figure_free(&figure);
}

static void test_empty(void **state)
{
    (void)state;
    struct figure figure = {.x = {.kind = AXIS_LOG}};
    figure_panel(&figure, "", AXIS_LOG, "y");
    figure_point(&figure, figure_series(&figure, SERIES_MEASURED, 0, "s"),
                 (struct figure_point){-1, 0, NAN, NAN});
    assert_int_equal(figure_points(&figure), 0);
    figure_scale(&figure);
    assert_int_equal(figure.panel_count, 0);
    figure_free(&figure);
}

static void test_too_many(void **state)
{
    (void)state;
    struct figure figure = {0};
    figure_panel(&figure, "", AXIS_LOG, "y");
    for (int i = 0; i < FIGURE_MOST_SERIES + 3; i++)
        figure_point(&figure, figure_series(&figure, SERIES_MEASURED, i, "%d", i),
                     (struct figure_point){1, 1, 1, 1});
    assert_contains(figure.note, "not drawn");
    for (int i = 0; i < 50; i++)
        figure_note(&figure, "%s", "a long sentence that is added again and again");
    assert_true(strlen(figure.note) < sizeof figure.note);
    figure_free(&figure);
}

/* ---- scripts ---- */

static char *script(const struct figure *figure, struct script_style style)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    script_write(figure, &style, out);
    fclose(out);
    return text;
}

static void test_script(void **state)
{
    (void)state;
    struct figure figure = make_figure();
    figure_scale(&figure);
    char *colour = script(&figure, (struct script_style){SCRIPT_SVG, false, false});
    assert_contains(colour, "set terminal svg");
    assert_contains(colour, "'a ''title'''");
    assert_contains(colour, "'vm `x`'");
    assert_contains(colour, "\n2 NaN NaN NaN\n"); /* a gap */
    assert_contains(colour, "with yerrorbars");
    assert_null(strchr(colour, '@'));
    char *mono = script(&figure, (struct script_style){SCRIPT_PDF, true, true});
    assert_contains(mono, "pdfcairo");
    assert_null(strstr(mono, "#0072B2"));
    assert_null(strstr(mono, "vm"));
    free(colour);
    free(mono);
    figure_free(&figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes),  cmocka_unit_test(test_given_range), cmocka_unit_test(test_scale),
        cmocka_unit_test(test_empty), cmocka_unit_test(test_too_many),    cmocka_unit_test(test_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
