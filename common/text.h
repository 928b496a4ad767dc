/* Small helpers for one-line messages and formatted text. Pure. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One line for a person: why something was refused. */
struct message {
    char text[512];
};

/* Formats the variable arguments after a function's parameter `format`, as snprintf does. */
#define TEXT_PRINT(text, size, format)                                                                       \
    do {                                                                                                     \
        va_list arguments;                                                                                   \
        va_start(arguments, format);                                                                         \
        vsnprintf(text, size, format, arguments);                                                            \
        va_end(arguments);                                                                                   \
    } while (0)

#define TEXT_ES(count) ((count) == 1 ? "" : "es") /* "process%s" */

/* Replaces characters that a terminal would interpret by '?'. */
void message_clean(struct message *message);

/* Formats into the message and returns -1, so that a function can end with `return message_set(...)`. */
static inline int __attribute__((format(printf, 2, 3)))
message_set(struct message *message, const char *format, ...)
{
    TEXT_PRINT(message->text, sizeof message->text, format);
    message_clean(message); /* what a user typed in must not reach a terminal as it is */
    return -1;              /* here, where callers and static analysis see it */
}

/* Index of the word in a list of `count`; `count` if it is not among them. */
int text_find(const char *const *words, int count, const char *word);

/* Returns how many characters have to be inserted, removed or replaced to turn one word into the other,
 * ignoring case. */
size_t text_distance(const char *from, const char *to);

/* Returns formatted text, to be freed. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *text_vformat(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0), returns_nonnull));

/* Appends to a text in `size` bytes, as far as there is room. */
void text_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A growing list of lines. */
struct texts {
    char **text;
    size_t count;
};

void texts_add(struct texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
void texts_free(struct texts *texts);

/* Returns a copy, to be freed, with every control character replaced by a space, so that it is one line. */
char *text_one_line(const char *text);

/* Returns true if a character starts here that a terminal or a browser would obey instead of showing it: a
 * control character (also DEL and U+0080 to U+009F), one that changes the direction of the text, or one that
 * has no width. */
bool text_is_control(const char *text);

/* Length in bytes of the UTF-8 character that starts here; 0: not valid UTF-8. */
int text_utf8_length(const char *text);

/* How many bytes of the text fit on a line of `width` columns, broken at a blank if there is one. */
size_t text_line(const char *text, size_t width);

/* Prints `lead` and the text, wrapped at `width` columns; returns the number of lines. `out` NULL: prints
 * nothing. */
int text_wrap(const char *lead, const char *text, size_t width, FILE *out);

/* A number for people: whole ones as they are, others with four significant digits and no exponent; "-" for
 * NaN. Returns `text`. */
enum { TEXT_NUMBER_SIZE = 352 };
const char *text_number(char text[TEXT_NUMBER_SIZE], double number);

/* Returns a command line, to be freed, quoted so that a shell splits it into the same words. */
char *text_command(int argc, char *const *argv);

/* Returns the words of such a line, with NULL after the last. To free them, free the first word, which holds
 * the memory of all words, and the array. */
char **text_command_words(const char *line, int *count);

#endif
