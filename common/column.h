/* Columns: members of a struct with their name, unit, kind and range. The records of run.prot, tables and
 * IMB's output are written and read by them. */
#ifndef COMMON_COLUMN_H
#define COMMON_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

enum column_kind {
    COLUMN_TEXT,    /* const char *, only in tables; "": no value */
    COLUMN_WORD,    /* char[size]; "": no value; in run.prot printable ASCII without spaces */
    COLUMN_CHOICE,  /* int64_t, a number of `words`, from 0; negative: no value */
    COLUMN_INTEGER, /* int64_t; less than `min`: no value */
    COLUMN_REAL     /* double; NaN, or less than `min`: no value */
};

/* Size of most words of run.prot, and size of the name of a host. */
enum { COLUMN_WORD_SIZE = 32, COLUMN_HOST_SIZE = 65 };

/* Maximum of every number in a record. Floating-point numbers represent all whole numbers up to this one
 * exactly. */
#define COLUMN_MAX 0x1p53

/* The part that a column has in comparing tables of several runs. */
enum column_role {
    COLUMN_SHOWN,  /* none */
    COLUMN_KEY,    /* its cells identify the row */
    COLUMN_SIZE,   /* its cells are the message or chunk size of the row, but do not identify it */
    COLUMN_HIGHER, /* its cells are compared; higher is better */
    COLUMN_LOWER   /* its cells are compared; lower is better */
};

struct column {
    const char *name; /* in run.prot, heading of a table, key in JSON */
    const char *unit; /* "" for none; in a record, the documents state it */
    enum column_kind kind;
    int digits;    /* decimals of a real in text */
    size_t offset; /* offset of the member in the record or in the table's row */
    double factor; /* converts the member's unit to the column's unit; 0 means 1 */
    enum column_role role;
    double min; /* minimum of a number */
    double max; /* maximum of a number in a record; the reader refuses numbers outside of this range */
    /* No result needs the column of the record. If a file does not have it, its reals are NaN, its whole
     * numbers and choices -1, and its words "". A field "-" has no value either, unless it is a word. */
    bool optional;
    size_t size;              /* bytes of a word of run.prot */
    const char *const *words; /* of a choice, NULL last */
};

/* Initialises the column for the record's member of the same name. */
#define COLUMN_OF(record, type, member, least, most, is_optional)                                            \
    {                                                                                                        \
        .name = #member, .kind = COLUMN_##type, .offset = offsetof(struct record, member), .min = least,     \
        .max = most, .optional = is_optional, .size = sizeof(((struct record *)0)->member)                   \
    }

/* Initialises the column for the record's member of the same name, a choice. */
#define COLUMN_OF_WORDS(record, member, list)                                                                \
    {                                                                                                        \
        .name = #member, .kind = COLUMN_CHOICE, .offset = offsetof(struct record, member), .words = list     \
    }

/* Returns true if the column holds texts, words or choices. */
static inline bool column_is_text(const struct column *column)
{
    return column->kind <= COLUMN_CHOICE;
}

/* Return the member of a record or row as a number in the column's unit (NaN if there is no value, or if it
 * is a text), and as a text ("" if it is a number). */
double column_number(const struct column *column, const void *row);
const char *column_text(const struct column *column, const void *row);

#endif
