/* Tests the groups of nodes: files, and Slurm's variables. */
#include "beff/groups.h"

#include "tests/unit.h"

TEST(slurm_names_the_last_switch_of_this_node)
{
    static const struct {
        const char *address, *pattern, *host, *group;
    } rows[] = {{"s0.s4.n17", "switch.switch.node", "n17", "s4"},
                {"s4.n17", "switch.node", "n17.cluster.org", "s4"},
                {"s4.n17.cluster.org", "switch.node", "n17.cluster.org", "s4"},
                {"s4.n17", "switch.node", "n18", "-"},
                {"s4.n17", "switch.node", "n1", "-"},
                {"b1.n17", "block.node", "n17", "-"},
                {"n17", "node", "n17", "-"},
                {"s4.n17", NULL, "n17", "-"},
                {NULL, "switch.node", "n17", "-"},
                {"", "", "n17", "-"},
                {"s0.s4", "switch.switch", "s4", "-"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char group[FABRIC_NAME_SIZE];
        groups_slurm(rows[i].address, rows[i].pattern, rows[i].host, group);
        assert_string_equal(group, rows[i].group);
    }
}

TEST(a_file_has_a_group_for_each_host)
{
    static const char text[] = "# racks\n\nn1 s0\n n2.cluster.org\ts1\nn10 s2";
    static const char *const rows[][2] = {{"n1", "s0"},  {"n1.cluster.org", "s0"},
                                          {"n2", "s1"},  {"n2.other.org", "-"},
                                          {"n10", "s2"}, {"n3", "-"}};
    struct message error;
    char group[FABRIC_NAME_SIZE];
    assert_int_equal(groups_check("--groups", "GROUP", text, &error), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        groups_find(text, rows[i][0], group);
        assert_string_equal(group, rows[i][1]);
    }
}

TEST(a_host_that_is_named_twice_is_refused_with_both_lines)
{
    static const char *const rows[][2] = {
        {"n1 s0\n# n1\nn2 s0\nn1 s1\n", "lines 1 and 4: both name host n1:"},
        {"n2 s0\nn1.org s0\nn1 s0\n", "lines 2 and 3: both name host n1:"},
        {"n1.org s0\nn1-a s0\nn10 s0\nn1 s0\n", "lines 1 and 4: both name host n1:"},
        {"n1.a s0\nn1.b s0\nn1.a s0\n", "lines 1 and 3: both name host n1.a:"}};
    struct message error;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(groups_check("--groups", "GROUP", rows[i][0], &error), -1);
        assert_contains(error.text, rows[i][1]);
    }
    assert_int_equal(groups_check("--groups", "GROUP", "n1.a s0\nn1.b s0\n", &error), 0);
}

TEST(an_invalid_file_is_refused_with_its_line)
{
    static const char *const rows[] = {"n1 s0\nn2\n", "n1 s0\nn2 s0 s1\n",
                                       "# racks\nn2 a-group-with-a-name-of-32-letters\n"};
    struct message error;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(groups_check("--groups", "GROUP", rows[i], &error), -1);
        assert_contains(error.text, "line 2: \"n2");
        assert_contains(error.text, "expected HOST GROUP");
    }
}
