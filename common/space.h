/* The memory of messages: the only place that allocates, frees, clears, writes and reads it. It is system
 * memory, or memory of a GPU whose driver is loaded at run time (docs/gpu.md). Control data, such as votes
 * and results, are ordinary variables. */
#ifndef COMMON_SPACE_H
#define COMMON_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/column.h"
#include "common/engine.h"

enum { SPACE_CALLS = 19 }; /* number of functions of a driver */
enum space_form { SPACE_OF_DEVICE, SPACE_OF_MANAGED, SPACE_OF_HOST, SPACE_FORMS };

/* The GPU of a process: a row of a protocol's table. */
struct space_place {
    int64_t rank, node, device;
    char pci[COLUMN_WORD_SIZE], name[COLUMN_WORD_SIZE]; /* without spaces */

    /* Not in the table: number of visible devices, free memory of the device, and 1 if the GPU is in another
     * NUMA domain than the processors of the process. */
    int64_t devices, free_mib, far;
};

/* A kind of memory. All bytes 0: system memory. */
struct space {
    const struct space_driver *driver; /* NULL: system memory */
    enum space_form form;
    void (*call[SPACE_CALLS])(void);
    char kind[32];            /* memory kind of MPI 4.1: "cuda:device" */
    const char *library;      /* the loaded library */
    struct space_place place; /* without `rank`, `node` and `far` */
};

/* The table of the GPUs, for the tables of a record type. */
extern const struct column space_columns[5];
#define SPACE_TABLE RECORD_TABLE("gpu", space_columns, struct space_place)

/* Returns true if the processor can use the memory directly. */
static inline bool space_is_system(const struct space *space)
{
    return !space || !space->driver;
}

/* Checks the memory kind given by an option, such as "cuda:device" or "gpu" (NULL: system memory), and the
 * device (NULL: not given). */
int space_check(const char *option, const char *kind, const char *device, struct message *error);

/* Loads the driver of a memory kind, and selects device `device`; NULL or "auto": the device of this
 * process's local rank, which the launcher's environment variables state. To be called before MPI starts,
 * because some MPIs use the device that is selected then. Returns EXIT_OK, or a status with a message. */
enum exit_status space_open(struct space *space, const char *kind, const char *device, struct message *error);

/* Returns memory for messages, aligned to a page, or NULL if there is not enough. The bytes are not set. A
 * driver that returns another error ends the program, here and below. */
void *space_new(const struct space *space, size_t bytes);

/* Frees memory from space_new(); `memory` may be NULL. */
void space_free(const struct space *space, void *memory);

/* Copies `bytes` from an ordinary variable to the memory of messages, and back. The copy is complete on
 * return, so that MPI may use the memory. */
void space_put(const struct space *space, void *to, const void *from, size_t bytes);
void space_get(const struct space *space, void *to, const void *from, size_t bytes);

/* Sets all bytes to `byte`. Complete on return. */
void space_clear(const struct space *space, void *memory, int byte, size_t bytes);

#endif
