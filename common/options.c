#include "common/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"
#include "common/random.h"

#define NOT_EMPTY "a value that is not empty"

struct target {
    const struct option_table *table;
    const struct option_row *row;
    struct message *error;
};

/* ---- parts ---- */

static int *part_field(const struct option_table *table, const void *settings)
{
    return (int *)(void *)((char *)(uintptr_t)settings + table->part);
}

/* Returns the part that the settings select, or NULL. */
static const struct option_part *part_of(const struct option_table *table, const void *settings)
{
    const struct option_part *part = table->parts ? &table->parts[*part_field(table, settings)] : NULL;
    return part && part->name ? part : NULL;
}

/* Returns true if `name` contains `part` as a word: mpitests-IMB-MPI1 and IMB-MPI1-fj contain IMB-MPI1. */
static bool contains_word(const char *name, const char *part)
{
    const char *at = strcasestr(name, part);
    return at && (at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[strlen(part)]);
}

int options_find_part(const struct option_table *table, const char *name)
{
    int i = 0, found = -1;
    for (; table->parts[i].name; i++) {
        const char *full = table->parts[i].name, *dash = strchr(full, '-');
        if ((contains_word(name, full) || (dash && strcasecmp(name, dash + 1) == 0)) &&
            (found < 0 || strlen(full) > strlen(table->parts[found].name)))
            found = i;
    }
    return found < 0 ? i : found;
}

const char *options_program(const struct option_table *table, const void *settings)
{
    const struct option_part *part = part_of(table, settings);
    return part ? part->name : table->program;
}

static const char *dashes(const struct option_table *table, const struct option_row *row)
{
    return row->name[1] && !table->single_dash ? "--" : "-";
}

static bool belongs(const struct option_table *table, const struct option_row *row, const void *settings)
{
    const struct option_part *part = part_of(table, settings);
    return !part || !row->in_parts || row->in_parts >> (part - table->parts) & 1;
}

static int bad_value(const struct target *target, const char *value, const char *expected)
{
    return message_set(target->error, "invalid %s%s \"%.80s\": expected %s",
                       dashes(target->table, target->row), target->row->name, value, expected);
}

static int set_number(const struct target *target, const char *value, void *field)
{
    const struct option_row *row = target->row;
    bool whole = row->kind == OPTION_INTEGER, seconds = row->kind == OPTION_SECONDS,
         percent = row->kind == OPTION_PERCENT;
    char *rest, expected[160];
    snprintf(expected, sizeof expected, "a%s number from %.15g to %.15g%s", whole ? " whole" : "", row->min,
             row->max,
             seconds   ? ", in seconds, or with s, m or h, such as 5m"
             : percent ? ", in percent"
                       : "");
    errno = 0;
    int64_t integer = whole ? strtoll(value, &rest, 10) : 0;
    double real = whole ? (double)integer : strtod(value, &rest);
    const char *units = seconds ? "smh" : percent ? "%" : "";
    const char *unit = rest > value && *rest && !rest[1] ? strchr(units, *rest) : NULL;
    if (unit && seconds)
        real *= *unit == 'h' ? 3600 : *unit == 'm' ? 60 : 1;
    if (rest == value || (*rest && !unit) || errno || !(real >= row->min && real <= row->max))
        return bad_value(target, value, expected);
    if (whole)
        *(int64_t *)field = integer;
    else
        *(double *)field = percent ? real / 100 : real;
    return 0;
}

static int set_seed(const struct target *target, const char *value, uint64_t *seed)
{
    if (strcmp(value, "random") == 0)
        return random_seed(seed) ? 0
                                 : bad_value(target, value, "a number (the system has no random numbers)");
    char *rest;
    errno = 0;
    uint64_t number = strtoull(value, &rest, 10);
    if (rest == value || *rest || errno || strchr(value, '-') || number > INT64_MAX)
        return bad_value(target, value, "a whole number from 0 to 9223372036854775807, or random");
    *seed = number;
    return 0;
}

static int set_choice(const struct target *target, const char *value, int *choice)
{
    const struct option_row *row = target->row;
    char expected[128] = "one of";
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], value) == 0) {
            *choice = i;
            return 0;
        }
        text_append(expected, sizeof expected, " %s", row->choices[i]);
    }
    return bad_value(target, value, expected);
}

