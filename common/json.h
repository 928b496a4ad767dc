/* JSON as a stream: values are written as they come, nothing is kept. Pure.
 *
 * Every value has a key in an object, and NULL for it in an array. Keys and text may hold anything: what is
 * not UTF-8 becomes '?'. Numbers read back exactly; NaN and infinity become null. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    int depth;   /* objects and arrays that are open */
    int flat;    /* those of them from which on everything stands on one line; 0: none */
    bool filled; /* the innermost one has a value */
};

void json_start(struct json *json, FILE *out);

/* The values up to the matching json_end are in it. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);

/* The same, on one line. */
void json_flat_object(struct json *json, const char *key);
void json_flat_array(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_end_array(struct json *json);

void json_text(struct json *json, const char *key, const char *value); /* NULL: null */
/* A number as it is written in `text`; what is none in JSON, or not finite, becomes text. */
void json_number(struct json *json, const char *key, const char *text);
void json_real(struct json *json, const char *key, double value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_boolean(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Ends the line after the outermost value. 0, or -1 at a write error. */
int json_finish(struct json *json);

#endif
