/* For tests: makes runs of known speed by multiplying the times of a sample. */
#ifndef REPORT_SCALED_TEST_H
#define REPORT_SCALED_TEST_H

#include "beff/patterns.h"
#include "beff/record.h"
#include "common/random.h"
#include "report/edit_test.h"
#include "report/sides.h"
#include "tests/unit.h"

enum { SCALED_MAX = 320 };

struct scaled {
    char *directory;
    struct report sample;
    char *path[SCALED_MAX];
    size_t count;
};

/* A metadata key and its new value; NULL removes the key. The key "errors" adds a discarded attempt with
 * wrong bytes. */
struct scaled_change {
    const char *key, *value;
};

/* Writes the metadata of a sample with changed and added keys. */
static inline void scaled_meta(struct protocol *out, const struct protocol *in,
                               const struct scaled_change *changes, size_t count)
{
    for (size_t i = 2; i < in->meta_count; i++) { /* format and program are already written */
        bool written = true;
        for (size_t k = 0; k < count; k++)
            written &= strcmp(in->meta[i].key, changes[k].key) != 0;
        if (written)
            protocol_meta(out, in->meta[i].key, in->meta[i].value);
    }
    for (size_t k = 0; k < count; k++)
        if (strcmp(changes[k].key, "errors") == 0) {
            struct beff_record attempt = {1, 1, "ring-1", "Sendrecv", .bytes = 1, .loops = 1};
            attempt.errors = strtoll(changes[k].value, NULL, 10);
            protocol_add(out, BEFF_DISCARDED, &attempt, 1);
        } else if (*changes[k].key && changes[k].value)
            protocol_meta(out, changes[k].key, changes[k].value);
}

/* Writes a run `factor` times as fast as the sample. Unless `noise` is NULL, each cell is up to 1 % slower
 * than that. */
static inline void scaled_write(const struct report *sample, const char *path, double factor,
                                struct random_stream *noise, const struct scaled_change *changes,
                                size_t count)
{
    const struct protocol *in = &sample->protocol;
    struct protocol out;
    struct message error;
    int64_t before[BEFF_SIZES], after[BEFF_SIZES];
    double slower = 1;
    assert_int_equal(protocol_create(&out, path, true, in->type, &error), 0);
    scaled_meta(&out, in, changes, count);
    beff_sizes((int64_t)protocol_number(in, "lmax"), before);
    beff_sizes((int64_t)protocol_number(&out, "lmax"), after);
    for (size_t i = 0; i < in->records.count; i++) {
        const struct beff_record *sampled = protocol_at(in, i);
        struct beff_record r = *sampled;
        if (r.rep > 1 || strcmp(r.method, "Sendrecv") != 0)
            continue; /* fewer records, for shorter tests */
        if (noise && (i == 0 || r.bytes != sampled[-1].bytes || strcmp(r.pattern, sampled[-1].pattern) != 0))
            slower = 1 + (double)random_below(noise, 1000) / 1e5;
        for (int size = 0; size < BEFF_SIZES; size++)
            if (sampled->bytes == before[size])
                r.bytes = after[size];
        r.t_min *= slower / factor;
        r.t_avg *= slower / factor;
        r.t_max *= slower / factor;
        r.bandwidth = (double)r.bytes * (double)r.messages * (double)r.loops / r.t_max / 1e6;
        protocol_record(&out, &r);
    }
    edit_finish(sample->engine, &out);
}

static inline int scaled_set_up(void **state)
{
    static struct scaled scaled;
    static const struct scaled_change methods = {"option_methods", "Sendrecv"};
    struct report whole;
    struct message error;
    scaled = (struct scaled){.directory = unit_directory()};
    char *path = unit_path(scaled.directory, "sample");
    assert_int_equal(report_open(&whole, "protocols/samples/beff-n2-short", &error), 0);
    scaled_write(&whole, path, 1, NULL, &methods, 1);
    assert_int_equal(report_open(&scaled.sample, path, &error), 0);
    report_free(&whole);
    *state = &scaled;
    return 0;
}

static inline int scaled_tear_down(void **state)
{
    struct scaled *scaled = *state;
    report_free(&scaled->sample);
    return 0;
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
