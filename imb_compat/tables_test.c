/* Tests process counts, the map, groups, modes and the list of tables. */
#include "imb_compat/repetitions.h"

#include "imb_compat/settings_test.h"
#include "tests/unit.h"

static const char *counts(const char *name, int processes, int npmin)
{
    static char text[256];
    const struct imb_benchmark *b = imb_benchmark_find(IMB_MPI1, name);
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    s.npmin = npmin;
    int all[IMB_MAX_COUNTS],
        count = imb_process_counts(b ? b : imb_benchmark_find(IMB_RMA, name), &s, processes, all);
    *text = 0;
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? " " : "", all[i]);
    return text;
}

TEST(doubles_process_counts_up_to_all)
{
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

/* The number of a process is (Q rank) mod (PQ - 1). The number of the last process is its rank. */
TEST(maps_by_the_formula)
{
    for (int p = 2; p < 9; p++)
        for (int q = 2; q < 9; q++)
            for (int rank = 0; rank < p * q; rank++) {
                int expected = rank == p * q - 1 ? rank : q * rank % (p * q - 1);
                assert_int_equal(imb_map_number(rank, p, q), expected);
                assert_int_equal(imb_map_rank(expected, p, q), rank);
            }
    assert_int_equal(imb_map_number(5, 0, 0), 5);
}

TEST(refuses_maps_that_do_not_fit)
{
    struct message error;
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    assert_int_equal(imb_processes_fit(&s, 7, &error), 0);
    s.map_p = 2;
    s.map_q = 3;
    assert_int_equal(imb_processes_fit(&s, 6, &error), 0);
    assert_int_equal(imb_processes_fit(&s, 5, &error), -1);
    assert_int_equal(imb_processes_fit(&s, 7, &error), -1);
    assert_contains(error.text, "2x3");
}

static struct imb_groups groups(const struct imb_settings *s, int processes, int size)
{
    return imb_table_make(s, imb_benchmark_find(IMB_MPI1, "Bcast"), IMB_MODE_NONE, processes, size).groups;
}

TEST(divides_processes_into_groups)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    struct imb_groups g = groups(&s, 7, 2);
    assert_int_equal(g.count, 1);
    assert_int_equal(g.active, 2);
    s.multi = 0;
    g = groups(&s, 7, 2);
    assert_int_equal(g.count, 3);
    assert_int_equal(g.active, 6);
    s.map_p = 2;
    s.map_q = 2;
    g = groups(&s, 4, 2);
    assert_int_equal(imb_groups_rank(&g, 0, 0), 0);
    assert_int_equal(imb_groups_rank(&g, 0, 1), 2);
    assert_int_equal(imb_groups_rank(&g, 1, 0), 1);
    assert_int_equal(imb_groups_rank(&g, 1, 1), 3);
}

static void expect(enum imb_component component, unsigned flags, int chosen, int count, enum imb_mode first)
{
    struct imb_settings s = imb_settings_default(component);
    struct imb_benchmark b = {.component = component, .flags = flags};
    enum imb_mode modes[IMB_MAX_MODES] = {IMB_MODE_NONE, IMB_MODE_NONE};
    s.aggregate_mode = chosen;
    assert_int_equal(imb_modes_of(&s, &b, modes), count);
    assert_int_equal(modes[0], first);
    if (count == 2)
        assert_int_equal(modes[1],
                         first == IMB_MODE_NON_AGGREGATE ? IMB_MODE_AGGREGATE : IMB_MODE_NON_AGGREGATE);
}

TEST(orders_modes_by_component)
{
    const unsigned both = IMB_HAS_AGGREGATE | IMB_HAS_NON_AGGREGATE;
    expect(IMB_EXT, both, IMB_RUN_BOTH_MODES, 2, IMB_MODE_AGGREGATE);
    expect(IMB_RMA, both, IMB_RUN_BOTH_MODES, 2, IMB_MODE_NON_AGGREGATE);
    for (int c = 0; c < IMB_COMPONENTS; c++) {
        expect((enum imb_component)c, both, IMB_RUN_AGGREGATE, 1, IMB_MODE_AGGREGATE);
        expect((enum imb_component)c, both, IMB_RUN_NON_AGGREGATE, 1, IMB_MODE_NON_AGGREGATE);
        for (int chosen = IMB_RUN_BOTH_MODES; chosen <= IMB_RUN_NON_AGGREGATE; chosen++) {
            expect((enum imb_component)c, 0, chosen, 1, IMB_MODE_NONE);
            expect((enum imb_component)c, IMB_HAS_AGGREGATE, chosen, 1, IMB_MODE_AGGREGATE);
        }
    }
}

static int64_t repetitions(int64_t all, int64_t few, unsigned flags, enum imb_mode mode, bool listed)
{
    struct imb_settings s = imb_settings_default(IMB_EXT);
    struct imb_benchmark b = {.component = IMB_EXT, .flags = flags};
    s.repetitions = all;
    s.few_repetitions = few;
    s.volume = 40 << 20;
    const struct imb_table table = imb_table_make(&s, &b, mode, 2, 2);
    return imb_repetitions(&table, listed, 4);
}

