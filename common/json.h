/* JSON as a stream: values are written as they come, nothing is stored. Pure.
 *
 * Every value has a key in an object, and NULL for it in an array. Keys and text may hold anything: what is
 * not UTF-8 becomes '?'. Numbers read back exactly; NaN and infinity become null. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/text.h"

struct json {
    FILE *out;
    int depth;       /* objects and arrays that are open, at most 64 */
    uint64_t arrays; /* bits: which of them are arrays, the innermost one last */
    int flat;        /* depth from which on everything is on one line; 0: none */
    bool filled;     /* the innermost one has a value */
};

void json_start(struct json *json, FILE *out);

/* The values up to the matching json_end are in it; a flat one is written on one line. */
enum json_group { JSON_OBJECT, JSON_ARRAY, JSON_FLAT_OBJECT, JSON_FLAT_ARRAY };
void json_begin(struct json *json, const char *key, enum json_group group);
void json_end(struct json *json);

/* Lists: of texts one a line, of numbers on one line. */
void json_texts(struct json *json, const char *key, const struct texts *texts);
void json_reals(struct json *json, const char *key, const double *values, int count);

void json_text(struct json *json, const char *key, const char *value); /* NULL: null */
/* A number as it is written in `text`; what is none in JSON, or not finite, becomes text. */
void json_number(struct json *json, const char *key, const char *text);
void json_real(struct json *json, const char *key, double value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_boolean(struct json *json, const char *key, bool value);

/* Ends the line after the outermost value. As with stdio, ferror() of the stream says whether a write failed.
 */
void json_finish(struct json *json);

#endif
