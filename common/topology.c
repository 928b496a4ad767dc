/* Processors, by sched_getaffinity and hwloc. */
#include "common/topology.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

static bool has(const struct thread_set *set, int thread)
{
    return CPU_ISSET_S((size_t)thread, sizeof set->mask, set->mask);
}

int topology_affinity(struct thread_set *set)
{
    *set = (struct thread_set){0};
    return sched_getaffinity(0, sizeof set->mask, set->mask);
}

int topology_count(const struct thread_set *set)
{
    return CPU_COUNT_S(sizeof set->mask, set->mask);
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
            int thread = hwloc_bitmap_first(core->cpuset);
            while (thread >= 0 && !has(set, thread))
                thread = hwloc_bitmap_next(core->cpuset, thread);
            cores += thread >= 0;
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
    for (int i = 0; i < TOPOLOGY_MAX_THREADS; i++) {
        if (!has(set, i))
            continue;
        int last = i;
        while (last + 1 < TOPOLOGY_MAX_THREADS && has(set, last + 1))
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
