/* Tests system information from made-up root directories: processors, memory, cgroup limits (v1 and v2). */
#include "common/sysinfo.h"

#include "tests/unit.h"

enum { MAX_FILES = 12 };

struct made_up {
    const char *what;
    struct {
        const char *path, *text;
    } files[MAX_FILES];
    int64_t memory_mib, limit_mib, usable_mib;
    double cpu_limit;
};

#define MEMINFO                                                                                              \
    {                                                                                                        \
        "proc/meminfo", "MemTotal:       16384000 kB\nMemFree:  1 kB\nMemAvailable:   8192000 kB\n"          \
    }

static const struct made_up rows[] = {
    {"nothing at all", {{NULL}}, 0, 0, 0, 0},
    {"no cgroup", {MEMINFO}, 16000, 0, 16000, 0},
    {"v2 without limits",
     {MEMINFO,
      {"proc/self/cgroup", "0::/user.slice/job\n"},
      {"sys/fs/cgroup/user.slice/job/memory.max", "max\n"},
      {"sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n"}},
     16000,
     0,
     16000,
     0},
    {"v2 with limits",
     {MEMINFO,
      {"proc/self/cgroup", "0::/job\n"},
      {"sys/fs/cgroup/job/memory.max", "1073741824\n"},
      {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"}},
     16000,
     1024,
     1024,
     1.5},
    {"v2 in a namespace: the process's own cgroup is the root",
     {MEMINFO,
      {"proc/self/cgroup", "0::/\n"},
      {"sys/fs/cgroup/memory.max", "2147483648\n"},
      {"sys/fs/cgroup/cpu.max", "200000 100000\n"}},
     16000,
     2048,
     2048,
     2},
    {"v2 nested, the smaller limits at the parent",
     {MEMINFO,
      {"proc/self/cgroup", "0::/a/b/c\n"},
      {"sys/fs/cgroup/a/b/c/memory.max", "max\n"},
      {"sys/fs/cgroup/a/b/memory.max", "4294967296\n"},
      {"sys/fs/cgroup/a/memory.max", "1048576000\n"},
      {"sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n"},
      {"sys/fs/cgroup/a/cpu.max", "50000 100000\n"}},
     16000,
     1000,
     1000,
     0.5},
    {"v2 nested, the smaller limit inside",
     {MEMINFO,
      {"proc/self/cgroup", "0::/a/b\n"},
      {"sys/fs/cgroup/a/b/memory.max", "1048576000\n"},
      {"sys/fs/cgroup/a/memory.max", "4294967296\n"}},
     16000,
     1000,
     1000,
     0},
    {"v2 path that is not mounted here: the container's own root counts",
     {MEMINFO, {"proc/self/cgroup", "0::/docker/abc\n"}, {"sys/fs/cgroup/memory.max", "1048576000\n"}},
     16000,
     1000,
     1000,
     0},
    {"a cgroup whose name starts like another cgroup's name",
     {MEMINFO,
      {"proc/self/cgroup", "0::/job2\n"},
      {"sys/fs/cgroup/job/memory.max", "1048576000\n"},
      {"sys/fs/cgroup/job2/memory.max", "2097152000\n"}},
     16000,
     2000,
     2000,
     0},
    {"v1",
     {MEMINFO,
      {"proc/self/cgroup", "12:memory:/slurm/job\n4:cpu,cpuacct:/slurm/job\n1:name=systemd:/x\n"},
      {"sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "1048576000\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_quota_us", "250000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_period_us", "100000\n"}},
     16000,
     1000,
     1000,
     2.5},
    {"v1 without limits: a huge number and a quota of -1",
     {MEMINFO,
      {"proc/self/cgroup", "9:memory:/\n3:cpuacct,cpu:/\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
     16000,
     0,
     16000,
     0},
    {"v1 without limits, with pages of 64 KiB",
     {MEMINFO,
      {"proc/self/cgroup", "9:memory:/a\n"},
      {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854710272\n"}},
     16000,
     0,
     16000,
     0},
    {"v1 nested, the smaller limit at the parent",
     {MEMINFO,
      {"proc/self/cgroup", "9:memory:/a/b\n"},
      {"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "524288000\n"}},
     16000,
     500,
     500,
     0},
    {"v1 mounted elsewhere, with a space in the path",
     {MEMINFO,
      {"proc/self/cgroup", "7:memory:/job\n3:cpuset:/\n2:cpuacct,cpu:/job\n"},
      {"proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                              "33 25 0:30 / /dev/cg\\040roups rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
                              "34 25 0:31 / /cgroup/c rw - cgroup none rw,cpu,cpuacct\n"},
      {"dev/cg roups/job/memory.limit_in_bytes", "1048576000\n"},
      {"cgroup/c/job/cpu.cfs_quota_us", "250000\n"},
      {"cgroup/c/job/cpu.cfs_period_us", "100000\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5242880\n"}},
     16000,
     1000,
     1000,
     2.5},
    {"v1 of a container: the mount shows the container's own group",
     {MEMINFO,
      {"proc/self/cgroup", "9:memory:/docker/abc/job\n4:cpu,cpuacct:/docker/abc\n"},
      {"proc/self/mountinfo",
       "33 25 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
       "34 25 0:31 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152000\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1048576000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
     16000,
     1000,
     1000,
     0.5},
    {"v2 mounted elsewhere; another container's group is also mounted",
     {MEMINFO,
      {"proc/self/cgroup", "0::/pod/a\n"},
      {"proc/self/mountinfo",
       "30 23 0:26 /pod/b /b rw - cgroup2 cgroup rw\n31 23 0:26 /po /c rw - cgroup2 cgroup rw\n"
       "32 23 0:26 /pod /cgroup2 rw - cgroup2 cgroup2 rw,nsdelegate\n"},
      {"b/memory.max", "1048576\n"},
      {"c/memory.max", "1048576\n"},
      {"cgroup2/memory.max", "2097152000\n"},
      {"cgroup2/a/memory.max", "3145728000\n"}},
     16000,
     2000,
     2000,
     0},
    {"v2 above the root of a namespace",
     {MEMINFO,
      {"proc/self/cgroup", "0::/\n"},
      {"proc/self/mountinfo",
       "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n31 23 0:26 /.. /above rw - cgroup2 cgroup rw\n"},
      {"sys/fs/cgroup/memory.max", "2097152000\n"},
      {"above/memory.max", "1048576000\n"}},
     16000,
     1000,
     1000,
     0},
    {"v2 outside the namespace: the limit of its root does not apply",
     {MEMINFO,
      {"proc/self/cgroup", "0::/../other\n"},
      {"proc/self/mountinfo", "30 23 0:26 / /cg rw - cgroup2 cgroup rw\n"},
      {"cg/memory.max", "2097152000\n"}},
     16000,
     0,
     16000,
     0},
    {"both versions: the smaller limit applies",
     {MEMINFO,
      {"proc/self/cgroup", "9:memory:/a\n0::/b\n"},
      {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576000\n"},
      {"sys/fs/cgroup/unified/b/memory.max", "524288000\n"}},
     16000,
     500,
     500,
     0},
    {"a limit above the physical memory",
     {MEMINFO, {"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/memory.max", "1099511627776\n"}},
     16000,
     1048576,
     16000,
     0},
    {"a limit without /proc/meminfo",
     {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/memory.max", "1048576000\n"}},
     0,
     1000,
     1000,
     0},
    {"a limit below 1 MiB",
     {MEMINFO, {"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/memory.max", "4096\n"}},
     16000,
     1,
     1,
     0},
    {"empty and broken files",
     {{"proc/meminfo", "MemTotal: lots\n"},
      {"proc/self/cgroup", "\n:\n::\n0::/job\nnonsense\n"},
      {"proc/cpuinfo", ""},
      {"sys/fs/cgroup/job/memory.max", ""},
      {"sys/fs/cgroup/job/cpu.max", "100000\n"}},
     0,
     0,
     0,
     0},
    {"a quota with a period of 0",
     {MEMINFO, {"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "100000 0\n"}},
     16000,
     0,
     16000,
     0},
};

static void make(const char *root, const char *path, const char *text)
{
    char *full = unit_path(root, path);
    unit_write(full, text, strlen(text));
}

/* Makes the list of the usual mounts. */
static void mount_groups(const char *root)
{
    make(root, "proc/self/mountinfo",
         "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n"
         "31 23 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw\n"
         "32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
         "33 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
}

TEST(finds_memory_and_limits)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = unit_directory();
        struct sysinfo_node node;
        mount_groups(root);
        for (int f = 0; f < MAX_FILES && rows[i].files[f].path; f++)
            make(root, rows[i].files[f].path, rows[i].files[f].text);
        memset(&node, 0x5a, sizeof node);
        sysinfo_read(root, &node);
        if (node.memory_mib != rows[i].memory_mib || node.memory_limit_mib != rows[i].limit_mib ||
            sysinfo_usable_mib(&node) != rows[i].usable_mib || node.cpu_limit != rows[i].cpu_limit)
            fail_msg("%s: memory %lld limit %lld usable %lld cpus %g", rows[i].what,
                     (long long)node.memory_mib, (long long)node.memory_limit_mib,
                     (long long)sysinfo_usable_mib(&node), node.cpu_limit);
    }
}

/* Containers are made-up groups: number `inside` of a tree that is `limits` MiB wide at each level; 0: none.
 * Each row has the groups of up to 6 processes of one kernel. */
TEST(shares_memory_by_group)
{
    static const struct {
        const char *what;
        int64_t memory;
        int ranks, own;
        int inside[6][3]; /* numbers of a process's groups; 0: none */
        double limits[7]; /* [number], MiB */
        int64_t expected;
    } trees[] = {
        {"no limit", 16384, 4, 0, {{0}}, {0}, 4096},
        {"two containers of 4 GiB with 2 processes each",
         16384,
         4,
         0,
         {{1}, {1}, {2}, {2}},
         {0, 4096, 4096},
         2048},
        {"a small container, seen from the large one",
         16384,
         4,
         3,
         {{1}, {1}, {1}, {2}},
         {0, 3000, 8000},
         4096},
        {"a small container, seen from inside", 16384, 4, 0, {{1}, {1}, {1}, {2}}, {0, 3000, 8000}, 1000},
        {"one limit for all", 16384, 4, 0, {{1}, {1}, {1}, {1}}, {0, 4096}, 1024},
        {"nested: the parent's share is smaller",
         16384,
         4,
         0,
         {{1, 3}, {1, 3}, {2, 3}, {2, 3}},
         {0, 4096, 4096, 6000},
         1500},
        {"nested: the inner share is smaller",
         16384,
         4,
         0,
         {{1, 3}, {1, 3}, {2, 3}, {3}},
         {0, 1000, 4096, 6000},
         500},
        {"nested in another order", 16384, 3, 2, {{3, 1}, {3, 2}, {2, 3}}, {0, 900, 800, 900}, 300},
        {"three levels",
         99999,
         6,
         0,
         {{1, 2, 3}, {2, 3}, {2, 3}, {3}, {3}, {3}},
         {0, 4000, 9000, 12000},
         2000},
        {"a limit above the memory", 1000, 2, 0, {{1}, {1}}, {0, 64000}, 500},
        {"a process without a limit", 16384, 2, 1, {{1}, {0}}, {0, 100}, 8192},
        {"the memory is unknown", 0, 2, 0, {{1}, {1}}, {0, 600}, 300},
        {"all is unknown", 0, 2, 0, {{0}}, {0}, 0},
        {"less than 1 MiB each", 2, 4, 0, {{0}}, {0}, 1},
        {"a limit below 1 MiB", 16384, 1, 0, {{1}}, {0, 0.25}, 1},
    };
    for (size_t i = 0; i < COUNT(trees); i++) {
        struct sysinfo_groups all[6] = {{0}};
        for (int rank = 0; rank < trees[i].ranks; rank++)
            for (const int *number = trees[i].inside[rank]; number < trees[i].inside[rank] + 3 && *number;
                 number++)
                all[rank].group[all[rank].count++] = (struct sysinfo_group){
                    *number % 2 ? 7 : 8, (uint64_t)(*number / 2), 1048576 * trees[i].limits[*number]};
        int64_t share = sysinfo_share_mib(trees[i].memory, &all[trees[i].own], all, trees[i].ranks);
        if (share != trees[i].expected)
            fail_msg("%s: %lld", trees[i].what, (long long)share);
    }
}

/* Two views of the same group, by different paths, are one group. A directory that is mounted twice counts
 * once. */
TEST(identifies_groups_by_their_directories)
{
    char *root = unit_directory(), *link = unit_path(root, "elsewhere");
    struct sysinfo_node host, container;
    mount_groups(root);
    make(root, "proc/self/cgroup", "0::/pod/a\n");
    make(root, "sys/fs/cgroup/pod/memory.max", "8388608000\n");
    make(root, "sys/fs/cgroup/pod/a/memory.max", "4194304000\n");
    make(root, "sys/fs/cgroup/pod/a/cpu.max", "max 100000\n");
    assert_int_equal(symlink("sys/fs/cgroup/pod/a", link), 0);
    sysinfo_read(root, &host);
    make(root, "proc/self/cgroup", "0::/\n");
    make(root, "proc/self/mountinfo",
         "30 23 0:26 / /elsewhere rw - cgroup2 cgroup rw\n31 23 0:26 / /sys/fs/cgroup/pod/a rw - cgroup2 x "
         "rw\n");
    sysinfo_read(root, &container);
    assert_int_equal(host.groups.count, 2);
    assert_int_equal(container.groups.count, 1);
    assert_memory_equal(&host.groups.group[0], &container.groups.group[0], sizeof host.groups.group[0]);
    const struct sysinfo_groups all[] = {host.groups, container.groups};
    assert_int_equal(sysinfo_share_mib(0, &host.groups, all, 2), 2000);
    assert_int_equal(sysinfo_share_mib(0, &container.groups, all, 2), 2000);
}

/* Three containers of one kernel: the quota of the pod is for the processes of the first two, with or without
 * a quota of their own. */
TEST(quotas_of_processors_are_shared_within_their_groups)
{
    static const char *const paths[] = {"0::/pod/a\n", "0::/pod/b\n", "0::/c\n"};
    char *root = unit_directory();
    struct sysinfo_node node;
    struct sysinfo_groups all[4];
    mount_groups(root);
    make(root, "sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
    make(root, "sys/fs/cgroup/pod/a/cpu.max", "max 100000\n");
    make(root, "sys/fs/cgroup/pod/b/cpu.max", "50000 100000\n");
    make(root, "sys/fs/cgroup/c/cpu.max", "400000 100000\n");
    for (size_t i = 0; i < 3; i++) {
        make(root, "proc/self/cgroup", paths[i]);
        sysinfo_read(root, &node);
        all[i] = node.cpu_groups;
    }
    all[3] = all[2];
    assert_true(sysinfo_share(INFINITY, &all[0], all, 4) == 1.5);
    assert_true(sysinfo_share(INFINITY, &all[1], all, 4) == 0.5);
    assert_true(sysinfo_share(INFINITY, &all[2], all, 4) == 2);
    assert_true(isinf(sysinfo_share(INFINITY, &(struct sysinfo_groups){0}, all, 4)));
}

TEST(finds_the_processor)
{
    static const struct {
        const char *text, *expected;
    } files[] = {
        {"processor\t: 0\nvendor_id\t: X\nmodel\t\t: 85\nmodel name\t: Fast CPU @ 2 GHz\n",
         "Fast CPU @ 2 GHz"},
        {"processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t: 1\n", "POWER9, altivec supported"},
        {"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "0xd0c"},
        {"processor\t: 0\n", "unknown"},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        char *root = unit_directory();
        struct sysinfo_node node;
        make(root, "proc/cpuinfo", files[i].text);
        sysinfo_read(root, &node);
        assert_string_equal(node.cpu, files[i].expected);
    }
}

TEST(finds_a_hypervisor)
{
    static const struct {
        const char *text;
        bool expected;
    } files[] = {
        {"flags\t\t: fpu vme hypervisor lahf_lm\n", true}, {"flags\t\t: fpu vme\n", false}, {"", false}};
    for (size_t i = 0; i < COUNT(files); i++) {
        char *root = unit_directory();
        struct sysinfo_node node;
        make(root, "proc/cpuinfo", files[i].text);
        sysinfo_read(root, &node);
        assert_int_equal(node.virtual_machine, files[i].expected);
    }
}

TEST(cuts_a_long_processor_name)
{
    char *root = unit_directory(), text[600] = "model name\t: ";
    struct sysinfo_node node;
    memset(text + strlen(text), 'x', 500);
    make(root, "proc/cpuinfo", text);
    sysinfo_read(root, &node);
    assert_int_equal(strlen(node.cpu), SYSINFO_CPU_SIZE - 1);
}

TEST(finds_the_kernel)
{
    char *root = unit_directory();
    struct sysinfo_node node;
    sysinfo_read(root, &node);
    assert_string_equal(node.boot_id, "");
    make(root, "proc/sys/kernel/random/boot_id", "01234567-89ab-cdef-0123-456789abcdef\n");
    sysinfo_read(root, &node);
    assert_string_equal(node.boot_id, "01234567-89ab-cdef-0123-456789abcdef");
}

TEST(reads_this_system)
{
    struct sysinfo_node node;
    sysinfo_read("", &node);
    assert_true(strlen(node.names.sysname) > 0);
    assert_true(node.memory_mib > 0);
    assert_true(sysinfo_usable_mib(&node) > 0 && sysinfo_usable_mib(&node) <= node.memory_mib);
}

/* ---- sets of hardware threads ---- */

/* Returns the set of the ranges first, last, first, last, ..., -1. */
static struct thread_set make_set(const int *ranges)
{
    struct thread_set set = {0};
    for (; *ranges >= 0; ranges += 2)
        for (int i = ranges[0]; i <= ranges[1]; i++)
            CPU_SET_S((size_t)i, sizeof set.mask, set.mask);
    return set;
}

TEST(lists_and_counts)
{
    static const struct {
        int ranges[9];
        int count;
        const char *list;
    } rows[] = {
        {{-1}, 0, ""},
        {{0, 0, -1}, 1, "0"},
        {{7, 8, -1}, 2, "7-8"},
        {{0, 3, 8, 8, -1}, 5, "0-3,8"},
        {{1, 1, 3, 3, 5, 6, -1}, 4, "1,3,5-6"},
        {{8191, 8191, -1}, 1, "8191"},
        {{0, 8191, -1}, 8192, "0-8191"},
        {{0, 127, 256, 383, 1000, 8191, -1}, 128 + 128 + 7192, "0-127,256-383,1000-8191"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct thread_set set = make_set(rows[i].ranges);
        char list[TOPOLOGY_LIST_SIZE];
        topology_list(&set, list);
        assert_string_equal(list, rows[i].list);
        assert_int_equal(topology_count(&set), rows[i].count);
    }
}

/* A list of every second thread is too long; it is cut between two numbers and ends with "...". */
TEST(cuts_long_lists)
{
    for (int first = 0; first < 2000; first++) {
        struct thread_set set = {0};
        for (int i = first; i < TOPOLOGY_MAX_THREADS; i += 2)
            CPU_SET_S((size_t)i, sizeof set.mask, set.mask);
        char list[TOPOLOGY_LIST_SIZE];
        memset(list, 0x5a, sizeof list);
        topology_list(&set, list);
        size_t length = strnlen(list, sizeof list);
        assert_in_range(length, TOPOLOGY_LIST_SIZE - 12, TOPOLOGY_LIST_SIZE - 1);
        assert_string_equal(list + length - 3, "...");
        int expected = first;
        for (char *next = list; *next && *next != '.'; expected += 2) {
            assert_int_equal(strtol(next, &next, 10), expected);
            next += *next == ',';
        }
    }
}

TEST(knows_whether_a_device_is_far)
{
    static const struct {
        const char *pci, *domain; /* NULL: no such device */
        int threads[5];
        bool expected;
    } rows[] = {
        {"0000:A0:00.0", "1\n", {0, 1, -1}, true},
        {"0000:A0:00.0", "1\n", {0, 2, -1}, false},
        {"0000:A0:00.0", "0\n", {0, 1, -1}, false},
        {"0000:A0:00.0", "0\n", {2, 2, 5000, 5000, -1}, true},
        {"0000:A0:00.0", "1\n", {5000, 5000, -1}, false},
        {"0000:A0:00.0", "-1\n", {0, 1, -1}, false},
        {"0000:A0:00.0", "1\n", {-1}, false},
        {"0000:A1:00.0", NULL, {0, 1, -1}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = unit_directory();
        struct thread_set set = make_set(rows[i].threads);
        make(root, "sys/devices/system/cpu/cpu0/node0/x", "");
        make(root, "sys/devices/system/cpu/cpu1/node0/x", "");
        make(root, "sys/devices/system/cpu/cpu2/node1/x", "");
        make(root, "sys/devices/system/cpu/cpu5000/node1/x", "");
        if (rows[i].domain)
            make(root, "sys/bus/pci/devices/0000:a0:00.0/numa_node", rows[i].domain);
        assert_int_equal(topology_is_far(root, rows[i].pci, &set), rows[i].expected);
    }
}

TEST(finds_the_threads_of_this_system)
{
    struct thread_set set, none = {0};
    assert_int_equal(topology_affinity(&set), 0);
    int threads = topology_count(&set), cores = topology_cores(&set);
    assert_true(threads >= 1 && threads <= TOPOLOGY_MAX_THREADS);
    assert_true(topology_online() >= 1);
    assert_true(cores >= 0 && cores <= threads);
#ifdef HAVE_HWLOC
    assert_true(cores >= 1);
#endif
    assert_int_equal(topology_cores(&none), 0);
}

#define TIMES                                                                                                \
    "cpu  999 999 999 999 999 999 999 999 999 999\n"                                                         \
    "cpu0 100 10 1 1000 20 5 6 7 30 4\n"                                                                     \
    "cpu1 200 20 2 2000 40 50 60 70 0 0\n"                                                                   \
    "cpu10 300 30 3 3000 0 0 0 0 0 0\n"                                                                      \
    "intr 12345 1 2 3\ncpu2 1 1 1 1 1 1 1 1 1 1\n"

/* The numbers of expected times are in ticks of the system's clock, except `throttled`. */
TEST(reads_the_times_of_processors)
{
    static const struct {
        const char *what, *stat, *groups, *file, *text;
        int ranges[5];
        struct processor_times expected;
    } systems[] = {
        {"no file", NULL, NULL, NULL, NULL, {0, 9, -1}, {0}},
        {"an empty set", TIMES, NULL, NULL, NULL, {-1}, {0}},
        {"guests are contained in user and nice; interrupts do not count",
         TIMES,
         NULL,
         NULL,
         NULL,
         {0, 0, -1},
         {1, 111, 7, 1149, 0}},
        {"two of three threads, one of the set is offline",
         TIMES,
         NULL,
         NULL,
         NULL,
         {1, 2, 10, 10, -1},
         {2, 222 + 333, 70, 2442 + 3333, 0}},
        {"numbers that are none",
         "cpu0 1 2 3 4 5 6 7\ncpu1 - 0 0 0 0 0 0 0\ncpu2 nan 0 0 0 0 0 0 0\ncpu3 inf 0 0 0 0 0 0 0\n"
         "cpu99999999999 1 1 1 1 1 1 1 1\ncpu-1 1 1 1 1 1 1 1 1\ncpux\ncpu4\ncpu5 1 2 3 4 5 6 7 8\n",
         NULL,
         NULL,
         NULL,
         {0, 8191, -1},
         {1, 6, 8, 36, 0}},
        {"nonsense", "lxcfs\n\xff\xfe", NULL, NULL, NULL, {0, 8191, -1}, {0}},
        {"a quota of the cgroup",
         TIMES,
         "0::/job\n",
         "sys/fs/cgroup/job/cpu.stat",
         "usage_usec 9\nnr_throttled 7\nthrottled_usec 2500000\n",
         {0, 0, -1},
         {1, 111, 7, 1149, 2.5}},
        {"a quota of the parent",
         TIMES,
         "0::/a/b\n",
         "sys/fs/cgroup/a/cpu.stat",
         "throttled_usec 500000\n",
         {0, 0, -1},
         {1, 111, 7, 1149, 0.5}},
        {"a quota in version 1",
         TIMES,
         "4:cpu,cpuacct:/job\n",
         "sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
         "nr_periods 1\nthrottled_time 1500000000\n",
         {0, 0, -1},
         {1, 111, 7, 1149, 1.5}},
        {"a cgroup without a quota",
         TIMES,
         "0::/job\n",
         "sys/fs/cgroup/job/cpu.stat",
         "usage_usec 9\n",
         {0, 0, -1},
         {1, 111, 7, 1149, 0}}};
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    for (size_t i = 0; i < COUNT(systems); i++) {
        char *root = unit_directory();
        const struct thread_set set = make_set(systems[i].ranges);
        const struct processor_times *e = &systems[i].expected;
        struct processor_times t;
        mount_groups(root);
        if (systems[i].stat)
            make(root, "proc/stat", systems[i].stat);
        if (systems[i].groups)
            make(root, "proc/self/cgroup", systems[i].groups);
        if (systems[i].file)
            make(root, systems[i].file, systems[i].text);
        memset(&t, 0x5a, sizeof t);
        topology_times(root, &set, &t);
        if (t.threads != e->threads || fabs(t.busy - tick * e->busy) > 1e-9 ||
            fabs(t.steal - tick * e->steal) > 1e-9 || fabs(t.all - tick * e->all) > 1e-9 ||
            fabs(t.throttled - e->throttled) > 1e-9)
            fail_msg("%s: %d threads, busy %g steal %g all %g throttled %g", systems[i].what, t.threads,
                     t.busy, t.steal, t.all, t.throttled);
    }
}

/* Two packages with an InfiniBand device each, their Ethernet devices, and a device without a link. */
TEST(finds_the_network_devices_of_a_topology)
{
    struct topology_device devices[TOPOLOGY_MAX_DEVICES];
    setenv("HWLOC_XMLFILE", "tests/fixtures/two-networks.xml", 1);
    int count = topology_devices(devices);
    unsetenv("HWLOC_XMLFILE");
    if (count == 0)
        skip(); /* built without hwloc */
    assert_int_equal(count, 2);
    for (int d = 0; d < 2; d++) {
        char list[TOPOLOGY_LIST_SIZE];
        struct thread_set one = {0}, both = {0};
        topology_list(&devices[d].near, list);
        assert_string_equal(devices[d].name, d ? "mlx5_1" : "mlx5_0");
        assert_string_equal(list, d ? "2-3" : "0-1");
        CPU_SET(d ? 3 : 1, &one.mask[0]);
        CPU_SET(1, &both.mask[0]);
        CPU_SET(2, &both.mask[0]);
        assert_true(topology_within(&one, &devices[d].near));
        assert_false(topology_within(&one, &devices[1 - d].near));
        assert_false(topology_within(&both, &devices[d].near));
    }
}
