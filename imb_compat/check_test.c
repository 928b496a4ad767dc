/* Tests the checks of messages and files with intact and damaged bytes, in exchanges that are simulated in
 * memory. Also tests the computation. */
#include "imb_compat/check.h"

#include <limits.h>
#include <time.h>

#include "imb_compat/compute.h"
#include "imb_compat/tables.h"
#include "tests/unit.h"

enum { MAX = 6, ITEMS = 7, ROOM = 8 * 2 * MAX * ITEMS * 4 };

static struct imb_exchange view(const char *name, enum imb_type type, int rank, int size, int stretch)
{
    const struct imb_benchmark *b = imb_benchmark_find(IMB_MPI1, name);
    if (!b)
        b = imb_benchmark_find(IMB_RMA, name);
    if (!b)
        b = imb_benchmark_find(IMB_P2P, name);
    return (struct imb_exchange){.benchmark = b,
                                 .type = type,
                                 .rank = rank,
                                 .size = size,
                                 .near = imb_neighbours_of(rank, size, size / 2, 1),
                                 .items = ITEMS,
                                 .first = rank * ITEMS,
                                 .stride = imb_types[type].size * stretch,
                                 .places = 3};
}

/* Returns the send buffer of a process. */
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

/* A block received from a process. */
struct block {
    int source, first;
};

/* Copies blocks into a receive buffer, and asserts that no byte is wrong. Then damages one byte at a time,
 * and asserts that one byte is wrong if it belongs to an item. */
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
    memset(receive, 0, sizeof receive); /* nothing was received */
    assert_true(wrong(&e, receive, 0) > 0);
}

