/* Memory allocation that cannot fail: when memory runs out, the program ends with one line that states the
 * purpose and the size of the allocation. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* Sets how the program ends when memory runs out. `end` is called with `context` and a line such as "out of
 * memory for the records (4096000 bytes)"; it must not return. With NULL (the state at the start of a
 * program) the line is printed to standard error after the program's name, and the exit status is 3. */
void memory_on_exhaustion(void (*end)(void *context, const char *line), void *context);

/* Ends the program with this line, in the same way. */
_Noreturn void memory_end(const char *line);

/* Ends the program because there is no memory for `what`: `count` objects of `size` bytes each. */
_Noreturn void memory_exhausted(const char *what, size_t count, size_t size);

/* Returns zeroed memory for `count` objects of `size` bytes each, to be freed; never NULL, even for 0 bytes.
 * `what` completes the sentence "out of memory for ...". */
void *memory_new(size_t count, size_t size, const char *what) __attribute__((returns_nonnull, malloc));

/* Makes room for one more element by doubling the array whenever `count` is 0 or a power of two. `array` is
 * the address of the pointer to the `count` elements of `size` bytes each. New elements are not set. */
void array_grow(void *array, size_t count, size_t size);

/* Returns a copy of the text, to be freed. */
char *memory_text(const char *text) __attribute__((returns_nonnull, malloc));

/* A stream that writes into memory. Its end returns the text, to be freed, of `size` bytes. */
struct stream {
    FILE *out;
    char *text;
    size_t size;
};

FILE *stream_start(struct stream *stream) __attribute__((returns_nonnull));
char *stream_end(struct stream *stream);

#endif
