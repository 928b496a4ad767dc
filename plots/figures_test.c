/* What is drawn of the sample runs. */
#include "plots/figures.h"

#include "beff/results.h"
#include "protocols/load.h"
#include "tests/unit.h"

static struct report load(const char *name)
{
    char path[128];
    struct report report;
    struct message error;
    snprintf(path, sizeof path, "protocols/samples/%s", name);
    assert_int_equal(report_load(&report, path, &error), 0);
    return report;
}

static const struct figure *find(const struct figure_list *figures, const char *name)
{
    for (int i = 0; i < figures->count; i++)
        if (strcmp(figures->figure[i].name, name) == 0)
            return &figures->figure[i];
    print_error("there is no figure %s\n", name);
    fail();
    return NULL;
}

static const struct figure_series *series(const struct figure *figure, int panel, const char *title)
{
    for (int s = 0; s < figure->series_count; s++)
        if (figure->series[s].panel == panel && strcmp(figure->series[s].title, title) == 0)
            return &figure->series[s];
    print_error("there is no series %s\n", title);
    fail();
    return NULL;
}

/* What is drawn is what a table says, also where that is nothing: a method that was left out. */
static void assert_drawn(double drawn, double told)
{
    if (isnan(drawn) || isnan(told))
        assert_true(isnan(drawn) && isnan(told));
    else
        assert_near(drawn, told, 1e-9);
}

static void test_beff(void **state)
{
    (void)state;
    struct report report = load("beff-n2");
    const struct beff_results *r = (const void *)report.sheet;
    struct figure_list figures;
    struct message error;
    assert_int_equal(figures_make(&figures, &report, &error), 0);
    static const char *const names[] = {"kinds",    "rings",       "random", "methods",
                                        "analysis", "repetitions", "model"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_contains(find(&figures, names[i])->subtitle, "b_eff = ");
    /* Columns of the table are per process. */
    const struct table *by_size = &report.sheet->tables[0];
    const struct figure_series *rings = series(find(&figures, "kinds"), 0, "ring patterns (logavg)");
    const struct figure_series *alltoallv = series(find(&figures, "methods"), 0, "Alltoallv");
    assert_int_equal(rings->count, BEFF_SIZES);
    for (int s = 0; s < BEFF_SIZES; s++) {
        union table_row row;
        by_size->fill(by_size, s, &row);
        assert_real(rings->points[s].x, table_number(by_size, &row, 0));
        assert_drawn(rings->points[s].y, 2 * table_number(by_size, &row, 3));
        assert_drawn(alltoallv->points[s].y, 2 * table_number(by_size, &row, 6));
        assert_int_equal(isnan(rings->points[s].low), r->sweeps.complete < SPREAD_SWEEPS);
    }
    figures_free(&figures);
    report_free(&report);
}

static void test_stopped(void **state)
{
    (void)state;
    struct report report = load("beff-n2-stopped");
    struct figure_list figures;
    struct message error;
    assert_int_equal(figures_make(&figures, &report, &error), 0);
    for (int i = 0; i < figures.count; i++) {
        assert_true(figure_points(&figures.figure[i]) > 0);
        assert_contains(figures.figure[i].subtitle, "NOT VALID");
    }
    figures_free(&figures);
    report_free(&report);
}

static void test_io(void **state)
{
    (void)state;
    struct report report = load("beff_io-n2");
    struct figure_list figures;
    struct message error;
    assert_int_equal(figures_make(&figures, &report, &error), 0);
    const struct figure *chunks = find(&figures, "chunks-n2");
    assert_int_equal(chunks->panel_count, 3); /* write, rewrite, read */
    assert_int_equal(chunks->panel[0].series_count, 5);
    assert_int_equal(chunks->x.tick_count, 7);
    assert_string_equal(chunks->x.ticks[3].text, "+8");
    double apart = chunks->x.ticks[2].at - chunks->x.ticks[0].at,
           beside = chunks->x.ticks[3].at - chunks->x.ticks[2].at;
    assert_true(beside > 0 && 2 * beside < apart);
    assert_real(chunks->panel[0].y.low, chunks->panel[2].y.low);
    assert_int_equal(series(find(&figures, "partitions"), 0, "b_eff_io")->count, 2);
    figures_free(&figures);
    report_free(&report);
}

static void test_imb(void **state)
{
    (void)state;
    struct report report = load("imb-mpi1-n2");
    struct figure_list figures;
    struct message error;
    assert_int_equal(figures_make(&figures, &report, &error), 0);
    const struct figure *pingpong = find(&figures, "PingPong");
    assert_int_equal(pingpong->panel_count, 2);
    assert_string_equal(pingpong->panel[1].y.label, "bandwidth (MB/s)");
    assert_true(figures.count > 1);
    figures_free(&figures);
    report_free(&report);
}

static void test_overlay(void **state)
{
    (void)state;
    struct report a[2] = {load("beff-n2"), load("beff-n2")}, b = load("beff-n2-stopped");
    struct figure_list figures, own;
    struct message error;
    const struct figure_side sides[2] = {{"old", a, 2}, {"new", &b, 1}};
    assert_int_equal(figures_overlay(&figures, sides, &error), 0);
    assert_int_equal(figures_make(&own, &a[0], &error), 0);
    const struct figure *kinds = find(&figures, "kinds");
    const struct figure_series *old = series(kinds, 0, "old: ring patterns (logavg)");
    const struct figure_series *one = series(find(&own, "kinds"), 0, "ring patterns (logavg)");
    for (size_t i = 0; i < one->count; i++) {
        assert_real(old->points[i].y, one->points[i].y); /* the median of two equal ones */
        assert_real(old->points[i].low, one->points[i].y);
    }
    assert_contains(kinds->subtitle, "old: 2 runs");
    figures_free(&figures);
    figures_free(&own);
    for (int i = 0; i < 2; i++)
        report_free(&a[i]);
    report_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beff), cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_io), cmocka_unit_test(test_imb),
                                       cmocka_unit_test(test_overlay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
