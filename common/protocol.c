/* The protocol in memory: growing arrays of metadata, records, results. Uses the C library alone. */
#include "common/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element in an array that grows by doubling at each power of two; NULL when out of memory.
 */
static void *room(void *array, size_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return realloc(array, (count ? 2 * count : 1) * size);
}

int protocol_keep_meta(struct protocol *protocol, const char *key, const char *value)
{
    struct protocol_pair *meta = room(protocol->meta, protocol->meta_count, sizeof *meta);
    if (!meta)
        return -1;
    protocol->meta = meta;
    meta += protocol->meta_count;
    *meta = (struct protocol_pair){.key = strdup(key), .value = text_one_line(value)};
    protocol->meta_count++;
    return meta->key && meta->value ? 0 : -1;
}

int protocol_keep_record(struct protocol *protocol, const void *record, size_t line)
{
    size_t size = protocol->type->size;
    char *records = room(protocol->records, protocol->record_count, size);
    if (!records)
        return -1;
    protocol->records = records;
    if (line) {
        size_t *lines = room(protocol->record_lines, protocol->record_count, sizeof *lines);
        if (!lines)
            return -1;
        protocol->record_lines = lines;
        lines[protocol->record_count] = line;
    }
    memcpy(records + protocol->record_count++ * size, record, size);
    return 0;
}

int protocol_keep_result(struct protocol *protocol, const char *name, double value, const char *unit)
{
    struct protocol_result *results = room(protocol->results, protocol->result_count, sizeof *results);
    if (!results)
        return -1;
    protocol->results = results;
    results += protocol->result_count;
    *results =
        (struct protocol_result){.name = text_one_line(name), .value = value, .unit = text_one_line(unit)};
    protocol->result_count++;
    return results->name && results->unit ? 0 : -1;
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
