/* run.json against what follows from the records, by jansson. Uses report, sheet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/verify.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

enum { PATH_SIZE = 160 };

static const struct finding in_json = {.file = "run.json"};

static void describe(const json_t *value, char *text, size_t size)
{
    char *dump = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    snprintf(text, size, "%s", dump ? dump : "missing");
    free(dump);
}

static void differs(struct findings *findings, const char *path, const json_t *found, const json_t *expected)
{
    char left[64], right[64];
    describe(found, left, sizeof left);
    describe(expected, right, sizeof right);
    finding_add(findings, &in_json, "%.100s is %s instead of %s", path, left, right);
}

static void compare(struct findings *findings, const char *path, const json_t *found, const json_t *expected);

static void compare_objects(struct findings *findings, const char *path, json_t *found, json_t *expected)
{
    char place[PATH_SIZE];
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value)
    {
        snprintf(place, sizeof place, "%s%s%.60s", path, *path ? "." : "", key);
        compare(findings, place, json_object_get(found, key), value);
    }
    json_object_foreach(found, key, value) if (!json_object_get(expected, key))
    {
        snprintf(place, sizeof place, "%s%s%.60s", path, *path ? "." : "", key);
        differs(findings, place, value, NULL);
    }
}

static void compare(struct findings *findings, const char *path, const json_t *found, const json_t *expected)
{
    if (json_is_number(expected) && json_is_number(found)) {
        if (!report_equal(json_number_value(found), json_number_value(expected)))
            differs(findings, path, found, expected);
    } else if (json_is_object(expected) && json_is_object(found)) {
        compare_objects(findings, path, (json_t *)(uintptr_t)found, (json_t *)(uintptr_t)expected);
    } else if (json_is_array(expected) && json_is_array(found)) {
        size_t n = json_array_size(expected), m = json_array_size(found);
        for (size_t i = 0; i < n || i < m; i++) {
            char place[PATH_SIZE];
            snprintf(place, sizeof place, "%.130s[%zu]", path, i);
            compare(findings, place, json_array_get(found, i), json_array_get(expected, i));
        }
    } else if (!json_equal(found, expected)) {
        differs(findings, path, found, expected);
    }
}

/* What run.json has to be; NULL when out of memory. */
static json_t *expected_json(const struct report *report)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int failed = !out || sheet_json(report->sheet, out);
    failed = (out && fclose(out)) || failed;
    json_t *json = failed ? NULL : json_loadb(text, size, 0, NULL);
    free(text);
    return json;
}

bool verify_json(const struct report *report, struct findings *findings)
{
    FILE *file = verify_open(report, "run.json");
    if (!file)
        return false;
    json_error_t error;
    json_t *found = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (!found) {
        struct finding where = {.file = "run.json", .line = error.line > 0 ? (size_t)error.line : 0};
        finding_add(findings, &where, "is no JSON: %s", error.text);
        return true;
    }
    json_t *expected = expected_json(report);
    if (expected)
        compare(findings, "", found, expected);
    else
        finding_add(findings, &in_json, "out of memory");
    json_decref(found);
    json_decref(expected);
    return true;
}

#else

bool verify_json(const struct report *report, struct findings *findings)
{
    (void)report, (void)findings;
    return false;
}

#endif
