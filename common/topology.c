/* Processors, by sched_getaffinity and hwloc. */
#include "common/topology.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

static int has(const struct thread_set *set, int thread)
{
    return set->bits[thread / 8] >> (thread % 8) & 1;
}

int topology_affinity(struct thread_set *set)
{
    memset(set, 0, sizeof *set);
    size_t size = CPU_ALLOC_SIZE(TOPOLOGY_MOST_THREADS);
    cpu_set_t *mask = CPU_ALLOC(TOPOLOGY_MOST_THREADS);
    int failed = !mask || sched_getaffinity(0, size, mask);
    for (int i = 0; !failed && i < TOPOLOGY_MOST_THREADS; i++)
        if (CPU_ISSET_S((size_t)i, size, mask))
            set->bits[i / 8] = (unsigned char)(set->bits[i / 8] | 1 << (i % 8));
    CPU_FREE(mask);
    return failed ? -1 : 0;
}

int topology_count(const struct thread_set *set)
{
    int count = 0;
    for (int i = 0; i < TOPOLOGY_MOST_THREADS; i++)
        count += has(set, i);
    return count;
}

int topology_cores(const struct thread_set *set)
{
    int cores = 0;
#ifdef HAVE_HWLOC
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology))
        return 0;
    if (hwloc_topology_load(topology) == 0)
        for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core));) {
            int used = 0;
            for (int thread = hwloc_bitmap_first(core->cpuset); thread >= 0;
                 thread = hwloc_bitmap_next(core->cpuset, thread))
                used |= thread < TOPOLOGY_MOST_THREADS && has(set, thread);
            cores += used;
        }
    hwloc_topology_destroy(topology);
#else
    (void)set;
#endif
    return cores;
}

int topology_online(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int topology_node_cores(void)
{
    struct thread_set set;
    topology_affinity(&set);
    int cores = topology_cores(&set);
    return cores > 0 ? cores : topology_online();
}

void topology_list(const struct thread_set *set, char list[TOPOLOGY_LIST_SIZE])
{
    size_t length = 0;
    list[0] = 0;
    for (int i = 0; i < TOPOLOGY_MOST_THREADS; i++) {
        if (!has(set, i))
            continue;
        int last = i;
        while (last + 1 < TOPOLOGY_MOST_THREADS && has(set, last + 1))
            last++;
        char range[32];
        snprintf(range, sizeof range, last > i ? "%s%d-%d" : "%s%d", length ? "," : "", i, last);
        if (length + strlen(range) + 4 > TOPOLOGY_LIST_SIZE) {
            strcpy(list + length, "...");
            return;
        }
        strcpy(list + length, range);
        length += strlen(range);
        i = last;
    }
}
