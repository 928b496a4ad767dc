/* Command-line options as a table: parsing, --help and the settings in the protocol are all
 * made from it. GNU conventions; single-dash long options are accepted too, as the peers have them. Pure. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/metadata.h"
#include "common/text.h"

enum option_kind {
    OPTION_FLAG,    /* bool: no value; with an argument in the row: on or off, as OPTION_SWITCH */
    OPTION_HELP,    /* const char *, NULL if not given: the word behind it, or ""; see options_parse() */
    OPTION_INTEGER, /* int64_t in [min, max] */
    OPTION_REAL,    /* double in [min, max] */
    OPTION_SEED,    /* uint64_t, or the word "random": drawn once */
    OPTION_CHOICE,  /* int: index into `choices` */
    OPTION_TEXT,    /* const char *, NULL if not given; points into argv */
    OPTION_SWITCH,  /* bool: on or off, or yes, true, enable, 1 and so on */
    OPTION_NUMBERS, /* struct option_numbers: up to `parts` numbers with `separator` between them */
    OPTION_WORDS,   /* struct texts: words with commas between them */
    OPTION_PATHS,   /* struct texts: each verbatim, commas included; an option adds one each time */
    OPTION_TAGGED /* struct texts: each adds "NAME=VALUE"; several options share the texts, in their order */
};

enum { OPTION_MAX_PARTS = 4 };

/* Numbers that one option takes together, as "1000,40,100" or "2x3". */
struct option_numbers {
    int given;                      /* how many were; the others have their defaults */
    double value[OPTION_MAX_PARTS]; /* whole ones are exact */
};

struct option_row {
    const char *name; /* without dashes; one letter: a short option */
    enum option_kind kind;
    size_t offset;        /* of the field in the settings */
    const char *argument; /* its name in the help */
    const char *help;     /* without the default, which is added from the settings */
    double min, max;
    const char *const *choices; /* NULL-terminated */
    const char *title;          /* heads this row and those after it in the help; NULL: they go on */
    unsigned in_parts;          /* bits: the parts of the program that have it; 0: all */
    unsigned uses;              /* as metadata: METADATA_DEFINES and others of enum metadata_use */

    /* Of OPTION_NUMBERS. */
    char separator;
    int parts;
    bool whole; /* whole numbers only */
    double defaults[OPTION_MAX_PARTS];
};

/* A part of a program has a name and options of its own. */
struct option_part {
    const char *name;  /* the program's name for this part alone: "IMB-MPI1" */
    const char *notes; /* behind those of the table; NULL: none */
    bool any_case;     /* names of options are taken in any case of letters */
};

struct option_table {
    const char *program;
    const char *purpose;           /* one sentence */
    const char *synopsis;          /* what follows the program's name */
    const char *notes;             /* after the options: exit status, files */
    const struct option_row *rows; /* of all parts of the program */
    size_t count;
    const struct option_row *arguments; /* OPTION_WORDS, OPTION_PATHS: takes positional arguments; NULL: none
                                           is taken */
    bool single_dash;                   /* help and messages write -name, not --name */
    const struct option_part *parts;    /* up to one without a name; NULL: the program has no parts */
    size_t part;                        /* offset of the int in the settings that says which one it is */
    const char *part_word;              /* what the help calls a part: "COMPONENT" */
};

/* Returns the number of the part that has this name, in any case of letters and with or without what precedes
 * its first dash ("IMB-MPI1", "mpi1"). If none has, the number is that of the last row, which has no name. */
int options_find_part(const struct option_table *table, const char *name);

/* Returns the name of the part that the settings are of, or else of the program. */
const char *options_program(const struct option_table *table, const void *settings);

/* Fills `settings` (which hold the defaults, but for OPTION_NUMBERS, whose defaults are in their rows) from
 * the command line. The part is named by the program or by the first argument. The last of several equal
 * options wins. Where -help, --help or -h occurs, no other option is looked at. Returns 0, or -1 with one
 * line that names the culprit and says what is allowed. */
int options_parse(const struct option_table *table, int argc, char *const *argv, void *settings,
                  struct message *error);

/* Returns the value that a command line gives to an option, without looking at anything else; "" if it gives
 * none. For what must be known before the command line can be parsed. */
const char *options_scan(int argc, char *const *argv, const char *name);

/* Frees the words in the settings. */
void options_free(const struct option_table *table, void *settings);

/* Prints the help of the part that the settings are of (without a part, no options); if `topic` names an
 * option, only the help of that option. `defaults` are the settings before parsing. Returns 0, or -1 with one
 * line if there is no such option.
 */
int options_help(const struct option_table *table, const void *defaults, const void *settings,
                 const char *topic, FILE *out, struct message *error);

/* Whether a protocol keeps it: the part that the settings are of has it, and it is no other spelling of an
 * option before it. */
bool option_is_kept(const struct option_table *table, const struct option_row *row, const void *settings);

/* Sets one option from text, as the command line does. Returns 0, or -1 with a message in `error`. */
int option_set(const struct option_table *table, const struct option_row *row, const char *value,
               void *settings, struct message *error);

/* Returns the value of one option as text, to be freed; "" if none is set. */
char *option_value(const struct option_row *row, const void *settings);

#endif
