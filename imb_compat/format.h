/* Writes IMB's output: header, table headings, rows, failure rows (docs/definition-imb.md 9). */
#ifndef IMB_COMPAT_FORMAT_H
#define IMB_COMPAT_FORMAT_H

#include <stdio.h>

#include <sys/utsname.h>

#include "imb_compat/results.h"
#include "imb_compat/sizes.h"

#define IMB_RELEASE "2021.11"

struct imb_header {
    const struct imb_settings *settings;
    const struct imb_selection *selection;
    const char *version; /* version of imb_compat */
    const char *date;    /* in the format of asctime(), without the newline */
    const char *command; /* the words of the command line, separated by spaces */
    const struct utsname *system;
    int mpi_version, mpi_subversion;
    const char *thread_level;
    const struct imb_sizes *listed; /* sizes listed by the user; IMB-P2P: all sizes */
};

/* Writes the output of -list. */
void imb_put_list(enum imb_component component, FILE *out);

void imb_put_header(const struct imb_header *header, FILE *out);

void imb_put_heading(const struct imb_table *table, FILE *out);

/* Writes the line that is printed instead of tables if a benchmark cannot run on `processes` processes. */
void imb_put_invalid(const struct imb_table *table, int processes, FILE *out);

void imb_put_row(const struct imb_table *table, const struct imb_record *row, FILE *out);

enum imb_failure { IMB_OUT_OF_MEMORY, IMB_INT_OVERFLOW, IMB_TIME_OUT, IMB_FAILURES };

/* Writes the line that is printed instead of a row. `gib` is the required memory in GiB. */
void imb_put_failure(const struct imb_table *table, int group, int64_t bytes, enum imb_failure failure,
                     double gib, FILE *out);

/* Formats of lines outside the tables. IMB_COMPUTE follows the header and states the speed, in MFlops, of the
 * computation that runs during file accesses. IMB_NOTE is a note after a table. IMB_FINISH ends the
 * output. */
#define IMB_COMPUTE                                                                                          \
    "\n\n# For nonblocking benchmarks:\n\n# Function CPU_Exploit obtains an undisturbed\n"                   \
    "# performance of %7.2f MFlops\n"
#define IMB_NOTE   "# note: %s\n"
#define IMB_FINISH "\n\n# All processes entering MPI_Finalize\n\n"

#endif
