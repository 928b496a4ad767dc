#include "beff/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Returns true if a line is HOST GROUP. */
static bool is_pair(const char *line, char host[COLUMN_HOST_SIZE], char group[FABRIC_NAME_SIZE])
{
    char rest;
    return sscanf(line, "%64s %31s %c", host, group, &rest) == 2;
}

/* Compares two names up to the first dot. */
static int compare_short(const char *a, const char *b)
{
    size_t short_a = strcspn(a, "."), short_b = strcspn(b, ".");
    int order = strncmp(a, b, short_a < short_b ? short_a : short_b);
    return order ? order : (short_a > short_b) - (short_a < short_b);
}

/* Returns true if the names are equal, or equal up to the first dot if one has no domain. */
static bool same_host(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || (compare_short(a, b) == 0 && (!strchr(a, '.') || !strchr(b, '.')));
}

struct host_line {
    char host[COLUMN_HOST_SIZE];
    int line;
};

static int compare_lines(const void *a, const void *b)
{
    const struct host_line *x = a, *y = b;
    int order = compare_short(x->host, y->host);
    return order ? order : x->line - y->line;
}

int groups_check(const char *option, const char *word, const char *text, struct message *error)
{
    struct host_line *all = NULL;
    char group[FABRIC_NAME_SIZE];
    struct text_lines lines = {text};
    int failed = 0;
    size_t count = 0;
    for (; !failed && text_next(&lines); count++) {
        array_grow(&all, count, sizeof *all);
        all[count].line = lines.number;
        if (!is_pair(lines.line, all[count].host, group))
            failed = message_set(
                error,
                "invalid %s file, line %d: \"%.40s\": expected HOST %s, of at most %d and %d characters",
                option, lines.number, lines.line, word, COLUMN_HOST_SIZE - 1, FABRIC_NAME_SIZE - 1);
    }
    if (count && !failed)
        qsort(all, count, sizeof *all, compare_lines);
    for (size_t i = 1; i < count && !failed; i++)
        for (size_t k = i; k-- > 0 && !failed && compare_short(all[k].host, all[i].host) == 0;)
            if (same_host(all[k].host, all[i].host))
                failed = message_set(
                    error, "invalid %s file, lines %d and %d: both name host %s: expected each host once",
                    option, all[k].line, all[i].line, all[i].host);
    free(all);
    return failed;
}

void groups_find(const char *text, const char *host, char group[FABRIC_NAME_SIZE])
{
    char name[COLUMN_HOST_SIZE], its[FABRIC_NAME_SIZE];
    struct text_lines lines = {text};
    strcpy(group, "-");
    while (text_next(&lines))
        if (is_pair(lines.line, name, its) && same_host(name, host))
            memcpy(group, its, sizeof its);
}

void groups_slurm(const char *address, const char *pattern, const char *host, char group[FABRIC_NAME_SIZE])
{
    strcpy(group, "-");
    while (address && pattern) {
        size_t length = strcspn(address, "."), word = strcspn(pattern, ".");
        bool last = !address[length] || !pattern[word];
        if (last) { /* a node's name may contain dots */
            if (strcmp(pattern, "node") != 0 || !same_host(address, host))
                strcpy(group, "-");
            return;
        }
        if (strncmp(pattern, "switch.", word + 1) == 0 && length)
            snprintf(group, FABRIC_NAME_SIZE, "%.*s", (int)length, address);
        address += length + 1;
        pattern += word + 1;
    }
}
