#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

bool text_is_control(const char *text)
{
    static const int hidden[][2] = {{0x061C, 0x061C}, {0x200B, 0x200F}, {0x2028, 0x202E},
                                    {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF}};
    const unsigned char *c = (const unsigned char *)text;
    int length = text_utf8_length(text), code = *c;
    if (length == 2)
        code = (c[0] & 0x1F) << 6 | (c[1] & 0x3F);
    else if (length == 3)
        code = (c[0] & 0x0F) << 12 | (c[1] & 0x3F) << 6 | (c[2] & 0x3F);
    bool is_hidden = false;
    for (size_t i = 0; length > 1 && i < sizeof hidden / sizeof hidden[0]; i++)
        is_hidden |= hidden[i][0] <= code && code <= hidden[i][1];
    return is_hidden || code < ' ' || (length && code >= 0x7F && code < 0xA0);
}

static void clean(char *text, char instead)
{
    for (int length; *text; text += length) {
        length = text_utf8_length(text);
        if (!length)
            *text = '?';
        else if (text_is_control(text))
            memset(text, instead, (size_t)length);
        length = length ? length : 1;
    }
}

void text_clean(char *text)
{
    clean(text, '?');
}

void text_to_word(char *word)
{
    for (; *word; word++)
        if (*word <= ' ' || *word > '~')
            *word = '?';
}

const char *text_foreign(const char *line, size_t length)
{
    if (length > 1 && memcmp(line, "\x1f\x8b", 2) == 0)
        return "the file is compressed: unpack it with gunzip";
    if (length > 1 &&
        (!line[0] || !line[1] || memcmp(line, "\xff\xfe", 2) == 0 || memcmp(line, "\xfe\xff", 2) == 0))
        return "the file is UTF-16: convert it with iconv -f UTF-16 -t UTF-8";
    if (length > 2 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        return "the file starts with a byte order mark: remove it with sed -i '1s/^\\xEF\\xBB\\xBF//'";
    if (length > 1 && memcmp(line + length - 2, "\r\n", 2) == 0)
        return "the line ends as on Windows: convert the file with dos2unix or sed -i 's/\\r$//'";
    return NULL;
}

bool text_next(struct text_lines *lines)
{
    static const char spaces[] = " \t\r",
                      mark[] = "\xef\xbb\xbf"; /* mark: of UTF-8, at the start of the text */
    if (!lines->number && strncmp(lines->rest, mark, strlen(mark)) == 0)
        lines->rest += strlen(mark);
    while (*lines->rest) {
        const char *start = lines->rest + strspn(lines->rest, spaces), *end = start + strcspn(start, "\n");
        lines->rest = end + (*end == '\n');
        lines->number++;
        for (const char *c = start; c < end; c++)
            if (*c == '#' && (c == start || strchr(spaces, c[-1])))
                end = c;
        while (end > start && strchr(spaces, end[-1]))
            end--;
        snprintf(lines->line, sizeof lines->line, "%.*s", (int)(end - start), start);
        if (end > start)
            return true;
    }
    return false;
}

int text_find(const char *const *words, int count, const char *word)
{
    int i = 0;
    while (i < count && strcmp(words[i], word) != 0)
        i++;
    return i;
}

char *text_vformat(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        memory_exhausted("a text", strlen(format), 1);
    return text;
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_vformat(format, arguments);
    va_end(arguments);
    return text;
}

void text_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    TEXT_PRINT(text + used, size - used, format);
}

