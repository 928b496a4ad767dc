/* What messages hold: exchanges played through in memory, with and without damage; the computation. */
#include "imb_compat/check.h"
#include "imb_compat/compute.h"
#include "imb_compat/plan.h"

#include "tests/unit.h"

enum { MAX = 5, ITEMS = 7, ROOM = 8 * 2 * MAX * ITEMS * 4 };

static struct imb_exchange view(const char *name, enum imb_type type, int rank, int size, int stretch)
{
    const struct imb_benchmark *b = imb_benchmark_find(IMB_MPI1, name);
    if (!b)
        b = imb_benchmark_find(IMB_RMA, name);
    return (struct imb_exchange){.benchmark = b,
                                 .type = type,
                                 .rank = rank,
                                 .size = size,
                                 .items = ITEMS,
                                 .first = rank * ITEMS,
                                 .stride = imb_types[type].size * stretch,
                                 .blocks_apart = 3};
}

/* The send buffer of a process. */
static const char *sent(const char *name, enum imb_type type, int rank, int size, int stretch)
{
    static char buffer[MAX][ROOM];
    struct imb_exchange e = view(name, type, rank, size, stretch);
    memset(buffer[rank], 0, ROOM);
    imb_fill(&e, buffer[rank], MAX * ITEMS);
    return buffer[rank];
}

static int64_t wrong(const struct imb_exchange *e, const char *buffer, int root)
{
    struct imb_mismatch mismatch = {0};
    imb_check(e, buffer, root, &mismatch);
    return mismatch.wrong;
}

/* One block as it comes from a process. */
struct block {
    int source, first;
};

/* Puts blocks into a receive buffer, and finds it right; then, with any byte of an item damaged, wrong. */
static void expect(const char *name, enum imb_type type, int rank, int size, int stretch,
                   const struct block *blocks, int count)
{
    struct imb_exchange e = view(name, type, rank, size, stretch);
    char receive[ROOM] = {0};
    int64_t block = ITEMS * e.stride;
    for (int b = 0; b < count; b++)
        memcpy(receive + b * block,
               sent(name, type, blocks[b].source, size, stretch) + blocks[b].first * e.stride, (size_t)block);
    assert_int_equal(wrong(&e, receive, 0), 0);
    for (int64_t i = 0; i < count * block; i++) {
        receive[i] ^= 1;
        assert_int_equal(wrong(&e, receive, 0), i % e.stride < imb_types[type].size);
        receive[i] ^= 1;
    }
    memset(receive, 0, sizeof receive); /* nothing came */
    assert_true(wrong(&e, receive, 0) > 0);
}

static void knows_where_messages_come_from(void **state)
{
    (void)state;
    for (int t = 0; t < IMB_TYPES; t++) {
        enum imb_type type = (enum imb_type)t;
        for (int stretch = 1; stretch <= 2; stretch++) {
            expect("PingPong", type, 1, 2, stretch, (struct block[]){{0, 0}}, 1);
            expect("PingPing", type, 0, 2, stretch, (struct block[]){{1, 0}}, 1);
            expect("Sendrecv", type, 0, 5, stretch, (struct block[]){{4, 0}}, 1);
            expect("Exchange", type, 1, 3, stretch, (struct block[]){{0, 0}, {2, ITEMS}}, 2);
            expect("Exchange", type, 0, 1, stretch, (struct block[]){{0, 0}, {0, ITEMS}}, 2);
            expect("Uniband", type, 3, 4, stretch, (struct block[]){{1, 0}, {1, 0}, {1, 0}}, 3);
            expect("Biband", type, 0, 4, stretch, (struct block[]){{2, 0}, {2, 0}, {2, 0}}, 3);
            expect("Allgather", type, 1, 3, stretch, (struct block[]){{0, 0}, {1, 0}, {2, 0}}, 3);
            expect("Gatherv", type, 0, 3, stretch, (struct block[]){{0, 0}, {1, 0}, {2, 0}}, 3);
            expect("Scatter", type, 2, 3, stretch, (struct block[]){{0, 2 * ITEMS}}, 1);
            expect("Bcast", type, 2, 3, stretch, (struct block[]){{0, 0}}, 1);
            expect("Alltoallv", type, 2, 3, stretch,
                   (struct block[]){{0, 2 * ITEMS}, {1, 2 * ITEMS}, {2, 2 * ITEMS}}, 3);
        }
    }
}

