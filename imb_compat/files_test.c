/* Tests how IMB-IO differs from the other components: defaults, process counts, probes, columns, buffers and
 * the list of benchmarks. */
#include "imb_compat/format.h"
#include "imb_compat/compute.h"
#include "imb_compat/buffers.h"
#include "imb_compat/repetitions.h"

#include "imb_compat/settings_test.h"
#include "tests/unit.h"

static const struct imb_benchmark *find(const char *name)
{
    return imb_benchmark_find(IMB_IO, name);
}

static struct imb_settings parsed(const char *words[], int count)
{
    char *argv[16] = {"IMB-IO"};
    struct imb_settings settings = imb_settings_default(IMB_IO);
    struct message error;
    for (int i = 0; i < count; i++)
        argv[i + 1] = (char *)(size_t)words[i];
    if (options_parse(&imb_options, count + 1, argv, &settings, &error) ||
        imb_settings_check(&settings, &error))
        fail_msg("%s", error.text);
    options_free(&imb_options, &settings);
    return settings;
}

TEST(has_the_defaults_of_each_release)
{
    const char *old[] = {"-compat", "3.0"}, *given[] = {"-compat", "3.0", "-iter", "7", "-msglog", "3:5"};
    struct imb_settings s = parsed(NULL, 0);
    assert_int_equal(s.npmin, 1);
    assert_int_equal(s.repetitions, 1000);
    assert_int_equal(s.few_repetitions, 100);
    assert_int_equal(s.volume, 40 << 20);
    assert_int_equal(s.max_log, 22);
    s = parsed(old, 2);
    assert_int_equal(s.repetitions, 50);
    assert_int_equal(s.few_repetitions, 10);
    assert_int_equal(s.volume, 16 << 20);
    assert_int_equal(s.min_log, 0);
    assert_int_equal(s.max_log, 24);
    s = parsed(given, 6);
    assert_int_equal(s.repetitions, 7);
    assert_int_equal(s.few_repetitions, 10);
    assert_int_equal(s.min_log, 3);
    assert_int_equal(s.max_log, 5);
}

TEST(runs_on_one_process_or_more)
{
    int counts[IMB_MAX_COUNTS];
    const struct imb_settings s = imb_settings_default(IMB_IO);
    for (int processes = 1; processes <= 5; processes += 2) {
        assert_int_equal(imb_process_counts(find("S_IRead_Expl"), &s, processes, counts), 1);
        assert_int_equal(counts[0], 1);
    }
    assert_int_equal(imb_process_counts(find("P_Write_Priv"), &s, 3, counts), 3);
    assert_true(counts[0] == 1 && counts[1] == 2 && counts[2] == 3);
    assert_int_equal(imb_process_counts(find("Open_Close"), &s, 1, counts), 1);
}

TEST(has_two_modes_only_for_blocking_writes)
{
    struct imb_settings s = imb_settings_default(IMB_IO);
    enum imb_mode modes[IMB_MAX_MODES];
    assert_int_equal(imb_modes_of(&s, find("C_Write_Indv"), modes), 2);
    assert_true(modes[0] == IMB_MODE_AGGREGATE && modes[1] == IMB_MODE_NON_AGGREGATE);
    const char *one[] = {"C_IWrite_Indv", "S_Read_Indv", "P_IRead_Shared"};
    for (size_t i = 0; i < COUNT(one); i++) {
        assert_int_equal(imb_modes_of(&s, find(one[i]), modes), 1);
        assert_int_equal(modes[0], IMB_MODE_AGGREGATE);
    }
    assert_int_equal(imb_modes_of(&s, find("Open_Close"), modes), 1);
    assert_int_equal(modes[0], IMB_MODE_NONE);
}

TEST(probes_less_and_does_not_warm_up)
{
    struct imb_settings s = imb_settings_default(IMB_IO);
    assert_int_equal(imb_repetitions_probe(&s, 20, 1e-6), 20);
    assert_int_equal(imb_repetitions_probe(&s, 5000, 1e-6), 50);
    assert_int_equal(imb_repetitions_probe(&s, 5000, 0.019), 50);
    assert_int_equal(imb_repetitions_probe(&s, 5000, 0.1), 10);
    assert_int_equal(imb_repetitions_warmup(&s, 1000), 0);
    assert_int_equal(imb_repetitions_within(&s, 1000, 0.1, 0.1, 10), 101);
}

/* Returns the buffers for blocks of 12 bytes on 2 processes. */
static struct imb_memory memory(const struct imb_settings *s, const char *name)
{
    const struct imb_table table = imb_table_make(s, find(name), IMB_MODE_NONE, 2, 2);
    return imb_memory_make(&table, 12, 100, s->check);
}

TEST(needs_only_the_portion)
{
    struct imb_settings s = imb_settings_default(IMB_IO);
    s.cache = 1 << 20;
    s.line = 64; /* no effect on files */
    struct imb_memory m = memory(&s, "P_Write_Indv");
    assert_int_equal(m.send.bytes * m.send.copies, 8);
    assert_int_equal(m.receive.bytes, 0);
    s.check = true;
    m = memory(&s, "P_Write_Indv");
    assert_int_equal(m.receive.bytes, 8); /* for reading the data back */
    m = memory(&s, "P_IRead_Indv");
    assert_int_equal(m.places, 100);
    assert_int_equal(m.receive.bytes, 800);
    m = memory(&s, "C_Read_Indv");
    assert_int_equal(m.receive.bytes, 800);
}

TEST(no_call_reads_all_repetitions)
{
    struct imb_settings s = imb_settings_default(IMB_IO);
    const struct imb_table table = imb_table_make(&s, find("S_Read_Indv"), IMB_MODE_NONE, 1, 1);
    struct imb_memory m = imb_memory_make(&table, 32 << 20, 100, true);
    assert_true(m.receive.bytes > INT32_MAX);
    assert_false(imb_memory_overflows(&m));
}

static char *heading(const char *name, int compat)
{
    static char *text;
    size_t size;
    struct imb_settings s = imb_settings_default(IMB_IO);
    s.compat = compat;
    enum imb_mode modes[IMB_MAX_MODES];
    imb_modes_of(&s, find(name), modes);
    struct imb_table table = imb_table_make(&s, find(name), modes[0], 2, 1);
    free(text);
    FILE *out = open_memstream(&text, &size);
    imb_put_heading(&table, out);
    fclose(out);
    return text;
}

TEST(prints_headings_like_imb)
{
    assert_contains(heading("S_Write_Indv", IMB_2021),
                    "#\n#    MODE: AGGREGATE \n#\n       #bytes #repetitions      "
                    "t[usec]   Mbytes/sec\n");
    assert_contains(heading("C_Read_Shared", IMB_2021),
                    "  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n");
    assert_contains(heading("C_Read_Shared", IMB_30),
                    "  t_min[usec]        t_max        t_avg       Mb/sec\n");
    assert_contains(heading("P_IRead_Priv", IMB_2021),
                    " t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n");
    char *text = heading("Open_Close", IMB_2021);
    assert_contains(text, "-\n #repetitions  t_min[usec]");
    assert_null(strstr(text, "MODE"));
    free(text);
}

static double ticking(void *unused)
{
    static double clock;
    (void)unused;
    return clock += 0.25;
}

TEST(a_task_has_a_known_length)
{
    struct imb_compute load;
    assert_int_equal(imb_compute_make(&load, ticking), 0);
    assert_int_equal(imb_compute_fix(&load, 0.01, ticking), 0);
    assert_int_equal(load.task, 10000);
    assert_close(load.task_seconds, 0.25);
}
