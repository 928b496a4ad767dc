/* What was found wrong with a run: file, line, reason. Pure. */
#ifndef PROTOCOLS_FINDING_H
#define PROTOCOLS_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct finding {
    char file[96]; /* in the run's directory; "" for run.prot */
    size_t line;   /* from 1; 0: of the whole file */
    bool fatal;    /* nothing can be computed from such a protocol */
    char text[256];
};

/* The first FINDINGS_MOST are kept, all are counted. */
enum { FINDINGS_MOST = 100 };

struct findings {
    struct finding *kept;
    size_t count;
};

/* Control characters in what is told become '?': files may hold anything. */
void finding_add(struct findings *findings, const struct finding *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The first fatal one; NULL if there is none. */
const struct finding *finding_fatal(const struct findings *findings);

void findings_free(struct findings *findings);

/* Replaces what a terminal might obey by '?', in place. */
void finding_clean(char *text);

#endif