TEST(checks_received_messages)
{
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

TEST(checks_nothing_if_nothing_is_received)
{
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

TEST(checks_results_of_one_sided_transfers)
{
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

/* The process's own block is not compared. */
TEST(checks_blocks_of_all_other_processes)
{
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

/* In a dimension of two processes, both neighbours are the same process. */
TEST(checks_messages_of_stencils)
{
    const int side[] = {3, 2};
    const struct imb_origin expected[] = {{3 + 2, 1}, {3 + 1, 0}, {0, 2}, {0, 3}};
    struct imb_origin origins[IMB_MAX_NEIGHBOURS];
    imb_grid_origins(2, side, 3, origins);
    for (int i = 0; i < 4; i++)
        assert_true(origins[i].rank == expected[i].rank && origins[i].message == expected[i].message);
    struct imb_exchange e = view("PingPong", IMB_BYTE, 3, 6, 1);
    char receive[ROOM] = {0};
    e.benchmark = imb_benchmark_find(IMB_P2P, "Stencil2D");
    e.origins = origins;
    e.places = 4;
    for (int i = 0; i < 4; i++)
        memcpy(receive + i * ITEMS,
               sent("PingPong", IMB_BYTE, expected[i].rank, 6, 1) + expected[i].message * ITEMS, ITEMS);
    assert_int_equal(wrong(&e, receive, 0), 0);
    receive[3 * ITEMS] ^= 1;
    assert_int_equal(wrong(&e, receive, 0), 1);
    origins[3].rank = -1; /* nothing was received */
    assert_int_equal(wrong(&e, receive, 0), 0);
}

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

/* Asserts that the expected data are the sum over all processes, starting at item `first`. */
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

TEST(checks_sums)
{
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

TEST(sums_of_chars_do_not_overflow)
{
    for (int size = 1; size < MAX; size++)
        for (int i = 0; i < ITEMS; i++) {
            int sum = 0;
            for (int p = 0; p < size; p++) {
                int operand = (signed char)sent("Allreduce", IMB_CHAR, p, size, 1)[i];
                assert_true(operand >= 0);
                sum += operand;
            }
            assert_in_range(sum, 1, SCHAR_MAX);
        }
}

/* Returns the number of wrong bytes after `before` + 1 repetitions, if each item is `own` times rank 0's
 * operand plus `other` times rank 1's operand. */
static int64_t wrong_after(const char *name, enum imb_type type, int rank, int before, int own, int other)
{
    struct imb_exchange e = view(name, type, rank, 2, 1);
    char sum[ROOM] = {0};
    e.before = before;
    for (int i = 0; i < ITEMS * imb_types[type].size; i += imb_types[type].size) {
        for (int n = 0; n < own; n++)
            add(type, sum + i, sent(name, type, 0, 2, 1) + i);
        for (int n = 0; n < other; n++)
            add(type, sum + i, sent(name, type, 1, 2, 1) + i);
    }
    return wrong(&e, sum, 0);
}

TEST(checks_results_of_several_repetitions)
{
    assert_int_equal(wrong_after("Accumulate", IMB_FLOAT, 1, 4, 5, 0), 0);
    assert_int_not_equal(wrong_after("Accumulate", IMB_FLOAT, 1, 4, 4, 0), 0);
    assert_int_equal(wrong_after("Reduce_local", IMB_DOUBLE, 0, 9, 10, 0), 0);
    assert_int_equal(wrong_after("Get_accumulate", IMB_INT, 0, 6, 6, 1), 0); /* before the last addition */
    assert_int_equal(wrong_after("Get_accumulate", IMB_INT, 1, 6, 7, 1), 0);
    assert_int_not_equal(wrong_after("Fetch_and_op", IMB_FLOAT, 0, 6, 7, 1), 0);
    assert_int_equal(wrong_after("Allreduce", IMB_FLOAT, 0, 6, 1, 1), 0);
    /* A float cannot represent the sum of 200000 repetitions exactly, so nothing is compared. */
    assert_int_equal(wrong_after("Accumulate", IMB_FLOAT, 1, 200000, 1, 0), 0);
    struct imb_exchange e = view("Compare_and_swap", IMB_INT, 0, 2, 1);
    e.before = 1; /* after the first swap, the second one finds the process's own number */
    assert_int_equal(wrong(&e, sent("Compare_and_swap", IMB_INT, 0, 2, 1), 0), 0);
    e = view("SendRecv_Replace", IMB_BYTE, 1, 5, 1);
    e.before = 7;
    assert_int_equal(wrong(&e, sent("SendRecv_Replace", IMB_BYTE, 3, 5, 1), 0), 0); /* (1 - 8) mod 5 */
    e = view("Exchange", IMB_BYTE, 1, 5, 1);
    e.overlaid = true; /* the right neighbour's message arrived last */
    assert_int_equal(wrong(&e, sent("Exchange", IMB_BYTE, 2, 5, 1) + ITEMS, 0), 0);
    assert_int_not_equal(wrong(&e, sent("Exchange", IMB_BYTE, 0, 5, 1), 0), 0);
}

/* The largest operand is 91, and 2^24 / 91 is 184365. */
TEST(skips_sums_that_a_float_cannot_hold)
{
    static const char *const sums[] = {"Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block"};
    const char none[ROOM] = {0};
    for (size_t i = 0; i < COUNT(sums); i++) {
        struct imb_exchange e = view(sums[i], IMB_FLOAT, 0, 184365, 1);
        assert_int_not_equal(wrong(&e, none, 0), 0);
        e.size++;
        assert_int_equal(wrong(&e, none, 0), 0);
        e.type = IMB_DOUBLE;
        e.stride = imb_types[e.type].size;
        assert_int_not_equal(wrong(&e, none, 0), 0);
    }
    struct imb_exchange e = view("Bcast", IMB_FLOAT, 1, 200000, 1); /* no sum */
    assert_int_not_equal(wrong(&e, none, 0), 0);
}

TEST(keeps_the_first_mismatch)
{
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

TEST(computes_for_a_known_time)
{
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

/* ---- files: portions, names, places ---- */

TEST(portions_cover_a_block)
{
    for (int size = 1; size <= 7; size++)
        for (int64_t x = 0; x < 200; x++) {
            int64_t at = 0;
            for (int rank = 0; rank < size; rank++) {
                struct imb_portion p = imb_portion_of(x, rank, size);
                assert_int_equal(p.offset, at);
                assert_true(p.bytes >= 0 && p.bytes <= imb_portion_of(x, 0, size).bytes);
                assert_true(p.bytes % IMB_FILE_ITEM == 0 || p.offset + p.bytes == x);
                at += p.bytes;
            }
            assert_int_equal(at, x);
        }
}

TEST(small_blocks_belong_to_rank_0)
{
    for (int64_t x = 1; x <= 4; x++) {
        assert_int_equal(imb_portion_of(x, 0, 2).bytes, x);
        assert_int_equal(imb_portion_of(x, 1, 2).bytes, 0);
    }
    assert_int_equal(imb_portion_of(8, 1, 2).bytes, 4);
    assert_int_equal(imb_portion_of(12, 0, 2).bytes, 8);
}

TEST(writes_file_names)
{
    char name[IMB_FILE_NAME_SIZE];
    const struct {
        int group, rank;
        const char *name;
    } rows[] = {{-1, -1, "IMB_out"},
                {0, -1, "IMB_out_g0"},
                {-1, 3, "IMB_out_3"},
                {12, 1000000, "IMB_out_g12_1000000"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        imb_file_name(name, rows[i].group, rows[i].rank);
        assert_string_equal(name, rows[i].name);
    }
}

static struct imb_placing placing(const char *name, int64_t x, int rank, int size)
{
    return imb_placing_of(imb_benchmark_find(IMB_IO, name), x, rank, size);
}

TEST(computes_positions_of_portions)
{
    struct imb_placing p = placing("P_Write_Indv", 16, 1, 2);
    assert_int_equal(p.first, 8);
    assert_int_equal(p.step, 16);
    assert_int_equal(p.stride, 16);
    assert_int_equal(placing("P_Write_Indv", 4, 1, 2).stride, 0); /* no data, so the view shows all bytes */
    assert_int_equal(placing("P_Write_Indv", 16, 0, 1).stride, 0);
    p = placing("C_IRead_Expl", 16, 1, 2);
    assert_true(p.first == 8 && p.step == 16 && p.stride == 0 && !p.any_order);
    p = placing("P_Read_Priv", 24, 1, 2);
    assert_true(p.first == 0 && p.step == 12 && p.stride == 0 && !p.any_order);
    assert_true(placing("P_IRead_Shared", 16, 1, 2).any_order);
    assert_false(placing("P_IRead_Shared", 16, 0, 1).any_order);
    assert_true(placing("P_Read_Shared", 5, 0, 3).any_order);
    assert_false(placing("P_Read_Shared", 4, 0, 3).any_order); /* one process reads all data */
    assert_false(placing("C_IRead_Shared", 16, 1, 2).any_order);
}

/* ---- contents ---- */

enum { EXTENT = 9000 };

static int64_t wrong_in_file(uint32_t seed, int64_t position, const char *buffer, int64_t bytes)
{
    struct imb_mismatch mismatch = {0};
    imb_content_check(seed, position, buffer, bytes, position, &mismatch);
    return mismatch.wrong;
}

TEST(damage_is_found)
{
    static char file[EXTENT];
    struct imb_mismatch mismatch = {0};
    imb_content_fill(7, 0, file, EXTENT);
    for (int64_t from = 0; from < 9; from++) {
        assert_int_equal(wrong_in_file(7, from, file + from, EXTENT - from), 0);
        char part[5];
        imb_content_fill(7, from, part, sizeof part);
        assert_memory_equal(part, file + from, sizeof part);
    }
    assert_true(wrong_in_file(8, 0, file, EXTENT) > EXTENT / 2);
    assert_true(wrong_in_file(7, 4, file, 100) > 50);
    for (int64_t at = 0; at < EXTENT; at += 1237) {
        file[at] ^= 4;
        assert_int_equal(wrong_in_file(7, 0, file, EXTENT), 1);
        file[at] ^= 4;
    }
    file[5000] ^= 1;
    file[8000] ^= 1;
    imb_content_check(7, 0, file, EXTENT, 100, &mismatch);
    assert_true(mismatch.wrong == 2 && mismatch.position == 5100 && mismatch.source == IMB_SOURCE_FILE);
    assert_int_equal(mismatch.expected ^ mismatch.found, 1);
}

TEST(places_are_found)
{
    static char file[EXTENT];
    char part[64];
    imb_content_fill(3, 0, file, EXTENT);
    for (int64_t bytes = 7; bytes <= 64; bytes++)
        for (int64_t at = 0; at + bytes <= EXTENT; at += 61) {
            assert_int_equal(imb_content_find(3, file + at, bytes, EXTENT), at);
            if (bytes < 12)
                continue;
            memcpy(part, file + at, (size_t)bytes);
            part[at % bytes] ^= 1; /* one damaged byte at any place */
            assert_int_equal(imb_content_find(3, part, bytes, EXTENT), at);
        }
    memset(part, 0, sizeof part);
    assert_int_equal(imb_content_find(3, part, sizeof part, EXTENT), -1);
    assert_int_equal(imb_content_find(3, file + EXTENT - 20, 20, EXTENT - 1), -1);
}

/* ---- shared file pointers ---- */

enum { ROUNDS = 20, SEED = 500, MOST = 5 };

static const int64_t blocks[] = {5, 6, 7, 8, 9, 12, 13, 16, 20, 23, 29, 30, 31, 64, 100};

/* Calls `take` for each portion of all rounds, in an order that mixes processes and rounds. */
static void in_any_order(int64_t x, int size, void take(void *context, int64_t at, int rank), void *context)
{
    int left[MOST];
    int64_t at = 0;
    for (int r = 0; r < size; r++)
        left[r] = imb_portion_of(x, r, size).bytes ? ROUNDS : 0;
    for (int turn = 0; at < ROUNDS * x; turn += 1 + turn % 3) {
        int rank = turn % size;
        while (!left[rank])
            rank = (rank + 1) % size;
        left[rank]--;
        take(context, at, rank);
        at += imb_portion_of(x, rank, size).bytes;
    }
}

struct writing {
    char file[EXTENT];
    uint32_t seed;
    int64_t x;
    int size;
};

static void write_portion(void *context, int64_t at, int rank)
{
    struct writing *w = context;
    struct imb_portion p = imb_portion_of(w->x, rank, w->size);
    imb_content_fill(w->seed, p.offset, w->file + at, p.bytes);
}

static int64_t wrong_in(const struct writing *w)
{
    struct imb_mismatch mismatch = {0};
    struct imb_tally tally = {0};
    int64_t at = 0, extent = ROUNDS * w->x;
    while (at < extent)
        at += imb_portion_check(SEED, w->x, w->size, w->file + at, extent - at, at, &tally, &mismatch);
    assert_int_equal(at, extent);
    imb_tally_check(&tally, w->x, ROUNDS, &mismatch);
    return mismatch.wrong;
}

TEST(portions_written_in_any_order_are_checked)
{
    static struct writing w;
    for (int size = 2; size <= MOST; size++)
        for (size_t i = 0; i < COUNT(blocks); i++) {
            w = (struct writing){.seed = SEED, .x = blocks[i], .size = size};
            in_any_order(w.x, size, write_portion, &w);
            assert_int_equal(wrong_in(&w), 0);
            for (int64_t at = 0; at < ROUNDS * w.x; at += 7) {
                w.file[at] ^= 16;
                assert_true(wrong_in(&w) > 0);
                if (imb_portion_of(w.x, size - 1, size).bytes >= 2 * IMB_FILE_ITEM)
                    assert_int_equal(wrong_in(&w), 1);
                w.file[at] ^= 16;
            }
        }
    w = (struct writing){.seed = SEED + 1, .x = 64, .size = 3};
    in_any_order(64, 3, write_portion, &w);
    assert_true(wrong_in(&w) > ROUNDS * 50);
}

/* Checking takes as long as filling, apart from a constant. A loop over all processes takes 1000 times as
 * long. */
TEST(the_check_of_portions_does_not_look_at_each_process)
{
    enum { PROCESSES = 20000, BYTES = 5 * PROCESSES + 2 };
    static char file[BYTES];
    struct imb_mismatch mismatch = {0};
    struct imb_tally tally = {0};
    const clock_t start = clock();
    int64_t at = 0;
    for (int rank = PROCESSES - 1; rank >= 0; rank--) {
        struct imb_portion p = imb_portion_of(BYTES, rank, PROCESSES);
        imb_content_fill(SEED, p.offset, file + at, p.bytes);
        at += p.bytes;
    }
    const clock_t filled = clock();
    for (at = 0; at < BYTES;)
        at += imb_portion_check(SEED, BYTES, PROCESSES, file + at, BYTES - at, at, &tally, &mismatch);
    imb_tally_check(&tally, BYTES, 1, &mismatch);
    assert_int_equal(mismatch.wrong, 0);
    const clock_t checked = clock();
    print_message("filled in %ld us, checked in %ld us\n", (long)(filled - start), (long)(checked - filled));
    assert_true(checked - filled < 100 * (filled - start));
}

TEST(a_portion_that_is_written_twice_is_found)
{
    static struct writing w;
    w = (struct writing){.seed = SEED, .x = 64, .size = 2};
    in_any_order(64, 2, write_portion, &w);
    write_portion(&w, 640, memcmp(w.file + 640, w.file, 32) == 0); /* replaces the other process's portion */
    assert_int_equal(wrong_in(&w), 1);
}

struct reading {
    char file[EXTENT];
    int64_t x, before;
    int size, part, doubled; /* part number `doubled` is replaced by the previous part */
    struct imb_tally tally;
};

static void read_portion(void *context, int64_t at, int rank)
{
    struct reading *r = context;
    int64_t bytes = imb_portion_of(r->x, rank, r->size).bytes;
    int64_t from = ++r->part == r->doubled ? r->before : at;
    int64_t place = imb_content_find(SEED, r->file + from, bytes, ROUNDS * r->x);
    if (imb_contains_item(r->x, bytes))
        assert_int_equal(place, from);
    imb_tally_add(&r->tally, from, bytes);
    r->before = at;
}

static struct imb_mismatch read_all(int64_t x, int size, int doubled)
{
    static struct reading r;
    struct imb_mismatch mismatch = {0};
    r = (struct reading){.x = x, .size = size, .doubled = doubled};
    imb_content_fill(SEED, 0, r.file, ROUNDS * x);
    in_any_order(x, size, read_portion, &r);
    imb_tally_check(&r.tally, ROUNDS * x, 1, &mismatch);
    return mismatch;
}

TEST(portions_read_in_any_order_are_checked)
{
    for (size_t i = 0; i < COUNT(blocks); i++)
        for (int size = 2; size <= MOST; size++) {
            assert_int_equal(read_all(blocks[i], size, 0).wrong, 0);
            for (int part = 2; part < ROUNDS; part += 5) {
                struct imb_mismatch found = read_all(blocks[i], size, part);
                assert_true(found.wrong == 1 && found.source == IMB_SOURCE_MISSING);
            }
        }
    assert_false(imb_contains_item(5, 4)); /* the portion may begin within an item */
    assert_true(imb_contains_item(8, 4) && imb_contains_item(15, 7));
}
