/* What was found wrong. Uses text. */
#include "protocols/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Control characters, U+0080 to U+009F among them, and what is no UTF-8. */
void finding_clean(char *text)
{
    while (*text) {
        int length = text_utf8_length(text);
        const unsigned char *c = (const unsigned char *)text;
        bool control = *c < ' ' || *c == 127 || (*c == 0xc2 && c[1] < 0xa0);
        if (!length || control)
            memset(text, '?', length ? (size_t)length : 1);
        text += length ? length : 1;
    }
}

void finding_add(struct findings *findings, const struct finding *where, const char *format, ...)
{
    if (!findings->kept)
        findings->kept = calloc(FINDINGS_MOST, sizeof *findings->kept);
    size_t n = findings->count++;
    if (!findings->kept)
        return; /* they are counted at least */
    /* A fatal one is kept in any case: the last place is its. */
    if (n >= FINDINGS_MOST && !(where->fatal && !finding_fatal(findings)))
        return;
    struct finding *f = &findings->kept[n < FINDINGS_MOST ? n : FINDINGS_MOST - 1];
    *f = *where;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    finding_clean(f->text);
    finding_clean(f->file);
}

const struct finding *finding_fatal(const struct findings *findings)
{
    for (size_t i = 0; findings->kept && i < findings->count && i < FINDINGS_MOST; i++)
        if (findings->kept[i].fatal)
            return &findings->kept[i];
    return NULL;
}

void findings_free(struct findings *findings)
{
    free(findings->kept);
    *findings = (struct findings){0};
}
