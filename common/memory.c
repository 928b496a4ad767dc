#include "common/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS = 3 }; /* exit status: unsuitable environment */

static void (*end_program)(void *context, const char *line);
static void *end_context;

void memory_on_exhaustion(void (*end)(void *context, const char *line), void *context)
{
    end_program = end;
    end_context = context;
}

_Noreturn void memory_end(const char *line)
{
    if (end_program)
        end_program(end_context, line);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    exit(STATUS);
}

_Noreturn void memory_exhausted(const char *what, size_t count, size_t size)
{
    char line[256];
    snprintf(line, sizeof line, "out of memory for %s (%.0f bytes)", what, (double)count * (double)size);
    memory_end(line);
}

void *memory_new(size_t count, size_t size, const char *what)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        memory_exhausted(what, count, size);
    return memory;
}

void array_grow(void *array, size_t count, size_t size)
{
    void *old, *grown = NULL;
    if (count & (count - 1))
        return;
    memcpy(&old, array, sizeof old);
    size_t wanted = count ? 2 * count : 1;
    if (wanted <= SIZE_MAX / size)
        grown = realloc(old, wanted * size);
    if (!grown)
        memory_exhausted("a list", wanted, size);
    memcpy(array, &grown, sizeof grown);
}

char *memory_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        memory_exhausted("a text", strlen(text) + 1, 1);
    return copy;
}

FILE *stream_start(struct stream *stream)
{
    stream->out = open_memstream(&stream->text, &stream->size);
    if (!stream->out)
        memory_exhausted("a text", BUFSIZ, 1);
    return stream->out;
}

char *stream_end(struct stream *stream)
{
    long size = ftell(stream->out);
    int failed = ferror(stream->out);
    if (fclose(stream->out) || failed)
        memory_exhausted("a text", size < 0 ? 0 : (size_t)size, 1);
    return stream->text;
}
