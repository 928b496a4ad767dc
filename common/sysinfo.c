#include "common/sysinfo.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum { PATH_SIZE = 4096, LINE_SIZE = 8192 };

int sysinfo_line(const char *root, const char *file, const char *key, char *value, size_t size)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    *value = 0;
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
    char path[2 * PATH_SIZE], text[LINE_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (sysinfo_line(root, path, key, text, sizeof text))
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

/* Adds the group of a directory, unless it is already there. */
static void add_group(struct sysinfo_groups *groups, const char *root, const char *directory, double limit)
{
    char path[2 * PATH_SIZE];
    struct stat found;
    snprintf(path, sizeof path, "%s%s", root, directory);
    if (groups->count == SYSINFO_GROUPS || stat(path, &found))
        return;
    struct sysinfo_group *group = groups->group, *end = group + groups->count;
    while (group < end && (group->device != found.st_dev || group->inode != found.st_ino))
        group++;
    *group = (struct sysinfo_group){found.st_dev, found.st_ino, limit};
    groups->count += group == end;
}

/* Returns the smallest limit of the cgroup and of all its parents below `mount`. Adds those with a limit to
 * `groups`, unless it is NULL. */
static double min_limit(const char *root, const char *mount, const char *cgroup,
                        const struct limit_file *file, struct sysinfo_groups *groups)
{
    char directory[PATH_SIZE];
    int length = snprintf(directory, sizeof directory, "%s%s", mount, cgroup);
    double min = INFINITY;
    while (length >= (int)strlen(mount) && length < PATH_SIZE) {
        double limit = read_limit(root, directory, file);
        if (groups && isfinite(limit))
            add_group(groups, root, directory, limit);
        min = fmin(min, limit);
        char *slash = strrchr(directory, '/');
        if (!slash || slash - directory < (long)strlen(mount))
            break;
        *slash = 0;
        length = (int)(slash - directory);
    }
    return min;
}

/* Returns true if a list with commas contains the word. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (bool more = true; more; list += strcspn(list, ",") + 1) {
        if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
            return true;
        more = list[strcspn(list, ",")] == ',';
    }
    return false;
}

/* Finds the path of this process's cgroup in the hierarchy of `controller`; "" is the hierarchy of version 2.
 * Returns 0, or -1 if there is none. */
static int own_cgroup(const char *root, const char *controller, char cgroup[PATH_SIZE])
{
    char path[PATH_SIZE], line[LINE_SIZE];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *in = fopen(path, "r");
    if (!in)
        return -1;
    int found = -1;
    while (found && fgets(line, sizeof line, in)) {
        char *list = strchr(line, ':'), *place = list ? strchr(list + 1, ':') : NULL;
        if (!place)
            continue;
        *place++ = 0;
        place[strcspn(place, "\n")] = 0;
        if (!lists(list + 1, controller))
            continue;
        snprintf(cgroup, PATH_SIZE, "%s", strcmp(place, "/") ? place : "");
        found = 0;
    }
    fclose(in);
    return found;
}

/* Replaces the escapes \040 (space), \011, \012 and \134 of /proc/self/mountinfo. */
static void unescape(char *text)
{
    unsigned code;
    char *to = text;
    for (; *text; to++)
        if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1 && strlen(text) >= 4) {
            *to = (char)code;
            text += 4;
        } else {
            *to = *text++;
        }
    *to = 0;
}

/* Returns the path of a cgroup below the directory `top` of its hierarchy, or NULL if it is not below it. A
 * `top` above the root of a namespace ("/..") is an ancestor; only its own limit can be found. */
static const char *path_below(const char *top, const char *cgroup)
{
    size_t length = strcmp(top, "/") ? strlen(top) : 0;
    bool above = strspn(top, "/.") == length && length > 0;
    if (strncmp(cgroup, "/..", 3) == 0)
        return NULL;
    if (above || strncmp(cgroup, top, length) == 0)
        return above ? "" : cgroup[length] == '/' || !cgroup[length] ? cgroup + length : NULL;
    return NULL;
}

/* Returns the smallest limit in the hierarchy of `controller`, or INFINITY. */
static double hierarchy_limit(const char *root, const char *controller, const struct limit_file *file,
                              struct sysinfo_groups *groups)
{
    char path[PATH_SIZE], line[LINE_SIZE], cgroup[PATH_SIZE];
    double limit = INFINITY;
    if (own_cgroup(root, controller, cgroup))
        return limit;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        char top[PATH_SIZE], point[PATH_SIZE], type[16] = "", options[PATH_SIZE] = "";
        const char *rest = strstr(line, " - ");
        if (!rest || sscanf(line, "%*d %*d %*s %4095s %4095s", top, point) != 2 ||
            sscanf(rest, " - %15s %*s %4095s", type, options) < 1 ||
            strcmp(type, *controller ? "cgroup" : "cgroup2") != 0 ||
            (*controller && !lists(options, controller)))
            continue;
        unescape(top);
        unescape(point);
        const char *below = path_below(top, cgroup);
        if (below)
            limit = fmin(limit, min_limit(root, point, below, file, groups));
    }
    if (in)
        fclose(in);
    return limit;
}

/* Returns the limit that applies to this process, or 0 if there is none. */
static double limit_of(const char *root, const struct limit_file *v2, const char *controller,
                       const struct limit_file *v1, struct sysinfo_groups *groups)
{
    double limit = fmin(hierarchy_limit(root, "", v2, groups), hierarchy_limit(root, controller, v1, groups));
    return isfinite(limit) ? limit : 0;
}

static int64_t read_meminfo(const char *root, const char *key)
{
    char value[64];
    int64_t kib;
    sysinfo_line(root, "/proc/meminfo", key, value, sizeof value);
    return sscanf(value, "%" SCNd64, &kib) == 1 && kib > 0 ? kib / 1024 : 0;
}

