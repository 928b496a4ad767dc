#include "common/sysinfo.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum { PATH_SIZE = 4096, LINE_SIZE = 8192 };

/* Copies the value from the first line of `file` that starts with `key`. Returns 0, or -1 if there is none.
 */
static int find_line(const char *root, const char *file, const char *key, char *value, size_t size)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    snprintf(path, sizeof path, "%s%s", root, file);
    FILE *in = fopen(path, "r");
    if (!in)
        return -1;
    int found = -1;
    while (found && fgets(line, sizeof line, in))
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *rest = line + strlen(key);
            rest += strspn(rest, " \t:");
            snprintf(value, size, "%.*s", (int)strcspn(rest, "\n"), rest);
            found = 0;
        }
    fclose(in);
    return found;
}

/* The files of a limit in one version of cgroups. The period of a CPU quota is in the file `period`, or after
 * the quota. Instead of a limit, a file of statistics has a line `counter NUMBER`, in units of `unit`
 * seconds. */
struct limit_file {
    const char *name, *period;
    bool quota;
    const char *counter;
    double unit;
};

static int read_numbers(const char *root, const char *directory, const char *name, const char *key,
                        double numbers[2])
{
    char path[2 * PATH_SIZE], text[LINE_SIZE] = "";
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (find_line(root, path, key, text, sizeof text))
        return 0;
    return sscanf(text, "%lf %lf", &numbers[0], &numbers[1]); /* "max" means no limit; it is not a number */
}

/* Returns a limit, or INFINITY if there is none. In cgroup v1, a huge number means that there is none. A
 * counter is returned with a minus sign, so that the smallest value belongs to the largest counter. */
static double read_limit(const char *root, const char *directory, const struct limit_file *file)
{
    double numbers[2] = {0, 0}, period[2];
    read_numbers(root, directory, file->name, file->counter ? file->counter : "", numbers);
    if (file->counter)
        return -numbers[0] * file->unit;
    if (file->period && read_numbers(root, directory, file->period, "", period) >= 1)
        numbers[1] = period[0];
    double limit = !file->quota ? numbers[0] : numbers[1] > 0 ? numbers[0] / numbers[1] : 0;
    return limit > 0 && limit < 0x1p62 ? limit : INFINITY;
}

/* Returns the smallest limit of the process's own cgroup and of all its parents. */
static double min_limit(const char *root, const char *mount, const char *cgroup,
                        const struct limit_file *file)
{
    char directory[PATH_SIZE];
    int length = snprintf(directory, sizeof directory, "%s%s", mount, cgroup);
    double min = INFINITY;
    while (length >= (int)strlen(mount) && length < PATH_SIZE) {
        min = fmin(min, read_limit(root, directory, file));
        char *slash = strrchr(directory, '/');
        if (!slash || slash - directory < (long)strlen(mount))
            break;
        *slash = 0;
        length = (int)(slash - directory);
    }
    return min;
}

/* Finds the path of this process's cgroup in the hierarchy of `controller`; "" is the hierarchy of version 2.
 * Returns 0, or -1 if there is none. */
static int own_cgroup(const char *root, const char *controller, char *cgroup, size_t size)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *in = fopen(path, "r");
    if (!in)
        return -1;
    int found = -1;
    while (found && fgets(line, sizeof line, in)) {
        char *controllers = strchr(line, ':'), *place = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!place)
            continue;
        *place++ = 0;
        place[strcspn(place, "\n")] = 0;
        controllers++;
        for (char *name; found && (name = strsep(&controllers, ","));)
            if (strcmp(name, controller) == 0) {
                snprintf(cgroup, size, "%s", strcmp(place, "/") ? place : "");
                found = 0;
            }
    }
    fclose(in);
    return found;
}

/* Returns the limit that applies to this process, or 0 if there is none. */
static double limit_of(const char *root, const struct limit_file *v2, const char *controller,
                       const struct limit_file *v1)
{
    char cgroup[PATH_SIZE], mount[64];
    double limit = INFINITY;
    if (own_cgroup(root, "", cgroup, sizeof cgroup) == 0)
        limit = fmin(min_limit(root, "/sys/fs/cgroup", cgroup, v2),
                     min_limit(root, "/sys/fs/cgroup/unified", cgroup, v2));
    if (own_cgroup(root, controller, cgroup, sizeof cgroup) == 0) {
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
        limit = fmin(limit, min_limit(root, mount, cgroup, v1));
    }
    return isfinite(limit) ? limit : 0;
}

static int64_t read_meminfo(const char *root, const char *key)
{
    char value[64];
    int64_t kib;
    bool found = find_line(root, "/proc/meminfo", key, value, sizeof value) == 0;
    return found && sscanf(value, "%" SCNd64, &kib) == 1 ? kib / 1024 : 0;
}

