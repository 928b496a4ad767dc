/* Table-driven options on top of getopt_long_only. Uses the C library alone. */
#include "common/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char *dashes(const struct option_row *row)
{
    return row->name[1] ? "--" : "-";
}

static int bad_value(const struct option_row *row, const char *value, const char *allowed,
                     struct message *error)
{
    return message_set(error, "%s%s: \"%.80s\" is not allowed: it takes %s", dashes(row), row->name, value,
                       allowed);
}

static int set_number(const struct option_row *row, const char *value, void *field, struct message *error)
{
    bool whole = row->kind == OPTION_INTEGER;
    char *rest, allowed[96];
    snprintf(allowed, sizeof allowed, "a%s number from %.15g to %.15g", whole ? " whole" : "", row->least,
             row->most);
    errno = 0;
    int64_t integer = whole ? strtoll(value, &rest, 10) : 0;
    double real = whole ? (double)integer : strtod(value, &rest);
    if (rest == value || *rest || errno || !(real >= row->least && real <= row->most))
        return bad_value(row, value, allowed, error);
    if (whole)
        *(int64_t *)field = integer;
    else
        *(double *)field = real;
    return 0;
}

static int set_seed(const struct option_row *row, const char *value, uint64_t *seed, struct message *error)
{
    if (strcmp(value, "random") == 0) {
        if (getrandom(seed, sizeof *seed, 0) != sizeof *seed)
            return bad_value(row, value, "a number: this system gave no random one", error);
        *seed >>= 1; /* so that it can be typed in again as a plain number anywhere */
        return 0;
    }
    char *rest;
    errno = 0;
    uint64_t number = strtoull(value, &rest, 10);
    if (rest == value || *rest || errno || strchr(value, '-') || number > INT64_MAX)
        return bad_value(row, value, "a whole number from 0 to 9223372036854775807, or random", error);
    *seed = number;
    return 0;
}

static int set_choice(const struct option_row *row, const char *value, int *choice, struct message *error)
{
    char allowed[128] = "one of";
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], value) == 0) {
            *choice = i;
            return 0;
        }
        strncat(allowed, " ", sizeof allowed - strlen(allowed) - 1);
        strncat(allowed, row->choices[i], sizeof allowed - strlen(allowed) - 1);
    }
    return bad_value(row, value, allowed, error);
}

static int set_option(const struct option_row *row, const char *value, void *settings, struct message *error)
{
    void *field = (char *)settings + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case OPTION_INTEGER:
    case OPTION_REAL:
        return set_number(row, value, field, error);
    case OPTION_SEED:
        return set_seed(row, value, field, error);
    case OPTION_CHOICE:
        return set_choice(row, value, field, error);
    case OPTION_TEXT:
        if (!*value)
            return bad_value(row, value, "a text that is not empty", error);
        *(const char **)field = value;
        return 0;
    }
    return -1;
}

enum { FIRST_LONG = 256, MOST_OPTIONS = 96 };

/* Fills getopt's own two descriptions of the options from the table. */
static void describe(const struct option_table *table, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* tell a missing value from an unknown option */
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];
        if (!row->name[1]) {
            *shorts++ = row->name[0];
            if (row->kind != OPTION_FLAG)
                *shorts++ = ':';
        }
        *longs++ = (struct option){row->name, row->kind == OPTION_FLAG ? no_argument : required_argument,
                                   NULL, FIRST_LONG + (int)i};
    }
    *shorts = 0;
    *longs = (struct option){0};
}

static const struct option_row *find_row(const struct option_table *table, int code)
{
    if (code >= FIRST_LONG && code < FIRST_LONG + (int)table->count)
        return &table->rows[code - FIRST_LONG];
    for (size_t i = 0; i < table->count; i++)
        if (!table->rows[i].name[1] && table->rows[i].name[0] == code)
            return &table->rows[i];
    return NULL;
}

static int refuse(const struct option_table *table, int code, const char *culprit, struct message *error)
{
    const struct option_row *row = find_row(table, optopt);
    if (row && code == ':')
        return message_set(error, "%s%s: a value is missing (%s)", dashes(row), row->name, row->argument);
    if (row)
        return message_set(error, "%s%s takes no value: \"%.80s\"", dashes(row), row->name, culprit);
    return message_set(error, "option \"%.80s\" is not known or ambiguous (see %s --help)", culprit,
                       table->program);
}

int options_parse(const struct option_table *table, int argc, char *const *argv, void *settings,
                  struct message *error)
{
    struct option longs[MOST_OPTIONS + 1];
    char shorts[2 * MOST_OPTIONS + 2];
    describe(table, longs, shorts);
    char **copy = calloc((size_t)argc + 1, sizeof *copy); /* getopt reorders it */
    if (!copy)
        return message_set(error, "out of memory");
    memcpy(copy, argv, (size_t)argc * sizeof *copy);

