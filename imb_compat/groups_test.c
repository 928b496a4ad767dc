/* Process counts, the map, groups. */
#include "imb_compat/groups.h"

#include "tests/unit.h"

static const char *counts(const char *name, int processes, int npmin)
{
    static char text[256];
    const struct imb_benchmark *b = imb_benchmark_find(IMB_MPI1, name);
    int all[IMB_MOST_COUNTS],
        count = imb_process_counts(b ? b : imb_benchmark_find(IMB_RMA, name), processes, npmin, all);
    *text = 0;
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? " " : "", all[i]);
    return text;
}

static void doubles_up_to_all(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int processes, npmin;
        const char *counts;
    } rows[] = {
        {"Allreduce", 4, 2, "2 4"},
        {"Allreduce", 3, 2, "2 3"},
        {"Allreduce", 4, 3, "3 4"},
        {"Allreduce", 2, 99, "2"},
        {"Allreduce", 1, 2, "1"},
        {"Allreduce", 7, 1, "1 2 4 7"},
        {"Allreduce", 1000000000, 400000000, "400000000 800000000 1000000000"},
        {"PingPong", 5, 1, "2"},
        {"PingPong", 1, 1, ""},
        {"Fetch_and_op", 5, 1, "2"},
        {"Fetch_and_op", 1, 2, ""},
        {"One_put_all", 5, 2, "2 4 5"},
        {"Uniband", 1, 2, ""},
        {"Uniband", 3, 2, "2"},
        {"Biband", 7, 1, "2 4 6"},
        {"Uniband", 9, 3, "2 4 8"},
        {"Uniband", 5, 99, "4"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(counts(rows[i].name, rows[i].processes, rows[i].npmin), rows[i].counts);
}

/* The formula of the reference: (Q rank) mod (PQ - 1), the last one keeps its number. */
static void maps_as_the_formula_says(void **state)
{
    (void)state;
    for (int p = 2; p < 9; p++)
        for (int q = 2; q < 9; q++)
            for (int rank = 0; rank < p * q; rank++) {
                int expected = rank == p * q - 1 ? rank : q * rank % (p * q - 1);
                assert_int_equal(imb_map_number(rank, p, q), expected);
                assert_int_equal(imb_map_rank(expected, p, q), rank);
            }
    assert_int_equal(imb_map_number(5, 0, 0), 5);
}

static void refuses_maps_that_do_not_fit(void **state)
{
    (void)state;
    struct message error;
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    assert_int_equal(imb_map_fits(&s, 7, &error), 0);
    s.map_p = 2;
    s.map_q = 3;
    assert_int_equal(imb_map_fits(&s, 6, &error), 0);
    assert_int_equal(imb_map_fits(&s, 5, &error), -1);
    assert_int_equal(imb_map_fits(&s, 7, &error), -1);
    assert_contains(error.text, "2x3");
}

static void shares_processes_out(void **state)
{
    (void)state;
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    struct imb_groups g = imb_groups_make(&s, 7, 2);
    assert_int_equal(g.count, 1);
    assert_int_equal(imb_groups_active(&g), 2);
    s.multi = 0;
    g = imb_groups_make(&s, 7, 2);
    assert_int_equal(g.count, 3);
    assert_int_equal(imb_groups_active(&g), 6);
    s.map_p = 2;
    s.map_q = 2;
    g = imb_groups_make(&s, 4, 2);
    assert_int_equal(imb_groups_rank(&g, 0, 0), 0);
    assert_int_equal(imb_groups_rank(&g, 0, 1), 2);
    assert_int_equal(imb_groups_rank(&g, 1, 0), 1);
    assert_int_equal(imb_groups_rank(&g, 1, 1), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_up_to_all),
        cmocka_unit_test(maps_as_the_formula_says),
        cmocka_unit_test(refuses_maps_that_do_not_fit),
        cmocka_unit_test(shares_processes_out),
    };
    return cmocka_run_group_tests_name("imb_groups", tests, NULL, NULL);
}
