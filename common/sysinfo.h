/* Facts that the operating system reports about this node: names, processor, memory, limits, and the
 * processors that a process may run on. Cores are found by hwloc, if it was built in. */
#ifndef COMMON_SYSINFO_H
#define COMMON_SYSINFO_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

enum { SYSINFO_CPU_SIZE = 96, SYSINFO_GROUPS = 32 };

/* The control groups with a limit that contain a process: its own group and ancestors. A path cannot
 * identify a group, because each container has a different view; its directory's device and inode can. */
struct sysinfo_groups {
    int count;
    struct sysinfo_group {
        uint64_t device, inode;
        double limit; /* bytes or processors */
    } group[SYSINFO_GROUPS];
};

struct sysinfo_node {
    struct utsname names;
    char cpu[SYSINFO_CPU_SIZE]; /* model name; "unknown" if not reported */
    char boot_id[40];           /* identifies the running kernel, also in containers; "" if not reported */
    int64_t memory_mib;         /* physical memory; 0: unknown */
    int64_t available_mib;      /* memory that is available without swapping; 0: unknown */
    int64_t memory_limit_mib;   /* smallest cgroup limit (v1 or v2) of this process; 0: no limit */
    struct sysinfo_groups groups,
        cpu_groups;       /* those with a limit of memory, and with a quota of processors */
    bool virtual_machine; /* the processor reports a hypervisor */
    double cpu_limit;     /* number of processors that the cgroup's quota allows; 0: no quota */
};

/* Finds the first line that starts with `key` in a file below `root`. Copies the rest of the line without a
 * leading colon and blanks. If there is none, returns -1 and leaves an empty value. */
int sysinfo_line(const char *root, const char *file, const char *key, char *value, size_t size);

/* Reads the node's facts from `root`/proc and `root`/sys. `root` is "", except in tests. If /proc is
 * restricted, the system call sysinfo() reports the memory of this system. */
void sysinfo_read(const char *root, struct sysinfo_node *node);

/* Returns the memory that a job may use on this node, in MiB: the smaller of physical memory and limit; 0 if
 * unknown. */
int64_t sysinfo_usable_mib(const struct sysinfo_node *node);

/* Returns the share of a process: the smallest limit of its groups, each divided by the number of processes
 * in the group. `all` has the groups of all `ranks` processes of its kernel, which share `whole`. */
double sysinfo_share(double whole, const struct sysinfo_groups *own, const struct sysinfo_groups *all,
                     int ranks);

/* Returns the memory of a process in MiB, at least 1; 0 if unknown. `mib` is the memory of the node; 0:
 * unknown. */
int64_t sysinfo_share_mib(int64_t mib, const struct sysinfo_groups *own, const struct sysinfo_groups *all,
                          int ranks);

/* Returns the memory per process in MiB if `ranks` processes share this system; 0 if unknown. */
int64_t sysinfo_plan_mib(int64_t ranks);

/* The message if the memory is unknown. */
#define SYSINFO_NO_MEMORY                                                                                    \
    "the memory of a node is unknown: /proc/meminfo cannot be read, and sysinfo() failed; give --memory"

/* The most bytes that sysinfo_space() returns. Object stores report more than an int64_t can hold. */
#define SYSINFO_MANY_BYTES (INT64_C(1) << 62)

struct sysinfo_space {
    int64_t bytes, free; /* size and free space of a file system; -1: unknown, because it reports 0 of 0 */
    bool in_memory;      /* the file system is in memory (tmpfs, ramfs) */
};

/* Reads the space of the file system of `path`. Returns 0, or -1 with errno. */
int sysinfo_space(const char *path, struct sysinfo_space *space);

/* ---- processors ---- */

enum { TOPOLOGY_MAX_THREADS = 8192, TOPOLOGY_LIST_SIZE = 128 };

/* A set of hardware threads, numbered as in the operating system. */
struct thread_set {
    cpu_set_t mask[TOPOLOGY_MAX_THREADS / CPU_SETSIZE];
};

/* Finds the hardware threads that this process may run on. Returns 0, or -1 with an empty set if the system
 * does not report them. */
int topology_affinity(struct thread_set *set);

/* Returns the number of hardware threads in a set. */
int topology_count(const struct thread_set *set);

/* True if cores and network devices can be found. */
extern const bool topology_has_hwloc;

/* Returns the number of cores to which the threads of the set belong, or 0 without hwloc. */
int topology_cores(const struct thread_set *set);

/* Returns the number of cores that this process may run on. If that is unknown, returns the number of the
 * node's hardware threads. */
int topology_node_cores(void);

/* Returns the number of hardware threads of the node that are online. */
int topology_online(void);

/* Returns true if a set is not empty and all its threads are also in the other set. */
bool topology_within(const struct thread_set *set, const struct thread_set *other);

/* Seconds since the start of the system, summed over hardware threads. */
struct processor_times {
    int threads;      /* number of threads; 0: not reported, and the other members are 0 */
    double busy;      /* programs and kernel: user, nice and system, which include guests */
    double steal;     /* taken by a hypervisor */
    double all;       /* busy, idle and everything else */
    double throttled; /* withheld by the quota of this process's cgroup or of a parent; 0: none */
};

/* Reads `root`/proc/stat, only the threads of the set that are online. `root` is "", except in tests. */
void topology_times(const char *root, const struct thread_set *set, struct processor_times *times);

enum { TOPOLOGY_MAX_DEVICES = 16 };

/* A network device, and the hardware threads of the NUMA domain next to it. */
struct topology_device {
    char name[32];
    struct thread_set near;
};

/* Finds the active devices of fast networks (InfiniBand, RoCE, Omni-Path, Slingshot), once for each PCI
 * device. Returns their number, at most TOPOLOGY_MAX_DEVICES; 0 without hwloc. */
int topology_devices(struct topology_device devices[TOPOLOGY_MAX_DEVICES]);

/* Returns true if no thread of the set is in the NUMA domain of a PCI device ("0000:A0:00.0"); false if the
 * set is empty or the domain is unknown. Reads `root`/sys; `root` is "", except in tests. */
bool topology_is_far(const char *root, const char *pci, const struct thread_set *set);

/* Writes the set as a list such as "0-3,8"; a list that is too long ends with "...". */
void topology_list(const struct thread_set *set, char list[TOPOLOGY_LIST_SIZE]);

#endif
