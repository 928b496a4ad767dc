/* The protocol in memory: growing arrays of metadata, records, results, and a tree of keys. */
#include "common/protocol.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Where the metadata of one key begin and end. */
struct key {
    const char *name; /* the first one's */
    size_t first, last;
};

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct key *)a)->name, ((const struct key *)b)->name);
}

static const struct key *find_key(const struct protocol *protocol, const char *name)
{
    struct key key = {.name = name}, **found = tfind(&key, &protocol->keys, compare_keys);
    return found ? *found : NULL;
}

/* Links the last of the metadata to those of its key. */
static int index_last(struct protocol *protocol)
{
    size_t last = protocol->meta_count - 1;
    struct key *key = malloc(sizeof *key), **found = NULL;
    if (key) {
        *key = (struct key){protocol->meta[last].key, last, last};
        found = tsearch(key, &protocol->keys, compare_keys);
    }
    if (!found || *found != key)
        free(key);
    if (!found)
        return -1;
    if ((*found)->last != last)
        protocol->meta[(*found)->last].next = last;
    (*found)->last = last;
    return 0;
}

int protocol_keep_meta(struct protocol *protocol, const char *key, const char *value)
{
    if (!array_room(&protocol->meta, protocol->meta_count, sizeof *protocol->meta))
        return -1;
    struct protocol_pair meta = {.key = strdup(key), .value = text_one_line(value)};
    if (meta.key && meta.value) {
        protocol->meta[protocol->meta_count++] = meta;
        if (!index_last(protocol))
            return 0;
        protocol->meta_count--;
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
    const struct key *found = find_key(protocol, key);
    return found ? protocol->meta[found->last].value : NULL;
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
    const struct key *found = find_key(protocol, key);
    size_t at = *i;
    *i = protocol->meta_count;
    if (!found || at > found->last)
        return NULL;
    if (at <= found->first)
        at = found->first;
    else if (strcmp(protocol->meta[at - 1].key, key) == 0)
        at = protocol->meta[at - 1].next;
    while (strcmp(protocol->meta[at].key, key) != 0)
        at++;
    *i = at + 1;
    return protocol->meta[at].value;
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
    tdestroy(protocol->keys, free);
    free(protocol->meta);
    free(protocol->records);
    free(protocol->record_lines);
    free(protocol->results);
    free(protocol->end);
    free(protocol->path);
    *protocol = (struct protocol){0};
}
