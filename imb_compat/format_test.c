/* Tests the formulas and the text of the tables. */
#include "imb_compat/format.h"

#include "imb_compat/settings_test.h"
#include "tests/unit.h"

static const struct imb_benchmark *find(const char *name)
{
    static const enum imb_component components[] = {IMB_MPI1, IMB_NBC, IMB_RMA, IMB_EXT, IMB_IO};
    const struct imb_benchmark *b = NULL;
    for (size_t i = 0; i < COUNT(components) && !b; i++)
        b = imb_benchmark_find(components[i], name);
    return b;
}

static struct imb_record record_of(const struct imb_settings *s, const char *name,
                                   const struct imb_share *shares, int count, int size, int64_t bytes)
{
    struct imb_table table = imb_table_make(s, find(name), IMB_MODE_NONE, size, size);
    return imb_record_make(&table, shares, count, bytes, 10);
}

static struct imb_record row_of(const struct imb_settings *s, const char *name, double slowest, int64_t bytes)
{
    const struct imb_share shares[] = {
        {.seconds = slowest / 2, .defects = 1}, {.seconds = slowest}, {.seconds = -1}};
    return record_of(s, name, shares, 3, 4, bytes);
}

TEST(computes_rates_from_the_slowest)
{
    static const struct {
        const char *name;
        double rate; /* MB/s for 1000 bytes in 1 ms */
    } rows[] = {{"PingPong", 1},      {"PingPing", 1},         {"Sendrecv", 2}, {"Exchange", 4},
                {"Uniband", 256 * 2}, {"Biband", 2 * 256 * 2}, {"Allreduce", 0}};
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_record row = row_of(&s, rows[i].name, 1e-3, 1000);
        assert_close(row.bandwidth, rows[i].rate);
        assert_close(row.t_max, 1e-3);
        assert_close(row.t_min, 5e-4);
        assert_close(row.t_avg, 7.5e-4); /* the third process was not timed */
        assert_int_equal(row.errors, 1);
    }
    assert_close(row_of(&s, "Uniband", 1e-3, 0).msg_rate, 512000);
    assert_real(row_of(&s, "PingPong", 0, 1000).bandwidth, 0);
}

TEST(computes_the_overlap_of_the_slowest)
{
    const struct imb_share shares[] = {{3e-6, 1e-6, 1e-6, 0, 0}, {5e-6, 4e-6, 3e-6, 0, 0}};
    struct imb_settings s = imb_settings_default(IMB_NBC);
    struct imb_record row = record_of(&s, "Ibcast", shares, 2, 2, 8);
    assert_close(row.t_max, 5e-6);
    assert_close(row.t_pure, 4e-6);
    assert_close(row.t_cpu, 3e-6);
    assert_close(row.overlap, 50);
    assert_real(imb_overlap(10, 4, 3, IMB_2021), 0);
    assert_real(imb_overlap(1, 4, 3, IMB_2021), 100);
    assert_real(imb_overlap(0, 0, 0, IMB_30), 0);
    assert_real(imb_overlap(5, 4, 2, IMB_2021), 25); /* 1 of 4 */
    assert_real(imb_overlap(5, 4, 2, IMB_30), 50);   /* 1 of 2 */
    assert_true(imb_overlap_is_meaningful(1, 100));
    assert_false(imb_overlap_is_meaningful(0.9, 100));
}

TEST(computes_rows_of_origins)
{
    const struct imb_share shares[] = {
        {.seconds = 5e-6, .pure = 1e-6}, {.seconds = -1}, {.seconds = 3e-6, .pure = 2e-6}, {.seconds = -1}};
    struct imb_settings s = imb_settings_default(IMB_RMA);
    struct imb_record row = record_of(&s, "Truly_passive_put", shares, 4, 2, 8);
    assert_close(row.t_max, 5e-6); /* the maximum of each column */
    assert_close(row.t_pure, 2e-6);
    const struct imb_share overlapped = {.seconds = 5e-6, .pure = 4e-6, .cpu = 2e-6};
    s = imb_settings_default(IMB_IO);
    assert_close(record_of(&s, "P_IRead_Indv", &overlapped, 1, 1, 8).overlap, 25); /* of the longer time */
    s.compat = IMB_30;
    assert_close(record_of(&s, "P_IRead_Indv", &overlapped, 1, 1, 8).overlap, 50); /* of the shorter time */
    s = imb_settings_default(IMB_RMA);
    row = record_of(&s, "One_put_all", shares, 4, 4, 1000);
    assert_close(row.bandwidth, 200); /* one message */
    assert_close(row.t_avg, 4e-6);
    row = record_of(&s, "One_put_all", shares, 1, 1, 1000);
    assert_real(row.bandwidth, 0); /* no data were transferred */
}

