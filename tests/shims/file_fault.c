/* LD_PRELOAD: makes an MPI-IO call on one rank fail, report fewer bytes, or damage its data. A failing call
 * is not passed on to MPI, so other ranks may wait for it forever. Uses MPI's profiling interface.
 *
 *   FILE_CALL    a call such as MPI_File_write; writes, reads: all calls with "write" or "read" in the name
 *   FILE_RANK    rank in MPI_COMM_WORLD, -1: all; default 0
 *   FILE_CREATED only if the last opened file was created (1) or existed before (0); default: all
 *   FILE_NUMBER  number of the call with the fault, from 1; default 1
 *   FILE_EVERY   repeat the fault after this many calls; default: once
 *   FILE_BYTES   only transfers of this many bytes count; default: all
 *   FILE_ACTION  fail (default; returns MPI_ERR_IO), short (half of the bytes), flip (the first byte),
 *                lose (nothing is written or read), inside (MPI_File_open is called, but cannot open the
 *                file), stop (SIGSTOP in MPI_File_open), again (the data at the start of the view are read
 *                instead of the requested data)
 *   FAULT_MARK   a file that is touched when the fault happens
 *   FILE_LOG     FILE_LOG.<rank> gets the names of opened files and, at the end, a line "reads N short M"
 *                with the number of reads and the number of reads that returned too few bytes */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shim.h"

enum { FLIP = 0x10, MOST_STARTED = 4096 };

static long reads, short_reads;

static bool is_read(const char *call)
{
    return strstr(call, "read") != NULL;
}

static bool is_wanted(const char *call)
{
    const char *wanted = getenv("FILE_CALL");
    if (!wanted)
        return false;
    if (strcmp(wanted, "writes") == 0)
        return strstr(call, "write") != NULL;
    return strcmp(wanted, "reads") == 0 ? is_read(call) : strcmp(wanted, call) == 0;
}

static bool created;

static bool is_here(void)
{
    long rank = setting("FILE_RANK", 0);
    return (rank < 0 || own_rank() == rank) && setting("FILE_CREATED", created) == created;
}

/* Returns the action for this call, or "" if it has no fault. */
static const char *fault(const char *call, int bytes)
{
    static long calls;
    const char *action = getenv("FILE_ACTION");
    if (!is_wanted(call) || bytes != setting("FILE_BYTES", bytes) || !is_here())
        return "";
    long after = ++calls - setting("FILE_NUMBER", 1), every = setting("FILE_EVERY", 0);
    if (after < 0 || (after > 0 && (!every || after % every)))
        return "";
    mark();
    return action ? action : "fail";
}

static bool is(const char *action, const char *name)
{
    return strcmp(action, name) == 0;
}

static void flip(const void *chunk)
{
    *(unsigned char *)(size_t)chunk ^= FLIP;
}

static void log_line(const char *format, const char *name, long first, long second)
{
    const char *base = getenv("FILE_LOG");
    char path[4096];
    if (!base)
        return;
    snprintf(path, sizeof path, "%s.%ld", base, own_rank());
    FILE *out = fopen(path, "a");
    if (out) {
        fprintf(out, format, name, first, second);
        fclose(out);
    }
}

static void count(const char *call, int bytes, const MPI_Status *status)
{
    int moved = 0;
    if (!is_read(call) || PMPI_Get_count(status, MPI_BYTE, &moved))
        return;
    reads++;
    short_reads += moved < bytes;
}

/* Carries out the action on a call that has completed. */
static void spoil(MPI_File file, const char *call, const char *action, const void *chunk, int bytes,
                  MPI_Status *status)
{
    count(call, bytes, status);
    if (is(action, "again"))
        PMPI_File_read_at(file, 0, (void *)(size_t)chunk, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    if (is(action, "lose"))
        PMPI_Status_set_elements(status, MPI_BYTE, bytes);
    if (is(action, "short"))
        PMPI_Status_set_elements(status, MPI_BYTE, bytes / 2);
    if (is(action, "flip"))
        flip(chunk); /* damages data that were read, or restores data that were written */
}

/* ---- blocking calls: `at` is empty, or an offset followed by a comma ---- */

#define TRANSFER(name, constness, parameter, at)                                                             \
    int MPI_File_##name(MPI_File file, parameter constness void *chunk, int bytes, MPI_Datatype type,        \
                        MPI_Status *status)                                                                  \
    {                                                                                                        \
        const char *call = "MPI_File_" #name, *action = fault(call, bytes);                                  \
        if (is(action, "fail"))                                                                              \
            return MPI_ERR_IO;                                                                               \
        if (is(action, "flip") && !is_read(call))                                                            \
            flip(chunk);                                                                                     \
        int code = PMPI_File_##name(file, at chunk, is(action, "lose") ? 0 : bytes, type, status);           \
        spoil(file, call, action, chunk, bytes, status);                                                     \
        return code;                                                                                         \
    }
#define OFFSET MPI_Offset offset,
#define AT     offset,

