/* The end of a run on rank 0, the same for all engines: results into the protocol, summary.txt, run.json,
 * data files, standard output. Pure: it may be called from the guard's thread when the main thread hangs in
 * MPI.
 */
#ifndef COMMON_FINISH_H
#define COMMON_FINISH_H

#include <stdbool.h>

#include "common/engine.h"
#include "common/rundir.h"

/* The files of a run other than run.prot; those from FINISH_TABLES on are patterns/NAME.dat: the sheet's
 * tables (by_size is sizes.dat), then the engine's. */
enum { FINISH_SUMMARY, FINISH_JSON, FINISH_TABLES };

static inline int finish_file_count(const struct sheet *sheet)
{
    return FINISH_TABLES + sheet->table_count + sheet->data_count;
}

/* The name of number `i` in the run's directory, in `name`, which is returned. */
enum { FINISH_NAME_SIZE = 96 };
const char *finish_file_name(const struct engine *engine, const struct sheet *sheet, int i,
                             char name[FINISH_NAME_SIZE]);

/* Writes it; run.json with the records, or without them. 0, or -1 at an error. */
int finish_write_file(const struct engine *engine, const struct sheet *sheet, int i, bool records, FILE *out);

struct finish {
    const struct engine *engine;
    const struct run_settings *settings;
    struct protocol *protocol;
    const char *directory;
};

/* Makes the results, ends the protocol ("complete" or "partial (...)") and writes the other files. A file
 * that can't be written is reported, the others are still written: 0, or -1 with one line. The caller frees
 * the results; NULL: there are none. */
int finish_run(const struct finish *finish, const char *end, struct sheet **results, struct message *error);

/* Prints what the settings ask for; 0, or -1 with one line. */
int finish_print(const struct finish *finish, const struct sheet *results, struct message *error);

/* The settings as metadata `option_NAME` of a protocol. 0, or -1 with one line. */
int finish_describe_settings(const struct option_table *table, const void *settings,
                             struct protocol *protocol, struct message *error);

#endif
