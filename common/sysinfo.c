/* System information from uname, /proc and the cgroup file systems. Uses the C library alone. */
#include "common/sysinfo.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, LINE_SIZE = 1024 };

/* The rest of the first line of `file` that starts with `key`, behind blanks and the separator; 0 if found.
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

/* One limit file: its value in `unit`s, 0 for none. cpu.max and the quota files hold one or two numbers. */
typedef double limit_reader(const char *root, const char *directory);

static int read_numbers(const char *root, const char *directory, const char *name, double *first,
                        double *second)
{
    char path[PATH_SIZE], text[LINE_SIZE] = "";
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (find_line(root, path, "", text, sizeof text))
        return 0;
    return sscanf(text, "%lf %lf", first, second); /* "max" is no number: no limit */
}

static double memory_v2(const char *root, const char *directory)
{
    double bytes = 0, unused;
    return read_numbers(root, directory, "memory.max", &bytes, &unused) == 1 ? bytes : 0;
}

static double memory_v1(const char *root, const char *directory)
{
    double bytes = 0, unused;
    int count = read_numbers(root, directory, "memory.limit_in_bytes", &bytes, &unused);
    return count == 1 && bytes < 0x1p62 ? bytes : 0; /* a huge number stands for none */
}

static double cpu_v2(const char *root, const char *directory)
{
    double quota, period;
    return read_numbers(root, directory, "cpu.max", &quota, &period) == 2 && period > 0 ? quota / period : 0;
}

static double cpu_v1(const char *root, const char *directory)
{
    double quota, period, unused;
    return read_numbers(root, directory, "cpu.cfs_quota_us", &quota, &unused) == 1 && quota > 0 &&
                   read_numbers(root, directory, "cpu.cfs_period_us", &period, &unused) == 1 && period > 0
               ? quota / period
               : 0;
}

/* The smallest limit on the way from the process's own cgroup up to the root of the hierarchy. */
static double least_limit(const char *root, const char *mount, const char *cgroup, limit_reader *read)
{
    char directory[PATH_SIZE];
    int length = snprintf(directory, sizeof directory, "%s%s", mount, cgroup);
    double least = 0;
    while (length >= (int)strlen(mount) && length < PATH_SIZE) {
        double limit = read(root, directory);
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
        char *slash = strrchr(directory, '/');
        if (!slash || slash - directory < (long)strlen(mount))
            break;
        *slash = 0;
        length = (int)(slash - directory);
    }
    return least;
}

/* The path of this process's cgroup in the hierarchy of `controller` ("" is v2's one hierarchy). */
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
        for (char *save, *name = controllers + 1; found && name; name = save) {
            save = strchr(name, ',');
            if (save)
                *save++ = 0;
            if (strcmp(name, controller) == 0) {
                snprintf(cgroup, size, "%s", strcmp(place, "/") ? place : "");
                found = 0;
            }
        }
    }
    fclose(in);
    return found;
}

static double smaller_limit(double a, double b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

static double limit_of(const char *root, limit_reader *v2, const char *controller, limit_reader *v1)
{
    char cgroup[PATH_SIZE], mount[64];
    double limit = 0;
    if (own_cgroup(root, "", cgroup, sizeof cgroup) == 0) {
        limit = least_limit(root, "/sys/fs/cgroup", cgroup, v2);
        limit = smaller_limit(limit, least_limit(root, "/sys/fs/cgroup/unified", cgroup, v2));
    }
    if (own_cgroup(root, controller, cgroup, sizeof cgroup) == 0) {
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
        limit = smaller_limit(limit, least_limit(root, mount, cgroup, v1));
    }
    return limit;
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
    /* x86 and others call it "model name"; ARM kernels tell only numbers of maker and part. */
    if (find_line(root, "/proc/cpuinfo", "model name", node->cpu, sizeof node->cpu) &&
        find_line(root, "/proc/cpuinfo", "cpu\t", node->cpu, sizeof node->cpu))
        find_line(root, "/proc/cpuinfo", "CPU part", node->cpu, sizeof node->cpu);
    node->memory_mib = read_meminfo(root, "MemTotal");
    node->available_mib = read_meminfo(root, "MemAvailable");
    double bytes = limit_of(root, memory_v2, "memory", memory_v1);
    node->memory_limit_mib = (int64_t)(bytes / (1024 * 1024));
    if (bytes > 0 && node->memory_limit_mib == 0)
        node->memory_limit_mib = 1;
    if (node->memory_limit_mib && node->memory_limit_mib < node->available_mib)
        node->available_mib = node->memory_limit_mib;
    node->cpu_limit = limit_of(root, cpu_v2, "cpu", cpu_v1);
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