    int failed = 0;
    optind = 0;
    opterr = 0;
    while (!failed) {
        int before = optind ? optind : 1;
        int code = getopt_long_only(argc, copy, shorts, longs, NULL);
        if (code == -1)
            break;
        if (code == '?' || code == ':')
            failed = refuse(table, code, copy[before < optind ? optind - 1 : before], error);
        else
            failed = set_option(find_row(table, code), optarg ? optarg : "", settings, error);
    }
    if (!failed && optind < argc)
        failed = message_set(error, "argument \"%.80s\" is no option (see %s --help)", copy[optind],
                             table->program);
    free(copy);
    return failed;
}

char *option_value(const struct option_row *row, const void *settings)
{
    const void *field = (const char *)settings + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return strdup(*(const bool *)field ? "yes" : "no");
    case OPTION_INTEGER:
        return text_format("%" PRId64, *(const int64_t *)field);
    case OPTION_REAL:
        return text_format("%.17g", *(const double *)field);
    case OPTION_SEED:
        return text_format("%" PRIu64, *(const uint64_t *)field);
    case OPTION_CHOICE:
        return strdup(row->choices[*(const int *)field]);
    case OPTION_TEXT:
        return strdup(*(const char *const *)field ? *(const char *const *)field : "");
    }
    return NULL;
}

/* The default as it belongs in the help, NULL where there is none to tell: flags, texts, and numbers whose
 * default lies outside of what may be given (it then means "detected" or "none"). */
static char *shown_default(const struct option_row *row, const void *defaults)
{
    const void *field = (const char *)defaults + row->offset;
    if (row->kind == OPTION_FLAG || row->kind == OPTION_TEXT)
        return NULL;
    double number = row->kind == OPTION_INTEGER ? (double)*(const int64_t *)field
                    : row->kind == OPTION_REAL  ? *(const double *)field
                                                : row->least;
    return number >= row->least ? option_value(row, defaults) : NULL;
}

/* Words of `text` in lines of at most `width` columns that start at column `indent`; `column` is where it
 * starts. */
static void put_wrapped(FILE *out, const char *text, size_t column, size_t indent, size_t width)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column + length + 1 > width && column > indent) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        fprintf(out, "%s%.*s", column > indent ? " " : "", (int)length, text);
        column += length + (column > indent);
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

void options_help(const struct option_table *table, const void *defaults, FILE *out)
{
    const size_t indent = 26, width = 100;
    fprintf(out, "Usage: %s %s\n\n%s\n\nOptions:\n", table->program, table->synopsis, table->purpose);
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];
        char *value = shown_default(row, defaults);
        char *name = text_format("  %s%s%s%s", dashes(row), row->name, row->argument ? " " : "",
                                 row->argument ? row->argument : "");
        char *help = value ? text_format("%s (default %s)", row->help, value) : text_format("%s", row->help);
        if (name && help) {
            fprintf(out, "%-*s", (int)indent, name);
            if (strlen(name) >= indent)
                fprintf(out, "\n%*s", (int)indent, "");
            put_wrapped(out, help, indent, indent, width);
        }
        free(value);
        free(name);
        free(help);
    }
    fprintf(out, "\n%s", table->notes);
}

/* Text for man: a backslash, a dash, and a dot or quote at the start of a line have a meaning of their own.
 */
static void put_roff(FILE *out, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\' || *text == '-')
            fputc('\\', out);
        fputc(*text, out);
        start = *text == '\n';
    }
}

void options_man(const struct option_table *table, const void *defaults, const char *version, FILE *out)
{
    fprintf(out, ".TH %s 1 \"\" \"%s\" \"User Commands\"\n.SH NAME\n%s \\- ", table->program, version,
            table->program);
    put_roff(out, table->purpose);
    fprintf(out, "\n.SH SYNOPSIS\n.B %s\n", table->program);
    put_roff(out, table->synopsis);
    fputs("\n.SH OPTIONS\n", out);
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];
        char *value = shown_default(row, defaults);
        fputs(".TP\n.B ", out);
        put_roff(out, dashes(row));
        put_roff(out, row->name);
        if (row->argument)
            fprintf(out, " \\fI%s\\fR", row->argument);
        fputc('\n', out);
        put_roff(out, row->help);
        if (value)
            fprintf(out, " (default %s)", value);
        fputc('\n', out);
        free(value);
    }
    fputs(".SH NOTES\n.nf\n", out);
    put_roff(out, table->notes);
    fputs(".fi\n", out);
}
