#include "beff_io/hints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { WORDS = 6, WORD_SIZE = 1024 };

/* The hint that sets the size of ROMIO's collective buffers, and its default value in bytes. */
#define BUFFER_KEY     "cb_buffer_size"
#define BUFFER_DEFAULT (INT64_C(16) << 20)

static bool is_all(const char *word)
{
    return strcmp(word, "all") == 0;
}

/* Returns the value of `word` if it is a positive integer; otherwise 0. */
static int64_t positive(const char *word)
{
    char *rest;
    long long number = strtoll(word, &rest, 10);
    return *rest || number < 1 ? 0 : number;
}

/* Parses the six words of a line. */
static int parse(char words[][WORD_SIZE], struct hint *hint, struct message *error)
{
    *hint = (struct hint){.access = IO_ACCESSES, .type = IO_TYPES};
    if (!is_all(words[0]) && !(hint->processes = positive(words[0])))
        return message_set(error, "invalid number of processes \"%.40s\": expected a positive integer or all",
                           words[0]);
    if (!is_all(words[1]) && (hint->access = (int)io_access_find(words[1])) == IO_ACCESSES)
        return message_set(error, "invalid access method \"%.40s\": expected write, rewrite, read or all",
                           words[1]);
    if (!is_all(words[2]) && (hint->type = (int)io_type_find(words[2])) == IO_TYPES)
        return message_set(error,
                           "invalid type \"%.40s\": expected scatter, shared, separated, segmented, seg_coll "
                           "or all",
                           words[2]);
    hint->where = is_all(words[3])                   ? HINT_EVERYWHERE
                  : strcmp(words[3], "on_open") == 0 ? HINT_ON_OPEN
                                                     : HINT_CHUNK;
    if (hint->where == HINT_CHUNK && strcmp(words[3], "Lmax") != 0 && !(hint->chunk = positive(words[3])))
        return message_set(error, "invalid chunk \"%.40s\": expected a number of bytes, on_open, Lmax or all",
                           words[3]);
    for (int i = 4; i < WORDS; i++)
        if (strlen(words[i]) >= HINT_SIZE)
            return message_set(error, "%s \"%.40s...\" is longer than %d characters",
                               i == 4 ? "the key" : "the value", words[i], HINT_SIZE - 1);
    snprintf(hint->line, sizeof hint->line, "%.30s %.30s %.30s %.30s %.255s %.255s", words[0], words[1],
             words[2], words[3], words[4], words[5]);
    strcpy(hint->key, words[4]);
    strcpy(hint->value, words[5]);
    return 0;
}

/* Checks that no view requests larger collective buffers than the file was opened with, because such a view
 * crashes ROMIO. */
static int check_buffers(const struct hints *hints, const char *path, struct message *error)
{
    int64_t opened = 0;
    for (const struct hint *h = hints->hint; h < hints->hint + hints->count; h++) {
        int64_t bytes = strcmp(h->key, BUFFER_KEY) == 0 && h->where != HINT_CHUNK ? positive(h->value) : 0;
        if (bytes && (!opened || bytes < opened))
            opened = bytes;
    }
    opened = opened ? opened : BUFFER_DEFAULT;
    for (const struct hint *h = hints->hint; h < hints->hint + hints->count; h++)
        if (h->where == HINT_CHUNK && strcmp(h->key, BUFFER_KEY) == 0 && positive(h->value) > opened)
            return message_set(error,
                               "%s: " BUFFER_KEY " %s for a chunk exceeds the value for opening the file "
                               "(%" PRId64 "), which crashes ROMIO; set the largest value with on_open",
                               path, h->value, opened);
    return 0;
}

int hints_read(struct hints *hints, const char *text, const char *path, struct message *error)
{
    char words[WORDS + 1][WORD_SIZE];
    struct text_lines lines = {text};
    *hints = (struct hints){0};
    while (text_next(&lines)) {
        struct hint hint;
        struct message wrong;
        int count = sscanf(lines.line, "%1023s %1023s %1023s %1023s %1023s %1023s %1023s", words[0], words[1],
                           words[2], words[3], words[4], words[5], words[6]);
        if (count == WORDS
                ? parse(words, &hint, &wrong)
                : message_set(&wrong, "expected six words: processes, access, type, chunk, key, value"))
            return message_set(error, "%s:%d: %s", path, lines.number, wrong.text);
        array_grow(&hints->hint, (size_t)hints->count, sizeof hint);
        hints->hint[hints->count++] = hint;
    }
    return check_buffers(hints, path, error);
}

bool hint_applies(const struct hint *hint, int64_t processes, enum io_access access, enum io_type type,
                  int64_t chunk, int64_t mpart)
{
    if ((hint->processes && hint->processes != processes) ||
        (hint->access != IO_ACCESSES && hint->access != (int)access) ||
        (hint->type != IO_TYPES && hint->type != (int)type))
        return false;
    if (hint->where == HINT_EVERYWHERE)
        return true;
    if (chunk < 0)
        return hint->where == HINT_ON_OPEN;
    return hint->where == HINT_CHUNK && chunk == (hint->chunk ? hint->chunk : mpart);
}

double hints_share(const char *list, size_t most, int aggregators, int rank, int size)
{
    bool cut = strlen(list) + 1 >= most, among = false;
    int count = 0;
    char *end;
    for (long next; next = strtol(list, &end, 10), end != list; list = end, count++)
        among = among || next == rank;
    if (cut) {
        count = aggregators;
        among = rank < count;
    }
    return count == 0 ? 1 : among ? (double)size / count : 0;
}
