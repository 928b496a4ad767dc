/* For tests: runs of a known speed, from a sample whose times are multiplied. */
#ifndef REPORT_SCALED_TEST_H
#define REPORT_SCALED_TEST_H

#include "beff/record.h"
#include "report/edit_test.h"
#include "report/runs.h"
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

/* Adds a run `factor` times as fast as the sample, but for digits in which any two differ, of three seconds
 * at noon of `day` of January; `key` of its metadata becomes `value`, and is added if there is none. */
static inline void scaled_run(struct scaled *scaled, double factor, int day, const char *key,
                              const char *value)
{
    const struct protocol *in = &scaled->sample.protocol;
    struct protocol out;
    struct message error;
    factor *= 1 + 1e-12 * (double)scaled->count;
    char name[32], started[32], finished[32];
    snprintf(name, sizeof name, "run-%02zu", scaled->count);
    snprintf(started, sizeof started, "2026-01-%02dT12:00:00Z", day);
    snprintf(finished, sizeof finished, "2026-01-%02dT12:00:03Z", day);
    char *path = scaled->path[scaled->count++] = unit_path(scaled->directory, name);
    assert_int_equal(protocol_create(&out, path, true, in->type, &error), 0);
    bool found = !*key;
    for (size_t i = 2; i < in->meta_count; i++) { /* format and program are there */
        const char *is = in->meta[i].key, *text = in->meta[i].value;
        text = strcmp(is, "started") == 0 ? started : strcmp(is, "finished") == 0 ? finished : text;
        found = found || strcmp(is, key) == 0;
        protocol_meta(&out, is, strcmp(is, key) == 0 ? value : text);
    }
    if (!found)
        protocol_meta(&out, key, value);
    for (size_t i = 0; i < in->record_count; i++) {
        struct beff_record r = *(const struct beff_record *)protocol_at(in, i);
        r.t_min /= factor;
        r.t_avg /= factor;
        r.t_max /= factor;
        r.bandwidth = (double)r.bytes * (double)r.messages * (double)r.loops / r.t_max / 1e6;
        protocol_record(&out, &r);
    }
    edit_finish(scaled->sample.engine, &out);
}

/* Whether one of the lines has this part. */
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
