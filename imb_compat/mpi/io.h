/* One benchmark of IMB-IO with one size on one process: the open file, the timed loop, the comparison of what
 * was read or written (docs/definition.md 3.9). */
#ifndef IMB_COMPAT_MPI_IO_H
#define IMB_COMPAT_MPI_IO_H

#include "imb_compat/mpi/files.h"

struct imb_io;

/* Opens the file of `site`; what fails is kept with the files. Collective over the group. NULL when out of
 * memory. */
struct imb_io *imb_io_make(const struct imb_site *site, struct imb_load *load,
                           const struct imb_memory *memory, int64_t bytes, int64_t repetitions,
                           struct imb_mismatch *mismatch);
void imb_io_free(struct imb_io *io);

/* Closes the file, so that what fails then is known before the results are told; imb_io_free() does, if this
 * was not called. Collective over the group. */
void imb_io_close(struct imb_io *io);

/* As imb_measurer_run(). `probing`: computation is left out and counted as it is known. Collective over the
 * active processes. */
struct imb_share imb_io_run(struct imb_io *io, int64_t repetitions, bool probing, double *each);

#endif
