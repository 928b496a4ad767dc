/* The settings of one node that influence MPI, network, threads and binding. */
#ifndef COMMON_ENVIRONMENT_H
#define COMMON_ENVIRONMENT_H

#include "common/text.h"

/* clang-format off */
/* Appends the environment of this node as lines "LABEL=VALUE" in this order:
 *
 *     UCX_TLS=tcp                                 environment variables, sorted by name
 *     interface eth0=10000 Mbit/s, up             hardware network interfaces; "..., up, RDMA" if the device is
 *                                                 also an InfiniBand adapter; "..., virtual" if it is a virtual
 *                                                 function
 *     interface mlx5_0/1=100 Gb/sec (4X EDR), ACTIVE     ports of InfiniBand adapters; "..., virtual"
 *     cpu governor=performance                    "performance powersave" if the processors differ
 *     NUMA balancing=0
 *     transparent huge pages=madvise
 *     locked memory=unlimited                     in bytes
 *
 * Facts that the kernel does not report are omitted. The variables are those with which the process was
 * started, because MPI_Init sets more. They are selected by the prefixes of their names. Variables that
 * launchers set differently for each job or rank are omitted, and so are names that suggest a secret. Values
 * are cut to 200 bytes, control characters become spaces, and at most 200 variables are recorded. `root` is
 * the parent directory of /proc and /sys ("" for the real ones). */
/* clang-format on */
void environment_read(struct texts *lines, const char *root);

/* Returns true if a line "LABEL=VALUE" is a variable that launchers set differently for each job, node or
 * rank. */
bool environment_is_launchers(const char *line);

#define ENVIRONMENT_UNSET "unset" /* stands for the value of a missing label */

/* Writes the differences into `text`, for example "UCX_TLS unset -> tcp; interface eth0 1000 Mbit/s -> 100
 * Mbit/s", or "" if there are none. */
void environment_changes(const struct texts *before, const struct texts *after, char *text, size_t size);

#endif
