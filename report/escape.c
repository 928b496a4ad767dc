#include "report/escape.h"

#include <stdarg.h>
#include <string.h>

#include "common/text.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* Writes a text. Replaces each character of `special` with the string that has the same index in `as`. */
static void put(const char *text, const char *special, const char *const *as, FILE *out)
{
    while (*text) {
        int length = text_utf8_length(text);
        const char *found = strchr(special, *text);
        if (!length || (length == 3 && text_is_control(text)))
            fputs(REPLACEMENT, out);
        else if (text_is_control(text))
            fputc(' ', out);
        else if (found)
            fputs(as[found - special], out);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
}

void escape_gnuplot(const char *text, FILE *out)
{
    static const char *const as[] = {"''"};
    fputc('\'', out);
    put(text, "'", as, out);
    fputc('\'', out);
}

void escape_data(const char *text, FILE *out)
{
    static const char *const as[] = {"'", "\\\\"};
    fputc('"', out);
    put(text, "\"\\", as, out);
    fputc('"', out);
}

void escape_html(const char *text, FILE *out)
{
    static const char *const as[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    put(text, "<>&\"'", as, out);
}

void html_put(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *c = format; *c; c++) {
        if (*c != '%')
            fputc(*c, out);
        else if (*++c == 's')
            escape_html(va_arg(arguments, const char *), out);
        else if (*c == 'd')
            fprintf(out, "%d", va_arg(arguments, int));
    }
    va_end(arguments);
}
