#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>

void json_start(struct json *json, FILE *out)
{
    *json = (struct json){.out = out};
}

static void new_line(struct json *json)
{
    if (!json->flat)
        fprintf(json->out, "\n%*s", json->depth, "");
}

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c;) {
        int length = text_utf8_length(c);
        if ((unsigned char)*c < ' ')
            fprintf(out, "\\u%04x", (unsigned)*c);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (length && !text_is_control(c))
            fwrite(c, 1, (size_t)length, out);
        else
            fputc('?', out);
        c += length ? length : 1;
    }
    fputc('"', out);
}

static void put_key(struct json *json, const char *key)
{
    if (json->filled)
        fputs(json->flat ? ", " : ",", json->out);
    if (json->depth && (json->filled || !json->flat))
        new_line(json);
    if (key) {
        put_text(json->out, key);
        fputs(": ", json->out);
    }
    json->filled = true;
}

void json_begin(struct json *json, const char *key, enum json_group group)
{
    bool array = group == JSON_ARRAY || group == JSON_FLAT_ARRAY;
    put_key(json, key);
    fputc(array ? '[' : '{', json->out);
    json->depth++;
    json->arrays = json->arrays << 1 | array;
    json->filled = false;
    if (group >= JSON_FLAT_OBJECT && !json->flat)
        json->flat = json->depth;
}

void json_end(struct json *json)
{
    if (json->flat == json->depth--)
        json->flat = 0;
    else if (json->filled)
        new_line(json);
    fputc(json->arrays & 1 ? ']' : '}', json->out);
    json->arrays >>= 1;
    json->filled = true;
}

void json_text(struct json *json, const char *key, const char *value)
{
    put_key(json, key);
    if (value)
        put_text(json->out, value);
    else
        fputs("null", json->out);
}

static bool is_number(const char *text)
{
    regex_t number;
    if (regcomp(&number, "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$", REG_EXTENDED | REG_NOSUB))
        return false;
    bool matches = regexec(&number, text, 0, NULL, 0) == 0;
    regfree(&number);
    return matches && isfinite(strtod(text, NULL));
}

void json_number(struct json *json, const char *key, const char *text)
{
    if (!is_number(text)) {
        json_text(json, key, text);
        return;
    }
    put_key(json, key);
    fputs(text, json->out);
}

void json_real(struct json *json, const char *key, double value)
{
    put_key(json, key);
    fprintf(json->out, isfinite(value) ? "%.17g" : "null", value);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_boolean(struct json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_texts(struct json *json, const char *key, const struct texts *texts)
{
    json_begin(json, key, JSON_ARRAY);
    for (size_t i = 0; i < texts->count; i++)
        json_text(json, NULL, texts->text[i]);
    json_end(json);
}

void json_reals(struct json *json, const char *key, const double *values, int count)
{
    json_begin(json, key, JSON_FLAT_ARRAY);
    for (int i = 0; i < count; i++)
        json_real(json, NULL, values[i]);
    json_end(json);
}

void json_finish(struct json *json)
{
    fputc('\n', json->out);
}
