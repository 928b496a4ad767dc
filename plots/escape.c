/* Escaping. Uses the C library alone. */
#include "plots/escape.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD"

/* Bytes of the UTF-8 character at `text` and its number; 0 if it is not well-formed. */
static int decode(const char *text, uint32_t *character)
{
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (length <= 1) {
        *character = at[0];
        return length;
    }
    *character = at[0] & (0x7FU >> length);
    for (int i = 1; i < length; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        *character = *character << 6 | (at[i] & 0x3FU);
    }
    return *character >= least[length] ? length : 0;
}

/* Characters that XML does not allow, and those that make text look like another. */
static int is_foul(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } foul[] = {{0xD800, 0xDFFF}, {0x200B, 0x200F}, {0x2028, 0x202E},      {0x2066, 0x2069},
                {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF}, {0x110000, UINT32_MAX}};
    for (size_t i = 0; i < sizeof foul / sizeof foul[0]; i++)
        if (c >= foul[i].first && c <= foul[i].last)
            return 1;
    return 0;
}

/* `special` characters are written as `as` has them. */
static void put(const char *text, const char *special, const char *const *as, FILE *out)
{
    while (*text) {
        uint32_t c = 0;
        int length = decode(text, &c);
        const char *found = length == 1 ? strchr(special, *text) : NULL;
        if (!length || is_foul(c))
            fputs(REPLACEMENT, out);
        else if (c < ' ' || (c >= 0x7F && c < 0xA0))
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

void escape_html(const char *text, FILE *out)
{
    static const char *const as[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    put(text, "<>&\"'", as, out);
}

void escape_file(const char *text, char *name, size_t size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t i = 0;
    for (; text[i] && i + 1 < size; i++)
        name[i] = strchr(allowed, text[i]) && (i || text[i] != '.') ? text[i] : '_';
    name[i] = 0;
}