TEST(repeats_less_in_non_aggregate_mode)
{
    assert_int_equal(repetitions(200, 50, 0, IMB_MODE_AGGREGATE, false), 200);
    assert_int_equal(repetitions(200, 50, 0, IMB_MODE_NONE, false), 200);
    assert_int_equal(repetitions(200, 50, 0, IMB_MODE_NON_AGGREGATE, false), 50);
    assert_int_equal(repetitions(200, 50, IMB_FEW, IMB_MODE_NONE, false), 50);
    assert_int_equal(repetitions(20, 50, 0, IMB_MODE_NON_AGGREGATE, false), 20);
    assert_int_equal(repetitions(20, 100, 0, IMB_MODE_NON_AGGREGATE, true), 100);
}

TEST(lists_tables_in_the_order_of_the_run)
{
    static const struct {
        const char *name;
        int size;
        enum imb_mode mode;
    } rows[] = {{"Unidir_Put", 2, IMB_MODE_AGGREGATE}, {"Unidir_Put", 2, IMB_MODE_NON_AGGREGATE},
                {"Accumulate", 2, IMB_MODE_AGGREGATE}, {"Accumulate", 2, IMB_MODE_NON_AGGREGATE},
                {"Accumulate", 3, IMB_MODE_AGGREGATE}, {"Accumulate", 3, IMB_MODE_NON_AGGREGATE},
                {"Window", 2, IMB_MODE_NONE},          {"Window", 3, IMB_MODE_NONE}};
    const struct imb_benchmark *chosen[] = {imb_benchmark_find(IMB_EXT, "Unidir_Put"),
                                            imb_benchmark_find(IMB_EXT, "Accumulate"),
                                            imb_benchmark_find(IMB_EXT, "Window")};
    const struct imb_selection selection = {.benchmarks = chosen, .count = COUNT(chosen)};
    const struct imb_settings s = imb_settings_default(IMB_EXT);
    struct imb_tables tables;
    imb_tables_make(&tables, &s, &selection, 3);
    assert_int_equal(tables.count, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(tables.table[i].benchmark->name, rows[i].name);
        assert_int_equal(tables.table[i].groups.size, rows[i].size);
        assert_int_equal(tables.table[i].mode, rows[i].mode);
    }
    free(tables.table);
    imb_tables_make(&tables, &s, &selection, 1);
    assert_int_equal(tables.count, 4);
    assert_int_equal(tables.table[0].groups.size, 0); /* too few processes */
    assert_int_equal(tables.table[1].groups.size, 1);
    free(tables.table);
}

/* Tests the number of processes that take part in benchmarks of IMB-MT and IMB-P2P. A count of 0 means that
 * the benchmark cannot run. */
TEST(counts_processes_of_mt_and_p2p)
{
    static const struct {
        enum imb_component component;
        const char *name;
        int stride, processes, count;
    } rows[] = {{IMB_MT, "PingPongMT", 0, 1, 0},       {IMB_MT, "PingPongMT", 0, 2, 2},
                {IMB_MT, "PingPongMT", 0, 3, 2},       {IMB_MT, "PingPongMT", 0, 5, 4},
                {IMB_MT, "BiBandMT", 1, 5, 4},         {IMB_MT, "UniBandMT", 2, 6, 4},
                {IMB_MT, "SendRecvMT", 2, 5, 5},       {IMB_MT, "BcastMT", 0, 3, 3},
                {IMB_P2P, "PingPong", 0, 1, 0},        {IMB_P2P, "PingPong", 0, 3, 0},
                {IMB_P2P, "PingPing", 0, 4, 4},        {IMB_P2P, "Unirandom", 0, 1, 0},
                {IMB_P2P, "Corandom", 0, 3, 3},        {IMB_P2P, "Stencil2D", 0, 5, 0},
                {IMB_P2P, "Stencil2D", 0, 6, 6},       {IMB_P2P, "Stencil3D", 0, 6, 0},
                {IMB_P2P, "Stencil3D", 0, 8, 8},       {IMB_P2P, "SendRecv_Replace", 0, 1, 0},
                {IMB_P2P, "SendRecv_Replace", 0, 2, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_settings s = imb_settings_default(rows[i].component);
        int all[IMB_MAX_COUNTS] = {0};
        s.stride = rows[i].stride;
        const struct imb_benchmark *b = imb_benchmark_find(rows[i].component, rows[i].name);
        assert_int_equal(imb_process_counts(b, &s, rows[i].processes, all), rows[i].count > 0);
        assert_int_equal(all[0], rows[i].count);
    }
    struct imb_settings s = imb_settings_default(IMB_MT);
    struct message error;
    s.stride = 2;
    assert_int_equal(imb_processes_fit(&s, 4, &error), 0);
    assert_int_equal(imb_processes_fit(&s, 3, &error), -1);
    assert_contains(error.text, "invalid -stride 2");
}
