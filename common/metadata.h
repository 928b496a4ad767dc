/* The metadata of a protocol: one row for each key says what its value is, and how reports use it. A program
 * has its own rows, those of all programs (metadata_common), and one for each of its options. Pure. */
#ifndef COMMON_METADATA_H
#define COMMON_METADATA_H

#include <stdbool.h>
#include <stddef.h>

struct option_table;

enum metadata_kind {
    METADATA_TEXT,
    METADATA_INTEGER, /* a whole number */
    METADATA_REAL,
    METADATA_NUMBER, /* a number, or words that say why there is none */
    METADATA_YES,    /* yes or no */
    METADATA_LABEL   /* LABEL=VALUE */
};

/* How reports use a key, as bits. */
enum metadata_use {
    METADATA_REPEATS = 1 << 0,  /* it may occur several times, with different values */
    METADATA_REQUIRED = 1 << 1, /* every run has it */
    METADATA_DEFINES = 1 << 2,  /* it defines what was measured: runs that differ do not compare */
    METADATA_SIZES = 1 << 3,    /* the same, if the memory per process was given */
    METADATA_SYSTEM = 1 << 4,   /* it identifies the part of the system that was measured: runs that differ do
                                   not compare */
    METADATA_MACHINE = 1 << 5,  /* it identifies the machine: runs that differ are of two systems */
    METADATA_HOST = 1 << 6,     /* the same, unless --any-host */
    METADATA_EXPLAINS = 1 << 7  /* its change may explain a different result */
};

struct metadata_row {
    const char *key;
    enum metadata_kind kind;
    unsigned uses;    /* bits of enum metadata_use */
    const char *unit; /* NULL: none */
    const char *help; /* one line */
};

struct metadata {
    const struct metadata_row *rows;
    size_t count;
    const struct option_table *options; /* NULL: none */
};

extern const struct metadata metadata_common;

#define OPTION_KEY "option_" /* prefix of an option's name in the metadata */

/* Returns the row of a key: the program's own, one made from its option, or the common one. `key` is NULL if
 * there is none. `metadata` NULL: only the common rows. */
struct metadata_row metadata_find(const struct metadata *metadata, const char *key);

/* Returns NULL if a value is of this kind, or else the words for what was expected. */
const char *metadata_expected(enum metadata_kind kind, const char *value);

/* Returns true if values of this kind are numbers in JSON, as far as they are numbers. */
bool metadata_is_number(enum metadata_kind kind);

#endif
