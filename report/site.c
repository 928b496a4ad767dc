#include "report/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "beff/record.h"
#include "common/memory.h"
#include "common/space.h"

/* The keys, each with its comment. Only the comments and site_fill() know what a key means. */
#define ROWS(ROW)                                                                                            \
    ROW(machine, "name of the machine in lists")                                                             \
    ROW(institution, "who runs the machine, and where")                                                      \
    ROW(contact, "who answers questions about this file")                                                    \
    ROW(date, "when the first run started")                                                                  \
    ROW(status, "production (open to its users as measured) or research")                                    \
    ROW(run, "base (default settings) or tuned")                                                             \
    ROW(tuned, "what differs from the defaults of the system, the MPI and the run; none")                    \
    ROW(reproducible, "what others can get: software, machine, values (all three, some, or none)")           \
    ROW(nodes, "nodes of the runs, and of the whole machine")                                                \
    ROW(processors, "of a node: number and model")                                                           \
    ROW(gpus, "of a node: number and model; none")                                                           \
    ROW(adapters, "network adapters of a node: number, model and rate")                                      \
    ROW(topology, "of the network, such as fat tree or dragonfly")                                           \
    ROW(taper, "uplinks for each downlink of a leaf switch, such as 1:1 or 1:2")                             \
    ROW(mpi, "name and version")                                                                             \
    ROW(mpi_build, "package, or configure options, with the libraries below MPI")                            \
    ROW(storage, "for beff_io: file system, servers, media")

#define KEY(key, comment)     [SITE_##key] = #key,
#define COMMENT(key, comment) [SITE_##key] = comment,
#define NUMBER(key, comment)  SITE_##key,
enum { ROWS(NUMBER) SITE_COUNT };
_Static_assert((int)SITE_COUNT == (int)SITE_KEYS, "SITE_KEYS is the number of rows");
const char *const site_keys[SITE_KEYS] = {ROWS(KEY)};
static const char *const comments[SITE_KEYS] = {ROWS(COMMENT)};

/* Returns the network interfaces of rank 0's node. */
static char *adapters_of(const struct protocol *p)
{
    static const char lead[] = "interface ";
    char all[1024] = "";
    const char *line;
    for (size_t i = 0; (line = protocol_next(p, "environment", &i));)
        if (strncmp(line, lead, strlen(lead)) == 0)
            text_append(all, sizeof all, "%s%s", *all ? "; " : "", line + strlen(lead));
    return memory_text(all);
}

static const char *gpu_of(const struct report *run)
{
    size_t count = 0;
    const struct space_place *place =
        run->protocol.type == &beff_record_type ? protocol_table(&run->protocol, BEFF_GPUS, &count) : NULL;
    return count ? place->name : "";
}

void site_fill(struct site *site, const struct report *runs, size_t count)
{
    static const char *const from[SITE_KEYS] = {[SITE_date] = "started",
                                                [SITE_nodes] = "nodes",
                                                [SITE_processors] = "cpu",
                                                [SITE_mpi] = "mpi",
                                                [SITE_storage] = "storage_type"};
    bool valid = true;
    for (size_t i = 0; i < count; i++)
        valid &= sheet_valid(runs[i].sheet);
    for (int k = 0; k < SITE_KEYS; k++) {
        const char *value = k == SITE_run && valid ? "base" : "";
        for (size_t i = 0; i < count && !*value; i++)
            value = k == SITE_gpus ? gpu_of(&runs[i]) : from[k] ? report_meta(&runs[i], from[k]) : "";
        site->value[k] = k == SITE_adapters ? adapters_of(&runs[0].protocol) : memory_text(value);
    }
}

char *site_text(const struct site *site)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fputs("# About the machine, for beff_report pack and rank --table (docs/submitting.md has the rules).\n"
          "# Fill in the empty values. The other values come from the runs: correct them if needed.\n",
          out);
    for (int k = 0; k < SITE_KEYS; k++) {
        fprintf(out, "\n# %s\n%s: \"", comments[k], site_keys[k]);
        for (const char *c = site->value[k]; *c; c++)
            fprintf(out, "%s%c", strchr("\"\\", *c) ? "\\" : "", *c);
        fputs("\"\n", out);
    }
    memory_stream_end(out);
    return text;
}

/* Returns the value at the start of a line, in quotes or up to a comment; NULL if its quote does not end. */
static char *value_of(const char *text)
{
    text += strspn(text, " \t");
    bool quoted = *text == '"';
    char *value = memory_text(text + quoted), *to = value;
    const char *c = value;
    for (; *c && *c != '\n' && (quoted ? *c != '"' : strncmp(c, " #", 2) != 0); c++) {
        c += quoted && *c == '\\' && c[1];
        *to++ = *c;
    }
    bool open = quoted && *c != '"';
    while (!quoted && to > value && strchr(" \t\r", to[-1]))
        to--;
    *to = 0;
    text_clean(value);
    if (!open)
        return value;
    free(value);
    return NULL;
}

int site_read(struct site *site, const char *path, struct message *error)
{
    char *line = NULL;
    size_t room = 0;
    int failed = 0;
    FILE *file = fopen(path, "r");
    *site = (struct site){{NULL}};
    if (!file)
        return message_set(error, "%.300s cannot be read: %s", path, strerror(errno));
    for (int number = 1; !failed && getline(&line, &room, file) > 0; number++) {
        char *key = line + strspn(line, " \t"), *colon = strchr(line, ':'), *value = NULL;
        if (strchr("#\r\n", *key))
            continue;
        if (colon) {
            *colon = 0;
            value = value_of(colon + 1);
        }
        int k = colon ? text_find(site_keys, SITE_KEYS, key) : SITE_KEYS;
        if (!value || k == SITE_KEYS) {
            failed = message_set(error,
                                 "%.200s:%d: invalid line: expected a key of the questionnaire and a value: "
                                 "%s: \"...\"",
                                 path, number, k == SITE_KEYS ? "machine" : site_keys[k]);
            free(value);
        } else {
            free(site->value[k]);
            site->value[k] = value;
        }
    }
    for (int k = 0; k < SITE_KEYS; k++)
        site->value[k] = site->value[k] ? site->value[k] : memory_text("");
    free(line);
    fclose(file);
    return failed;
}

char *site_missing(const struct site *site)
{
    char all[512] = "";
    for (int k = 0; k < SITE_KEYS; k++)
        if (!*site->value[k])
            text_append(all, sizeof all, "%s%s", *all ? ", " : "", site_keys[k]);
    return memory_text(all);
}

void site_free(struct site *site)
{
    for (int k = 0; k < SITE_KEYS; k++)
        free(site->value[k]);
    *site = (struct site){{NULL}};
}
