/* Tests the diagnosis: pairs that cover all nodes, and made-up times in which one node is slow. */
#include "beff/diagnosis.h"

#include <inttypes.h>

#include "beff/record.h"
#include "tests/unit.h"

static void pairs_are_mutual_and_differ(void **state)
{
    (void)state;
    for (int64_t nodes = 4; nodes < 40; nodes++)
        for (int64_t node = 0; node < nodes; node++) {
            int64_t met[DIAGNOSIS_ROUNDS];
            int idle = 0;
            for (int r = 0; r < DIAGNOSIS_ROUNDS; r++) {
                met[r] = diagnosis_partner(nodes, r, node);
                idle += met[r] < 0;
                assert_true(met[r] != node && met[r] < nodes);
                if (met[r] >= 0)
                    assert_int_equal(diagnosis_partner(nodes, r, met[r]), node);
                for (int before = 0; before < r; before++)
                    assert_true(met[r] < 0 || met[r] != met[before]);
            }
            assert_true(idle <= nodes % 2);
        }
}

/* Makes the protocol of a run on `nodes` nodes. Node `slow` takes `small` times as long at the smaller size,
 * and `large` times as long at the larger size. A pair takes as long as its slower node, plus up to 4 %. */
static void make(struct protocol *p, int64_t nodes, int64_t slow, double small, double large)
{
    *p = (struct protocol){.type = &beff_record_type};
    protocol_meta(p, "diagnosis", "65536 1048576");
    for (int64_t node = 0; node < nodes; node++) {
        char line[256];
        int used = snprintf(line, sizeof line, "%" PRId64 " host%" PRId64 " 2", node, node);
        for (int i = 0; i < DIAGNOSIS_SIZES * DIAGNOSIS_ROUNDS; i++) {
            int64_t partner = diagnosis_partner(nodes, i % DIAGNOSIS_ROUNDS, node);
            double seconds =
                (i < DIAGNOSIS_ROUNDS ? 1e-4 : 1e-3) * (1 + 0.01 * (double)((node + partner) % 5));
            if (node == slow || partner == slow)
                seconds *= i < DIAGNOSIS_ROUNDS ? small : large;
            used += partner < 0 ? snprintf(line + used, sizeof line - (size_t)used, " -")
                                : snprintf(line + used, sizeof line - (size_t)used, " %.17g", seconds);
        }
        protocol_meta(p, "node", line);
    }
}

static void names_the_slow_node_and_no_other(void **state)
{
    (void)state;
    for (int64_t nodes = 4; nodes < 20; nodes++)
        for (int64_t slow = 0; slow < nodes; slow++) {
            struct protocol p;
            struct diagnosis d;
            struct message error;
            make(&p, nodes, slow, 2, 2);
            assert_int_equal(diagnosis_make(&d, &p, &error), 0);
            assert_int_equal(d.nodes, nodes);
            assert_int_equal(d.standing_out, 1);
            assert_true(d.node[slow].stands_out);
            assert_near(d.node[slow].factor[1], 2, 0.05);
            diagnosis_free(&d);
            protocol_free(&p);
        }
}

static void names_the_size_at_which_it_is_slow(void **state)
{
    (void)state;
    for (int slow_at = 0; slow_at < 2; slow_at++) {
        struct protocol p;
        struct diagnosis d;
        struct message error;
        make(&p, 6, 3, slow_at == 0 ? 3 : 1, slow_at == 1 ? 3 : 1);
        assert_int_equal(diagnosis_make(&d, &p, &error), 0);
        assert_true(d.standing_out == 1 && d.node[3].stands_out);
        assert_int_equal(d.node[3].slowest, slow_at);
        diagnosis_free(&d);
        protocol_free(&p);
    }
}

static void names_no_node_if_all_are_equal(void **state)
{
    (void)state;
    struct protocol p;
    struct diagnosis d;
    struct message error;
    make(&p, 9, -2, 2, 2);
    assert_int_equal(diagnosis_make(&d, &p, &error), 0);
    assert_int_equal(d.standing_out, 0);
    assert_int_equal(d.node[8].processes, 2);
    assert_string_equal(d.node[8].host, "host8");
    diagnosis_free(&d);
    protocol_free(&p);
}

static void accepts_fewer_sizes_and_refuses_invalid_lines(void **state)
{
    (void)state;
    static const struct {
        const char *diagnosis, *node;
        int failed, sizes;
    } rows[] = {{NULL, NULL, 0, 0},
                {"none: 2 nodes", "0 a 2", 0, 0},
                {"65536", "0 a 2 1 2 3", 0, 1},
                {"65536", "0 a 2 1 - -", 0, 1},
                {"65536", "0 a 2 1 2", -1, 1},
                {"65536", "1 a 2 1 2 3", -1, 1},
                {"65536", "nonsense", -1, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p = {.type = &beff_record_type};
        struct diagnosis d;
        struct message error;
        if (rows[i].diagnosis)
            protocol_meta(&p, "diagnosis", rows[i].diagnosis);
        if (rows[i].node)
            protocol_meta(&p, "node", rows[i].node);
        assert_int_equal(diagnosis_make(&d, &p, &error), rows[i].failed);
        assert_int_equal(d.sizes, rows[i].sizes);
        diagnosis_free(&d);
        protocol_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_mutual_and_differ),
                                       cmocka_unit_test(names_the_slow_node_and_no_other),
                                       cmocka_unit_test(names_the_size_at_which_it_is_slow),
                                       cmocka_unit_test(names_no_node_if_all_are_equal),
                                       cmocka_unit_test(accepts_fewer_sizes_and_refuses_invalid_lines)};
    return cmocka_run_group_tests_name("diagnosis", tests, NULL, NULL);
}
