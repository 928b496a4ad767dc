#include "beff_io/mpi/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beff_io/storage.h"

bool io_probe_needs_locks(const struct io_job *job)
{
    bool shared = false;
    for (int i = 0; i < IO_PATTERNS; i++)
        shared = shared || (job->task.patterns[i].type == TYPE_SHARED && job->task.selection.pattern[i]);
    return shared && !job->settings->noshared;
}

int io_probe(const struct io_job *job, bool *hides_cache, struct message *error)
{
    char path[4096], page[4096] = "";
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    const char *host = job->machine->node.names.nodename, *shown = scratch_shown(job->shared.path);
    int failed = 0;
    if (!job->machine->leads_node)
        return 0;
    scratch_file(job->shared.path, 0, TYPE_SEPARATED, job->comm->rank, path, sizeof path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 || write(file, page, sizeof page) != sizeof page || fsync(file))
        failed =
            message_set(error, "rank %d on %s cannot write to %s: %s; use --path to name another directory",
                        job->comm->rank, host, shown, strerror(errno));
    else if (io_probe_needs_locks(job) && fcntl(file, F_SETLKW, &lock))
        failed = message_set(
            error,
            "type 1 needs file locks, and fcntl(F_SETLKW) failed on %s (rank %d on %s): %s; mount "
            "with -o flock, or use --noshared (NOT VALID)",
            shown, job->comm->rank, host, strerror(errno));
    *hides_cache = !(pagecache_resident(path) > 0);
    if (file >= 0)
        close(file);
    unlink(path);
    return failed;
}