/* Sets `field` to the meaning of a switch word. Returns false if the word is none. */
static bool read_switch(const char *word, bool *field)
{
    /* IMB's spellings of on and off, alternating */
    static const char *const switch_words[] = {"on",    "off",    "yes",     "no", "true",
                                               "false", "enable", "disable", "1",  "0"};
    for (size_t i = 0; i < sizeof switch_words / sizeof switch_words[0]; i++)
        if (strcasecmp(switch_words[i], word) == 0) {
            *field = i % 2 == 0;
            return true;
        }
    return false;
}

static int set_switch(const struct target *target, const char *value, bool *field)
{
    if (read_switch(value, field))
        return 0;
    return bad_value(target, value, "on or off (or yes, true, enable, 1, no, false, disable, 0)");
}

static struct option_numbers default_numbers(const struct option_row *row)
{
    struct option_numbers numbers = {0};
    memcpy(numbers.value, row->defaults, sizeof numbers.value);
    return numbers;
}

static int set_numbers(const struct target *target, const char *value, struct option_numbers *numbers)
{
    const struct option_row *row = target->row;
    const char *at = value;
    *numbers = default_numbers(row);
    while (numbers->given < row->parts) {
        char *rest;
        errno = 0;
        double number = row->whole ? (double)strtoll(at, &rest, 10) : strtod(at, &rest);
        if (rest == at || errno || !(number >= row->min && number <= row->max))
            break;
        numbers->value[numbers->given++] = number;
        at = rest;
        if (!*at)
            return 0;
        if (*at++ != row->separator)
            break;
    }
    char expected[160];
    snprintf(expected, sizeof expected, "%s: %snumbers from %.15g to %.15g%s", row->argument,
             row->whole ? "whole " : "", row->min, row->max,
             isalpha((unsigned char)value[strspn(value, "0123456789.")]) ? ", without a unit" : "");
    return bad_value(target, value, expected);
}

static int add_words(const struct target *target, const char *value, struct texts *words)
{
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        if (!length)
            return bad_value(target, value, *value ? "words separated by single commas" : NOT_EMPTY);
        texts_add(words, "%.*s", (int)length, at);
        at += length;
        if (!*at)
            return 0;
    }
}

static int set_option(const struct target *target, const char *value, void *settings)
{
    const struct option_row *row = target->row;
    void *field = (char *)settings + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return *value ? set_switch(target, value, field) : 0;
    case OPTION_HELP:
        *(const char **)field = value;
        return 0;
    case OPTION_INTEGER:
    case OPTION_REAL:
    case OPTION_SECONDS:
    case OPTION_PERCENT:
        return set_number(target, value, field);
    case OPTION_SEED:
        return set_seed(target, value, field);
    case OPTION_CHOICE:
        return set_choice(target, value, field);
    case OPTION_TEXT:
        if (!*value)
            return bad_value(target, value, NOT_EMPTY);
        *(const char **)field = value;
        return 0;
    case OPTION_SWITCH:
        return set_switch(target, value, field);
    case OPTION_NUMBERS:
        return set_numbers(target, value, field);
    case OPTION_WORDS:
        if (row != target->table->arguments) /* arguments accumulate; an option replaces its earlier value */
            texts_free(field);
        return add_words(target, value, field);
    case OPTION_TAGGED:
        texts_add(field, "%s=%s", row->name, value);
        return 0;
    case OPTION_PATHS:
        if (!*value)
            return bad_value(target, value, NOT_EMPTY);
        texts_add(field, "%s", value);
        return 0;
    }
    return -1;
}

static bool is_list(const struct option_row *row)
{
    return row->kind == OPTION_WORDS || row->kind == OPTION_PATHS || row->kind == OPTION_TAGGED;
}

static bool takes_value(const struct option_row *row)
{
    return row->kind != OPTION_FLAG && row->kind != OPTION_HELP;
}

/* Finds the option that a word names. Sets `value` to the text after "=", or to NULL. */
static const struct option_row *find_row(const struct option_table *table, const void *settings,
                                         const char *word, const char **value)
{
    const struct option_part *part = part_of(table, settings);
    const char *name = word + 1 + (word[1] == '-');
    size_t length = strcspn(name, "=");
    *value = name[length] ? name + length + 1 : NULL;
    for (const struct option_row *row = table->rows; row < table->rows + table->count; row++)
        if (belongs(table, row, settings) && strlen(row->name) == length &&
            (part && part->any_case ? strncasecmp : strncmp)(row->name, name, length) == 0)
            return row;
    return NULL;
}

