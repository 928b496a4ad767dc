/* --plan: its JSON against the fixture tables, the neighbours of a rank, and its text. */
#include "beff/plan.h"

#include <inttypes.h>

#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/sizes.h"
#include "tests/unit.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

static char *plan_text(const struct beff_settings *settings)
{
    char *text = NULL;
    size_t size;
    struct message error;
    FILE *out = open_memstream(&text, &size);
    if (beff_plan(settings, 4, out, &error))
        fail_msg("%s", error.text);
    fclose(out);
    return text;
}

static struct beff_settings make_settings(int64_t processes)
{
    struct beff_settings settings = beff_defaults;
    settings.processes = processes;
    settings.memory = 1024;
    settings.run.plan = true;
    return settings;
}

static void tells_the_plan_as_text(void **state)
{
    (void)state;
    static const char *const parts[] = {"7 processes",
                                        "seed 20010917",
                                        "Memory per process 1024 MiB",
                                        "Lmax 8388608 B",
                                        " 4096 10624 27554 71468 ",
                                        "Sendrecv, Alltoallv, nonblocking",
                                        "at most 180 s",
                                        "ring-3*2&+1",
                                        "ring-2*4&-1",
                                        "2 x 2, 1 x 3",
                                        "random-30",
                                        "worst-cycle",
                                        "cart3d-all",
                                        "pingpong"};
    struct beff_settings settings = make_settings(7);
    char *text = plan_text(&settings);
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_contains(text, parts[i]);
    assert_null(strstr(text, "left"));
    free(text);
    settings.rank = 0;
    text = plan_text(&settings);
    assert_contains(text, "left 1  right 1");
    assert_contains(text, "left -");
    free(text);
}

static void refuses_a_rank_that_is_not_there(void **state)
{
    (void)state;
    static const int64_t ranks[] = {4, 5, 100000000};
    for (size_t i = 0; i < 2 * COUNT(ranks); i++) {
        struct beff_settings settings = make_settings(i % 2 ? 4 : 0); /* given, or as many as were started */
        struct message error = {""};
        FILE *out = fopen("/dev/null", "w");
        settings.rank = ranks[i / 2];
        settings.run.json = i > 2;
        assert_int_equal(beff_plan(&settings, 4, out, &error), -1);
        assert_contains(error.text, "--rank");
        assert_contains(error.text, "0 to 3");
        fclose(out);
    }
}

#ifdef HAVE_JANSSON

