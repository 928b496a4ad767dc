#include "beff_io/mpi/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beff_io/storage.h"

/* Writes, syncs and locks a new file. Returns its descriptor, or -1 with a message. */
static int try_file(const struct io_job *job, const char *path, struct message *error)
{
    char page[4096] = "";
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    const char *host = job->machine->node.names.nodename, *shown = scratch_shown(job->shared.path);
    int file = (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)),
        failed = 0;
    if (file < 0 || TEMP_FAILURE_RETRY(write(file, page, sizeof page)) != sizeof page ||
        TEMP_FAILURE_RETRY(fsync(file)))
        failed =
            message_set(error, "rank %d on %s cannot write to %s: %s; use --path to name another directory",
                        job->comm->rank, host, shown, strerror(errno));
    else if (io_needs_locks(job->settings) && TEMP_FAILURE_RETRY(fcntl(file, F_SETLKW, &lock)))
        failed = message_set(error,
                             "type 1 needs file locks, and fcntl(F_SETLKW) failed on %s (rank %d on %s): %s; "
                             "mount with -o flock, or use --noshared (NOT VALID)",
                             shown, job->comm->rank, host, strerror(errno));
    if (failed && file >= 0)
        close(file);
    return failed ? -1 : file;
}

/* Tries to lock a file that a process on another node has locked. Fails if that is not refused. */
static int try_locked_file(const struct io_job *job, const char *path, struct message *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC),
        locked = file >= 0 && !fcntl(file, F_SETLK, &lock);
    if (file >= 0)
        close(file);
    if (file >= 0 && !locked)
        return 0;
    return message_set(error,
                       "type 1 needs file locks between nodes, but rank %d on %s %s in %s; mount with -o "
                       "flock (Lustre) or tuneUseGlobalFileLocks (BeeGFS), or use --noshared (NOT VALID)",
                       job->comm->rank, job->machine->node.names.nodename,
                       file < 0 ? "does not see the file that rank 0 locked"
                                : "locked a file that rank 0 had locked",
                       scratch_shown(job->shared.path));
}

enum exit_status io_probe(const struct io_job *job, bool *hides_cache)
{
    char own[4096], first[4096];
    struct comm *comm = job->comm;
    struct message error;
    bool leads = job->machine->leads_node;
    scratch_file(job->shared.path, 0, TYPE_SEPARATED, comm->rank, own, sizeof own);
    scratch_file(job->shared.path, 0, TYPE_SEPARATED, 0, first, sizeof first);
    int file = leads ? try_file(job, own, &error) : 0;
    enum exit_status status = comm_agree(comm, file < 0 ? EXIT_ENVIRONMENT : EXIT_OK, &error);
    if (status == EXIT_OK && io_needs_locks(job->settings)) {
        int failed = leads && comm->rank > 0 ? try_locked_file(job, first, &error) : 0;
        status = comm_agree(comm, failed ? EXIT_ENVIRONMENT : EXIT_OK, &error);
    }
    *hides_cache = leads && !(pagecache_resident(own) > 0);
    if (leads && file >= 0)
        close(file);
    if (leads)
        unlink(own);
    return status;
}
