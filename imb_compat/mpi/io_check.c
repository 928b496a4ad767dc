/* Checking of what was read and written. Uses content, cover, file. */
#include <stdlib.h>
#include <string.h>

#include "common/mpi/file.h"
#include "imb_compat/content.h"
#include "imb_compat/cover.h"
#include "imb_compat/mpi/io_state.h"

uint32_t imb_io_written_seed(const struct imb_io *io, int rank)
{
    return io->files->runs * (uint32_t)io->site->groups.size + (uint32_t)rank;
}

void imb_io_check_read(struct imb_io *io, const char *data, int64_t i)
{
    uint32_t seed = imb_files_seed(io->site);
    int64_t at = io->placing.first + i * io->placing.step, bytes = io->portion.bytes;
    if (io->found) {
        at = io->found[i] = imb_cover_entry(seed, data, bytes, io->repetitions * io->x);
        if (!imb_cover_finds(bytes))
            return;
        if (at < 0)
            at = 0; /* it is nowhere: wrong wherever it is looked for */
    }
    imb_content_check(seed, at, data, bytes, at, io->mismatch);
}

/* All that was read in any order, by one process. */
static void check_cover(struct imb_io *io)
{
    int n = (int)io->repetitions, size = io->site->groups.size;
    int code = MPI_Gather(io->found, n, MPI_INT64_T, io->all_found, n, MPI_INT64_T, 0, io->site->comm);
    imb_io_check_call(io, code, "MPI_Gather");
    struct imb_cover cover = {io->x, size, imb_files_seed(io->site), io->repetitions, io->all_found};
    if (io->site->rank == 0 && !*io->files->failure && imb_cover_check(&cover, io->mismatch))
        imb_files_fail(io->files, "out of memory for checking (rank %d)", io->site->world->rank);
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

static void compare_byte(struct imb_io *io, char found)
{
    if (found == *io->data || io->mismatch->wrong++)
        return;
    io->mismatch->position = 0;
    io->mismatch->source = IMB_SOURCE_FILE;
    io->mismatch->expected = (unsigned char)*io->data;
    io->mismatch->found = (unsigned char)found;
}

void imb_io_check_opened(struct imb_io *io)
{
    MPI_File file;
    MPI_Status status;
    int code = MPI_Barrier(io->site->comm), moved;
    char found = 0;
    imb_io_check_call(io, code, "MPI_Barrier"); /* all have written */
    if (io->site->rank == 0 && !*io->files->failure) {
        code = file_open(MPI_COMM_SELF, io->files->path, FILE_READ, false, MPI_INFO_NULL, &file);
        imb_io_check_call(io, code, "MPI_File_open");
        if (code != MPI_SUCCESS)
            return;
        code = MPI_File_read_at(file, 0, &found, 1, MPI_BYTE, &status);
        imb_io_check_call(io, code, "MPI_File_read_at");
        imb_io_check_call(io, MPI_File_close(&file), "MPI_File_close");
        if (code == MPI_SUCCESS && file_is_whole(&status, 1, &moved))
            compare_byte(io, found);
        else
            imb_files_fail(io->files, "%s is empty after it was written (rank %d)", io->files->path,
                           io->site->world->rank);
    }
    ++*io->data;
}

void imb_io_check_all(struct imb_io *io)
{
    if (io->writes) {
        check_written(io);
        return;
    }
    for (long i = 0; i < io->started && !*io->files->failure; i++)
        imb_io_check_read(io, io->data + i * io->portion.bytes, i);
    if (io->found)
        check_cover(io);
    if (io->started)
        memset(io->data, 0, (size_t)(io->places * io->portion.bytes));
}
