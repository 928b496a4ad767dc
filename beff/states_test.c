/* Tests what is said about the states of a machine: known answers for made-up rows. */
#include "beff/states.h"

#include <math.h>

#include "beff/record.h"
#include "tests/unit.h"

/* Adds a repetition of two nodes. The second one is always the same. */
static void add(struct protocol *p, int64_t sweep, double hop_ns, double loop, double copy)
{
    const struct state_row rows[] = {
        {sweep, 1e-9 * hop_ns / 2, 1e-9 * hop_ns, loop / 2, loop, copy / 2, copy, "n0"},
        {sweep, NAN, NAN, 300e-6, 300e-6, 200e-6, 200e-6, "n1"}};
    protocol_add(p, BEFF_STATES, rows, COUNT(rows));
}

static bool has(const struct sheet *sheet, const char *text)
{
    bool found = false;
    for (size_t i = 0; i < sheet->notes.count; i++)
        found |= strcmp(sheet->notes.text[i], text) == 0;
    return found;
}

TEST(a_state_that_changes_is_a_note)
{
    static const struct {
        double hop[3], loop, copy; /* of n0; loop and copy in the last repetition */
        size_t notes;
        const char *first, *second;
    } rows[] = {{{47, 47, 47}, 300e-6, 200e-6, 1, "processors 47 ns apart", NULL},
                {{216, 150, 216}, 300e-6, 200e-6, 1, "processors 216 ns apart", NULL},
                {{216, 47, 216},
                 300e-6,
                 200e-6,
                 2,
                 "processors 216 ns apart",
                 "the state of n0 changed: distance of processors 47 to 216 ns"},
                {{47, 47, 47},
                 600e-6,
                 200e-6,
                 2,
                 "processors 47 ns apart",
                 "the state of n0 changed: time of a loop of arithmetic 300 to 600 us"},
                {{NAN, NAN, NAN},
                 300e-6,
                 400e-6,
                 1,
                 "the state of n0 changed: time of a copy of 4 MiB 200 to 400 us",
                 NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p = {.type = &beff_record_type};
        struct sheet sheet = {.protocol = &p};
        for (int k = 0; k < 3; k++)
            add(&p, k, rows[i].hop[k], k < 2 ? 300e-6 : rows[i].loop, k < 2 ? 200e-6 : rows[i].copy);
        states_note(&p, &sheet);
        assert_int_equal(sheet.notes.count, rows[i].notes);
        assert_true(has(&sheet, rows[i].first));
        assert_true(!rows[i].second || has(&sheet, rows[i].second));
        sheet_free(&sheet);
        protocol_free(&p);
    }
}

/* A run without rows, such as one with several processes per processor, says nothing. */
TEST(nothing_is_said_without_rows)
{
    struct protocol p = {.type = &beff_record_type};
    struct sheet sheet = {.protocol = &p};
    states_note(&p, &sheet);
    assert_int_equal(sheet.notes.count + (size_t)sheet.value_count, 0);
    protocol_free(&p);
}
