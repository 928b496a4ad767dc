/* Tests the scheduler on simulated file systems: order, time, bytes and failures. */
#include "tests/unit.h"

#include "beff_io/scheduler.h"

struct fake {
    double now;                              /* seconds since the start */
    double write_rate, read_rate, sync_rate; /* bytes per second */
    double overhead, checking;               /* seconds to open a file, and to check the data of a pattern */
    int64_t bytes, free_bytes;
    int fail_at, stop_at, commands, records;
    int64_t wrong; /* words that are wrong when the run ends */
    double slices[IO_PATTERNS];
    int slow; /* patterns before this one are ten times slower */
    int by_space, skipped, evictions, reads;
    const struct io_task *task;
    struct io_selection selection; /* if nothing is selected, all patterns are measured */
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

static int perform(void *context, const struct io_command *c, struct io_measurement *m, struct message *error)
{
    struct fake *f = context;
    if (++f->commands == f->fail_at || f->commands == f->stop_at)
        m->record.errors = f->wrong;
    if (f->commands == f->fail_at)
        return message_set(error, "made-up failure");
    m->stop = f->commands == f->stop_at ? 15 : 0;
    if (c->action == IO_EVICT) {
        assert_int_equal(c->partition, 1);
        assert_int_equal(f->reads, 0);
        f->evictions++;
        f->now += m->record.t_total = 1;
        return 0;
    }
    f->reads += c->access == ACCESS_READ;
    if (c->action != IO_PATTERN) {
        f->now += f->overhead;
        m->record.t_total = m->record.t_open = f->overhead;
        return 0;
    }
    bool writes = c->access != ACCESS_READ;
    int64_t call = f->task->partitions[c->partition] * c->place.memory;
    double one = (double)call / (writes ? f->write_rate : f->read_rate);
    if (c->pattern < f->slow)
        one *= 10;
    struct io_progress progress = {.cost = 1e-6, .elapsed = f->checking};
    for (int64_t more; (more = io_stop_calls(&c->stop, &progress)) > 0; progress.calls += more) {
        progress.looping += (double)more * one;
        progress.elapsed += (double)more * one;
    }
    struct io_record *r = &m->record;
    r->calls = progress.calls;
    r->bytes = r->calls * call;
    r->t_sync = writes ? 1e-3 + (double)r->bytes / f->sync_rate : 0;
    r->t_calls = progress.looping;
    r->t_total = r->t_calls + r->t_sync;
    f->now += progress.elapsed + r->t_sync;
    if (c->access == ACCESS_WRITE) {
        f->bytes += r->bytes;
        f->slices[c->pattern] = c->stop.slice;
    }
    return 0;
}

/* Counts the records of the run, and checks their order. */
static void count_records(struct fake *f, const struct protocol *p)
{
    enum io_access last = ACCESS_WRITE;
    for (size_t i = 0; i < p->records.count; i++) {
        const struct io_record *record = protocol_at(p, i);
        assert_true(io_access_find(record->access) >= last);
        last = io_access_find(record->access);
        f->by_space += strcmp(record->ended_by, "space") == 0;
        f->skipped += strcmp(record->ended_by, "skipped") == 0;
        f->records++;
    }
}

static struct io_scheduler scheduler;

static enum exit_status run_task(struct fake *f, struct io_task *task, double time)
{
    struct io_scheduler_ops ops = {elapsed, perform, free_bytes, f};
    struct protocol protocol;
    struct message error;
    f->task = task;
    task->selection = f->selection.access[ACCESS_WRITE] ? f->selection : io_select_all(false);
    assert_int_equal(protocol_create(&protocol, NULL, false, &io_record_type, &error), 0);
    io_scheduler_make(&scheduler, &ops, &protocol, task, time);
    enum exit_status status = io_scheduler_run(&scheduler);
    count_records(f, &protocol);
    protocol_free(&protocol);
    return status;
}

static enum exit_status run(struct fake *f, double time, int64_t max_bytes)
{
    struct io_task task = {.partitions = {1, 2}, .partition_count = 2, .max_bytes = max_bytes};
    io_patterns(io_mpart(512), task.patterns);
    return run_task(f, &task, time);
}

TEST(keeps_the_time_and_the_slices_of_the_definition)
{
    struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9, .overhead = 1e-3};
    assert_int_equal(run(&f, 300, INT64_MAX / 4), EXIT_OK);
    assert_true(f.now <= 300 && f.now >= 300 * 0.9);
    assert_near(f.slices[1], io_scheduled(300, 2, 4, false), 0.05);
    /* 43 + 9 + 43 patterns and 5 + 1 + 5 totals in each of two partitions */
    assert_int_equal(f.records, 2 * (43 + 9 + 43 + 11));
}

TEST(fast_file_systems_use_their_time)
{
    for (double rate = 0.5e9; rate < 60e9; rate *= 10) {
        struct io_task task = {.partitions = {2, 8, 16}, .partition_count = 3, .max_bytes = INT64_MAX / 4};
        struct fake f = {.write_rate = rate, .read_rate = rate, .sync_rate = 5 * rate};
        io_patterns(io_mpart(12000), task.patterns);
        assert_int_equal(run_task(&f, &task, 1800), EXIT_OK);
        assert_true(f.now <= 1800 && f.now >= 1800 * 0.88);
    }
}

