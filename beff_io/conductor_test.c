/* The conductor on made-up file systems: order, time, bytes, failures. */
#include "tests/unit.h"

#include "beff_io/conductor.h"

struct fake {
    double now, write_rate, read_rate, sync_rate, overhead; /* bytes per second; seconds of opening */
    int64_t bytes, free_bytes, read;
    int fail_at, stop_at, errors_at, orders, records;
    int last_access;
    double slices[IO_PATTERNS];
    int slow; /* patterns up to this one are ten times slower */
    int by_space;
    struct io_selection selection; /* nothing: everything */
};

static double elapsed(void *context)
{
    return ((struct fake *)context)->now;
}

static int64_t free_bytes(void *context)
{
    struct fake *f = context;
    return f->free_bytes ? f->free_bytes - f->bytes : -1;
}

static int perform(void *context, const struct io_order *o, struct io_outcome *out, struct message *error)
{
    struct fake *f = context;
    if (++f->orders == f->fail_at)
        return message_set(error, "made-up failure");
    out->stop = f->orders == f->stop_at ? 15 : 0;
    out->record.errors = f->orders == f->errors_at ? 3 : 0;
    if (o->action != IO_ACTION_PATTERN) {
        f->now += f->overhead;
        out->record.t_total = out->record.t_open = f->overhead;
        return 0;
    }
    bool writes = o->access != ACCESS_READ;
    double call = (double)(o->processes * o->place.memory),
           one = call / (writes ? f->write_rate : f->read_rate);
    if (o->pattern.number < f->slow)
        one *= 10;
    double seconds = 0;
    for (int64_t more; (more = io_order_calls(o, out->record.calls, seconds, 1e-6)) > 0;
         out->record.calls += more)
        seconds += (double)more * one;
    out->record.bytes = out->record.calls * o->processes * o->place.memory;
    out->record.t_sync = writes ? 1e-3 + (double)out->record.bytes / f->sync_rate : 0;
    out->record.t_calls = seconds;
    out->record.t_total = seconds + out->record.t_sync;
    f->now += out->record.t_total;
    if (o->access == ACCESS_READ && !o->probe)
        f->read += out->record.bytes;
    if (o->access == ACCESS_WRITE && !o->probe) {
        f->bytes += out->record.bytes;
        f->slices[o->pattern.number] = o->slice;
    }
    return 0;
}

static int keep(void *context, const struct io_record *record, double expected, struct message *error)
{
    struct fake *f = context;
    (void)error, (void)expected;
    int access = io_access_find(record->access);
    assert_true(access >= f->last_access);
    f->last_access = access;
    f->by_space += strcmp(record->ended_by, "space") == 0;
    f->records++;
    return 0;
}

/* `cache`: bytes that fit in memory; with it, time may go from reads to writes. */
static enum exit_status run(struct fake *f, double time, int64_t max_bytes, double cache,
                            struct io_conductor *c)
{
    static struct io_task task;
    struct io_conductor_world world = {elapsed, perform, keep, free_bytes, f};
    task = (struct io_task){.partitions = {1, 2}, .partition_count = 2, .max_bytes = max_bytes};
    task.selection = f->selection.access[ACCESS_WRITE] ? f->selection : io_select_all(false);
    io_patterns(io_mpart(512), task.patterns);
    io_conductor_make(c, &world, &task, time, cache, cache > 0);
    return io_conductor_run(c);
}

static struct io_conductor conductor;

static void the_time_is_kept_and_the_slices_are_the_definition_s(void **state)
{
    (void)state;
    struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9, .overhead = 1e-3};
    assert_int_equal(run(&f, 300, INT64_MAX / 4, 0, &conductor), EXIT_RATED);
    assert_true(f.now <= 300 * 1.02 && f.now >= 300 * 0.9);
    assert_near(f.slices[1], io_scheduled(300, 2, 4, false), 0.05);
    /* 43 + 9 + 43 patterns, 5 + 1 + 5 totals, in two partitions */
    assert_int_equal(f.records, 2 * (43 + 9 + 43 + 11));
}

static void time_that_fast_reads_leave_goes_to_the_writes(void **state)
{
    (void)state;
    struct fake f = {.write_rate = 100e6, .read_rate = 2e9, .sync_rate = 1e9, .overhead = 1e-3};
    assert_int_equal(run(&f, 20, INT64_MAX / 4, 1e12, &conductor), EXIT_RATED);
    assert_true(f.now <= 20 * 1.02 && f.now >= 20 * 0.8);
}

/* Long runs: the files are far larger than memory, whose part alone takes time to remove; the sync's cost is
 * looked at before the first slice. */
static void fast_file_systems_use_their_time(void **state)
{
    (void)state;
    static struct io_task task = {.partitions = {2, 8, 16}, .partition_count = 3, .max_bytes = INT64_MAX / 4};
    task.selection = io_select_all(false);
    for (double rate = 0.5e9; rate < 60e9; rate *= 10) {
        struct fake f = {.write_rate = rate, .read_rate = rate, .sync_rate = 5 * rate};
        struct io_conductor_world world = {elapsed, perform, keep, free_bytes, &f};
        io_patterns(io_mpart(12000), task.patterns);
        io_conductor_make(&conductor, &world, &task, 1800, 24e9, false);
        assert_int_equal(io_conductor_run(&conductor), EXIT_RATED);
        assert_true(f.now <= 1800 * 1.02 && f.now >= 1800 * 0.9);
    }
}

