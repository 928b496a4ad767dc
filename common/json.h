/* A JSON writer. Values are written immediately; nothing is stored.
 *
 * A value in an object has a key; for a value in an array, the key is NULL. Keys and text may contain any
 * bytes: those that are not UTF-8 become '?'. Numbers read back exactly; NaN and infinity become null. As
 * with stdio, ferror() of the stream reports whether a write failed. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/text.h"

struct json {
    FILE *out;
    int depth;       /* number of open objects and arrays, at most 64 */
    uint64_t arrays; /* one bit for each open object (0) or array (1); the lowest bit is the innermost */
    int flat;        /* depth of the outermost object or array on one line; 0: none */
    bool filled;     /* the innermost object or array has a value */
};

void json_start(struct json *json, FILE *out);

/* Begins an object or an array, which contains all values up to the matching json_end(). A flat object or
 * array is written on one line. */
enum json_group { JSON_OBJECT, JSON_ARRAY, JSON_FLAT_OBJECT, JSON_FLAT_ARRAY };
void json_begin(struct json *json, const char *key, enum json_group group);
void json_end(struct json *json);

/* Write an array: texts with one text per line, numbers all on one line. */
void json_texts(struct json *json, const char *key, const struct texts *texts);
void json_reals(struct json *json, const char *key, const double *values, int count);

/* Writes a string, or null if `value` is NULL. */
void json_text(struct json *json, const char *key, const char *value);
/* Writes the number in `text` unchanged. If `text` is not a finite JSON number, it is written as a
 * string. */
void json_number(struct json *json, const char *key, const char *text);
void json_real(struct json *json, const char *key, double value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_boolean(struct json *json, const char *key, bool value);

/* Ends the line after the outermost value. */
void json_finish(struct json *json);

#endif
