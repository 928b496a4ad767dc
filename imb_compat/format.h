/* IMB's text: header, table headings, rows, failure rows (docs/from-imb.md 9). All text of standard
 * output is here. */
#ifndef IMB_COMPAT_FORMAT_H
#define IMB_COMPAT_FORMAT_H

#include <stdio.h>

#include <sys/utsname.h>

#include "imb_compat/results.h"

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
    const struct imb_sizes *listed; /* by the user, or of IMB-P2P */
};

/* What -list prints. */
void imb_put_list(enum imb_component component, FILE *out);

void imb_put_header(const struct imb_header *header, FILE *out);

void imb_put_heading(const struct imb_table *table, FILE *out);

/* What is printed in place of all tables of a benchmark that so many processes do not fit. */
void imb_put_invalid(const struct imb_table *table, int processes, FILE *out);

void imb_put_row(const struct imb_table *table, const struct imb_record *row, FILE *out);

enum imb_failure { IMB_OUT_OF_MEMORY, IMB_INT_OVERFLOW, IMB_TIME_OUT, IMB_FAILURES };

/* What is printed in place of a row; `gib`: memory that would be needed. */
void imb_put_failure(const struct imb_table *table, int group, int64_t bytes, enum imb_failure failure,
                     double gib, FILE *out);

/* Lines of their own: how fast the computation during accesses to files is (MFlops), behind the header; a
 * note behind a table; at the end. */
#define IMB_COMPUTE                                                                                          \
    "\n\n# For nonblocking benchmarks:\n\n# Function CPU_Exploit obtains an undisturbed\n"                   \
    "# performance of %7.2f MFlops\n"
#define IMB_NOTE   "# note: %s\n"
#define IMB_FINISH "\n\n# All processes entering MPI_Finalize\n\n"

#endif
