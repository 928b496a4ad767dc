/* The keys of a protocol's metadata, which protocols/run.schema.json describes. The row of a key states the
 * kind of its value and how reports use it.
 * Each program has its own rows, the rows of all programs (metadata_common), and a row for each option. */
#ifndef COMMON_METADATA_H
#define COMMON_METADATA_H

#include <stdbool.h>
#include <stddef.h>

struct option_table;

enum metadata_kind {
    METADATA_TEXT,
    METADATA_INTEGER, /* a whole number from 0 */
    METADATA_SIGNED,  /* a whole number */
    METADATA_REAL,
    METADATA_NUMBER, /* a number, or words that explain why there is none */
    METADATA_YES,    /* yes or no */
    METADATA_ANSWER, /* yes, no or unknown */
    METADATA_LABEL   /* LABEL=VALUE */
};

/* How reports use a key, as bits. */
enum metadata_use {
    METADATA_REPEATS = 1 << 0,  /* it may occur several times, with different values */
    METADATA_REQUIRED = 1 << 1, /* every run has it */
    METADATA_DEFINES = 1 << 2,  /* it defines the measurement: runs that differ in it are not comparable */
    METADATA_SIZES = 1 << 3,    /* as METADATA_DEFINES, if the memory per process was given */
    METADATA_SYSTEM = 1 << 4, /* it identifies the measured part of the system: sides that differ in it can be
                                 ranked, but not compared, and runs of one side must not differ in it */
    METADATA_MACHINE = 1 << 5, /* it identifies the machine: runs of one side must not differ in it */
    METADATA_EXPLAINS = 1 << 6 /* a change in it may explain a different result */
};

struct metadata_row {
    const char *key;
    enum metadata_kind kind;
    unsigned uses;      /* bits of enum metadata_use */
    const char *absent; /* value of a run that lacks the key, for comparisons; NULL: unset */
};

struct metadata {
    const struct metadata_row *rows;
    size_t count;
    const struct option_table *options; /* NULL: none */
};

extern const struct metadata metadata_common;

#define OPTION_KEY "option_" /* prefix of an option's name in the metadata */

/* Returns the row of a key, from the program's rows, the common rows or the program's options, in this order.
 * If no row has the key, the member `key` of the result is NULL. If `metadata` is NULL, only the common rows
 * are searched. */
struct metadata_row metadata_find(const struct metadata *metadata, const char *key);

/* Returns NULL if a value is of this kind, otherwise a description of the kind, such as "a whole number". */
const char *metadata_expected(enum metadata_kind kind, const char *value);

/* Returns true if values of this kind become numbers in JSON. */
bool metadata_is_number(enum metadata_kind kind);

#endif
