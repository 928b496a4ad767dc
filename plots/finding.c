/* What was found wrong. Uses the C library alone. */
#include "plots/finding.h"

#include <stdarg.h>
#include <stdlib.h>

void finding_clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < ' ' || *c == 127 || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)) /* U+0080 to U+009F */
            *c = '?';
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