/* Returns the heading of a table (`what` 0), a row (1) or a failure row (2 plus the failure). */
static const char *printed(const struct imb_settings *s, const char *name, int processes, int size, int what)
{
    static char text[4096];
    struct imb_table table = imb_table_make(s, find(name), IMB_MODE_NONE, processes, size);
    struct imb_record row = {.group = 1,
                             .bytes = 8,
                             .repetitions = 20,
                             .t_min = 0.5e-6,
                             .t_max = 1.5e-6,
                             .t_avg = 1e-6,
                             .bandwidth = 12.345,
                             .msg_rate = 99.6,
                             .t_pure = 3e-6,
                             .t_cpu = 2e-6,
                             .overlap = 50};
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    if (what == 0)
        imb_put_heading(&table, out);
    else if (what == 1)
        imb_put_row(&table, &row, out);
    else
        imb_put_failure(&table, 1, 1024, (enum imb_failure)(what - 2), 0.002, out);
    fclose(out);
    return text;
}

TEST(prints_headings)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    assert_string_equal(printed(&s, "PingPong", 4, 2, 0),
                        "\n#---------------------------------------------------\n"
                        "# Benchmarking PingPong \n# #processes = 2 \n"
                        "# ( 2 additional processes waiting in MPI_Barrier)\n"
                        "#---------------------------------------------------\n"
                        "       #bytes #repetitions      t[usec]   Mbytes/sec\n");
    s.multi = 1;
    s.check = true;
    assert_string_equal(
        printed(&s, "Allreduce", 5, 2, 0),
        "\n#------------------------------------------------------------------------------------------\n"
        "# Benchmarking Multi-Allreduce \n# ( 2 groups of 2 processes each running simultaneous ) \n"
        "# Group  0:     0    1\n# \n# Group  1:     2    3\n# \n"
        "# ( 1 additional process waiting in MPI_Barrier)\n"
        "#------------------------------------------------------------------------------------------\n"
        "        Group       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects\n");
    s = imb_settings_default(IMB_MPI1);
    s.map_p = s.map_q = 2;
    assert_contains(printed(&s, "Allreduce", 4, 4, 0),
                    "# #processes = 4; rank order (rowwise): \n#     0    2\n# \n#     1    3\n# \n#---");
    assert_contains(printed(&s, "Allreduce", 4, 2, 0), "(rowwise): \n#     0    2\n# \n# ( 2 additional");
    s.map_p = 1;
    s.map_q = 4; /* a map of one row is not printed */
    assert_contains(printed(&s, "Allreduce", 4, 4, 0), "# #processes = 4 \n#---");
}

TEST(prints_modes_and_the_columns_of_windows)
{
    struct imb_settings s = imb_settings_default(IMB_RMA);
    struct imb_table table = imb_table_make(&s, find("Put_local"), IMB_MODE_NON_AGGREGATE, 2, 2);
    char text[1024] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    imb_put_heading(&table, out);
    fclose(out);
    assert_contains(text, "---\n#\n#    MODE: NON-AGGREGATE \n#\n       #bytes #repetitions      t[usec]");
    assert_contains(printed(&s, "Truly_passive_put", 2, 2, 0),
                    "---\n       #bytes #repetitions t_pure[usec] t_ovrl[usec]\n");
    s.check = true;
    assert_contains(printed(&s, "Unidir_put", 2, 2, 0), "   Mbytes/sec      defects\n");
    assert_contains(printed(&s, "Window", 2, 2, 0), "  t_avg[usec]\n");
    s.check = false;
    s.multi = 0; /* one-to-all benchmarks keep their columns */
    assert_contains(printed(&s, "Unidir_put", 2, 2, 0),
                    "  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n");
    assert_contains(printed(&s, "One_put_all", 2, 2, 0), " #repetitions      t[usec]   Mbytes/sec\n");
}

TEST(prints_many_ranks_in_lines_of_16)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    s.multi = 0;
    assert_contains(printed(&s, "Barrier", 40, 20, 0),
                    "   14   15\n#    16   17   18   19\n# \n# Group  1:    20");
}

/* Returns the heading of a table with many groups or ranks. The caller frees it. */
static char *heading_of_many(int processes, int size, int map_p, int map_q)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    s.multi = 0;
    s.map_p = map_p;
    s.map_q = map_q;
    struct imb_table table = imb_table_make(&s, find("Barrier"), IMB_MODE_NONE, processes, size);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    imb_put_heading(&table, out);
    fclose(out);
    return text;
}

TEST(skips_the_middle_of_more_than_1024_ranks)
{
    char *text = heading_of_many(3010, 1505, 2, 1505);
    assert_contains(text, "# Group  0:     0    2    4");
    assert_contains(text, " 1020 1022\n#  . . .\n#  1986 1988"); /* numbers 511, then 993 = 1505 - 512 */
    assert_contains(text, " 3008\n# \n# Group  1:     1    3");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= strlen("# Group  0: ") + 16 * 5);
    free(text);
    text = heading_of_many(1024, 1024, 0, 0);
    assert_null(strstr(text, ". . ."));
    free(text);
}

