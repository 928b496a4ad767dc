/* What the operating system reports about this node: names, processor, memory and its limits, of which the
 * root of the file system is a parameter, so that tests can hand in a made-up /proc and /sys; which
 * processors a process may run on, and how many cores they make (hwloc, where it was built in). Pure. */
#ifndef COMMON_SYSINFO_H
#define COMMON_SYSINFO_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

enum { SYSINFO_CPU_SIZE = 96 };

struct sysinfo_node {
    struct utsname names;
    char cpu[SYSINFO_CPU_SIZE]; /* model name; "unknown" if not reported */
    char boot_id[40];           /* of the kernel, the same in all containers; "" if not reported */
    int64_t memory_mib;         /* physical memory; 0 if unknown */
    int64_t available_mib;      /* what can be had now without swapping; 0 if unknown */
    int64_t memory_limit_mib; /* smallest cgroup limit that applies to this process (v1 or v2); 0: no limit */
    double cpu_limit;         /* processors that the cgroup's quota allows; 0: no quota */
};

/* Reads `root`/proc and `root`/sys ("" for the real ones). What cannot be read stays unknown. */
void sysinfo_read(const char *root, struct sysinfo_node *node);

/* Memory that the job may use on this node, in MiB: the smaller of physical memory and limit; 0 if unknown.
 */
int64_t sysinfo_usable_mib(const struct sysinfo_node *node);

/* The same per process, with `ranks` processes on this node; at least 1 MiB. */
int64_t sysinfo_share_mib(int64_t ranks);

/* Free bytes on the file system of `path`, -1 if unknown; and, unless NULL, whether it resides in memory. */
int64_t sysinfo_free_bytes(const char *path, bool *in_memory);

/* ---- processors ---- */

enum { TOPOLOGY_MAX_THREADS = 8192, TOPOLOGY_LIST_SIZE = 128 };

/* A set of hardware threads, by the operating system's numbers. */
struct thread_set {
    cpu_set_t mask[TOPOLOGY_MAX_THREADS / CPU_SETSIZE];
};

/* The hardware threads that this process may run on; 0, or -1 if the system does not report it (then the set
 * is empty). */
int topology_affinity(struct thread_set *set);

/* Number of hardware threads in a set. */
int topology_count(const struct thread_set *set);

/* Number of cores that the threads of the set belong to; 0 if unknown (built without hwloc). */
int topology_cores(const struct thread_set *set);

/* Cores that this process may run on; where they are unknown the hardware threads of the node. */
int topology_node_cores(void);

/* Hardware threads of the whole node that are online. */
int topology_online(void);

/* The set as a list such as "0-3,8", cut with "..." if it does not fit. */
void topology_list(const struct thread_set *set, char list[TOPOLOGY_LIST_SIZE]);

#endif