void sysinfo_read(const char *root, struct sysinfo_node *node)
{
    *node = (struct sysinfo_node){0};
    uname(&node->names);
    /* x86 and others have "model name", POWER has "cpu"; ARM has only numbers. */
    if (sysinfo_line(root, "/proc/cpuinfo", "model name", node->cpu, sizeof node->cpu) &&
        sysinfo_line(root, "/proc/cpuinfo", "cpu\t", node->cpu, sizeof node->cpu) &&
        sysinfo_line(root, "/proc/cpuinfo", "CPU part", node->cpu, sizeof node->cpu))
        strcpy(node->cpu, "unknown");
    char flags[LINE_SIZE];
    sysinfo_line(root, "/proc/cpuinfo", "flags", flags, sizeof flags);
    node->virtual_machine = strstr(flags, " hypervisor") != NULL;
    sysinfo_line(root, BOOT_ID, "", node->boot_id, sizeof node->boot_id);
    struct sysinfo memory;
    node->memory_mib = read_meminfo(root, "MemTotal");
    if (!node->memory_mib && !*root && sysinfo(&memory) == 0)
        node->memory_mib = (int64_t)((double)memory.totalram * memory.mem_unit / (1024 * 1024));
    node->available_mib = read_meminfo(root, "MemAvailable");
    double bytes = limit_of(root, &(struct limit_file){"memory.max"}, "memory",
                            &(struct limit_file){"memory.limit_in_bytes"}, &node->groups);
    node->memory_limit_mib = (int64_t)(bytes / (1024 * 1024));
    if (bytes > 0 && node->memory_limit_mib == 0)
        node->memory_limit_mib = 1;
    node->cpu_limit =
        limit_of(root, &(struct limit_file){"cpu.max", NULL, true}, "cpu",
                 &(struct limit_file){"cpu.cfs_quota_us", "cpu.cfs_period_us", true}, &node->cpu_groups);
}

int64_t sysinfo_usable_mib(const struct sysinfo_node *node)
{
    bool limited = node->memory_limit_mib > 0;
    if (limited && (node->memory_mib == 0 || node->memory_limit_mib < node->memory_mib))
        return node->memory_limit_mib;
    return node->memory_mib;
}

/* Returns 1 if a process belongs to a group, otherwise 0. */
static int is_in(const struct sysinfo_groups *groups, const struct sysinfo_group *group)
{
    for (const struct sysinfo_group *g = groups->group; g < groups->group + groups->count; g++)
        if (g->device == group->device && g->inode == group->inode)
            return 1;
    return 0;
}

double sysinfo_share(double whole, const struct sysinfo_groups *own, const struct sysinfo_groups *all,
                     int ranks)
{
    double share = whole / ranks;
    for (int g = 0; g < own->count; g++) {
        int inside = 0;
        for (int i = 0; i < ranks; i++)
            inside += is_in(&all[i], &own->group[g]);
        share = fmin(share, own->group[g].limit / inside);
    }
    return share;
}

int64_t sysinfo_share_mib(int64_t mib, const struct sysinfo_groups *own, const struct sysinfo_groups *all,
                          int ranks)
{
    double share = sysinfo_share(mib > 0 ? (double)mib * 0x1p20 : INFINITY, own, all, ranks) / 0x1p20;
    return isfinite(share) ? (int64_t)fmax(share, 1) : 0;
}

int64_t sysinfo_plan_mib(int64_t ranks)
{
    struct sysinfo_node node;
    sysinfo_read("", &node);
    int64_t usable = sysinfo_usable_mib(&node), share = usable / ranks;
    return usable > 0 && share < 1 ? 1 : share;
}

int sysinfo_space(const char *path, struct sysinfo_space *space)
{
    enum { TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };
    struct statvfs found;
    struct statfs kind;
    *space = (struct sysinfo_space){-1, -1, false};
    if (statvfs(path, &found))
        return -1;
    double unit = (double)(found.f_frsize ? found.f_frsize : found.f_bsize);
    if (found.f_blocks && found.f_bavail > found.f_blocks) /* a huge number is a negative one: too full */
        found.f_bavail = found.f_bavail > INT64_MAX ? 0 : found.f_blocks;
    if (unit > 0 && (found.f_blocks || found.f_bavail)) {
        space->bytes = (int64_t)fmin((double)found.f_blocks * unit, (double)SYSINFO_MANY_BYTES);
        space->free = (int64_t)fmin((double)found.f_bavail * unit, (double)SYSINFO_MANY_BYTES);
    }
    space->in_memory = statfs(path, &kind) == 0 && ((int)kind.f_type == TMPFS || (int)kind.f_type == RAMFS);
    return 0;
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

#ifdef HAVE_HWLOC
const bool topology_has_hwloc = true;
#else
const bool topology_has_hwloc = false;
#endif

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
        times->throttled = -limit_of(
            root, &(struct limit_file){"cpu.stat", .counter = "throttled_usec", .unit = 1e-6}, "cpu",
            &(struct limit_file){"cpu.stat", .counter = "throttled_time", .unit = 1e-9}, NULL);
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

bool topology_is_far(const char *root, const char *pci, const struct thread_set *set)
{
    char path[PATH_SIZE], domain[16], lower[20];
    snprintf(lower, sizeof lower, "%s", pci);
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", lower);
    if (sysinfo_line(root, path, "", domain, sizeof domain) || atoi(domain) < 0)
        return false;
    for (int i = 0; i < TOPOLOGY_MAX_THREADS; i++) {
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/node%d", root, i, atoi(domain));
        if (has(set, i) && access(path, F_OK) == 0)
            return false;
    }
    return topology_count(set) > 0;
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