static int refuse(const struct target *target, const void *settings, const char *word)
{
    const struct option_table *table = target->table;
    char could[200] = "";
    const char *name = word + strspn(word, "-");
    for (size_t i = 0; i < table->count; i++)
        if (*name && belongs(table, &table->rows[i], settings) &&
            strncmp(table->rows[i].name, name, strcspn(name, "=")) == 0)
            text_append(could, sizeof could, "%s%s%s", *could ? " or " : ": could be ",
                        dashes(table, &table->rows[i]), table->rows[i].name);
    return message_set(target->error, "unknown option \"%.80s\"%s (see %s %shelp)", word, could,
                       options_program(table, settings), table->single_dash ? "-" : "--");
}

/* Parses the option in word `*i`. If its value is the next word, moves `*i` to this word. */
static int parse_option(struct target *target, int argc, char *const *argv, int *i, void *settings)
{
    const char *word = argv[*i], *value;
    bool last = *i + 1 == argc, unused;
    const struct option_row *row = target->row = find_row(target->table, settings, word, &value);
    if (!row)
        return refuse(target, settings, word);
    const char *dash = dashes(target->table, row);
    if (value && !row->argument)
        return message_set(target->error, "%s%s takes no value: \"%.80s\"", dash, row->name, word);
    if (!value && last && takes_value(row))
        return message_set(target->error, "%s%s requires a value: %s", dash, row->name, row->argument);
    if (!value && !last &&
        (takes_value(row) ||
         (row->kind == OPTION_FLAG && row->argument && read_switch(argv[*i + 1], &unused))))
        value = argv[++*i];
    return set_option(target, value ? value : "", settings);
}

static void set_defaults(const struct option_table *table, void *settings)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].kind == OPTION_NUMBERS && belongs(table, &table->rows[i], settings))
            *(struct option_numbers *)(void *)((char *)settings + table->rows[i].offset) =
                default_numbers(&table->rows[i]);
}

void options_free(const struct option_table *table, void *settings)
{
    for (size_t i = 0; i < table->count; i++)
        if (is_list(&table->rows[i]))
            texts_free((void *)((char *)settings + table->rows[i].offset));
    if (table->arguments)
        texts_free((void *)((char *)settings + table->arguments->offset));
}

/* Returns true if the command line asks for help. Stores the option that it names, or "", in `settings`. */
static bool asks_help(const struct option_table *table, int argc, char *const *argv, void *settings)
{
    enum { WORDS = 3 };
    static const char *const words[WORDS] = {"-help", "--help", "-h"};
    const struct option_row *row = table->rows;
    while (row < table->rows + table->count && row->kind != OPTION_HELP)
        row++;
    for (int i = 1; i < argc && row < table->rows + table->count; i++) {
        if (text_find(words, WORDS, argv[i]) == WORDS)
            continue;
        bool topic = i + 1 < argc && argv[i + 1][0] != '-';
        *(const char **)(void *)((char *)settings + row->offset) = topic ? argv[i + 1] : "";
        return true;
    }
    return false;
}

int options_parse(const struct option_table *table, int argc, char *const *argv, void *settings,
                  struct message *error)
{
    int first = 1, failed = 0;
    if (table->parts) {
        int *part = part_field(table, settings);
        *part = options_find_part(table, argc > 0 ? basename(argv[0]) : "");
        if (!part_of(table, settings) && argc > 1) {
            *part = options_find_part(table, argv[1]);
            first += part_of(table, settings) != NULL;
        }
    }
    set_defaults(table, settings);
    if (asks_help(table, argc, argv, settings))
        return 0;
    struct target target = {.table = table, .error = error};
    const char *stray = NULL;
    bool options = true;
    for (int i = first; i < argc && !failed; i++) {
        target.row = table->arguments;
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1])
            failed = parse_option(&target, argc, argv, &i, settings);
        else if (table->arguments)
            failed = set_option(&target, argv[i], settings);
        else if (!stray)
            stray = argv[i];
    }
    return stray && !failed
               ? message_set(error, "unexpected argument \"%.80s\" (see %s --help)", stray, table->program)
               : failed;
}

static char *joined_numbers(const struct option_row *row, const struct option_numbers *numbers)
{
    char text[OPTION_MAX_PARTS * 32] = "";
    for (int i = 0; i < row->parts; i++)
        text_append(text, sizeof text, "%.*s%.15g", i > 0, &row->separator, numbers->value[i]);
    return memory_text(text);
}