TRANSFER(write, const, , )
TRANSFER(write_all, const, , )
TRANSFER(write_shared, const, , )
TRANSFER(write_ordered, const, , )
TRANSFER(write_at, const, OFFSET, AT)
TRANSFER(write_at_all, const, OFFSET, AT)
TRANSFER(read, , , )
TRANSFER(read_all, , , )
TRANSFER(read_shared, , , )
TRANSFER(read_ordered, , , )
TRANSFER(read_at, , OFFSET, AT)
TRANSFER(read_at_all, , OFFSET, AT)

/* ---- nonblocking calls and split collectives ---- */

/* A transfer that was started. The next wait or end call completes it. */
static struct {
    MPI_File file;
    const char *call, *action;
    const void *chunk;
    int bytes;
} started[MOST_STARTED];
static int started_count;

static const char *start(MPI_File file, const char *call, const void *chunk, int bytes)
{
    const char *action = fault(call, bytes);
    if (is(action, "flip") && !is_read(call))
        flip(chunk);
    if (started_count < MOST_STARTED && !is(action, "fail")) {
        started[started_count].file = file;
        started[started_count].call = call;
        started[started_count].action = action;
        started[started_count].chunk = chunk;
        started[started_count++].bytes = bytes;
    }
    return action;
}

#define STARTING(name, constness, parameter, at)                                                             \
    int MPI_File_i##name(MPI_File file, parameter constness void *chunk, int bytes, MPI_Datatype type,       \
                         MPI_Request *request)                                                               \
    {                                                                                                        \
        const char *action = start(file, "MPI_File_i" #name, chunk, bytes);                                  \
        if (is(action, "fail"))                                                                              \
            return MPI_ERR_IO;                                                                               \
        return PMPI_File_i##name(file, at chunk, is(action, "lose") ? 0 : bytes, type, request);             \
    }
#define SPLIT(name, constness, parameter, at)                                                                \
    int MPI_File_##name##_begin(MPI_File file, parameter constness void *chunk, int bytes,                   \
                                MPI_Datatype type)                                                           \
    {                                                                                                        \
        const char *action = start(file, "MPI_File_" #name "_begin", chunk, bytes);                          \
        if (is(action, "fail"))                                                                              \
            return MPI_ERR_IO;                                                                               \
        return PMPI_File_##name##_begin(file, at chunk, is(action, "lose") ? 0 : bytes, type);               \
    }                                                                                                        \
    int MPI_File_##name##_end(MPI_File file, constness void *chunk, MPI_Status *status)                      \
    {                                                                                                        \
        int code = PMPI_File_##name##_end(file, chunk, status);                                              \
        if (started_count)                                                                                   \
            spoil(file, started[0].call, started[0].action, started[0].chunk, started[0].bytes, status);     \
        started_count = 0;                                                                                   \
        return code;                                                                                         \
    }

STARTING(write, const, , )
STARTING(write_shared, const, , )
STARTING(write_at, const, OFFSET, AT)
STARTING(read, , , )
STARTING(read_shared, , , )
STARTING(read_at, , OFFSET, AT)
SPLIT(write_all, const, , )
SPLIT(write_ordered, const, , )
SPLIT(write_at_all, const, OFFSET, AT)
SPLIT(read_all, , , )
SPLIT(read_ordered, , , )
SPLIT(read_at_all, , OFFSET, AT)

int MPI_Waitall(int length, MPI_Request requests[], MPI_Status statuses[])
{
    int code = PMPI_Waitall(length, requests, statuses);
    for (int i = 0; i < started_count && i < length; i++)
        spoil(started[i].file, started[i].call, started[i].action, started[i].chunk, started[i].bytes,
              &statuses[i]);
    if (length >= started_count)
        started_count = 0;
    return code;
}

/* ---- other calls ---- */

int MPI_File_close(MPI_File *file)
{
    return is(fault("MPI_File_close", 0), "fail") ? MPI_ERR_IO : PMPI_File_close(file);
}

int MPI_File_sync(MPI_File file)
{
    return is(fault("MPI_File_sync", 0), "fail") ? MPI_ERR_IO : PMPI_File_sync(file);
}

static bool system_opens = true;

int open(const char *name, int flags, ...)
{
    va_list mode;
    va_start(mode, flags);
    int permissions = flags & O_CREAT ? va_arg(mode, int) : 0;
    va_end(mode);
    if (!system_opens) {
        errno = EIO;
        return -1;
    }
    int (*original)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return original(name, flags, permissions);
}
int open64(const char *name, int flags, ...) __attribute__((alias("open")));

int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    log_line("%s\n", name, 0, 0);
    created = mode & MPI_MODE_CREATE;
    const char *action = fault("MPI_File_open", 0);
    if (is(action, "stop"))
        raise(SIGSTOP);
    system_opens = !is(action, "inside");
    int code = is(action, "fail") ? MPI_ERR_IO : PMPI_File_open(comm, name, mode, info, file);
    system_opens = true;
    return code;
}

int MPI_Finalize(void)
{
    log_line("%s %ld short %ld\n", "reads", reads, short_reads);
    return PMPI_Finalize();
}
