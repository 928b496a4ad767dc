/* Command-line options as a table: parsing, --help, the manual page and the settings in the protocol are all
 * made from it. GNU conventions; single-dash long options are accepted too, as the peers have them. Pure. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/text.h"

enum option_kind {
    OPTION_FLAG,    /* bool: no value */
    OPTION_INTEGER, /* int64_t in [least, most] */
    OPTION_REAL,    /* double in [least, most] */
    OPTION_SEED,    /* uint64_t, or the word "random": drawn once */
    OPTION_CHOICE,  /* int: index into `choices` */
    OPTION_TEXT     /* const char *, NULL if not given; points into argv */
};

struct option_row {
    const char *name; /* without dashes; one letter: a short option */
    enum option_kind kind;
    size_t offset;        /* of the field in the settings */
    const char *argument; /* its name in the help */
    const char *help;     /* without the default, which is added from the settings */
    double least, most;
    const char *const *choices; /* NULL-terminated */
};

struct option_table {
    const char *program;
    const char *purpose;  /* one sentence */
    const char *synopsis; /* what follows the program's name */
    const char *notes;    /* after the options: exit status, files */
    const struct option_row *rows;
    size_t count;
};

/* Fills `settings` (which hold the defaults) from the command line. Arguments that are no options are
 * refused. Returns 0, or -1 with one line that names the culprit and says what is allowed. */
int options_parse(const struct option_table *table, int argc, char *const *argv, void *settings,
                  struct message *error);

/* `defaults` are the settings before parsing. */
void options_help(const struct option_table *table, const void *defaults, FILE *out);

/* The manual page, section 1, in man's macros. */
void options_man(const struct option_table *table, const void *defaults, const char *version, FILE *out);

/* The value of one option as text ("" where none is set), in memory of its own; NULL when out of memory. */
char *option_value(const struct option_row *row, const void *settings);

#endif