static void expects_nothing_where_nothing_comes(void **state)
{
    (void)state;
    const char nothing[ROOM] = {0};
    static const struct {
        const char *name;
        int rank;
    } rows[] = {{"Reduce", 1},    {"Gather", 2},    {"Bcast", 0},       {"Barrier", 0},    {"Uniband", 1},
                {"Put_local", 0}, {"Get_local", 1}, {"One_put_all", 0}, {"One_get_all", 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct imb_exchange e = view(rows[i].name, IMB_FLOAT, rows[i].rank, 4, 1);
        assert_int_equal(wrong(&e, nothing, 0), 0);
    }
}

/* In memory: what one-sided transfers leave behind. */
static void knows_what_one_sided_transfers_leave(void **state)
{
    (void)state;
    const enum imb_type types[] = {IMB_BYTE, IMB_INT};
    for (size_t i = 0; i < COUNT(types); i++) {
        enum imb_type type = types[i];
        expect("Unidir_put", type, 1, 2, 1, (struct block[]){{0, 0}}, 1);
        expect("Unidir_get", type, 0, 2, 1, (struct block[]){{1, 0}}, 1);
        expect("Bidir_put", type, 0, 2, 1, (struct block[]){{1, 0}}, 1);
        expect("One_put_all", type, 2, 3, 1, (struct block[]){{0, 0}}, 1);
        expect("Exchange_get", type, 1, 3, 1, (struct block[]){{0, 0}, {2, ITEMS}}, 2);
        expect("Exchange_put", type, 1, 2, 1, (struct block[]){{0, 0}, {0, ITEMS}}, 2);
        expect("Compare_and_swap", type, 0, 2, 1, (struct block[]){{1, 0}}, 1);
        expect("Compare_and_swap", type, 1, 2, 1, (struct block[]){{0, 0}}, 1);
    }
    expect("Accumulate", IMB_FLOAT, 1, 2, 1, (struct block[]){{0, 0}}, 1);
    expect("Get_accumulate", IMB_FLOAT, 0, 2, 1, (struct block[]){{1, 0}}, 1);
    assert_true(imb_starts_filled(imb_benchmark_find(IMB_RMA, "Fetch_and_op")));
    assert_false(imb_starts_filled(imb_benchmark_find(IMB_RMA, "Accumulate")));
}

/* Blocks of all others; its own is left alone. */
static void knows_what_comes_from_all_others(void **state)
{
    (void)state;
    struct imb_exchange e = view("All_get_all", IMB_BYTE, 1, 3, 1);
    char receive[ROOM] = {0};
    memcpy(receive, sent("All_get_all", IMB_BYTE, 0, 3, 1), ITEMS);
    memcpy(receive + 2 * ITEMS, sent("All_get_all", IMB_BYTE, 2, 3, 1), ITEMS);
    assert_int_equal(wrong(&e, receive, 0), 0);
    for (int i = 0; i < 3 * ITEMS; i++) {
        receive[i] ^= 1;
        assert_int_equal(wrong(&e, receive, 0), i / ITEMS != 1);
        receive[i] ^= 1;
    }
}

#define ADD(type_of, a, b)                                                                                   \
    do {                                                                                                     \
        type_of x, y;                                                                                        \
        memcpy(&x, a, sizeof x);                                                                             \
        memcpy(&y, b, sizeof y);                                                                             \
        x = (type_of)(x + y);                                                                                \
        memcpy(a, &x, sizeof x);                                                                             \
    } while (0)

static void add(enum imb_type type, char *sum, const char *operand)
{
    if (type == IMB_INT)
        ADD(int, sum, operand);
    else if (type == IMB_FLOAT)
        ADD(float, sum, operand);
    else if (type == IMB_DOUBLE)
        ADD(double, sum, operand);
    else
        ADD(char, sum, operand);
}

/* `count` items from `first` summed over all processes. */
static void expect_sum(const char *name, enum imb_type type, int rank, int size, int first)
{
    struct imb_exchange e = view(name, type, rank, size, 1);
    int bytes = imb_types[type].size;
    char sum[ROOM] = {0};
    for (int p = 0; p < size; p++)
        for (int i = 0; i < ITEMS; i++)
            add(type, sum + i * bytes, sent(name, type, p, size, 1) + (first + i) * bytes);
    assert_int_equal(wrong(&e, sum, 0), 0);
    for (int i = 0; i < ITEMS * bytes; i++) {
        sum[i] ^= 1;
        assert_int_equal(wrong(&e, sum, 0), 1);
        sum[i] ^= 1;
    }
}

static void knows_sums(void **state)
{
    (void)state;
    static const enum imb_type types[] = {IMB_CHAR, IMB_INT, IMB_FLOAT, IMB_DOUBLE};
    for (size_t t = 0; t < COUNT(types); t++)
        for (int size = 1; size < MAX; size++) {
            expect_sum("Allreduce", types[t], 0, size, 0);
            expect_sum("Reduce", types[t], 0, size, 0);
            expect_sum("Fetch_and_op", types[t], size, size + 1, 0);
            expect_sum("Reduce_scatter", types[t], size - 1, size, (size - 1) * ITEMS);
            struct imb_exchange e = view("Reduce_local", types[t], size - 1, size, 1);
            assert_int_equal(wrong(&e, sent("Reduce_local", types[t], size - 1, size, 1), 0), 0);
        }
}

static void keeps_the_first_mismatch(void **state)
{
    (void)state;
    struct imb_exchange e = view("Allgather", IMB_BYTE, 0, 2, 1);
    char receive[ROOM] = {0};
    memcpy(receive, sent("Allgather", IMB_BYTE, 0, 2, 1), ITEMS);
    memcpy(receive + ITEMS, sent("Allgather", IMB_BYTE, 1, 2, 1), ITEMS);
    receive[ITEMS + 2] ^= 16;
    receive[ITEMS + 4] ^= 1;
    struct imb_mismatch mismatch = {0};
    imb_check(&e, receive, 0, &mismatch);
    assert_int_equal(mismatch.wrong, 2);
    assert_int_equal(mismatch.position, ITEMS + 2);
    assert_int_equal(mismatch.source, 1);
    assert_int_equal(mismatch.expected ^ mismatch.found, 16);
}

/* ---- the computation ---- */

static double ticking(void *unused)
{
    static double clock;
    (void)unused;
    return clock += 0.25;
}

static double standing(void *context)
{
    (void)context;
    return 1;
}

static void computes_for_a_known_time(void **state)
{
    (void)state;
    struct imb_compute load;
    assert_int_equal(imb_compute_make(&load, ticking), 0);
    assert_close(load.per_second, 250000 / 0.25);
    assert_close(load.mflops, 200);
    assert_int_equal(imb_compute_products(&load, 2e-3), 2000);
    assert_int_equal(imb_compute_products(&load, 0), 1);
    imb_compute_run(&load, 100000);
    for (int i = 0; i < IMB_COMPUTE_ORDER; i++)
        assert_real(load.vector[i], 1); /* neither grows nor becomes denormal */
    assert_int_equal(imb_compute_make(&load, standing), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_where_messages_come_from),
        cmocka_unit_test(expects_nothing_where_nothing_comes),
        cmocka_unit_test(knows_what_one_sided_transfers_leave),
        cmocka_unit_test(knows_what_comes_from_all_others),
        cmocka_unit_test(knows_sums),
        cmocka_unit_test(keeps_the_first_mismatch),
        cmocka_unit_test(computes_for_a_known_time),
    };
    return cmocka_run_group_tests_name("imb_check", tests, NULL, NULL);
}