static json_t *plan_json(struct beff_settings settings)
{
    settings.run.json = true;
    char *text = plan_text(&settings);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static json_int_t integer_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const char *string_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_t *pattern_at(const json_t *root, const char *name)
{
    const json_t *patterns = json_object_get(root, "patterns");
    for (size_t i = 0; i < json_array_size(patterns); i++)
        if (strcmp(string_at(json_array_get(patterns, i), "name"), name) == 0)
            return json_array_get(patterns, i);
    return NULL;
}

static void check_ring(const json_t *rings, size_t index, int64_t size, int64_t count)
{
    const json_t *ring = json_array_get(rings, index);
    assert_int_equal(integer_at(ring, "size"), size);
    assert_int_equal(integer_at(ring, "count"), count);
}

/* The plan of the last row's number of processes: the table has 6 rows for each. */
static json_t *plan_of_rows;

static void check_row(const char *line)
{
    int64_t processes, n, first_size, first_count, second_size, second_count, messages;
    int number;
    char label[PATTERN_LABEL_SIZE], id[16];
    assert_int_equal(sscanf(line,
                            "%" SCNd64 " %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                            " %" SCNd64 " %63s",
                            &processes, &number, &n, &first_size, &first_count, &second_size, &second_count,
                            &messages, label),
                     9);
    if (!plan_of_rows || integer_at(plan_of_rows, "processes") != processes) {
        json_decref(plan_of_rows);
        plan_of_rows = plan_json(make_settings(processes));
        assert_int_equal(integer_at(plan_of_rows, "processes"), processes);
    }
    snprintf(id, sizeof id, "ring-%d", number);
    const json_t *pattern = pattern_at(plan_of_rows, id), *rings = json_object_get(pattern, "rings");
    assert_string_equal(string_at(pattern, "label"), label);
    assert_string_equal(string_at(pattern, "kind"), "ring");
    assert_true(json_is_true(json_object_get(pattern, "rated")));
    assert_int_equal(integer_at(pattern, "messages"), messages);
    assert_int_equal(json_array_size(rings), second_count ? 2 : 1);
    check_ring(rings, 0, first_size, first_count);
    if (second_count)
        check_ring(rings, 1, second_size, second_count);
}

static void agrees_with_the_table(void **state)
{
    (void)state;
    assert_int_equal(unit_fixture("rings.tsv", check_row), 438);
    json_decref(plan_of_rows);
}

static void has_the_keys_of_the_definition(void **state)
{
    (void)state;
    json_t *root = plan_json(make_settings(64));
    assert_string_equal(string_at(root, "program"), "beff");
    assert_int_equal(integer_at(root, "seed"), 20010917);
    assert_int_equal(integer_at(root, "memory_per_process"), 1024);
    assert_int_equal(integer_at(root, "lmax"), 8388608);
    assert_true(json_is_number(json_object_get(root, "seconds_expected")));
    assert_true(integer_at(root, "bytes_expected") >= 12 * 8388608);
    const json_t *sizes = json_object_get(root, "sizes"), *methods = json_object_get(root, "methods");
    int64_t expected[BEFF_SIZES];
    beff_sizes(8388608, expected);
    assert_int_equal(json_array_size(sizes), BEFF_SIZES);
    for (size_t s = 0; s < BEFF_SIZES; s++)
        assert_int_equal(json_integer_value(json_array_get(sizes, s)), expected[s]);
    assert_int_equal(json_array_size(methods), METHODS);
    for (size_t m = 0; m < METHODS; m++)
        assert_string_equal(json_string_value(json_array_get(methods, m)), method_name((enum method)m));
    assert_int_equal(json_array_size(json_object_get(root, "patterns")), 49);
    /* A polygon is one ring of all; analysis patterns are not rated. */
    const json_t *polygon = pattern_at(root, "random-30"), *pingpong = pattern_at(root, "pingpong");
    assert_string_equal(string_at(polygon, "kind"), "random");
    check_ring(json_object_get(polygon, "rings"), 0, 64, 1);
    assert_int_equal(integer_at(polygon, "messages"), 128);
    assert_string_equal(string_at(pingpong, "kind"), "analysis");
    assert_true(json_is_false(json_object_get(pingpong, "rated")));
    assert_int_equal(integer_at(pingpong, "messages"), 2);
    assert_null(json_object_get(polygon, "left"));
    json_decref(root);
}

static void keeps_large_seeds(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0, 1, INT64_MAX};
    for (size_t i = 0; i < COUNT(seeds); i++) {
        struct beff_settings settings = make_settings(4);
        settings.seed = seeds[i];
        json_t *root = plan_json(settings);
        assert_true((uint64_t)integer_at(root, "seed") == seeds[i]);
        json_decref(root);
    }
}

/* One side of a pattern as JSON: a rank, null, or one of these for each axis. */
static void check_side(const json_t *side, const int64_t *ranks, int axes)
{
    for (int axis = 0; axis < axes; axis++) {
        const json_t *value = axes == 1 ? side : json_array_get(side, (size_t)axis);
        if (ranks[axis] < 0)
            assert_true(json_is_null(value));
        else
            assert_int_equal(json_integer_value(value), ranks[axis]);
    }
}

static void tells_the_neighbours_of_a_rank(void **state)
{
    (void)state;
    static const int64_t rows[][2] = {{2, 0}, {2, 1}, {7, 3}, {7, 6}, {30, 29}, {64, 17}, {10007, 5000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct beff_settings settings = make_settings(rows[i][0]);
        struct pattern_list list;
        settings.rank = rows[i][1];
        settings.polygons = 3;
        json_t *root = plan_json(settings);
        assert_int_equal(patterns_make(&list, rows[i][0], 3, settings.seed, beff_lmax(1024)), 0);
        assert_int_equal(json_array_size(json_object_get(root, "patterns")), list.count);
        for (int p = 0; p < list.count; p++) {
            struct neighbours n;
            assert_int_equal(pattern_neighbours(&list, &list.patterns[p], rows[i][1], &n), 0);
            const json_t *pattern = pattern_at(root, list.patterns[p].id);
            check_side(json_object_get(pattern, "left"), n.left, n.axes);
            check_side(json_object_get(pattern, "right"), n.right, n.axes);
        }
        patterns_free(&list);
        json_decref(root);
    }
}

#define JSON_TESTS                                                                                           \
    cmocka_unit_test(agrees_with_the_table), cmocka_unit_test(has_the_keys_of_the_definition),               \
        cmocka_unit_test(keeps_large_seeds), cmocka_unit_test(tells_the_neighbours_of_a_rank)

#else

static void says_that_it_has_no_json(void **state)
{
    (void)state;
    struct beff_settings settings = make_settings(4);
    struct message error = {""};
    settings.run.json = true;
    assert_int_equal(beff_plan(&settings, 4, stderr, &error), -1);
    assert_contains(error.text, "jansson");
}

#define JSON_TESTS cmocka_unit_test(says_that_it_has_no_json)

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_plan_as_text),
        cmocka_unit_test(refuses_a_rank_that_is_not_there),
        JSON_TESTS,
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
