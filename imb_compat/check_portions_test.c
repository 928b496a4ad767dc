/* Portions, names and places in files; what files hold. */
#include "imb_compat/check.h"
#include "imb_compat/plan.h"

#include "tests/unit.h"

static void portions_cover_a_block(void **state)
{
    (void)state;
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

static void small_blocks_are_the_first_process_s(void **state)
{
    (void)state;
    for (int64_t x = 1; x <= 4; x++) {
        assert_int_equal(imb_portion_of(x, 0, 2).bytes, x);
        assert_int_equal(imb_portion_of(x, 1, 2).bytes, 0);
    }
    assert_int_equal(imb_portion_of(8, 1, 2).bytes, 4);
    assert_int_equal(imb_portion_of(12, 0, 2).bytes, 8);
}

static void names(void **state)
{
    (void)state;
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

static void places(void **state)
{
    (void)state;
    struct imb_placing p = placing("P_Write_Indv", 16, 1, 2);
    assert_int_equal(p.first, 8);
    assert_int_equal(p.step, 16);
    assert_int_equal(p.stride, 16);
    assert_int_equal(placing("P_Write_Indv", 4, 1, 2).stride, 0); /* nothing is moved: no view of nothing */
    assert_int_equal(placing("P_Write_Indv", 16, 0, 1).stride, 0);
    p = placing("C_IRead_Expl", 16, 1, 2);
    assert_true(p.first == 8 && p.step == 16 && p.stride == 0 && !p.any_order);
    p = placing("P_Read_Priv", 24, 1, 2);
    assert_true(p.first == 0 && p.step == 12 && p.stride == 0 && !p.any_order);
    assert_true(placing("P_IRead_Shared", 16, 1, 2).any_order);
    assert_false(placing("P_IRead_Shared", 16, 0, 1).any_order);
    assert_true(placing("P_Read_Shared", 5, 0, 3).any_order);
    assert_false(placing("P_Read_Shared", 4, 0, 3).any_order); /* one process moves all */
    assert_false(placing("C_IRead_Shared", 16, 1, 2).any_order);
}

/* ---- contents ---- */

enum { EXTENT = 9000 };

static int64_t wrong(uint32_t seed, int64_t position, const char *buffer, int64_t bytes)
{
    struct imb_mismatch mismatch = {0};
    imb_content_check(seed, position, buffer, bytes, position, &mismatch);
    return mismatch.wrong;
}

static void damage_is_found(void **state)
{
    (void)state;
    static char file[EXTENT];
    struct imb_mismatch mismatch = {0};
    imb_content_fill(7, 0, file, EXTENT);
    for (int64_t from = 0; from < 9; from++) {
        assert_int_equal(wrong(7, from, file + from, EXTENT - from), 0);
        char part[5];
        imb_content_fill(7, from, part, sizeof part);
        assert_memory_equal(part, file + from, sizeof part);
    }
    assert_true(wrong(8, 0, file, EXTENT) > EXTENT / 2);
    assert_true(wrong(7, 4, file, 100) > 50);
    for (int64_t at = 0; at < EXTENT; at += 1237) {
        file[at] ^= 4;
        assert_int_equal(wrong(7, 0, file, EXTENT), 1);
        file[at] ^= 4;
    }
    file[5000] ^= 1;
    file[8000] ^= 1;
    imb_content_check(7, 0, file, EXTENT, 100, &mismatch);
    assert_true(mismatch.wrong == 2 && mismatch.position == 5100 && mismatch.source == IMB_SOURCE_FILE);
    assert_int_equal(mismatch.expected ^ mismatch.found, 1);
}

static void places_are_found(void **state)
{
    (void)state;
    static char file[EXTENT];
    char part[64];
    imb_content_fill(3, 0, file, EXTENT);
    for (int64_t bytes = 7; bytes <= 64; bytes++)
        for (int64_t at = 0; at + bytes <= EXTENT; at += 61) {
            assert_int_equal(imb_content_find(3, file + at, bytes, EXTENT), at);
            if (bytes < 12)
                continue;
            memcpy(part, file + at, (size_t)bytes);
            part[at % bytes] ^= 1; /* wherever it is damaged */
            assert_int_equal(imb_content_find(3, part, bytes, EXTENT), at);
        }
    memset(part, 0, sizeof part);
    assert_int_equal(imb_content_find(3, part, sizeof part, EXTENT), -1);
    assert_int_equal(imb_content_find(3, file + EXTENT - 20, 20, EXTENT - 1), -1);
}

/* Writes the portions of `rounds` blocks in an order that mixes processes and rounds. */
static int64_t write_mixture(char *file, uint32_t seed, int64_t x, int size, int rounds)
{
    int64_t at = 0, left[8];
    for (int r = 0; r < size; r++)
        left[r] = imb_portion_of(x, r, size).bytes ? rounds : 0;
    for (int turn = 0, idle = 0; idle < size; turn += 1 + turn % 3) {
        int rank = turn % size;
        idle++;
        for (int r = 0; r < size && !left[rank]; r++)
            rank = (rank + 1) % size;
        if (!left[rank])
            break;
        idle = 0;
        left[rank]--;
        int64_t bytes = imb_portion_of(x, rank, size).bytes;
        imb_content_fill(seed + (uint32_t)rank, 0, file + at, bytes);
        at += bytes;
    }
    return at;
}

static int64_t wrong_in_mixture(const char *file, int64_t extent, uint32_t seed, int64_t x, int size,
                                int rounds)
{
    int64_t left[8], at = 0, taken = 1;
    struct imb_mixture m = {x, size, seed, left};
    struct imb_mismatch mismatch = {0};
    for (int r = 0; r < size; r++)
        left[r] = imb_portion_of(x, r, size).bytes ? rounds : 0;
    for (; taken; at += taken)
        taken = imb_mixture_take(&m, file + at, extent - at, at, &mismatch);
    assert_int_equal(at, extent);
    for (int r = 0; r < size; r++)
        assert_int_equal(left[r], 0);
    return mismatch.wrong;
}

static void portions_in_any_order_are_checked(void **state)
{
    (void)state;
    static char file[EXTENT];
    const int64_t blocks[] = {1, 3, 4, 8, 12, 16, 20, 64, 100, 6, 7, 29, 30};
    for (int size = 2; size <= 5; size++)
        for (size_t i = 0; i < COUNT(blocks); i++) {
            int64_t extent = write_mixture(file, 500, blocks[i], size, 20);
            assert_int_equal(extent, 20 * blocks[i]);
            assert_int_equal(wrong_in_mixture(file, extent, 500, blocks[i], size, 20), 0);
            if (blocks[i] % IMB_FILE_ITEM)
                continue; /* pieces of items: damage is found, but moves what is behind it */
            for (int64_t at = 0; at < extent; at += 7) {
                file[at] ^= 16;
                assert_true(wrong_in_mixture(file, extent, 500, blocks[i], size, 20) > 0);
                file[at] ^= 16;
            }
        }
}

static void a_mixture_of_another_run_is_wrong(void **state)
{
    (void)state;
    static char file[EXTENT];
    int64_t extent = write_mixture(file, 500, 64, 3, 20);
    assert_true(wrong_in_mixture(file, extent, 503, 64, 3, 20) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_cover_a_block),
        cmocka_unit_test(small_blocks_are_the_first_process_s),
        cmocka_unit_test(names),
        cmocka_unit_test(places),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(portions_in_any_order_are_checked),
        cmocka_unit_test(a_mixture_of_another_run_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
