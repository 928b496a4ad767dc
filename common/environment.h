/* The environment of a run: what steers MPI, network, threads and binding on one node. Pure. */
#ifndef COMMON_ENVIRONMENT_H
#define COMMON_ENVIRONMENT_H

#include "common/text.h"

/* Appends the environment of this node, one line "LABEL=VALUE" for each fact, in a fixed order:
 *
 *     UCX_TLS=tcp                                      variables, by name
 *     interface eth0=10000 Mbit/s, up                  network interfaces with hardware behind them
 *     interface mlx5_0/1=100 Gb/sec (4X EDR), ACTIVE   ports of InfiniBand adapters
 *     cpu governor=performance                         of all processors, "performance powersave" if mixed
 *     NUMA balancing=0
 *
 * Facts that the kernel does not report are left out. Variables are those that the process was started with:
 * MPI_Init sets more. They are selected by the prefixes of their names. Those that launchers set anew for
 * each job or rank are left out, and so are names that look like a secret. Values are data from outside: they
 * are cut to 200 bytes, control characters become spaces, and at most 200 variables are taken. `root`
 * precedes /proc and /sys ("" for the real ones). */
void environment_read(struct texts *lines, const char *root);

#define ENVIRONMENT_UNSET "unset" /* the value of a label that is not there */

/* Returns the value of a label (its first `length` bytes) in `count` such lines; NULL if it is not there. */
const char *environment_value(char *const *lines, size_t count, const char *label, size_t length);

/* Writes the differences into `text`, for example "UCX_TLS unset -> tcp; interface eth0 1000 Mbit/s -> 100
 * Mbit/s"; "" if there are none. */
void environment_changes(const struct texts *before, const struct texts *after, char *text, size_t size);

#endif
