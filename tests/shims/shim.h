/* Common functions of the shims. They do not call MPI, because it may not have started yet. */
#ifndef SHIM_H
#define SHIM_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the integer in an environment variable, or `otherwise` if it is not set. */
static inline long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 0) : otherwise;
}

/* Returns the rank in MPI_COMM_WORLD, from the variables of MPICH's or Open MPI's launcher. */
static inline long own_rank(void)
{
    return setting("PMI_RANK", setting("OMPI_COMM_WORLD_RANK", 0));
}

/* Creates the file FAULT_MARK, if it is set, to show that the fault has happened. */
static inline void mark(void)
{
    const char *path = getenv("FAULT_MARK");
    if (path && access(path, F_OK))
        close(open(path, O_CREAT | O_WRONLY, 0600));
}

#endif
