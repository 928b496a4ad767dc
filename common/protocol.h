/* The protocol: metadata, tables of measurements and results of one run, in memory and in the file run.prot.
 * The format is described in protocols/README.md. The first table has the records; ratings follow from it. An
 * engine defines each table by the C struct of a row and its columns; writer, reader and JSON output work
 * from them. */
#ifndef COMMON_PROTOCOL_H
#define COMMON_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/column.h"
#include "common/metadata.h"
#include "common/text.h"

#define PROTOCOL_FORMAT  "beff-protocol-2"
#define PROTOCOL_EARLIER "beff-protocol-1" /* only records; its other measurements are not read */

enum { PROTOCOL_TABLES = 16 }; /* maximum number of tables apart from the records */

/* A table: its name, its columns, and the bytes of a row's struct. */
struct record_table {
    const char *name;
    const struct column *columns;
    size_t column_count, size;
};

/* Initialises a table from the array of its columns and the type of its rows. */
#define RECORD_TABLE(table, array, row)                                                                      \
    {                                                                                                        \
        .name = table, .columns = array, .column_count = sizeof array / sizeof array[0], .size = sizeof(row) \
    }

struct record_type {
    const char *program;    /* value of `program` in the metadata */
    const char *definition; /* the definition that the records follow, such as "beff-1"; NULL: none */
    struct record_table records;
    const struct metadata *metadata; /* the program's keys; NULL: any key can be written */
    /* Returns the bandwidth that follows from the other columns, in MB/s; NULL: not checked. The reader
     * refuses a record with another value in the column `bandwidth`. */
    double (*bandwidth)(const void *record);
    const char
        *earlier; /* another definition, whose records are rated and judged in the same way; NULL: none */
    const struct record_table *tables; /* the other tables; NULL: none */
    size_t table_count;
};

/* The rows of a table: `count` structs. */
struct protocol_rows {
    char *row;
    size_t count;
};

/* One line of metadata. */
struct protocol_pair {
    char *key, *value;
    size_t next;  /* number, from 1, of the next pair with the same key; 0: none */
    bool repeats; /* an earlier pair has the same key */
};

struct protocol_result {
    char *name;
    double value;
    char *unit;
    size_t line; /* of the file, from 1; 0: not read from a file */
};

struct protocol {
    const struct record_type *type;
    struct protocol_pair *meta;
    size_t meta_count;
    void *keys; /* search tree of the keys, so that a file with many keys is read fast */
    struct protocol_rows records, tables[PROTOCOL_TABLES]; /* tables[i] has the rows of type->tables[i] */
    struct protocol_result *results;
    size_t result_count;
    char *end; /* "complete" or "partial (reason)"; NULL without an end line */

    int repetitions; /* the most repetitions of a pass that are rated; 0: all */
    size_t lines;    /* reader only: number of lines read */

    /* Writer only */
    FILE *file;
    char *path;
    size_t bytes; /* written so far */
    uint64_t checksum;
    struct message error; /* reason for a failed write that protocol_error() has not reported; "": none */
};

/* Starts an empty protocol and creates its file, which must not exist unless `replace` is true. If `path` is
 * NULL, the protocol is in memory only. */
int protocol_create(struct protocol *protocol, const char *path, bool replace, const struct record_type *type,
                    struct message *error);

/* The writing functions return nothing. As with ferror() of stdio, protocol_error() reports whether a write
 * has failed. After a failure, the file is closed, and the rest of the protocol is kept in memory only. */

/* Adds metadata, `#: key = value`; control characters in the value become spaces. Metadata may follow
 * records. A key that is not in the type's table, or a value of another kind, counts as a failed write. */
void protocol_meta(struct protocol *protocol, const char *key, const char *value);
void protocol_put(struct protocol *protocol, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a record, and rows of a table of the type, and flush them to the file system. */
void protocol_record(struct protocol *protocol, const void *record);
void protocol_add(struct protocol *protocol, size_t table, const void *rows, size_t count);

/* Adds `#: result name = value unit`; the value reads back exactly. */
void protocol_result(struct protocol *protocol, const char *name, double value, const char *unit);

/* Writes the end line and the checksum, and closes the file. The protocol stays in memory. */
void protocol_end(struct protocol *protocol, const char *how);

/* Returns -1 if a write has failed. Each failure is reported once. */
int protocol_error(struct protocol *protocol, struct message *error);

/* Limits of a file: maximum bytes of a line and of the line of the command with their newlines, maximum bytes
 * of the file, and maximum number of results. */
enum {
    PROTOCOL_MAX_LINE = 1 << 16,
    PROTOCOL_MAX_COMMAND = 1 << 20,
    PROTOCOL_MAX_FILE = 1 << 30,
    PROTOCOL_MAX_RESULTS = 1000
};

/* Reads a file. An error states file, line and reason. A file that was cut short (no end line, an incomplete
 * last line) is not an error; its `end` is NULL. `types` lists the known record types, NULL last; the file's
 * `program` selects one. Other tables and columns, and records of another definition, are ignored. A wrong
 * checksum is an error if `damage` is NULL. Otherwise `damage` gets its message, or "". */
int protocol_read(struct protocol *protocol, const char *path, const struct record_type *const *types,
                  struct message *damage, struct message *error);

/* Return true if the protocol follows a definition of its type, and if the run was completed. */
bool protocol_is_known(const struct protocol *protocol);
bool protocol_is_complete(const struct protocol *protocol);

/* Return the value of a key (the last one if the key is repeated); if it is missing, NULL and "unknown". */
const char *protocol_get(const struct protocol *protocol, const char *key);
const char *protocol_text(const struct protocol *protocol, const char *key);

/* Returns the number at the start of a key's value, or NaN if there is none. */
double protocol_number(const struct protocol *protocol, const char *key);

/* Returns true if a key has this value; a missing key has the value "unknown". */
bool protocol_is(const struct protocol *protocol, const char *key, const char *value);

/* Reads the value of a key as a whole number. Returns false if the key is missing, or its value is not a
 * whole number from `min` to `max`. */
bool protocol_integer(const struct protocol *protocol, const char *key, int64_t min, int64_t max,
                      int64_t *value);

/* Returns the values of a key one by one, and then NULL. `*i` must be 0 for the first call, and is then the
 * number of the pair, from 1. */
const char *protocol_next(const struct protocol *protocol, const char *key, size_t *i);

/* Returns the sum of two numbers that are not negative, or INT64_MAX if it is out of range. */
int64_t protocol_sum(int64_t a, int64_t b);

/* Returns record number `i`. */
const void *protocol_at(const struct protocol *protocol, size_t i);

/* Returns the rows of a table of the type, and their number in `count`. No rows: not measured. */
const void *protocol_table(const struct protocol *protocol, size_t table, size_t *count);

void protocol_free(struct protocol *protocol);

#endif
