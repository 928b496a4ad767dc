/* Checking of what was read and written. Uses content, file. */
#include <stdlib.h>
#include <string.h>

#include "common/mpi/file.h"
#include "imb_compat/content.h"
#include "imb_compat/mpi/io_state.h"

uint32_t imb_io_written_seed(const struct imb_io *io, int rank)
{
    return io->runs * (uint32_t)io->site->groups.size + (uint32_t)rank;
}

void imb_io_check_read(struct imb_io *io, const char *data, int64_t i)
{
    uint32_t seed = imb_files_seed(io->site);
    int64_t at = io->placing.first + i * io->placing.step, bytes = io->portion.bytes;
    if (io->placing.any_order)
        at = imb_content_find(seed, data, bytes, io->repetitions * io->x);
    if (at < 0)
        at = 0; /* it is nowhere: wrong wherever it is looked for */
    imb_content_check(seed, at, data, bytes, at, io->mismatch);
}

static bool read_back(struct imb_io *io, int64_t at, int64_t bytes)
{
    MPI_Status status;
    int moved = 0;
    int code = MPI_File_read_at(io->chunk.file, at, io->back, (int)bytes, MPI_BYTE, &status);
    imb_io_check_call(io, code, "MPI_File_read_at");
    if (code == MPI_SUCCESS && !file_is_whole(&status, (int)bytes, &moved))
        imb_files_fail(io->files, "%s is short after it was written: %d of %d bytes at %lld (rank %d)",
                       io->files->path, moved, (int)bytes, (long long)at, io->site->world->rank);
    return !*io->files->failure;
}

/* All portions that came through the shared pointer, by one process. */
static void check_mixture(struct imb_io *io)
{
    int size = io->site->groups.size;
    int64_t *left = calloc((size_t)size, sizeof *left), extent = io->repetitions * io->x, at = 0, taken = 1;
    struct imb_mixture mixture = {io->x, size, imb_io_written_seed(io, 0), left};
    for (int rank = 0; left && rank < size; rank++)
        left[rank] = imb_portion_of(io->x, rank, size).bytes ? io->repetitions : 0;
    if (!left)
        imb_files_fail(io->files, "out of memory for checking (rank %d)", io->site->world->rank);
    for (; left && at < extent && taken; at += taken) {
        int64_t most = extent - at < io->portion.bytes ? extent - at : io->portion.bytes;
        if (!read_back(io, at, most))
            break;
        taken = imb_mixture_take(&mixture, io->back, most, at, io->mismatch);
    }
    free(left);
}

static void check_own(struct imb_io *io)
{
    int64_t bytes = io->portion.bytes, at = io->placing.first;
    uint32_t seed = imb_io_written_seed(io, io->site->rank);
    for (int64_t i = 0; i < io->repetitions && bytes && read_back(io, at, bytes); i++) {
        imb_content_check(seed, 0, io->back, bytes, at, io->mismatch);
        at += io->placing.step;
    }
}

/* Outside of the clock. */
static void check_written(struct imb_io *io)
{
    imb_io_complete(io);
    imb_io_check_call(io, MPI_Barrier(io->site->comm), "MPI_Barrier");
    imb_io_check_call(io, file_view(io->chunk.file, 0, 0, 0, MPI_INFO_NULL), "MPI_File_set_view");
    if (!io->placing.any_order)
        check_own(io);
    else if (io->site->rank == 0)
        check_mixture(io);
    imb_io_check_call(io, MPI_Barrier(io->site->comm), "MPI_Barrier"); /* nobody writes anew before */
}

void imb_io_check_all(struct imb_io *io)
{
    if (io->writes) {
        check_written(io);
        return;
    }
    for (long i = 0; i < io->started && !*io->files->failure; i++)
        imb_io_check_read(io, io->data + i * io->portion.bytes, i);
    if (io->started)
        memset(io->data, 0, (size_t)(io->places * io->portion.bytes));
}
