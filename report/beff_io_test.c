/* Tests that forged runs of beff_io are detected. A forged run is a valid run with one change, after which
 * totals, results and checksum are recomputed. */
#include "beff_io/record.h"
#include "beff_io/results.h"
#include "report/command.h"
#include "report/edit_test.h"
#include "tests/unit.h"

enum { RECORDS = 400 };

static struct {
    char *directory, *path;
    struct report sample;
    struct io_record record[RECORDS];
    int count;
} run;

static int set_up(void **state)
{
    struct message error;
    (void)state;
    run.directory = unit_directory();
    run.path = unit_path(run.directory, "run.prot");
    assert_int_equal(report_open(&run.sample, "protocols/samples/beff_io-n2-valid", &error), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    report_free(&run.sample);
    free(run.path);
    unit_remove(run.directory);
    return 0;
}

/* Recomputes each total as the sum of its patterns, without changing the times of opening and closing. */
static void add_up(void)
{
    for (struct io_record *t = run.record; t < run.record + run.count; t++) {
        struct io_record sum = {0}, before = {0};
        t->bandwidth = (double)t->bytes / t->t_total / 1e6;
        if (!io_record_is_total(t))
            continue;
        for (int i = 0; i < run.count; i++) {
            const struct io_record *r = &run.record[i], *was = protocol_at(&run.sample.protocol, (size_t)i);
            if (io_record_is_total(r) || r->processes != t->processes || r->type != t->type ||
                strcmp(r->access, t->access) != 0)
                continue;
            io_record_add(&sum, r);
            io_record_add(&before, was);
        }
        t->calls = sum.calls;
        t->bytes = sum.bytes;
        t->errors = sum.errors;
        t->t_calls = sum.t_calls;
        t->t_vote = sum.t_vote;
        t->t_sync = sum.t_sync;
        t->t_view = sum.t_view;
        t->t_total += sum.t_total - before.t_total;
        t->bandwidth = t->t_total > 0 ? (double)t->bytes / t->t_total / 1e6 : 0;
    }
}

static void save(const char *key, const char *value)
{
    const struct protocol *in = &run.sample.protocol;
    struct protocol out;
    struct message error;
    assert_int_equal(protocol_create(&out, run.path, true, in->type, &error), 0);
    for (size_t i = 2; i < in->meta_count; i++) { /* format and program are already written */
        bool changes = key && strcmp(in->meta[i].key, key) == 0;
        protocol_meta(&out, in->meta[i].key, changes ? value : in->meta[i].value);
    }
    for (int i = 0; i < run.count; i++)
        protocol_record(&out, &run.record[i]);
    edit_finish(&beff_io_engine, &out);
}

/* Changes the records of a pattern on all processes, with one access method or with all (NULL). */
static void forge(const char *access, const char *pattern, void (*change)(struct io_record *))
{
    run.count = (int)run.sample.protocol.record_count;
    assert_true(run.count <= RECORDS);
    memcpy(run.record, run.sample.protocol.records, (size_t)run.count * sizeof *run.record);
    for (struct io_record *r = run.record; change && r < run.record + run.count; r++)
        if (r->processes == 2 && (!access || strcmp(r->access, access) == 0) &&
            strcmp(r->pattern, pattern) == 0)
            change(r);
    add_up();
}

/* Asserts that the run has the finding `expected`, or no finding if it is NULL. `valid` is the expected
 * verdict of a run without findings. */
static void expect(const char *name, bool valid, const char *expected)
{
    struct report report;
    struct message error;
    char found[8192] = "";
    if (report_open(&report, run.path, &error)) { /* a fatal finding */
        assert_contains(error.text, expected);
        report_free(&report);
        return;
    }
    for (size_t i = 0; i < report.findings.count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s\n", report.findings.list[i].text);
    if (sheet_valid(report.sheet) != (valid && !expected))
        fail_msg("%s: it is %s", name, sheet_verdict(report.sheet));
    if (expected ? !strstr(found, expected) : *found)
        fail_msg("%s: \"%s\" instead of \"%s\"", name, found, expected ? expected : "");
    report_free(&report);
}

static void set_calls(struct io_record *r, int64_t calls)
{
    r->calls = calls;
    r->bytes = calls * r->chunk_mem * r->processes;
}

static void more_calls(struct io_record *r)
{
    set_calls(r, 2 * r->calls + 1);
}

static void fewer_calls(struct io_record *r)
{
    set_calls(r, r->calls - 1);
}

static void no_calls(struct io_record *r)
{
    set_calls(r, 0);
}

static void countless_calls(struct io_record *r)
{
    r->calls = INT64_C(1) << 53;
}

static void countless_planned(struct io_record *r)
{
    r->planned = INT64_C(1) << 53;
}

static void fewer_bytes(struct io_record *r)
{
    r->bytes -= r->chunk_mem;
}

static void more_planned(struct io_record *r)
{
    r->planned += 3;
}

static void other_offset(struct io_record *r)
{
    r->offset += 1 << 20;
}

static void longer_calls(struct io_record *r)
{
    r->t_calls = r->t_total - r->t_sync + 1;
}

static void longer_sync(struct io_record *r)
{
    r->t_sync = r->t_total - r->t_calls + 1;
}

static void longer_call(struct io_record *r)
{
    r->call_max = r->t_total + 1e-3;
}

static void other_spelling(struct io_record *r)
{
    snprintf(r->pattern, sizeof r->pattern, "03");
}

static void with_plus(struct io_record *r)
{
    snprintf(r->pattern, sizeof r->pattern, "+3");
}

static void ended_by_repeat(struct io_record *r)
{
    snprintf(r->ended_by, sizeof r->ended_by, "repeat");
}

static void ended_by_time(struct io_record *r)
{
    snprintf(r->ended_by, sizeof r->ended_by, "time");
}

static void skipped(struct io_record *r)
{
    snprintf(r->ended_by, sizeof r->ended_by, "skipped");
}

static void much_passed(struct io_record *r)
{
    r->resident = 1;
    r->passed = 100;
    snprintf(r->cold, sizeof r->cold, RECORD_AMOUNTS);
}

static void opened_forever(struct io_record *r)
{
    r->t_open = r->t_total;
}

static void nothing_is_wrong_with_the_run_itself(void **state)
{
    (void)state;
    forge(NULL, "", NULL);
    save(NULL, NULL);
    expect("unchanged", true, NULL);
}

static void forged_records_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *name, *access, *pattern, *expected;
        void (*change)(struct io_record *);
        bool invalid; /* NOT VALID even without findings */
    } rows[] = {
        {"more read than written", "read", "3", "but the initial write made only", more_calls},
        {"more rewritten than written", "rewrite", "3", "but the initial write made only", more_calls},
        {"calls exceed any file size", "write", "12", "more bytes than a file can hold", countless_calls},
        {"planned exceeds any file", "write", "27", "more bytes than a file can hold", countless_planned},
        {"planned differs in reads", "read", "27", "but the initial write has", more_planned},
        {"planned differs in writes", "write", "27", "but the initial write has", more_planned},
        {"planned beyond the repeat factor", NULL, "27", "but its repeat factor is", more_planned},
        {"offset differs in reads", "read", "3", "but the previous pattern ends at", other_offset},
        {"offset differs in all", NULL, "3", "but the previous pattern ends at", other_offset},
        {"offset in a segment", NULL, "28", "but the previous pattern ends at", other_offset},
        {"fewer calls before the next offset", "write", "2", "but the previous pattern ends", fewer_calls},
        {"fewer bytes than calls", "read", "3", ", but the pattern made ", fewer_bytes},
        {"t_calls beyond t_total", "write", "3", "exceeds t_total", longer_calls},
        {"t_sync beyond t_total", "write", "3", "exceeds t_total", longer_sync},
        {"call_max beyond t_total", "write", "3", "exceeds t_total", longer_call},
        {"pattern with a leading zero", "read", "3", "no such pattern of this type", other_spelling},
        {"pattern with a sign", "read", "3", "no such pattern of this type", with_plus},
        {"ended by a repeat factor of type 0", "write", "3", "is impossible", ended_by_repeat},
        {"ended by a repeat factor in reads", "read", "27", "is impossible", ended_by_repeat},
        {"skipped, but with calls", "write", "3", "is impossible", skipped, true},
        {"a pattern of one call ended by time", "write", "0", "is impossible", ended_by_time},
        {"no calls, but ended by data", "read", "3", "is impossible", no_calls},
        {"more passed than the run moved", "read", "total", "exceeds the amount that the run", much_passed},
        {"t_open as long as t_total", "read", "total", "but its parts take", opened_forever},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        forge(rows[i].access, rows[i].pattern, rows[i].change);
        save(NULL, NULL);
        expect(rows[i].name, !rows[i].invalid, rows[i].expected);
    }
}

static void forged_metadata_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *expected;
    } rows[] = {
        {"max_bytes", "1000000000", "bytes were written, with max_bytes = 1000000000"},
        {"max_bytes", "9000000000000000", "bytes were written, with max_bytes"},
        {"max_bytes", "plenty", "bytes were written, with max_bytes = plenty"},
        {"free_bytes", "1000", "free_bytes = 1000"},
        {"option_max-bytes", "1M", "--max-bytes \"1M\""},
        {"option_keep-caches", "yes", "no file is dropped"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        forge(NULL, "", NULL);
        save(rows[i].key, rows[i].value);
        expect(rows[i].key, true, rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_wrong_with_the_run_itself),
                                       cmocka_unit_test(forged_records_are_found),
                                       cmocka_unit_test(forged_metadata_are_found)};
    return cmocka_run_group_tests_name("beff_io forged", tests, set_up, tear_down);
}
