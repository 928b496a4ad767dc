/* run.json against what follows from the records, by jansson. Uses report, sheet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/verify.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

enum { PATH_SIZE = 160 };

/* Two documents that are compared. */
struct comparison {
    struct findings *findings;
    bool strict; /* what one lacks (but for records) and words count, too */
};

static const struct finding in_json = {.file = "run.json"};

static void describe(const json_t *value, char *text, size_t size)
{
    char *dump = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    snprintf(text, size, "%s", dump ? dump : "missing");
    free(dump);
}

static void differs(const struct comparison *c, const char *path, const json_t *found, const json_t *expected)
{
    char left[64], right[64];
    bool lacking = (!found || !expected) && strncmp(path, "records", 7) != 0;
    bool words = json_is_string(found) && json_is_string(expected);
    if ((lacking || words) && !c->strict)
        return;
    describe(found, left, sizeof left);
    describe(expected, right, sizeof right);
    finding_add(c->findings, &in_json, "%.100s is %s instead of %s", path, left, right);
}

static void compare(const struct comparison *c, const char *path, const json_t *found,
                    const json_t *expected);

static void compare_objects(const struct comparison *c, const char *path, json_t *found, json_t *expected)
{
    char place[PATH_SIZE];
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value)
    {
        snprintf(place, sizeof place, "%s%s%.60s", path, *path ? "." : "", key);
        compare(c, place, json_object_get(found, key), value);
    }
    json_object_foreach(found, key, value) if (!json_object_get(expected, key))
    {
        snprintf(place, sizeof place, "%s%s%.60s", path, *path ? "." : "", key);
        differs(c, place, value, NULL);
    }
}

static void compare(const struct comparison *c, const char *path, const json_t *found, const json_t *expected)
{
    if (json_is_number(expected) && json_is_number(found)) {
        if (!report_equal(json_number_value(found), json_number_value(expected)))
            differs(c, path, found, expected);
    } else if (json_is_object(expected) && json_is_object(found)) {
        compare_objects(c, path, (json_t *)(uintptr_t)found, (json_t *)(uintptr_t)expected);
    } else if (json_is_array(expected) && json_is_array(found)) {
        size_t n = json_array_size(expected), m = json_array_size(found);
        for (size_t i = 0; i < n || i < m; i++) {
            char place[PATH_SIZE];
            snprintf(place, sizeof place, "%.130s[%zu]", path, i);
            compare(c, place, json_array_get(found, i), json_array_get(expected, i));
        }
    } else if (!json_equal(found, expected)) {
        differs(c, path, found, expected);
    }
}

/* What run.json has to be, as text; NULL when out of memory. */
static char *expected_text(const struct report *report, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    int failed = !out || sheet_json(report->sheet, out);
    failed = (out && fclose(out)) || failed;
    if (!failed)
        return text;
    free(text);
    return NULL;
}

/* Compares an open run.json with what it has to be. */
static void verify_file(FILE *file, const char *expected, size_t size, bool strict, struct findings *findings)
{
    json_error_t error;
    if (fseek(file, 0, SEEK_END) || ftell(file) > 2 * (long)size + 4096) {
        finding_add(findings, &in_json, "is far larger than the %zu bytes that it has to be", size);
        return;
    }
    rewind(file);
    json_t *found = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    json_t *right = json_loadb(expected, size, 0, NULL);
    struct finding where = {.file = "run.json", .line = error.line > 0 ? (size_t)error.line : 0};
    if (!found)
        finding_add(findings, &where, "is no JSON: %s", error.text);
    else if (!right)
        finding_add(findings, &in_json, "out of memory");
    else
        compare(&(struct comparison){findings, strict}, "", found, right);
    json_decref(found);
    json_decref(right);
}

bool verify_json(const struct report *report, struct findings *findings)
{
    size_t size = 0;
    FILE *file = verify_open(report, "run.json");
    if (!file)
        return false;
    char *expected = expected_text(report, &size);
    if (expected)
        verify_file(file, expected, size, verify_same_program(report), findings);
    else
        finding_add(findings, &in_json, "out of memory");
    free(expected);
    fclose(file);
    return true;
}

#else

bool verify_json(const struct report *report, struct findings *findings)
{
    (void)report, (void)findings;
    return false;
}

#endif
