/* Writing JSON. Uses text. */
#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

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
        else if (length)
            fwrite(c, 1, (size_t)length, out);
        else
            fputc('?', out);
        c += length ? length : 1;
    }
    fputc('"', out);
}

/* What stands before a value. */
static void lead(struct json *json, const char *key)
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

static void open_group(struct json *json, const char *key, char sign, bool flat)
{
    lead(json, key);
    fputc(sign, json->out);
    json->depth++;
    json->filled = false;
    if (flat && !json->flat)
        json->flat = json->depth;
}

static void close_group(struct json *json, char sign)
{
    if (json->flat == json->depth--)
        json->flat = 0;
    else if (json->filled)
        new_line(json);
    fputc(sign, json->out);
    json->filled = true;
}

void json_object(struct json *json, const char *key)
{
    open_group(json, key, '{', false);
}

void json_array(struct json *json, const char *key)
{
    open_group(json, key, '[', false);
}

void json_flat_object(struct json *json, const char *key)
{
    open_group(json, key, '{', true);
}

void json_flat_array(struct json *json, const char *key)
{
    open_group(json, key, '[', true);
}

void json_end_object(struct json *json)
{
    close_group(json, '}');
}

void json_end_array(struct json *json)
{
    close_group(json, ']');
}

void json_text(struct json *json, const char *key, const char *value)
{
    lead(json, key);
    if (value)
        put_text(json->out, value);
    else
        fputs("null", json->out);
}

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

static bool is_number(const char *text)
{
    const char *whole = text + (*text == '-'), *at = skip_digits(whole);
    bool good = at > whole && (*whole != '0' || at == whole + 1) && isfinite(strtod(text, NULL));
    if (good && *at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        good = at > fraction;
    }
    if (good && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(exponent);
        good = at > exponent;
    }
    return good && !*at;
}

void json_number(struct json *json, const char *key, const char *text)
{
    if (!is_number(text)) {
        json_text(json, key, text);
        return;
    }
    lead(json, key);
    fputs(text, json->out);
}

void json_real(struct json *json, const char *key, double value)
{
    lead(json, key);
    fprintf(json->out, isfinite(value) ? "%.17g" : "null", value);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    lead(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_boolean(struct json *json, const char *key, bool value)
{
    lead(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    json_text(json, key, NULL);
}

int json_finish(struct json *json)
{
    fputc('\n', json->out);
    return fflush(json->out) || ferror(json->out) ? -1 : 0;
}
