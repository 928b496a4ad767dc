/* The questionnaire site.yaml of a pack: facts about a machine, most of which its runs do not record. */
#ifndef REPORT_SITE_H
#define REPORT_SITE_H

#include "report/report.h"

enum { SITE_KEYS = 17 };

extern const char *const site_keys[SITE_KEYS];

struct site {
    char *value[SITE_KEYS]; /* "" if not filled in */
};

/* Fills in what the runs know. */
void site_fill(struct site *site, const struct report *runs, size_t count);

/* Returns the questionnaire as YAML with comments, to be freed. */
char *site_text(const struct site *site);

/* Reads a questionnaire: comments, and lines KEY: VALUE with a plain value or one in double quotes. */
int site_read(struct site *site, const char *path, struct message *error);

/* Returns the keys without a value, separated by commas, to be freed. */
char *site_missing(const struct site *site);

void site_free(struct site *site);

#endif
