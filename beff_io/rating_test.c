/* Compares the rating with the values that release 2.1 printed for one of its runs. */
#include "tests/unit.h"

#include "beff_io/rating.h"

/* Bandwidths in MB/s that release 2.1 printed for a run on 2 processes (T = 20 s). */
static const double peer[IO_ACCESSES][IO_TYPES] = {{293.223, 262.046, 450.928, 280.992, 287.450},
                                                   {1674.030, 0, 0, 0, 0},
                                                   {2830.802, 2038.805, 3898.171, 3482.846, 2742.177}};

static void add(struct protocol *protocol, int64_t processes, enum io_access access, int type,
                double bandwidth, const char *pattern)
{
    struct io_record r = {
        .processes = processes, .type = type, .bytes = 1000000000, .calls = 10, .planned = -1};
    snprintf(r.access, sizeof r.access, "%s", io_access_names[access]);
    snprintf(r.pattern, sizeof r.pattern, "%s", pattern);
    r.t_total = 1e9 / (bandwidth * 1e6);
    protocol_record(protocol, &r);
}

static void add_peer(struct protocol *protocol, int64_t processes, double factor)
{
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int t = 0; t < IO_TYPES; t++)
            if (peer[a][t] > 0)
                add(protocol, processes, (enum io_access)a, t, factor * peer[a][t], RECORD_TOTAL);
}

TEST(values_of_release_2_1)
{
    struct protocol protocol = {.type = &io_record_type};
    struct io_rating rating;
    struct message error;
    add_peer(&protocol, 2, 1);
    add_peer(&protocol, 1, 0.5);
    add(&protocol, 2, ACCESS_READ, 0, 77, "2");
    assert_int_equal(io_rating_make(&rating, &protocol, &error), 0);
    const struct io_partition_rating *p = &rating.partition[rating.best];
    assert_int_equal(rating.partitions, 2);
    assert_int_equal(p->processes, 2);
    assert_near(p->access[ACCESS_WRITE], 311.310, 2e-6);
    assert_near(p->access[ACCESS_REWRITE], 1674.030, 1e-6);
    assert_near(p->access[ACCESS_READ], 2970.601, 2e-6);
    assert_near(p->release_2_1, 1268.233, 2e-6);
    assert_near(p->b_eff_io, 0.25 * 311.310 + 0.25 * 1674.030 + 0.5 * 2970.601, 2e-6);
    assert_near(io_rating_pattern(&protocol, 2, ACCESS_READ, 2), 77, 1e-9);
    assert_nan(io_rating_pattern(&protocol, 1, ACCESS_READ, 2));
    protocol_free(&protocol);
}

/* Adds the totals of partitions 4, 2 and 1, or only 4, of a storage that moves 1 GB/s. */
static void add_storage(struct protocol *protocol, double time, int partitions)
{
    static const int units[IO_TYPES] = {22, 12, 10, 10, 10};
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int i = 0; i < partitions; i++)
            for (int t = 0; t < (a == ACCESS_REWRITE ? 1 : IO_TYPES); t++) {
                struct io_record r = {.processes = 4 >> i, .type = t, .pattern = RECORD_TOTAL, .calls = 1};
                snprintf(r.access, sizeof r.access, "%s", io_access_names[a]);
                r.t_total = time / partitions / 150 * units[t];
                r.bytes = (int64_t)(1e9 * r.t_total);
                protocol_record(protocol, &r);
            }
}

/* From the simulated storage with a cache that is ten times as fast as its disks: 60 s of the speed of the
 * disks raise a run of 1800 s by 6 % with three partitions, and by 5 % with one; 120 s raise one of 7200 s by
 * 3 %, and 300 s by 7 %. */
TEST(caches_of_servers_that_would_raise_the_result)
{
    static const struct {
        double time, low, high;
        int partitions;
    } rows[] = {{1800, 47, 60, 3}, {1800, 50, 66, 1}, {7200, 180, 240, 3}};
    struct message error;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol protocol = {.type = &io_record_type};
        struct io_rating rating;
        add_storage(&protocol, rows[i].time, rows[i].partitions);
        assert_int_equal(io_rating_make(&rating, &protocol, &error), 0);
        double cache = io_rating_cache(&protocol, &rating.partition[rating.best], 0.05) / 1e9;
        assert_true(cache > rows[i].low && cache < rows[i].high);
        protocol_free(&protocol);
    }
}

TEST(without_reads_there_is_no_rating)
{
    struct protocol protocol = {.type = &io_record_type};
    struct io_rating rating;
    struct message error;
    add(&protocol, 2, ACCESS_WRITE, 0, 100, RECORD_TOTAL);
    add(&protocol, 2, ACCESS_REWRITE, 0, 100, RECORD_TOTAL);
    assert_int_equal(io_rating_make(&rating, &protocol, &error), 0);
    assert_int_equal(rating.best, -1);
    protocol_free(&protocol);
}

/* A partition without one of the types has no b_eff_io and is not the best one, even if it is fast. */
TEST(partitions_that_lack_a_type_have_no_rating)
{
    struct protocol protocol = {.type = &io_record_type};
    struct io_rating rating;
    struct message error;
    add_peer(&protocol, 1, 1);
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int t = 0; t < IO_TYPES; t++)
            if (peer[a][t] > 0 && !(a == ACCESS_READ && t == TYPE_SEG_COLL))
                add(&protocol, 2, (enum io_access)a, t, 10 * peer[a][t], RECORD_TOTAL);
    assert_int_equal(io_rating_make(&rating, &protocol, &error), 0);
    assert_int_equal(rating.partition[rating.best].processes, 1);
    assert_nan(rating.partition[1].access[ACCESS_READ]);
    assert_nan(rating.partition[1].b_eff_io);
    /* With --rewrite, all types must be rewritten. */
    protocol_meta(&protocol, "option_rewrite", "yes");
    assert_int_equal(io_rating_make(&rating, &protocol, &error), 0);
    assert_int_equal(rating.best, -1);
    protocol_free(&protocol);
}
