/* Index of kept files: comes back as it was written; damaged lines are named. */
#include "tests/unit.h"

#include "beff_io/kept.h"

struct kept {
    struct io_task task;
    struct io_layout layout[IO_MOST_PARTITIONS];
};

static struct kept *make(void)
{
    struct kept *kept = calloc(1, sizeof *kept);
    assert_non_null(kept);
    kept->task = (struct io_task){
        .seed = 12345678901234567, .mpart = 8 << 20, .partitions = {2, 4}, .partition_count = 2};
    io_patterns(8 << 20, kept->task.patterns);
    for (int p = 0; p < 2; p++) {
        io_layout_start(&kept->layout[p], kept->task.partitions[p], kept->task.patterns);
        kept->layout[p].place[3].base = 1 << 20;
        kept->layout[p].place[3].written = kept->layout[p].place[3].planned = 7;
        kept->layout[p].place[3].rewritten = 5;
        kept->layout[p].ran[TYPE_SCATTER] = true;
    }
    return kept;
}

static void comes_back(void **state)
{
    (void)state;
    char *parent = unit_directory();
    struct kept *kept = make(), *read = calloc(1, sizeof *read);
    struct message error = {""};
    assert_non_null(read);
    assert_int_equal(kept_write(&kept->task, kept->layout, parent, &error), 0);
    assert_int_equal(kept_read(&read->task, read->layout, parent, &error), 0);
    assert_memory_equal(read, kept, sizeof *kept);
    assert_int_equal(kept_write(&kept->task, kept->layout, parent, &error), -1); /* nothing is overwritten */
    free(read);
    free(kept);
    unit_remove(parent);
}

static void names_a_damaged_line(void **state)
{
    (void)state;
    static const char head[] = "beff_io kept files 1\nseed 1\nmpart 8388608\n";
    static const struct {
        const char *text, *place;
    } rows[] = {{"something else\n", "index:1:"},
                {"beff_io kept files 1\nseed 1\nmpart 99999999999\n", "index:3:"},
                {"place 3 0 1 1 1 1 8 8\n", "index:4:"},
                {"partition 0\n", "index:4:"},
                {"partition 2\nplace 43 0 8 8 1 0 8 8\n", "index:5:"},
                {"partition 2\nplace 3 0 8 8 1 0 12 12\n", "index:5:"},
                {"partition 2\nplace 3 0 8 8 1 0 8 99999992\n", "index:5:"},
                {"partition 2\nplace 3 -8 8 8 1 0 8 8\n", "index:5:"},
                {"", "index:3:"}};
    char *parent = unit_directory(), *path = unit_path(parent, KEPT_INDEX), text[300];
    struct kept *kept = calloc(1, sizeof *kept);
    struct message error;
    assert_non_null(kept);
    assert_int_equal(kept_read(&kept->task, kept->layout, parent, &error), -1);
    assert_contains(error.text, "No such file");
    for (size_t i = 0; i < COUNT(rows); i++) {
        int length = snprintf(text, sizeof text, "%s%s", i < 2 ? "" : head, rows[i].text);
        unit_write(path, text, (size_t)length);
        assert_int_equal(kept_read(&kept->task, kept->layout, parent, &error), -1);
        assert_contains(error.text, rows[i].place);
    }
    free(kept);
    free(path);
    unit_remove(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(names_a_damaged_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