TEST(skips_the_middle_of_more_than_1024_groups)
{
    char *text = heading_of_many(3001, 2, 0, 0);
    assert_contains(text, "# ( 1500 groups of 2 processes each running simultaneous ) \n");
    assert_contains(text, "# Group 511:  1022 1023\n# \n#  . . .\n# Group 988:  1976 1977\n# \n");
    assert_contains(text, "# Group 1499:  2998 2999\n# \n# ( 1 additional process waiting");
    int groups = 0;
    for (const char *at = text; (at = strstr(at, "# Group ")); at++)
        groups++;
    assert_int_equal(groups, 1024);
    free(text);
}

TEST(prints_the_header_of_release_30)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    struct imb_selection chosen = {.benchmarks = (const struct imb_benchmark *[]){find("Bcast")}, .count = 1};
    const struct utsname system = {"Linux", "host", "2.6.5", "#1 SMP", "x86_64"};
    struct imb_header header = {.settings = &s,
                                .selection = &chosen,
                                .version = "0.1.0",
                                .date = "Thu Jun 22 18:25:57 2006",
                                .command = "IMB-MPI1 Bcast",
                                .system = &system,
                                .mpi_version = 2,
                                .thread_level = "MPI_THREAD_SINGLE",
                                .listed = &(struct imb_sizes){.listed = true}};
    char text[4096] = "";
    s.compat = IMB_30;
    s.max_log = 22;
    FILE *out = fmemopen(text, sizeof text, "w");
    imb_put_header(&header, out);
    fclose(out);
    assert_string_equal(text, "#---------------------------------------------------\n"
                              "#    Intel (R) MPI Benchmark Suite V3.0, MPI-1 part\n"
                              "#---------------------------------------------------\n"
                              "# imb_compat 0.1.0 (beff), compatible with IMB 3.0\n"
                              "# Date       : Thu Jun 22 18:25:57 2006\n"
                              "# Machine    : x86_64\n"
                              "# System     : Linux\n"
                              "# Release    : 2.6.5\n"
                              "# Version    : #1 SMP\n"
                              "# MPI Version: 2.0\n"
                              "# MPI Thread Environment: MPI_THREAD_SINGLE\n"
                              "\n"
                              "# Minimum message length in bytes:   0\n"
                              "# Maximum message length in bytes:   4194304\n"
                              "#\n"
                              "# MPI_Datatype                   :   MPI_BYTE \n"
                              "# MPI_Datatype for reductions    :   MPI_FLOAT \n"
                              "# MPI_Op                         :   MPI_SUM  \n"
                              "# \n# \n\n# List of Benchmarks to run:\n\n# Bcast\n");
}

TEST(prints_rows)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    assert_string_equal(printed(&s, "PingPong", 2, 2, 1),
                        "            8           20         1.50        12.35\n");
    assert_string_equal(printed(&s, "Uniband", 2, 2, 1),
                        "            8           20        12.35          100\n");
    assert_string_equal(printed(&s, "Barrier", 2, 2, 1),
                        "           20         0.50         1.50         1.00\n");
    assert_string_equal(printed(&s, "Ibarrier", 2, 2, 1),
                        "           20         1.50         3.00         2.00        50.00\n");
    s.multi = 1;
    assert_string_equal(printed(&s, "PingPong", 2, 2, 1),
                        "            1            8           20         1.50        12.35\n");
    s.compat = IMB_30; /* units of 2^20 bytes */
    assert_contains(printed(&s, "PingPong", 2, 2, 1), "         1.50        11.77\n");
    s.compat = IMB_2021;
    s.multi = 0;
    assert_string_equal(printed(&s, "PingPong", 2, 2, 1),
                        "            8           20         0.50         1.50         1.00        12.35\n");
}

TEST(prints_failure_rows)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    assert_contains(printed(&s, "PingPong", 2, 2, 2 + IMB_OUT_OF_MEMORY),
                    "         1024 out-of-mem.; needed X=   0.003 GB; ");
    assert_contains(printed(&s, "PingPong", 2, 2, 2 + IMB_TIME_OUT), "         1024 time-out.; Time limit ");
    assert_contains(printed(&s, "Alltoall", 2, 2, 2 + IMB_INT_OVERFLOW), " use \"-data_type double\"\n");
    assert_contains(printed(&s, "Reduce", 2, 2, 2 + IMB_INT_OVERFLOW), " use \"-red_data_type double\"\n");
    s.data_type = IMB_DOUBLE;
    assert_contains(printed(&s, "Alltoall", 2, 2, 2 + IMB_INT_OVERFLOW), " Stopping benchmark\n");
    s.multi = 1;
    assert_true(strncmp(printed(&s, "PingPong", 2, 2, 2 + IMB_TIME_OUT),
                        "            1         1024 time-out.", 36) == 0);
}

TEST(keeps_records)
{
    struct imb_settings s = imb_settings_default(IMB_MPI1);
    struct imb_record r = row_of(&s, "Sendrecv", 1e-3, 1000);
    assert_string_equal(r.benchmark, "Sendrecv");
    assert_int_equal(r.processes, 4);
    assert_int_equal(r.bytes, 1000);
    assert_close(r.t_max, 1e-3);
    assert_close(r.bandwidth, 2);
    assert_real(r.msg_rate, 0);
    assert_int_equal(r.errors, 1);
}
