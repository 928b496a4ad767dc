/* Tests the recorded environment of made-up nodes, and the list of differences between two nodes. */
#include "common/environment.h"

#include "tests/unit.h"

struct made_up {
    const char *what, *path, *text;
    size_t size;          /* size of a text with zero bytes; 0: it has none */
    const char *expected; /* complete lines */
};

#define VARIABLES(text) "proc/self/environ", text, sizeof text
#define TEN             "0123456789"
#define HUNDRED         TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct made_up rows[] = {
    {"nothing", "proc/x", "", 0, ""},
    {"variables are selected by prefix and sorted",
     VARIABLES("HOME=/root\0UCX_TLS=tcp\0OMP_NUM_THREADS=2\0LD_PRELOAD=a.so "
               "b.so\0UCX=1\0MY_UCX_TLS=x\0FI_PROVIDER="),
     "FI_PROVIDER=\nLD_PRELOAD=a.so b.so\nOMP_NUM_THREADS=2\nUCX_TLS=tcp\n"},
    {"variables that launchers set are skipped",
     VARIABLES(
         "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=n1\0OMPI_MCA_ess_base_jobid=17\0OMPI_MCA_orte_hnp_uri=1;tcp://a\0"
         "OMPI_MCA_btl=self,tcp\0MV2_COMM_WORLD_RANK=3\0MPIR_CVAR_NOLOCAL=1"),
     "MPIR_CVAR_NOLOCAL=1\nOMPI_MCA_btl=self,tcp\n"},
    {"no secrets", VARIABLES("UCX_API_KEY=1\0FI_token=2\0HYDRA_Secret=3\0I_MPI_PASSWORD=4\0UCX_NET=5"),
     "UCX_NET=5\n"},
    {"one line each", VARIABLES("UCX_A=one\ntwo\033[2Jthree\0UCX_NONE"), "UCX_A=one two [2Jthree\n"},
    {"long values are cut", VARIABLES("UCX_A=" HUNDRED HUNDRED "012"),
     "UCX_A=" HUNDRED HUNDRED "... (203 bytes)\n"},
    {"names of 64 bytes or more are skipped", VARIABLES("UCX_" HUNDRED "=1"), ""},
    {"an interface of unknown speed", "sys/class/net/eth0/device/x", "", 0,
     "interface eth0=speed unknown, \n"},
    {"a virtual interface", "sys/class/net/veth1/speed", "10000\n", 0, ""},
    {"huge pages", "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", 0,
     "transparent huge pages=madvise\n"},
    {"locked memory", "proc/self/limits",
     "Limit                     Soft Limit           Hard Limit           Units\n"
     "Max locked memory         8388608              unlimited            bytes\n",
     0, "locked memory=8388608\n"},
    {"an adapter's interface", "sys/class/net/ib0/device/infiniband/mlx5_0/x", "", 0,
     "interface ib0=speed unknown, , RDMA\n"},
    {"a virtual function of an adapter", "sys/class/net/eth3/device/physfn/x", "", 0,
     "interface eth3=speed unknown, , virtual\n"},
    {"NUMA balancing", "proc/sys/kernel/numa_balancing", "1\n", 0, "NUMA balancing=1\n"},
};

static void make(const char *root, const char *path, const char *text, size_t size)
{
    char *full = unit_path(root, path);
    unit_write(full, text, size ? size : strlen(text));
}

static void finds(const char *what, char *root, const char *expected)
{
    struct texts lines = {0};
    char text[4096] = "";
    environment_read(&lines, root);
    for (size_t i = 0; i < lines.count; i++)
        text_append(text, sizeof text, "%s\n", lines.text[i]);
    texts_free(&lines);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: found\n%s", what, text);
}

TEST(reads_one_file)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = unit_directory();
        make(root, rows[i].path, rows[i].text, rows[i].size);
        finds(rows[i].what, root, rows[i].expected);
    }
}

TEST(reads_a_whole_node)
{
    static const char *const files[][2] = {
        {"proc/self/environ", "UCX_TLS=rc"},
        {"sys/class/net/eth1/device/vendor", "1"},
        {"sys/class/net/eth1/speed", "1000\n"},
        {"sys/class/net/eth1/operstate", "up\n"},
        {"sys/class/net/eth0/device/vendor", "1"},
        {"sys/class/net/eth0/speed", "-1\n"},
        {"sys/class/net/eth0/operstate", "down\n"},
        {"sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n"},
        {"sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
        {"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"},
        {"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"},
        {"proc/sys/kernel/numa_balancing", "0\n"}};
    char *root = unit_directory();
    for (size_t i = 0; i < COUNT(files); i++)
        make(root, files[i][0], files[i][1], 0);
    finds("a node", root,
          "UCX_TLS=rc\n"
          "interface eth0=speed unknown, down\n"
          "interface eth1=1000 Mbit/s, up\n"
          "interface mlx5_0/1=100 Gb/sec (4X EDR), ACTIVE\n"
          "cpu governor=performance powersave\n"
          "NUMA balancing=0\n");
}

TEST(names_changes)
{
    static char *const old[] = {"UCX_A=1", "UCX_B=2", "UCX_BB=3"}, *const new[] = {"UCX_A=1", "UCX_B=3",
                                                                                   "UCX_C="};
    const struct texts before = {(char **)old, COUNT(old)}, after = {(char **)new, COUNT(new)};
    char text[200], little[20];
    environment_changes(&before, &after, text, sizeof text);
    assert_string_equal(text, "UCX_B 2 -> 3; UCX_BB 3 -> unset; UCX_C unset -> ");
    environment_changes(&before, &before, text, sizeof text);
    assert_string_equal(text, "");
    environment_changes(&before, &after, little, sizeof little);
    assert_string_equal(little, "UCX_B 2 -> 3; UCX_B");
}
