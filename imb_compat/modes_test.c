/* Modes: their order, and the choice of one. */
#include "imb_compat/modes.h"

#include "imb_compat/repetitions.h"
#include "tests/unit.h"

static void expect(enum imb_component component, unsigned flags, int chosen, int count, enum imb_mode first)
{
    struct imb_settings s = imb_settings_default(component);
    struct imb_benchmark b = {.component = component, .flags = flags};
    enum imb_mode modes[IMB_MOST_MODES] = {IMB_MODE_NONE, IMB_MODE_NONE};
    s.aggregate_mode = chosen;
    assert_int_equal(imb_modes_of(&s, &b, modes), count);
    assert_int_equal(modes[0], first);
    if (count == 2)
        assert_int_equal(modes[1],
                         first == IMB_MODE_NON_AGGREGATE ? IMB_MODE_AGGREGATE : IMB_MODE_NON_AGGREGATE);
}

static void orders_modes_by_component(void **state)
{
    (void)state;
    const unsigned both = IMB_HAS_AGGREGATE | IMB_HAS_NON_AGGREGATE;
    expect(IMB_EXT, both, IMB_RUN_BOTH_MODES, 2, IMB_MODE_AGGREGATE);
    expect(IMB_RMA, both, IMB_RUN_BOTH_MODES, 2, IMB_MODE_NON_AGGREGATE);
    for (int c = 0; c < IMB_COMPONENTS; c++) {
        expect((enum imb_component)c, both, IMB_RUN_AGGREGATE, 1, IMB_MODE_AGGREGATE);
        expect((enum imb_component)c, both, IMB_RUN_NON_AGGREGATE, 1, IMB_MODE_NON_AGGREGATE);
        for (int chosen = IMB_RUN_BOTH_MODES; chosen <= IMB_RUN_NON_AGGREGATE; chosen++) {
            expect((enum imb_component)c, 0, chosen, 1, IMB_MODE_NONE);
            expect((enum imb_component)c, IMB_HAS_AGGREGATE, chosen, 1, IMB_MODE_AGGREGATE);
        }
    }
}

static int64_t repetitions(int64_t all, int64_t few, unsigned flags, enum imb_mode mode, bool listed)
{
    struct imb_settings s = imb_settings_default(IMB_EXT);
    struct imb_benchmark b = {.component = IMB_EXT, .flags = flags};
    s.repetitions = all;
    s.few_repetitions = few;
    s.volume = 40 << 20;
    return imb_repetitions(&s, &b, mode, listed, 4, 2);
}

static void repeats_less_where_each_is_completed(void **state)
{
    (void)state;
    assert_int_equal(repetitions(200, 50, 0, IMB_MODE_AGGREGATE, false), 200);
    assert_int_equal(repetitions(200, 50, 0, IMB_MODE_NONE, false), 200);
    assert_int_equal(repetitions(200, 50, 0, IMB_MODE_NON_AGGREGATE, false), 50);
    assert_int_equal(repetitions(200, 50, IMB_FEW, IMB_MODE_NONE, false), 50);
    assert_int_equal(repetitions(20, 50, 0, IMB_MODE_NON_AGGREGATE, false), 20);
    assert_int_equal(repetitions(20, 100, 0, IMB_MODE_NON_AGGREGATE, true), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_modes_by_component),
        cmocka_unit_test(repeats_less_where_each_is_completed),
    };
    return cmocka_run_group_tests_name("imb_modes", tests, NULL, NULL);
}
