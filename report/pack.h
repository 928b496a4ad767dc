/* Files of beff_report pack: runs of a machine and its questionnaire, in a compressed tar archive. */
#ifndef REPORT_PACK_H
#define REPORT_PACK_H

#include "report/command.h"
#include "report/site.h"

/* The packs that are the arguments of rank --table, unpacked into a directory. */
struct packs {
    char *stage; /* the directory, in which pack number i is i/NAME */
    size_t count;
    struct site *site;
};

/* Unpacks the files, and changes to the directory. Call packs_close() in either case. */
int packs_open(struct packs *packs, const struct texts *files, struct message *error);

/* Adds the paths of the runs of a program in pack number `i`. */
void packs_find(size_t i, const char *program, struct texts *runs);

/* Removes the directory. */
void packs_close(struct packs *packs);

#endif
