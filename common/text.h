/* One-line messages and formatted text. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#ifndef TEMP_FAILURE_RETRY /* in the C library musl: repeats a call that a signal has interrupted */
#define TEMP_FAILURE_RETRY(call)                                                                             \
    __extension__({                                                                                          \
        long result_;                                                                                        \
        do                                                                                                   \
            result_ = (long)(call);                                                                          \
        while (result_ < 0 && errno == EINTR);                                                               \
        result_;                                                                                             \
    })
#endif

#if defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__
#error "infinities and NaN are needed: remove -ffast-math or -ffinite-math-only from the flags"
#endif

/* A one-line message for the user. A function with a parameter `error` of this type returns 0 (or a pointer)
 * on success, and -1 (or NULL) with a message in `error` on failure; comments state only exceptions. */
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

#define TEXT_S(count)  ((count) == 1 ? "" : "s")  /* "run%s" */
#define TEXT_ES(count) ((count) == 1 ? "" : "es") /* "process%s" */

/* Replaces control characters, which a terminal would interpret, and bytes that are not UTF-8 with '?', in
 * place. */
void text_clean(char *text);

/* Replaces all bytes that are not printable ASCII, and spaces, with '?', in place. */
void text_to_word(char *word);

/* A text that text_next() reads line by line, such as a file that an option names. */
struct text_lines {
    const char *rest; /* what was not read yet; at first, the whole text */
    int number;       /* number of the line that was read, from 1 */
    char line[2048];  /* this line without spaces at its ends and its comment; its start if it is longer */
};

/* Reads the next line that is neither empty nor a comment. A comment starts with a word that starts with #.
 * Skips a byte order mark at the start of the text. Returns false at the end. */
bool text_next(struct text_lines *lines);

/* Describes a line of `length` bytes that is not plain text in UTF-8 with Unix line ends: compressed, UTF-16,
 * with a byte order mark or with Windows line ends. Returns NULL for other lines. */
const char *text_foreign(const char *line, size_t length);

/* Formats into the message and returns -1, so that a function can end with `return message_set(...)`. */
static inline int __attribute__((format(printf, 2, 3)))
message_set(struct message *message, const char *format, ...)
{
    TEXT_PRINT(message->text, sizeof message->text, format);
    text_clean(message->text); /* the arguments may come from the user or from a file */
    return -1;
}

/* Returns the index of a word in a list of `count` words, or `count` if the list does not contain it. */
int text_find(const char *const *words, int count, const char *word);

/* Returns formatted text, to be freed. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *text_vformat(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0), returns_nonnull));

/* Appends to a text in a buffer of `size` bytes, as much as fits. */
void text_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A growing list of lines. */
struct texts {
    char **text;
    size_t count;
};

void texts_add(struct texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
void texts_add_once(struct texts *texts, const char *text);         /* unless it is already there */
char *texts_join(const struct texts *texts, const char *separator); /* returns one text, to be freed */
void texts_free(struct texts *texts);

/* Returns a copy of the text as one line of UTF-8, to be freed: each byte of a control character becomes a
 * space, and each byte that is not UTF-8 becomes '?'. */
char *text_one_line(const char *text);

/* Replaces several spaces or tabs in a row by one space, in place. */
void text_squeeze(char *text);

/* Returns true if the text starts with a character that a terminal or a browser would interpret instead of
 * displaying it: a control character (also DEL and U+0080 to U+009F), a character that changes the direction
 * of the text, or a character without width. */
bool text_is_control(const char *text);

/* Returns the length in bytes of the first UTF-8 character of the text, or 0 if it is not valid UTF-8. */
int text_utf8_length(const char *text);

/* Returns the number of bytes that fit on a line of `width` columns. If possible, the line ends before a
 * space. */
size_t text_line(const char *text, size_t width);

/* Writes `lead` and the text, wrapped at `width` columns; if `out` is NULL, writes nothing. Returns the
 * number of lines. */
int text_wrap(const char *lead, const char *text, size_t width, FILE *out);

/* Formats a number for reading: a whole number exactly, other numbers with four significant digits and
 * without an exponent, NaN as "-". Returns `text`. */
enum { TEXT_NUMBER_SIZE = 352 };
const char *text_number(char text[TEXT_NUMBER_SIZE], double number);

/* Opens a new file (`replace`: or an existing one) for text_write(). Returns NULL with errno on failure. */
FILE *text_open(const char *path, bool replace);

/* Writes a text to a file of text_open(). A call that a file system interrupts (EINTR) is repeated. Returns
 * 0, or -1 with errno. */
int text_write(FILE *file, const char *text, size_t length);

struct stream;

/* Ends a stream (common/memory.h) and writes its text to a new file (`replace`: or to an existing one).
 * Returns 0, or -1 with errno. */
int text_save(const char *path, bool replace, struct stream *stream);

/* Returns a command line, to be freed, quoted so that a shell splits it into the same words. */
char *text_command(int argc, char *const *argv);

#endif
