/* The ring partition: every line of the fixture table (labels through the pattern list), and the properties
 * of what the table does not hold. */
#include "beff/partition.h"

#include <inttypes.h>

#include "beff/patterns.h"
#include "tests/unit.h"

struct row {
    int64_t processes;
    int pattern;
    struct ring_partition rings;
    int64_t messages;
    char label[PATTERN_LABEL_SIZE];
};

static struct row parse(const char *line)
{
    struct row row;
    struct ring_partition *r = &row.rings;
    assert_int_equal(sscanf(line,
                            "%" SCNd64 " %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                            " %" SCNd64 " %63s",
                            &row.processes, &row.pattern, &r->rings, &r->first_size, &r->first_count,
                            &r->second_size, &r->second_count, &row.messages, row.label),
                     9);
    return row;
}

static void check_partition(const char *line)
{
    struct row row = parse(line);
    struct ring_partition found = ring_partition(row.processes, row.pattern);
    if (memcmp(&found, &row.rings, sizeof found) || ring_messages(&found) != row.messages)
        fail_msg("%s", line);
}

static void agrees_with_the_table(void **state)
{
    (void)state;
    assert_int_equal(unit_fixture("rings.tsv", check_partition), 438);
}

static void check_label(const char *line)
{
    struct row row = parse(line);
    struct pattern_list list;
    assert_int_equal(patterns_make(&list, row.processes, 1, 1, beff_lmax(1)), 0);
    const struct pattern *pattern = &list.patterns[row.pattern - 1];
    char id[16];
    snprintf(id, sizeof id, "ring-%d", row.pattern);
    assert_string_equal(pattern->id, id);
    assert_string_equal(pattern->label, row.label);
    assert_int_equal(pattern->messages, row.messages);
    assert_true(pattern->rated);
    patterns_free(&list);
}

static void labels_agree_with_the_table(void **state)
{
    (void)state;
    assert_int_equal(unit_fixture("rings.tsv", check_label), 438);
}

/* docs/definition.md 1.3 written down once more, with real numbers. */
static void check_rule(int64_t processes, int pattern, const struct ring_partition *r)
{
    double p = (double)processes;
    const double standard[] = {2, 4, 8, fmax(16, floor(p / 4)), fmax(32, floor(p / 2)), p};
    double n = fmax(1, fmin(floor(p / fmin(standard[pattern - 1], p) + 0.4), floor(p / 2)));
    assert_int_equal(r->rings, (int64_t)n);
    assert_int_equal(r->first_count + r->second_count, r->rings);
    assert_int_equal(r->first_size * r->first_count + r->second_size * r->second_count, processes);
    assert_true(r->first_count > 0);
    assert_true(r->first_size >= 2);
    if (r->second_count == 0) {
        assert_int_equal(r->second_size, 0);
        return;
    }
    int64_t low = processes / r->rings;
    assert_int_equal(r->first_size, low % 2 == 1 ? low + 1 : low); /* high ones first if low is odd */
    assert_int_equal(r->second_size, low % 2 == 1 ? low : low + 1);
}

static void follows_the_rule(void **state)
{
    (void)state;
    for (int64_t processes = 2; processes < 3000; processes++)
        for (int pattern = 1; pattern <= BEFF_RING_PATTERNS; pattern++) {
            struct ring_partition rings = ring_partition(processes, pattern);
            check_rule(processes, pattern, &rings);
        }
    static const int64_t large[] = {99999999, 100000000, 2147483647};
    for (size_t i = 0; i < COUNT(large); i++)
        for (int pattern = 1; pattern <= BEFF_RING_PATTERNS; pattern++) {
            struct ring_partition rings = ring_partition(large[i], pattern);
            check_rule(large[i], pattern, &rings);
        }
}

/* Going to the right visits each member of a ring once and comes back; left undoes right. */
static int64_t ring_size_at(const struct ring_partition *rings, int64_t start, char *seen)
{
    int64_t rank = start, size = 0;
    do {
        int64_t left, right, back, unused;
        assert_int_equal(seen[rank], 0);
        seen[rank] = 1;
        ring_neighbours(rings, rank, &left, &right);
        ring_neighbours(rings, right, &back, &unused);
        assert_int_equal(back, rank);
        rank = right;
        size++;
    } while (rank != start);
    return size;
}

static void closes_every_ring(void **state)
{
    (void)state;
    enum { MAX = 140 };
    for (int64_t processes = 2; processes <= MAX; processes++)
        for (int pattern = 1; pattern <= BEFF_RING_PATTERNS; pattern++) {
            struct ring_partition rings = ring_partition(processes, pattern);
            char seen[MAX] = {0};
            int64_t start = 0;
            for (int64_t i = 0; i < rings.rings; i++) {
                int64_t size = i < rings.first_count ? rings.first_size : rings.second_size, left, right;
                ring_neighbours(&rings, start + size - 1, &left, &right);
                assert_int_equal(right, start);
                for (int64_t k = 0; k + 1 < size; k++) {
                    ring_neighbours(&rings, start + k, &left, &right);
                    assert_int_equal(right, start + k + 1);
                }
                assert_int_equal(ring_size_at(&rings, start, seen), size);
                start += size;
            }
            assert_int_equal(start, processes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_table),
        cmocka_unit_test(labels_agree_with_the_table),
        cmocka_unit_test(follows_the_rule),
        cmocka_unit_test(closes_every_ring),
    };
    return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
