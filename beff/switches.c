#include "beff/switches.h"

#include <stdio.h>
#include <string.h>

/* Reads the next line. Returns the number of words read into host, group and rest, 0 for a line to ignore, -1
 * at the end of the text. */
static int next_line(const char **text, char host[FABRIC_HOST_SIZE], char group[FABRIC_NAME_SIZE])
{
    char line[256], rest;
    size_t length = strcspn(*text, "\n");
    if (!**text)
        return -1;
    snprintf(line, sizeof line, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == '\n');
    if (length >= sizeof line)
        return 1;
    int words = sscanf(line, "%64s %31s %c", host, group, &rest);
    return words < 1 || *host == '#' ? 0 : words;
}

int switches_check(const char *text, struct message *error)
{
    char host[FABRIC_HOST_SIZE], group[FABRIC_NAME_SIZE];
    int words, line = 1;
    for (; (words = next_line(&text, host, group)) >= 0; line++)
        if (words == 1 || words > 2)
            return message_set(error, "invalid --groups file, line %d: expected HOST GROUP", line);
    return 0;
}

/* Returns true if the names are equal, or equal up to the first dot if one has no domain. */
static bool same_host(const char *a, const char *b)
{
    size_t short_a = strcspn(a, "."), short_b = strcspn(b, ".");
    return strcmp(a, b) == 0 ||
           (short_a == short_b && strncmp(a, b, short_a) == 0 && (!a[short_a] || !b[short_b]));
}

void switches_find(const char *text, const char *host, char group[FABRIC_NAME_SIZE])
{
    char name[FABRIC_HOST_SIZE], its[FABRIC_NAME_SIZE];
    int words;
    strcpy(group, "-");
    while ((words = next_line(&text, name, its)) >= 0)
        if (words == 2 && same_host(name, host))
            memcpy(group, its, sizeof its);
}

void switches_slurm(const char *address, const char *pattern, const char *host, char group[FABRIC_NAME_SIZE])
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