char *option_value(const struct option_row *row, const void *settings)
{
    const void *field = (const char *)settings + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return memory_text(*(const bool *)field ? "yes" : "no");
    case OPTION_INTEGER:
        return text_format("%" PRId64, *(const int64_t *)field);
    case OPTION_REAL:
    case OPTION_SECONDS:
        return text_format("%.17g", *(const double *)field);
    case OPTION_PERCENT:
        return text_format("%.15g%%", 100 * *(const double *)field);
    case OPTION_SEED:
        return text_format("%" PRIu64, *(const uint64_t *)field);
    case OPTION_CHOICE:
        return memory_text(row->choices[*(const int *)field]);
    case OPTION_HELP:
        return memory_text(*(const char *const *)field ? "yes" : "no");
    case OPTION_TEXT:
        return memory_text(*(const char *const *)field ? *(const char *const *)field : "");
    case OPTION_SWITCH:
        return memory_text(*(const bool *)field ? "on" : "off");
    case OPTION_NUMBERS:
        return joined_numbers(row, field);
    case OPTION_WORDS:
    case OPTION_PATHS:
    case OPTION_TAGGED:
        return texts_join(field, ",");
    }
    return NULL;
}

bool option_is_kept(const struct option_table *table, const struct option_row *row, const void *settings)
{
    const struct option_row *first = table->rows;
    while (first < row && (first->offset != row->offset || !belongs(table, first, settings)))
        first++;
    return first == row && belongs(table, row, settings);
}

/* Returns the default for the help, or NULL if there is none to show: for flags, texts and lists, and for
 * numbers whose default is out of range, because it means "detected" or "none". */
static char *shown_default(const struct option_row *row, const void *defaults)
{
    const void *field = (const char *)defaults + row->offset;
    if (row->kind == OPTION_FLAG || row->kind == OPTION_HELP || row->kind == OPTION_TEXT || is_list(row))
        return NULL;
    if (row->kind == OPTION_NUMBERS)
        return joined_numbers(row, (const struct option_numbers[]){default_numbers(row)});
    bool real = row->kind == OPTION_REAL || row->kind == OPTION_SECONDS || row->kind == OPTION_PERCENT;
    double number = row->kind == OPTION_INTEGER ? (double)*(const int64_t *)field
                    : row->kind == OPTION_SEED  ? (double)*(const uint64_t *)field
                    : real                      ? *(const double *)field
                                                : row->min;
    return number >= row->min ? option_value(row, defaults) : NULL;
}

static void put_option(const struct option_table *table, const struct option_row *row, const void *defaults,
                       FILE *out)
{
    enum { INDENT = 26, WIDTH = 100 };
    char *value = shown_default(row, defaults);
    char *name = text_format("  %s%s%s%s", dashes(table, row), row->name, row->argument ? " " : "",
                             row->argument ? row->argument : "");
    const char *condition = row->not_valid;
    char *help = text_format("%s%s%s%s%s%s%s", row->help, value ? " (default " : "", value ? value : "",
                             value ? ")" : "", condition ? "; NOT VALID for comparison" : "",
                             condition && *condition ? " " : "", condition ? condition : "");
    bool apart = strlen(name) > INDENT - 2;
    char lead[INDENT + 1];
    snprintf(lead, sizeof lead, "%-*s", INDENT, apart ? "" : name);
    fprintf(out, "%s%s", apart ? name : "", apart ? "\n" : "");
    text_wrap(lead, help, WIDTH, out);
    free(value);
    free(name);
    free(help);
}

int options_help(const struct option_table *table, const void *defaults, const void *settings,
                 const char *topic, FILE *out, struct message *error)
{
    const struct option_part *part = part_of(table, settings);
    const char *only = topic + strspn(topic, "-"), *program = options_program(table, settings);
    const char *title = "Options";
    bool found = false;
    if (!*only)
        fprintf(out, "Usage: %s %s%s%s\n\n%s\n", program, table->parts && !part ? table->part_word : "",
                table->parts && !part ? " " : "", table->synopsis, table->purpose);
    for (size_t i = 0; i < table->count && (part || !table->parts); i++) {
        const struct option_row *row = &table->rows[i];
        title = row->title ? row->title : title;
        if (!belongs(table, row, settings) || (*only ? strcmp(row->name, only) != 0 : row->hidden))
            continue;
        if (title && !*only)
            fprintf(out, "\n%s:\n", title);
        title = NULL;
        put_option(table, row, defaults, out);
        found = true;
    }
    if (*only && !found) {
        const char *dash = table->single_dash ? "-" : "--";
        return message_set(error, "%shelp: unknown option \"%.80s\" (see %s %shelp)", dash, topic, program,
                           dash);
    }
    if (!*only) {
        fputc('\n', out);
        fputs(table->notes, out);
        for (const struct option_part *other = table->parts; other && other->name; other++)
            if ((!part || other == part) && other->notes)
                fputs(other->notes, out);
    }
    return 0;
}
