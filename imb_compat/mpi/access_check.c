/* Checks the data that were read from files or written to them (docs/definition-imb.md 9). */
#include "imb_compat/mpi/files.h"

#include <string.h>

static void check_read(struct imb_access *io, const char *data, int64_t i)
{
    uint32_t seed = imb_file_seed(io->base.context);
    int64_t at = io->placing.first + i * io->placing.step, bytes = io->portion.bytes;
    if (io->placing.any_order) {
        if (!imb_contains_item(io->x, bytes))
            return;
        at = imb_content_find(seed, data, bytes, io->base.count * io->x);
        if (at < 0)
            at = 0; /* the data do not match any offset, so any offset shows the error */
        imb_tally_add(&io->tally, at, bytes);
    }
    imb_content_check(seed, at, data, bytes, at, &io->base.mismatch);
}

/* If all portions are long enough to be identified, checks that all processes together read each byte of the
 * file exactly once. */
static void check_all_read(struct imb_access *io)
{
    struct imb_tally all = {0};
    int code = MPI_Reduce(&io->tally, &all, 2, MPI_UINT64_T, MPI_SUM, 0, io->base.context->members), last = 0;
    while (last + 1 < io->table->groups.size && imb_portion_of(io->x, last + 1, io->table->groups.size).bytes)
        last++;
    bool known = imb_contains_item(io->x, imb_portion_of(io->x, last, io->table->groups.size).bytes);
    if (imb_file_call(io->files, code, "MPI_Reduce") && io->base.context->rank == 0 && known)
        imb_tally_check(&all, io->base.count * io->x, 1, &io->base.mismatch);
}

static bool read_back(struct imb_access *io, int64_t at, int64_t bytes)
{
    MPI_Status status;
    int code = MPI_File_read_at(io->chunk.file, at, io->back, (int)bytes, MPI_BYTE, &status);
    imb_access_moved(io, code, &status, (int)bytes, "MPI_File_read_at");
    return !*io->comm->failure;
}

/* Checks all portions that were written through the shared pointer. One process reads the whole file. */
static void check_any_order(struct imb_access *io)
{
    struct imb_tally tally = {0};
    int64_t extent = io->base.count * io->x, taken;
    for (int64_t at = 0; at < extent; at += taken) {
        int64_t max = extent - at < io->portion.bytes ? extent - at : io->portion.bytes;
        if (!read_back(io, at, max))
            return;
        taken = imb_portion_check(imb_written_seed(io), io->x, io->table->groups.size, io->back, max, at,
                                  &tally, &io->base.mismatch);
    }
    imb_tally_check(&tally, io->x, io->base.count, &io->base.mismatch);
}

static void check_own(struct imb_access *io)
{
    int64_t bytes = io->portion.bytes, at = io->placing.first;
    for (int64_t i = 0; i < io->base.count && bytes && read_back(io, at, bytes); i++) {
        imb_content_check(imb_written_seed(io), io->portion.offset, io->back, bytes, at, &io->base.mismatch);
        at += io->placing.step;
    }
}

static void check_written(struct imb_access *io)
{
    imb_access_sync(io);
    imb_file_call(io->files, file_view(io->chunk.file, 0, 0, 0, MPI_INFO_NULL), "MPI_File_set_view");
    if (!io->placing.any_order)
        check_own(io);
    else if (io->base.context->rank == 0)
        check_any_order(io);
    CHECK(io->files, MPI_Barrier(io->base.context->members)); /* no process writes until all have checked */
}

static void check_opened_byte(struct imb_access *io)
{
    CHECK(io->files, MPI_Barrier(io->base.context->members)); /* all have written */
    if (io->base.context->rank == 0 && !*io->comm->failure &&
        imb_access_open(io, MPI_COMM_SELF, MPI_MODE_RDONLY)) {
        if (read_back(io, 0, 1))
            imb_compare(io->data, io->back, 1, 0, IMB_SOURCE_FILE, &io->base.mismatch);
        CHECK(io->files, MPI_File_close(&io->chunk.file));
    }
    ++*io->data;
}

static void check_reads(struct imb_access *io)
{
    const int64_t n = io->base.count;
    io->tally = (struct imb_tally){0};
    for (int64_t i = n > io->base.memory.places ? n - io->base.memory.places : 0;
         i < n && !*io->comm->failure; i++)
        check_read(io, imb_access_place(io, i), i);
    if (io->placing.any_order && io->base.checking)
        check_all_read(io);
    memset(io->data, 0, (size_t)(io->base.memory.places * io->portion.bytes));
}

void imb_access_check(struct imb_measurement *base)
{
    struct imb_access *io = (struct imb_access *)base;
    if (io->opens)
        check_opened_byte(io);
    else if (io->writes)
        check_written(io);
    else if (base->checking || !imb_starts_all(io))
        check_reads(io);
    imb_agree(base->context);
}
