/* Command-line options as a table, which drives parsing, --help and the settings in the protocol. Options
 * follow the GNU conventions; long options may also start with a single dash, as in b_eff and IMB. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/metadata.h"
#include "common/text.h"

enum option_kind {
    OPTION_FLAG, /* bool; takes no value; if the row has an argument, a value of OPTION_SWITCH may follow */
    OPTION_HELP, /* const char *: the word after the option, "" without a word, NULL without the option */
    OPTION_INTEGER, /* int64_t in [min, max] */
    OPTION_REAL,    /* double in [min, max] */
    OPTION_SECONDS, /* double in [min, max]: seconds; s, m (minutes) or h may follow the number */
    OPTION_PERCENT, /* double: a percentage in [min, max], which % may follow, as a share */
    OPTION_SEED,    /* uint64_t; "random" draws one */
    OPTION_CHOICE,  /* int: index into `choices` */
    OPTION_TEXT,    /* const char *, NULL if not given; points into argv */
    OPTION_SWITCH,  /* bool: on or off, yes or no, true or false, enable or disable, 1 or 0 */
    OPTION_NUMBERS, /* struct option_numbers: up to `parts` numbers separated by `separator` */
    OPTION_WORDS,   /* struct texts: words separated by commas */
    OPTION_PATHS,   /* struct texts: each occurrence adds its value verbatim, commas included */
    OPTION_TAGGED   /* struct texts, shared by several options: each occurrence adds "NAME=VALUE" */
};

enum { OPTION_MAX_PARTS = 4 };

/* The numbers of one option, such as "1000,40,100" or "2x3". */
struct option_numbers {
    int given; /* number of values on the command line; the other values are the defaults */
    double value[OPTION_MAX_PARTS];
};

struct option_row {
    const char *name; /* without dashes; a single letter is a short option */
    enum option_kind kind;
    size_t offset;        /* offset of the member in the settings */
    const char *argument; /* name of the value in the help */
    const char *help;     /* description without the default, which the help adds from the settings */
    double min, max;
    const char *const *choices; /* NULL-terminated */
    const char *title;          /* heading of the group that starts with this row in the help */
    unsigned in_parts;          /* bit i: part i of the program has the option; 0: all parts */
    unsigned uses;              /* bits of enum metadata_use */
    bool hidden;                /* not listed in the help */
    const char *not_valid; /* the help adds that the result is then NOT VALID for comparison: "" always, or a
                              condition, such as "if below 30"; NULL: the option does not affect this */

    /* OPTION_NUMBERS only */
    char separator;
    int parts;
    bool whole; /* accepts whole numbers only */
    double defaults[OPTION_MAX_PARTS];
};

/* A part of a program, with its own name and options. */
struct option_part {
    const char *name;  /* name of the program that consists of this part only: "IMB-MPI1" */
    const char *notes; /* printed after the notes of the table; NULL: none */
    bool any_case;     /* names of options may be in upper or lower case */
};

struct option_table {
    const char *program;
    const char *purpose;           /* one sentence */
    const char *synopsis;          /* usage, after the program's name */
    const char *notes;             /* printed after the options: exit status, files */
    const struct option_row *rows; /* options of all parts */
    size_t count;
    const struct option_row *arguments; /* row for positional arguments, OPTION_WORDS or OPTION_PATHS; NULL if
                                           the program has none */
    bool single_dash;                   /* help and messages write -name instead of --name */
    const struct option_part *parts;    /* ends with a part without a name; NULL: the program has no parts */
    size_t part;                        /* offset in the settings of the int with the part's number */
    const char *part_word;              /* name of a part in the usage: "COMPONENT" */
};

/* Returns the number of the part with this name. Case does not matter, the prefix up to the first dash may be
 * missing, and the name may be a word of a longer one ("IMB-MPI1", "mpi1", "mpitests-IMB-MPI1-fj"). If no
 * part has the name, returns the number of the row that ends the parts. */
int options_find_part(const struct option_table *table, const char *name);

/* Returns the name of the part that the settings select, or the program's name if they select none. */
const char *options_program(const struct option_table *table, const void *settings);

/* Parses a command line into `settings`, which must contain the defaults (except those of OPTION_NUMBERS,
 * which are in their rows). The program's name or the first argument names the part. If an option is
 * repeated, the last value counts, except for OPTION_PATHS and OPTION_TAGGED. If -help, --help or -h occurs,
 * all other options are ignored. Abbreviations are refused. */
int options_parse(const struct option_table *table, int argc, char *const *argv, void *settings,
                  struct message *error);

/* Frees the lists in the settings. */
void options_free(const struct option_table *table, void *settings);

/* Prints the help of the part that the settings select; if they select none of several parts, no options are
 * listed. If `topic` names an option, only its help is printed. `defaults`: settings before parsing. */
int options_help(const struct option_table *table, const void *defaults, const void *settings,
                 const char *topic, FILE *out, struct message *error);

/* Returns true if a protocol records the option: the selected part has it, and it is not another spelling of
 * an earlier option. */
bool option_is_kept(const struct option_table *table, const struct option_row *row, const void *settings);

/* Returns the value of one option as text, to be freed; "" if it has none. */
char *option_value(const struct option_row *row, const void *settings);

#endif
