/* Processors: which ones a process may run on, and how many cores they make (hwloc, where it was built in).
 * Pure. */
#ifndef COMMON_TOPOLOGY_H
#define COMMON_TOPOLOGY_H

#include <sched.h>

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
