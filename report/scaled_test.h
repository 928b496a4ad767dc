/* For tests: makes runs of known speed by multiplying the times of a sample. */
#ifndef REPORT_SCALED_TEST_H
#define REPORT_SCALED_TEST_H

#include "beff/estimates.h"
#include "beff/record.h"
#include "common/random.h"
#include "report/edit_test.h"
#include "report/sides.h"
#include "tests/unit.h"

enum { SCALED_MAX = 24 };

struct scaled {
    char *directory;
    struct report sample;
    char *path[SCALED_MAX];
    size_t count;
};

static inline int scaled_set_up(void **state)
{
    static struct scaled scaled;
    struct message error;
    scaled = (struct scaled){.directory = unit_directory()};
    assert_int_equal(report_open(&scaled.sample, "protocols/samples/beff-n2-short", &error), 0);
    *state = &scaled;
    return 0;
}

static inline void scaled_clear(struct scaled *scaled)
{
    for (size_t i = 0; i < scaled->count; i++)
        free(scaled->path[i]);
    scaled->count = 0;
}

static inline int scaled_tear_down(void **state)
{
    struct scaled *scaled = *state;
    scaled_clear(scaled);
    report_free(&scaled->sample);
    unit_remove(scaled->directory);
    return 0;
}

/* A metadata key and its new value; NULL removes the key. */
struct scaled_change {
    const char *key, *value;
};

/* Writes the metadata of a sample with changed and added keys, without the keys that depend on the times. */
static inline void scaled_meta(struct protocol *out, const struct protocol *in,
                               const struct scaled_change *changes, size_t count)
{
    static const char *const follow[] = {"discarded", "sweep", "elapsed_s", "clocks"};
    for (size_t i = 2; i < in->meta_count; i++) { /* format and program are already written */
        bool written = true;
        for (size_t k = 0; k < COUNT(follow); k++)
            written &= strcmp(in->meta[i].key, follow[k]) != 0;
        for (size_t k = 0; k < count; k++)
            written &= strcmp(in->meta[i].key, changes[k].key) != 0;
        if (written)
            protocol_meta(out, in->meta[i].key, in->meta[i].value);
    }
    for (size_t k = 0; k < count; k++)
        if (*changes[k].key && changes[k].value)
            protocol_meta(out, changes[k].key, changes[k].value);
}

/* Writes a measurement whose iterations take `one` seconds each: its discarded attempts and its record.
 * Returns the time of all its iterations in seconds. */
static inline double scaled_measure(struct protocol *out, struct estimates *e, struct command command,
                                    const struct beff_record *sample, double one)
{
    struct beff_record r = *sample;
    double estimate = estimates_last(e, command.pattern, command.method, command.size), total = 0;
    r.bytes = e->list->sizes[command.size];
    for (int attempt = 1;; attempt++) {
        command.loops = r.loops = estimates_loops(e, estimate);
        r.t_max = (double)r.loops * one;
        total += r.t_max + (double)estimates_untimed(e, estimate) * one;
        estimates_learn(e, &command, r.t_max, 0);
        if (r.t_max >= ESTIMATES_SHORT / ESTIMATES_TARGET * e->target || r.loops == e->max_loops ||
            attempt == 3)
            break;
        protocol_put(out, "discarded", "%d %d %s %s %lld %lld %.17g short", (int)r.pass, (int)r.rep,
                     r.pattern, r.method, (long long)r.bytes, (long long)r.loops, r.t_max);
        estimate = estimates_again(estimate, r.t_max, r.loops, 0);
    }
    r.t_min = r.t_min / sample->t_max * r.t_max;
    r.t_avg = r.t_avg / sample->t_max * r.t_max;
    r.bandwidth = (double)r.bytes * (double)r.messages * (double)r.loops / r.t_max / 1e6;
    protocol_record(out, &r);
    return total;
}

/* Writes a run `factor` times as fast as the sample. Unless `noise` is NULL, each cell is up to 1 % slower
 * than that. The loops, sweeps and duration of the run follow from its times. */
static inline void scaled_write(const struct report *sample, const char *path, double factor,
                                struct random_stream *noise, const struct scaled_change *changes,
                                size_t count)
{
    const struct protocol *in = &sample->protocol;
    struct protocol out;
    struct message error;
    struct pattern_list list;
    struct estimates e;
    int64_t sizes[BEFF_SIZES], max_loops = 0, sweep = -1;
    double seconds = 0, total = 0, slower = 1;
    assert_int_equal(protocol_create(&out, path, true, in->type, &error), 0);
    scaled_meta(&out, in, changes, count);
    beff_sizes((int64_t)protocol_number(in, "lmax"), sizes);
    patterns_make(&list, 2, 1, 1, (int64_t)protocol_number(&out, "lmax"));
    protocol_integer(&out, "option_max-loops", 0, INT32_MAX, &max_loops);
    estimates_make(&e, &list, NULL, max_loops, protocol_is(&out, "option_clock", "simulated"));
    e.target = estimates_target(protocol_number(&out, "option_time"), &list);
    for (size_t i = 0; i <= in->record_count; i++) {
        const struct beff_record *r = i < in->record_count ? protocol_at(in, i) : NULL;
        int pattern = r ? pattern_find(&list, r->pattern) : 0, size = 0;
        int64_t next = r ? sweep_of(&list, r->pass, r->rep, pattern) : -1;
        if (next != sweep && i > 0) {
            protocol_put(&out, "sweep", "%d 0 %.17g", (int)sweep, seconds);
            total += seconds;
            seconds = 0;
        }
        sweep = next;
        if (!r)
            break;
        while (sizes[size] != r->bytes)
            size++;
        if (noise && (i == 0 || r->bytes != r[-1].bytes || strcmp(r->pattern, r[-1].pattern) != 0))
            slower = 1 + (double)random_below(noise, 1000) / 1e5;
        struct command command = {pattern, method_find(r->method), size, 0, 0};
        seconds += scaled_measure(&out, &e, command, r, r->t_max / (double)r->loops * slower / factor);
    }
    protocol_put(&out, "elapsed_s", "%.17g", total);
    protocol_put(&out, "clocks", "%.17g %.17g", total, total);
    patterns_free(&list);
    edit_finish(sample->engine, &out);
}

/* Adds a run of three seconds at noon on `day` of January, `factor` times as fast as the sample. Any two runs
 * differ in their last digits. The metadata key `key` gets the value `value`. */
static inline void scaled_run(struct scaled *scaled, double factor, int day, const char *key,
                              const char *value)
{
    char name[32], started[32], finished[32];
    snprintf(name, sizeof name, "run-%02zu", scaled->count);
    snprintf(started, sizeof started, "2026-01-%02dT12:00:00Z", day);
    snprintf(finished, sizeof finished, "2026-01-%02dT12:00:03Z", day);
    factor *= 1 + 1e-12 * (double)scaled->count;
    const struct scaled_change changes[] = {{"started", started}, {"finished", finished}, {key, value}};
    char *path = scaled->path[scaled->count++] = unit_path(scaled->directory, name);
    scaled_write(&scaled->sample, path, factor, NULL, changes, COUNT(changes));
}

/* Returns true if one of the lines contains `part`. */
static inline bool scaled_says(const struct grouped *grouped, const char *part)
{
    bool says = false;
    for (size_t i = 0; i < grouped->count; i++) {
        char *text = grouped_text(&grouped->line[i]);
        says |= strstr(text, part) != NULL;
        free(text);
    }
    return says;
}

#endif
