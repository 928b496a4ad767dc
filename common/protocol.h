/* The protocol: metadata, raw records and results of one run, in memory and in its file run.prot.
 * The format is described in protocols/README.md. An engine gives its record as a C struct and a table of
 * columns; writer, reader and JSON output work from that table. Pure. */
#ifndef COMMON_PROTOCOL_H
#define COMMON_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/metadata.h"
#include "common/text.h"

#define PROTOCOL_FORMAT "beff-protocol-1"

enum column_kind {
    COLUMN_TEXT,    /* char[COLUMN_TEXT_SIZE]; no blanks or control characters */
    COLUMN_INTEGER, /* int64_t */
    COLUMN_REAL     /* double */
};

enum { COLUMN_TEXT_SIZE = 32 };

struct column {
    const char *name;
    enum column_kind kind;
    size_t offset; /* of the field in the engine's record */
};

/* The column of a record's member of the same name. */
#define COLUMN_OF(record, kind, name)                                                                        \
    {                                                                                                        \
#name, COLUMN_##kind, offsetof(struct record, name)                                                  \
    }

struct record_type {
    const char *program; /* the `program` of the metadata */
    const struct column *columns;
    size_t column_count;
    size_t size;                     /* of one record in bytes */
    const struct metadata *metadata; /* the keys of the program; NULL: any key can be written */
};

/* Lines of the file are counted from 1; 0: not from a file. */
struct protocol_pair {
    char *key, *value;
    size_t line;
    size_t next; /* number of the next one of this key; 0: none */
};

struct protocol_result {
    char *name;
    double value;
    char *unit;
    size_t line;
};

struct protocol {
    const struct record_type *type;
    struct protocol_pair *meta;
    size_t meta_count;
    void *keys;    /* tree of the keys, so that files of many are read in time */
    char *records; /* record_count structs of type->size bytes each */
    size_t record_count;
    struct protocol_result *results;
    size_t result_count;
    char *end; /* "complete" or "partial (reason)"; NULL while it is open */

    /* Reader only. */
    size_t *record_lines; /* of each record */
    size_t lines;         /* of the file, as far as it was read */

    /* Writer only. */
    FILE *file;
    char *path; /* of the file, for messages */
    uint64_t checksum;
    struct message error; /* why a write failed, until protocol_error() reports it; "": none did */
};

/* Opens the file, which must not exist unless `replace`, and starts an empty protocol; without a path it is
 * in memory alone. */
int protocol_create(struct protocol *protocol, const char *path, bool replace, const struct record_type *type,
                    struct message *error);

/* Writing works as with stdio: these functions return nothing, and protocol_error() says whether a write has
 * failed. After a failure the file is closed, and everything that follows is kept in memory only. */

/* Adds `#: key = value`; control characters in the value become spaces. Keys may come after records, too. A
 * key that is not in the type's metadata, or a value that is not of its kind, is an error of writing. */
void protocol_meta(struct protocol *protocol, const char *key, const char *value);

/* The same with a formatted value. */
void protocol_put(struct protocol *protocol, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds one record and flushes it to the file system. */
void protocol_record(struct protocol *protocol, const void *record);

/* Adds `#: result name = value unit`; the value reads back exactly. */
void protocol_result(struct protocol *protocol, const char *name, double value, const char *unit);

/* Writes the end line and the checksum and closes the file; the protocol stays in memory. */
void protocol_end(struct protocol *protocol, const char *how);

/* Returns 0, or -1 with a message if a write has failed. A failure is reported once. */
int protocol_error(struct protocol *protocol, struct message *error);

/* Bytes of a line, its end included, and of a file; what is longer is refused. (A command line can be long.)
 */
enum { PROTOCOL_MAX_LINE = 16 << 20, PROTOCOL_MAX_FILE = 1 << 30, PROTOCOL_MAX_RESULTS = 1000 };

/* Opens a file that anybody may have made: a regular one of at most `max` bytes. NULL with one line, and
 * errno where the system has a reason, else 0. */
FILE *protocol_open(const char *path, off_t max, struct message *error);

/* Reads a whole file. A protocol cut short (no end line, an unfinished last line) reads as far as it goes,
 * with end == NULL. Anything else that does not fit is an error naming file, line and reason. `types` lists
 * the record types that are known, NULL last; the `program` of the file selects one. Memory: in proportion to
 * the file's size, at most. Where the checksum is wrong, `damage` gets the line that says so, else "", and
 * reading goes on; NULL: that is an error, too. */
int protocol_read(struct protocol *protocol, const char *path, const struct record_type *const *types,
                  struct message *damage, struct message *error);

/* Whether the run came to its end. */
bool protocol_is_complete(const struct protocol *protocol);

/* The value of a metadata key (the last one if it is repeated); NULL if it is missing. */
const char *protocol_get(const struct protocol *protocol, const char *key);

/* The same: "unknown" if it is missing; as a number, NaN if it is none; whether it is this. */
const char *protocol_text(const struct protocol *protocol, const char *key);
double protocol_number(const struct protocol *protocol, const char *key);
bool protocol_is(const struct protocol *protocol, const char *key, const char *value);

/* The same as a whole number; false if it is missing, no number, or not from `min` to `max`. */
bool protocol_integer(const struct protocol *protocol, const char *key, int64_t min, int64_t max,
                      int64_t *value);

/* The next value of a key that may be repeated: from number `i` of the metadata on, which goes to the one
 * behind it; NULL after the last. */
const char *protocol_next(const struct protocol *protocol, const char *key, size_t *i);

/* Returns true if number `i` of the metadata is the first one of its key. */
bool protocol_is_first(const struct protocol *protocol, size_t i);

/* Record number `i`. */
const void *protocol_at(const struct protocol *protocol, size_t i);

void protocol_free(struct protocol *protocol);

#endif