/* If reads end early because the data are in memory, the run also ends early. The slices do not change. */
TEST(fast_reads_end_the_run_early)
{
    struct fake f = {.write_rate = 100e6, .read_rate = 1e12, .sync_rate = 1e9, .overhead = 1e-3};
    assert_int_equal(run(&f, 300, INT64_MAX / 4), EXIT_OK);
    assert_near(f.now, 300.0 * (64 + 22) / 150, 0.03);
    assert_near(f.slices[1], io_scheduled(300, 2, 4, false), 0.05);
}

/* The slice includes filling, checking and votes. */
TEST(the_slice_is_wall_time)
{
    struct fake f = {
        .write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9, .overhead = 0.01, .checking = 0.05};
    assert_int_equal(run(&f, 60, INT64_MAX / 4), EXIT_OK);
    assert_true(f.now <= 60 && f.now >= 60 * 0.9);
    assert_int_equal(f.skipped, 0);
}

/* If each call takes longer than the slice of its pattern, the last patterns are skipped. */
TEST(patterns_without_time_are_skipped)
{
    struct fake f = {.write_rate = 5e6, .read_rate = 5e6, .sync_rate = 1e9};
    assert_int_equal(run(&f, 60, INT64_MAX / 4), EXIT_OK);
    assert_true(f.now <= 60 * 1.02 && f.skipped > 0);
    assert_true(f.records - f.skipped < 2 * (43 + 9 + 43 + 11));
}

TEST(writes_at_most_the_maximum_bytes)
{
    struct fake f = {.write_rate = 5e9, .read_rate = 9e9, .sync_rate = 1e11};
    int64_t most = INT64_C(2) << 30;
    assert_int_equal(run(&f, 60, most), EXIT_OK);
    assert_true(f.bytes <= most && f.bytes > most / 3);
}

/* If a pattern finds no space, its record shows `space` as the reason why it ended, and the run continues. */
TEST(a_disk_that_fills_up_ends_the_writes)
{
    struct fake f = {.write_rate = 5e8, .read_rate = 9e9, .sync_rate = 1e11, .free_bytes = 100 << 20};
    assert_int_equal(run(&f, 60, INT64_MAX / 4), EXIT_OK);
    assert_true(f.bytes <= f.free_bytes && f.bytes > f.free_bytes / 2);
    assert_true(f.by_space > 20);
}

/* The first patterns are slow and do not use up their bytes. */
TEST(unused_bytes_go_to_the_following_patterns)
{
    int64_t most = INT64_C(16) << 30;
    struct fake f = {.write_rate = 1e9, .read_rate = 9e9, .sync_rate = 1e11, .slow = 12};
    assert_int_equal(run(&f, 300, most), EXIT_OK);
    assert_true(f.bytes <= most && f.bytes > most * 8 / 10);
}

/* The partition with the most nodes evicts its caches once, before the first read. Without reads, there is
 * nothing to evict. */
TEST(caches_are_evicted_before_the_first_read)
{
    for (int reads = 0; reads < 2; reads++) {
        struct io_task task = {.partitions = {4, 3, 2},
                               .nodes = {1, 3, 2},
                               .partition_count = 3,
                               .max_bytes = INT64_MAX / 4,
                               .evict = true};
        struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9};
        f.selection = io_select_all(false);
        f.selection.access[ACCESS_READ] = reads;
        io_patterns(io_mpart(512), task.patterns);
        assert_int_equal(run_task(&f, &task, 60), EXIT_OK);
        assert_int_equal(f.evictions, reads);
        assert_true(f.now <= 60);
    }
}

TEST(only_selected_patterns_are_measured)
{
    struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = 1e9};
    f.selection = (struct io_selection){.pattern = {[3] = true, [27] = true}, .access = {true, false, true}};
    assert_int_equal(run(&f, 60, INT64_MAX / 4), EXIT_OK);
    assert_int_equal(f.records, 2 * (2 + 2 + 2 + 2)); /* two patterns, two totals, written and read */
    assert_true(f.now <= 60 && f.now >= 60 * 0.9);
    assert_near(f.slices[3] / f.slices[27], 2, 0.2);
}

/* The run stays within its time limit, although the time of a sync is unknown during the first pattern. */
TEST(runs_of_few_patterns_keep_the_time_limit)
{
    for (double sync_rate = 50e6; sync_rate < 10e9; sync_rate *= 3) {
        struct fake f = {.write_rate = 100e6, .read_rate = 100e6, .sync_rate = sync_rate};
        f.selection = (struct io_selection){.pattern = {[17] = true, [21] = true}, .access = {true}};
        assert_int_equal(run(&f, 20, INT64_MAX / 4), EXIT_OK);
        assert_true(f.now <= 20 && f.now >= 20 * 0.85);
    }
}

TEST(failures_and_signals_end_the_run)
{
    for (int at = 2; at < 40; at += 3) /* 2: the first pattern */
        for (int wrong = 0; wrong < 2; wrong++) {
            struct fake f = {.write_rate = 1e8, .read_rate = 1e9, .sync_rate = 1e9, .wrong = wrong};
            struct fake g = f;
            f.fail_at = g.stop_at = at;
            assert_int_equal(run(&f, 5, INT64_MAX / 4), EXIT_ERRORS);
            assert_string_equal(scheduler.error.text, "made-up failure");
            assert_int_equal(f.commands, at);
            assert_int_equal(run(&g, 5, INT64_MAX / 4), EXIT_STOPPED);
            assert_int_equal(scheduler.stop, 15);
            /* The patterns before, and the last one if it found wrong data. */
            if (at == 2)
                assert_true(f.records == wrong && g.records == wrong);
        }
}
