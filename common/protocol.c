/* The protocol in memory: growing arrays of metadata, records, results. Uses the C library alone. */
#include "common/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int protocol_keep_meta(struct protocol *protocol, const char *key, const char *value)
{
    if (!array_room(&protocol->meta, protocol->meta_count, sizeof *protocol->meta))
        return -1;
    struct protocol_pair meta = {.key = strdup(key), .value = text_one_line(value)};
    if (meta.key && meta.value) {
        protocol->meta[protocol->meta_count++] = meta;
        return 0;
    }
    free(meta.key);
    free(meta.value);
    return -1;
}

int protocol_keep_record(struct protocol *protocol, const void *record, size_t line)
{
    size_t size = protocol->type->size;
    size_t count = protocol->record_count;
    if (!array_room(&protocol->records, count, size) ||
        (line && !array_room(&protocol->record_lines, count, sizeof *protocol->record_lines)))
        return -1;
    if (line)
        protocol->record_lines[count] = line;
    memcpy(protocol->records + protocol->record_count++ * size, record, size);
    return 0;
}

int protocol_keep_result(struct protocol *protocol, const char *name, double value, const char *unit)
{
    if (!array_room(&protocol->results, protocol->result_count, sizeof *protocol->results))
        return -1;
    struct protocol_result result = {
        .name = text_one_line(name), .value = value, .unit = text_one_line(unit)};
    if (result.name && result.unit) {
        protocol->results[protocol->result_count++] = result;
        return 0;
    }
    free(result.name);
    free(result.unit);
    return -1;
}

const char *protocol_get(const struct protocol *protocol, const char *key)
{
    for (size_t i = protocol->meta_count; i > 0; i--)
        if (strcmp(protocol->meta[i - 1].key, key) == 0)
            return protocol->meta[i - 1].value;
    return NULL;
}

const char *protocol_text(const struct protocol *protocol, const char *key)
{
    const char *value = protocol_get(protocol, key);
    return value ? value : "unknown";
}

double protocol_number(const struct protocol *protocol, const char *key)
{
    const char *value = protocol_get(protocol, key);
    char *rest;
    double number = value ? strtod(value, &rest) : NAN;
    return value && rest != value ? number : NAN;
}

bool protocol_is(const struct protocol *protocol, const char *key, const char *value)
{
    return strcmp(protocol_text(protocol, key), value) == 0;
}

bool protocol_integer(const struct protocol *protocol, const char *key, int64_t least, int64_t most,
                      int64_t *value)
{
    const char *text = protocol_text(protocol, key);
    char *rest;
    errno = 0;
    *value = strtoll(text, &rest, 10);
    return rest != text && !*rest && !errno && *value >= least && *value <= most;
}

const char *protocol_next(const struct protocol *protocol, const char *key, size_t *i)
{
    while (*i < protocol->meta_count)
        if (strcmp(protocol->meta[(*i)++].key, key) == 0)
            return protocol->meta[*i - 1].value;
    return NULL;
}

const void *protocol_at(const struct protocol *protocol, size_t i)
{
    return protocol->records + i * protocol->type->size;
}

void protocol_free(struct protocol *protocol)
{
    if (protocol->file)
        fclose(protocol->file);
    for (size_t i = 0; i < protocol->meta_count; i++) {
        free(protocol->meta[i].key);
        free(protocol->meta[i].value);
    }
    for (size_t i = 0; i < protocol->result_count; i++) {
        free(protocol->results[i].name);
        free(protocol->results[i].unit);
    }
    free(protocol->meta);
    free(protocol->records);
    free(protocol->record_lines);
    free(protocol->results);
    free(protocol->end);
    free(protocol->path);
    *protocol = (struct protocol){0};
}