void sysinfo_read(const char *root, struct sysinfo_node *node)
{
    *node = (struct sysinfo_node){.cpu = "unknown"};
    uname(&node->names);
    /* x86 and others have "model name", POWER has "cpu"; ARM has only numbers. */
    if (find_line(root, "/proc/cpuinfo", "model name", node->cpu, sizeof node->cpu) &&
        find_line(root, "/proc/cpuinfo", "cpu\t", node->cpu, sizeof node->cpu))
        find_line(root, "/proc/cpuinfo", "CPU part", node->cpu, sizeof node->cpu);
    char flags[LINE_SIZE] = "";
    find_line(root, "/proc/cpuinfo", "flags", flags, sizeof flags);
    node->virtual_machine = strstr(flags, " hypervisor") != NULL;
    find_line(root, BOOT_ID, "", node->boot_id, sizeof node->boot_id);
    node->memory_mib = read_meminfo(root, "MemTotal");
    node->available_mib = read_meminfo(root, "MemAvailable");
    double bytes = limit_of(root, &(struct limit_file){"memory.max"}, "memory",
                            &(struct limit_file){"memory.limit_in_bytes"});
    node->memory_limit_mib = (int64_t)(bytes / (1024 * 1024));
    if (bytes > 0 && node->memory_limit_mib == 0)
        node->memory_limit_mib = 1;
    if (node->memory_limit_mib && node->memory_limit_mib < node->available_mib)
        node->available_mib = node->memory_limit_mib;
    node->cpu_limit = limit_of(root, &(struct limit_file){"cpu.max", NULL, true}, "cpu",
                               &(struct limit_file){"cpu.cfs_quota_us", "cpu.cfs_period_us", true});
}

int64_t sysinfo_usable_mib(const struct sysinfo_node *node)
{
    bool limited = node->memory_limit_mib > 0;
    if (limited && (node->memory_mib == 0 || node->memory_limit_mib < node->memory_mib))
        return node->memory_limit_mib;
    return node->memory_mib;
}

int64_t sysinfo_share_mib(int64_t ranks)
{
    struct sysinfo_node node;
    sysinfo_read("", &node);
    int64_t share = sysinfo_usable_mib(&node) / ranks;
    return share > 0 ? share : 1;
}

int64_t sysinfo_free_bytes(const char *path, bool *in_memory)
{
    enum { TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };
    struct statvfs space;
    struct statfs kind;
    if (in_memory)
        *in_memory = statfs(path, &kind) == 0 && ((int)kind.f_type == TMPFS || (int)kind.f_type == RAMFS);
    return statvfs(path, &space) ? -1 : (int64_t)space.f_bavail * (int64_t)space.f_frsize;
}

/* ---- processors ---- */

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

bool topology_within(const struct thread_set *set, const struct thread_set *other)
{
    for (int i = 0; i < TOPOLOGY_MAX_THREADS; i++)
        if (has(set, i) && !has(other, i))
            return false;
    return topology_count(set) > 0;
}

void topology_times(const char *root, const struct thread_set *set, struct processor_times *times)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    *times = (struct processor_times){0};
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in) && strncmp(line, "cpu", 3) == 0) {
        int thread;
        double user, nice, system, idle, iowait, irq, softirq, steal; /* user and nice contain guests */
        bool numbered = isdigit((unsigned char)line[3]);              /* the first line is the sum */
        if (!numbered || sscanf(line, "cpu%d %lf %lf %lf %lf %lf %lf %lf %lf", &thread, &user, &nice, &system,
                                &idle, &iowait, &irq, &softirq, &steal) != 9)
            continue;
        double busy = user + nice + system, all = busy + idle + iowait + irq + softirq + steal;
        if (thread < 0 || thread >= TOPOLOGY_MAX_THREADS || !has(set, thread) || !isfinite(all))
            continue;
        times->threads++;
        times->busy += tick * busy;
        times->steal += tick * steal;
        times->all += tick * all;
    }
    if (in)
        fclose(in);
    if (times->threads)
        times->throttled =
            -limit_of(root, &(struct limit_file){"cpu.stat", .counter = "throttled_usec", .unit = 1e-6},
                      "cpu", &(struct limit_file){"cpu.stat", .counter = "throttled_time", .unit = 1e-9});
}

#ifdef HAVE_HWLOC
static bool is_network(hwloc_obj_t device)
{
    const char *state = hwloc_obj_get_info_by_name(device, "Port1State");
    bool fast = device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS ||
                (device->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK && strncmp(device->name, "hsn", 3) == 0);
    return fast && (!state || strcmp(state, "4") == 0);
}
#endif

int topology_devices(struct topology_device devices[TOPOLOGY_MAX_DEVICES])
{
    int count = 0;
#ifdef HAVE_HWLOC
    hwloc_topology_t topology;
    hwloc_obj_t parents[TOPOLOGY_MAX_DEVICES];
    if (hwloc_topology_init(&topology))
        return 0;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(topology) == 0)
        for (hwloc_obj_t d = NULL; (d = hwloc_get_next_osdev(topology, d)) && count < TOPOLOGY_MAX_DEVICES;) {
            bool known = false;
            for (int i = 0; i < count; i++)
                known |= parents[i] == d->parent;
            if (known || !is_network(d))
                continue;
            struct topology_device *device = &devices[count];
            *device = (struct topology_device){""};
            parents[count++] = d->parent;
            snprintf(device->name, sizeof device->name, "%s", d->name);
            hwloc_const_bitmap_t near = hwloc_get_non_io_ancestor_obj(topology, d)->cpuset;
            for (int i = hwloc_bitmap_first(near); i >= 0 && i < TOPOLOGY_MAX_THREADS;
                 i = hwloc_bitmap_next(near, i))
                CPU_SET((size_t)(i % CPU_SETSIZE), &device->near.mask[i / CPU_SETSIZE]);
        }
    hwloc_topology_destroy(topology);
#else
    (void)devices;
#endif
    return count;
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
