/* What is drawn of the sample runs. */
#include "report/figures.h"

#include "beff/results.h"
#include "imb_compat/results.h"
#include "report/load.h"
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
                                        "analysis", "repetitions", "passes"};
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
        /* sqrt(R S) is 1 in the panel beside it */
        double left = series(find(&figures, "kinds"), 1, "ring patterns (logavg)")->points[s].y,
               right = series(find(&figures, "kinds"), 1, "random polygons (logavg)")->points[s].y;
        assert_near(left * right, 1, 1e-9);
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
        assert_null(strstr(figures.figure[i].note, "nan"));
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
    for (int i = 0; i < chunks->x.tick_count; i++) /* short ones do not overlap */
        assert_true(strlen(chunks->x.ticks[i].text) <= 4);
    double apart = chunks->x.ticks[2].at - chunks->x.ticks[0].at,
           beside = chunks->x.ticks[3].at - chunks->x.ticks[2].at;
    assert_true(beside > 0 && 2 * beside < apart);
    assert_real(chunks->panel[0].y.low, chunks->panel[2].y.low);
    assert_int_equal(series(find(&figures, "partitions"), 0, "b_eff_io")->count, 2);
    figures_free(&figures);
    report_free(&report);
}

/* Which of two processes was the slowest: counted in run.prot, 21 of 36 writes, 5 of 8 rewrites, 17 of 36
 * reads were rank 0's. By the binomial distribution two fair processes stay below 25 of 36, and 50 of 80, in
 * 95 % of all runs. */
static void test_slowest(void **state)
{
    (void)state;
    struct report report = load("beff_io-n2-valid");
    struct figure_list figures;
    struct message error;
    assert_int_equal(figures_make(&figures, &report, &error), 0);
    const struct figure *slowest = find(&figures, "slowest");
    const struct figure_series *cells = series(slowest, 0, "times as often as by chance");
    static const double first[] = {21 / 18.0, 5 / 4.0, 17 / 18.0, 43 / 40.0};
    assert_int_equal(cells->count, 8);
    for (int i = 0; i < 4; i++) {
        assert_near(cells->points[i].low, first[i], 1e-12);
        assert_near(cells->points[4 + i].low, 2 - first[i], 1e-12);
    }
    assert_near(cells->points[0].high, 21 / 25.0, 1e-12);
    assert_near(cells->points[3].high, 43 / 50.0, 1e-12);
    assert_string_equal(slowest->panel[0].y.ticks[0].text, "rank 0, vm");
    assert_contains(slowest->note, "from 1.25 on");
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

/* Where all overlap is 0 %, that is what is drawn. */
static void test_overlap(void **state)
{
    (void)state;
    struct report report = load("imb-nbc-n2");
    struct protocol *p = &report.protocol;
    struct figure_list figures;
    struct message error;
    for (size_t i = 0; i < p->record_count; i++)
        ((struct imb_record *)(uintptr_t)protocol_at(p, i))->overlap = 0;
    assert_int_equal(figures_make(&figures, &report, &error), 0);
    const struct figure *bcast = find(&figures, "Ibcast");
    int last = bcast->panel_count - 1;
    assert_string_equal(bcast->panel[last].title, "overlap with computation");
    assert_true(bcast->panel[last].y.low <= 0 && bcast->panel[last].y.high >= 100);
    const struct figure_series *overlap = series(bcast, last, "2 processes");
    assert_true(overlap->count > 1);
    for (size_t i = 0; i < overlap->count; i++)
        assert_real(overlap->points[i].y, 0);
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
    const struct figure_series *ratio = series(kinds, 1, "ratio: ring patterns (logavg)");
    assert_real(ratio->points[0].y,
                series(kinds, 0, "new: ring patterns (logavg)")->points[0].y / old->points[0].y);
    figures_free(&figures);
    figures_free(&own);
    for (int i = 0; i < 2; i++)
        report_free(&a[i]);
    report_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beff),   cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_io),     cmocka_unit_test(test_slowest),
                                       cmocka_unit_test(test_imb),    cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_overlay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
