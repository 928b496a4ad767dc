/* IMB's text: header, table headings, rows, failure rows (docs/from-imb.md 9). Everything that is printed
 * to standard output is printed here. Pure. */
#ifndef IMB_COMPAT_FORMAT_H
#define IMB_COMPAT_FORMAT_H

#include <stdio.h>

#include <sys/utsname.h>

#include "imb_compat/record.h"

#define IMB_RELEASE "2021.11"

struct imb_header {
    const struct imb_settings *settings;
    const struct imb_selection *selection;
    const char *version; /* of imb_compat */
    const char *date;    /* as asctime has it, without the line's end */
    const char *command; /* the command line, joined by blanks */
    const struct utsname *system;
    int mpi_version, mpi_subversion;
    const char *thread_level;
    bool listed; /* the sizes are */
};

void imb_put_header(const struct imb_header *header, FILE *out);

/* After it, if files are accessed while something is computed: how fast that is. */
void imb_put_compute(double mflops, FILE *out);

void imb_put_heading(const struct imb_table *table, FILE *out);

void imb_put_row(const struct imb_table *table, const struct imb_record *row, FILE *out);

enum imb_failure { IMB_OUT_OF_MEMORY, IMB_INT_OVERFLOW, IMB_TIME_OUT, IMB_FAILURES };

/* What stands in place of a row; `gib`: memory that would be needed. */
void imb_put_failure(const struct imb_table *table, int group, int64_t bytes, enum imb_failure failure,
                     double gib, FILE *out);

/* A line `# note: ...` after a table. */
void imb_put_note(const char *text, FILE *out);

/* In place of all tables of a benchmark, if there are too few processes. */
void imb_put_invalid(const struct imb_benchmark *benchmark, int processes, FILE *out);

void imb_put_end(FILE *out);

#endif