static void wrong_words_of_the_look_ahead_count(void **state)
{
    (void)state;
    struct fake f = {
        .write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9, .errors_at = 8}; /* read of the probe */
    assert_int_equal(run(&f, 20, INT64_MAX / 4, 0, &conductor), EXIT_RATED);
    assert_int_equal(conductor.probe_errors, 3);
}

static void no_more_bytes_than_allowed(void **state)
{
    (void)state;
    struct fake f = {.write_rate = 5e9, .read_rate = 9e9, .sync_rate = 1e11};
    int64_t most = INT64_C(2) << 30;
    assert_int_equal(run(&f, 60, most, 0, &conductor), EXIT_RATED);
    assert_true(f.bytes <= most && f.bytes > most / 3);
}

/* The patterns that meet it are recorded, the rest goes on. */
static void a_disk_that_fills_up_ends_the_writes(void **state)
{
    (void)state;
    struct fake f = {.write_rate = 5e8, .read_rate = 9e9, .sync_rate = 1e11, .free_bytes = 100 << 20};
    assert_int_equal(run(&f, 60, INT64_MAX / 4, 0, &conductor), EXIT_RATED);
    assert_true(f.bytes <= f.free_bytes && f.bytes > f.free_bytes / 2);
    assert_true(f.by_space > 20);
}

/* A tenth of the bytes goes to the first patterns; those that are slow leave theirs to the ones that follow.
 */
static void bytes_that_a_pattern_did_not_need_go_to_the_next(void **state)
{
    (void)state;
    int64_t most = INT64_C(16) << 30;
    struct fake f = {.write_rate = 1e9, .read_rate = 9e9, .sync_rate = 1e11, .slow = 12};
    assert_int_equal(run(&f, 300, most, 0, &conductor), EXIT_RATED);
    assert_true(f.bytes <= most && f.bytes > most * 8 / 10);
}

static void only_what_is_selected_is_done(void **state)
{
    (void)state;
    struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9};
    f.selection = (struct io_selection){.pattern = {[3] = true, [27] = true}, .access = {true, false, true}};
    assert_int_equal(run(&f, 60, INT64_MAX / 4, 0, &conductor), EXIT_RATED);
    assert_int_equal(f.records, 2 * (2 + 2 + 2 + 2)); /* two patterns, two totals, written and read */
    assert_true(f.now <= 60 * 1.02 && f.now >= 60 * 0.9);
    assert_near(f.slices[3] / f.slices[27], 2, 0.2);
}

/* Nothing but the look ahead has told what its sync takes. */
static void one_pattern_alone_keeps_the_time(void **state)
{
    (void)state;
    for (double sync_rate = 50e6; sync_rate < 10e9; sync_rate *= 3) {
        struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = sync_rate};
        f.selection = (struct io_selection){.pattern = {[21] = true}, .access = {true}};
        assert_int_equal(run(&f, 20, INT64_MAX / 4, 1e12, &conductor), EXIT_RATED);
        assert_true(f.now <= 20 * 1.01 && f.now >= 20 * 0.85);
    }
}

/* What one run wrote, another one reads, and nothing else. */
static void files_of_an_earlier_run_are_read_again(void **state)
{
    (void)state;
    struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9};
    static struct io_conductor second;
    assert_int_equal(run(&f, 60, INT64_MAX / 4, 0, &conductor), EXIT_RATED);
    int64_t written = f.bytes;
    struct fake again = {.read_rate = 1e9, .last_access = ACCESS_READ};
    struct io_task reads = *conductor.task;
    reads.max_bytes = 1;
    struct io_conductor_world world = {elapsed, perform, keep, free_bytes, &again};
    reads.selection.access[ACCESS_WRITE] = reads.selection.access[ACCESS_REWRITE] = false;
    io_conductor_make(&second, &world, &reads, 60, 0, false);
    memcpy(second.layout, conductor.layout, sizeof second.layout);
    assert_int_equal(io_conductor_run(&second), EXIT_RATED);
    assert_int_equal(again.records, 2 * (43 + 5));
    assert_true(again.read == written);
}

static void failures_and_signals_end_the_run(void **state)
{
    (void)state;
    for (int at = 1; at < 40; at += 3) {
        struct fake f = {.write_rate = 1e8, .read_rate = 1e9, .sync_rate = 1e9, .fail_at = at};
        assert_int_equal(run(&f, 5, INT64_MAX / 4, 0, &conductor), EXIT_ERRORS);
        assert_string_equal(conductor.error.text, "made-up failure");
        assert_int_equal(f.orders, at);
        f = (struct fake){.write_rate = 1e8, .read_rate = 1e9, .sync_rate = 1e9, .stop_at = at};
        assert_int_equal(run(&f, 5, INT64_MAX / 4, 0, &conductor), EXIT_STOPPED);
        assert_int_equal(conductor.stop, 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_time_is_kept_and_the_slices_are_the_definition_s),
                                       cmocka_unit_test(time_that_fast_reads_leave_goes_to_the_writes),
                                       cmocka_unit_test(fast_file_systems_use_their_time),
                                       cmocka_unit_test(wrong_words_of_the_look_ahead_count),
                                       cmocka_unit_test(no_more_bytes_than_allowed),
                                       cmocka_unit_test(a_disk_that_fills_up_ends_the_writes),
                                       cmocka_unit_test(bytes_that_a_pattern_did_not_need_go_to_the_next),
                                       cmocka_unit_test(only_what_is_selected_is_done),
                                       cmocka_unit_test(one_pattern_alone_keeps_the_time),
                                       cmocka_unit_test(files_of_an_earlier_run_are_read_again),
                                       cmocka_unit_test(failures_and_signals_end_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