void texts_add(struct texts *texts, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    array_grow(&texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text_vformat(format, arguments);
    va_end(arguments);
}

void texts_add_once(struct texts *texts, const char *text)
{
    if (text_find((const char *const *)texts->text, (int)texts->count, text) == (int)texts->count)
        texts_add(texts, "%s", text);
}

char *texts_join(const struct texts *texts, const char *separator)
{
    struct stream stream;
    FILE *out = stream_start(&stream);
    for (size_t i = 0; i < texts->count; i++)
        fprintf(out, "%s%s", i ? separator : "", texts->text[i]);
    return stream_end(&stream);
}

void texts_free(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    *texts = (struct texts){0};
}

void text_squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (!strchr(" \t", *from))
            *to++ = *from;
        else if (to == text || to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
}

char *text_one_line(const char *text)
{
    char *line = memory_text(text);
    clean(line, ' ');
    return line;
}

size_t text_line(const char *text, size_t width)
{
    size_t length = strlen(text), at = width;
    if (length <= width)
        return length;
    while (at > width / 2 && text[at] != ' ')
        at--;
    if (at <= width / 2)
        for (at = width; at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80;)
            at--; /* avoids cutting a character */
    return at;
}

int text_wrap(const char *lead, const char *text, size_t width, FILE *out)
{
    int lines = 0, indent = (int)strlen(lead);
    do {
        size_t length = text_line(text, width - (size_t)indent);
        if (out)
            fprintf(out, "%*s%.*s\n", indent, lines ? "" : lead, (int)length, text);
        text += length;
        text += strspn(text, " ");
        lines++;
    } while (*text);
    return lines;
}

const char *text_number(char text[TEXT_NUMBER_SIZE], double number)
{
    enum { DIGITS = 4 };
    if (isnan(number)) {
        snprintf(text, TEXT_NUMBER_SIZE, "-");
    } else if (number == round(number) || !isfinite(number)) {
        snprintf(text, TEXT_NUMBER_SIZE, "%.0f", number);
    } else {
        char rounded[TEXT_NUMBER_SIZE]; /* 0.99999 is 1.000 */
        snprintf(rounded, sizeof rounded, "%.*e", DIGITS - 1, number);
        int decimals = DIGITS - 1 - atoi(strchr(rounded, 'e') + 1);
        double step = pow(10, -decimals);
        snprintf(text, TEXT_NUMBER_SIZE, "%.*f", decimals < 0 ? 0 : decimals,
                 decimals < 0 ? round(number / step) * step : number);
    }
    return text;
}

static void put_word(FILE *out, const char *before, const char *word)
{
    bool plain = *word && *word != '~' && *word != '#' && !strpbrk(word, " \t\n\"'\\$`&|;<>()*?[]{}!");
    fprintf(out, plain ? "%s%s" : "%s'", before, word);
    for (; !plain && *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    if (!plain)
        fputc('\'', out);
}

char *text_command(int argc, char *const *argv)
{
    struct stream stream;
    FILE *out = stream_start(&stream);
    for (int i = 0; i < argc; i++)
        put_word(out, i ? " " : "", argv[i]);
    return stream_end(&stream);
}

int text_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int more = *c >= 0xc2 && *c < 0xe0 ? 1 : *c >= 0xe0 && *c < 0xf0 ? 2 : *c >= 0xf0 && *c < 0xf5 ? 3 : -1;
    if (more < 0)
        return *c < 0x80;
    for (int i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xf0 && c[1] < 0x90);
    bool beyond = (*c == 0xed && c[1] >= 0xa0) || (*c == 0xf4 && c[1] >= 0x90);
    return overlong || beyond ? 0 : more + 1;
}

/* The stream has no buffer, because the C library drops a buffer whose write was interrupted. */
FILE *text_open(const char *path, bool replace)
{
    FILE *file;
    do
        file = fopen(path, replace ? "w" : "wx");
    while (!file && errno == EINTR);
    if (file)
        setvbuf(file, NULL, _IONBF, 0);
    return file;
}

int text_write(FILE *file, const char *text, size_t length)
{
    int failed = 0;
    errno = 0;
    for (size_t written = 0; length && !failed; length -= written, text += written) {
        written = fwrite(text, 1, length, file);
        failed = written < length && errno != EINTR;
        clearerr(file);
    }
    return failed || TEMP_FAILURE_RETRY(fflush(file)) ? -1 : 0;
}

int text_save(const char *path, bool replace, struct stream *stream)
{
    char *text = stream_end(stream);
    FILE *file = text_open(path, replace);
    int failed = file ? text_write(file, text, stream->size) : -1, cause = errno;
    free(text);
    if (file && fclose(file) && errno != EINTR && !failed) { /* an interrupted close still closes the file */
        failed = -1;
        cause = errno;
    }
    errno = cause;
    return failed;
}
