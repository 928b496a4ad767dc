/* Tests adapters on made-up nodes: files of /sys at the start and at the end of a run, and the lines about
 * adapters that deviate. */
#include "common/adapters.h"

#include <stdlib.h>

#include "tests/unit.h"

enum { MAX_NODES = 6 };

#define IB   "infiniband/mlx5_0/"
#define PORT IB "ports/1/"
#define PCIE(speed, width)                                                                                   \
    IB "device/current_link_speed=" speed " GT/s PCIe|" IB "device/current_link_width=" width "|" IB         \
       "device/max_link_speed=16.0 GT/s PCIe|" IB "device/max_link_width=16|"
#define HEALTHY                                                                                              \
    PORT "state=4: ACTIVE|" PORT "rate=100 Gb/sec (4X EDR)|" PORT "counters/symbol_error=70|" PORT           \
         "hw_counters/out_of_sequence=0|" PCIE("16.0", "16")
#define ETH   "net/eth0/"
#define WIRED ETH "device/vendor=1|" ETH "operstate=up|" ETH "speed=10000|" ETH "statistics/rx_dropped=5|"
#define DOWN  PORT "state=1: DOWN|" PORT "rate=10 Gb/sec (4X SDR)|"

/* Files are "NAME=TEXT|NAME=TEXT|", relative to /sys/class; a NAME alone is removed. The letters of `odd` and
 * `later` are the nodes that have other files from the start, or get them during the run: "a" is n0. */
static const struct world {
    const char *what;
    int nodes;
    const char *files, *odd, *odd_files, *later, *later_files;
    const char *expected; /* lines */
} worlds[] = {
    {"healthy nodes", 4, HEALTHY WIRED, "", "", "", "", ""},
    {"no adapters", 4, "net/lo/operstate=unknown|", "", "", "", "", ""},
    {"half of the lanes", 4, HEALTHY, "c", PORT "rate=50 Gb/sec (2X EDR)|", "", "",
     "n2: mlx5_0/1 width 2X, the others 4X; rate 50 Gbit/s, the others 100 Gbit/s\n"},
    {"lanes and symbol errors", 4, HEALTHY, "c", PORT "rate=100 Gb/sec (2X HDR)|", "c",
     PORT "counters/symbol_error=1274|",
     "n2: mlx5_0/1 width 2X, the others 4X; 1204 symbol_error during the run\n"},
    {"lanes that were lost during the run", 3, HEALTHY, "", "", "b", PORT "rate=50 Gb/sec (2X EDR)|",
     "n1: mlx5_0/1 width 2X, the others 4X; rate 50 Gbit/s, the others 100 Gbit/s\n"},
    {"lanes that came back during the run", 3, HEALTHY, "b", PORT "rate=50 Gb/sec (2X EDR)|", "b",
     PORT "rate=100 Gb/sec (4X EDR)|",
     "n1: mlx5_0/1 width 2X, the others 4X; rate 50 Gbit/s, the others 100 Gbit/s\n"},
    {"a faster link than the others'", 4, HEALTHY, "a", PORT "rate=200 Gb/sec (4X HDR)|", "", "", ""},
    {"two nodes of one kind, two of another: nothing is usual", 4, HEALTHY, "ab",
     PORT "rate=50 Gb/sec (2X EDR)|" PCIE("8.0", "8"), "", "", ""},
    {"two nodes: nothing is usual but the maximum of PCIe", 2, HEALTHY, "b",
     PORT "rate=50 Gb/sec (2X EDR)|" PCIE("8.0", "16"), "", "",
     "n1: mlx5_0/1 PCIe 8 GT/s, at most 16 GT/s\n"},
    {"one node with this adapter", 3, "", "a", HEALTHY PCIE("16.0", "8"), "a",
     PORT "hw_counters/out_of_sequence=3|",
     "n0: mlx5_0/1 PCIe width 8, at most 16; 3 out_of_sequence during the run\n"},
    {"PCIe below its maximum on all nodes", 4, HEALTHY PCIE("8.0", "16"), "", "", "", "", ""},
    {"PCIe of one node", 4, HEALTHY PCIE("8.0", "16"), "d", PCIE("2.5", "16"), "", "",
     "n3: mlx5_0/1 PCIe 2.5 GT/s, the others 8 GT/s\n"},
    {"PCIe of a virtual function is unknown", 4, HEALTHY, "d", PCIE("Unknown", "0"), "", "", ""},
    {"a link that is down on all nodes", 4, HEALTHY DOWN, "", "", "", "", ""},
    {"a link that is down on one node; its rate means nothing", 4, HEALTHY, "b", DOWN, "", "",
     "n1: mlx5_0/1 down, the others up\n"},
    {"an adapter that one node does not have", 4, HEALTHY WIRED, "b", "infiniband|", "", "", ""},
    {"an adapter that was lost during the run", 4, HEALTHY, "", "", "b", "infiniband|",
     "n1: mlx5_0/1 down, the others up\n"},
    {"an adapter that came during the run", 4, WIRED, "", "", "b", HEALTHY, ""},
    {"a counter that went down: the driver was loaded again", 4, HEALTHY, "", "", "b",
     PORT "counters/symbol_error=3|", ""},
    {"counters that went down on two nodes and rose alike on two", 4, HEALTHY, "bc",
     PORT "counters/symbol_error=200|", "abcd", PORT "counters/symbol_error=90|", ""},
    {"three kinds of nodes: nothing is usual", 5, HEALTHY PORT "rate=200 Gb/sec (4X HDR)|", "bc",
     PORT "rate=100 Gb/sec (4X EDR)|", "a", PORT "rate=50 Gb/sec (4X QDR)|", ""},
    {"a counter that rose alike on all nodes", 4, HEALTHY, "", "", "abcd", PORT "counters/symbol_error=90|",
     ""},
    {"a counter that rose on most nodes", 4, HEALTHY, "", "", "bcd", PORT "counters/symbol_error=90|", ""},
    {"unreadable counters", 4, HEALTHY, "a", PORT "counters|", "b", PORT "counters/symbol_error=x|", ""},
    {"a few dropped packets", 4, WIRED, "", "", "c", ETH "statistics/rx_dropped=105|", ""},
    {"many dropped packets", 4, WIRED, "", "", "c", ETH "statistics/rx_dropped=106|",
     "n2: eth0 101 rx_dropped during the run\n"},
    {"interfaces without hardware", 4, "net/veth1/operstate=up|net/veth1/speed=10000|", "b",
     "net/veth1/speed=10|", "", "", ""},
    {"an interface of unknown state and speed", 4, WIRED, "b", ETH "operstate=unknown|" ETH "speed=-1|", "",
     "", ""},
    {"a slow interface and another node's errors", 4, WIRED ETH "statistics/rx_errors=0|", "d",
     ETH "speed=1000|", "b", ETH "statistics/rx_errors=2|",
     "n1: eth0 2 rx_errors during the run\nn3: eth0 rate 1 Gbit/s, the others 10 Gbit/s\n"},
    {"Slingshot", 4, "cxi/cxi0/device/telemetry/pct_spt_timeouts=7@1700000000.000000001|", "", "", "d",
     "cxi/cxi0/device/telemetry/pct_spt_timeouts=9@1700000060.000000001|",
     "n3: cxi0 2 pct_spt_timeouts during the run\n"},
    {"two adapters", 3, HEALTHY WIRED, "a", DOWN ETH "speed=1000|", "", "",
     "n0: eth0 rate 1 Gbit/s, the others 10 Gbit/s; mlx5_0/1 down, the others up\n"},
};

/* Writes files below root/sys/class. */
static void write_files(const char *root, const char *files)
{
    for (const char *end; (end = strchr(files, '|')); files = end + 1) {
        char line[256], path[300];
        snprintf(line, sizeof line, "%.*s", (int)(end - files), files);
        char *text = strchr(line, '=');
        snprintf(path, sizeof path, "sys/class/%.*s", (int)strcspn(line, "="), line);
        if (text)
            unit_write(unit_path(root, path), text + 1, strlen(text + 1));
        else
            unit_remove(unit_path(root, path));
    }
}

TEST(finds_what_deviates)
{
    for (const struct world *w = worlds; w < worlds + COUNT(worlds); w++) {
        struct adapter all[MAX_NODES * 4], list[MAX_NODES][ADAPTERS];
        struct adapter_row *rows;
        struct texts lines = {0};
        char *root[MAX_NODES], text[1024] = "";
        size_t count[MAX_NODES], sum = 0;
        for (int i = 0; i < w->nodes; i++) {
            char host[16];
            snprintf(host, sizeof host, "n%d", i);
            root[i] = unit_directory();
            write_files(root[i], w->files);
            if (strchr(w->odd, 'a' + i))
                write_files(root[i], w->odd_files);
            memset(list[i], 0, sizeof list[i]);
            count[i] = (size_t)adapters_read(root[i], i, host, list[i]);
        }
        for (int i = 0; i < w->nodes; i++) {
            if (strchr(w->later, 'a' + i))
                write_files(root[i], w->later_files);
            adapters_read_again(root[i], list[i]);
            memcpy(all + sum, list[i], count[i] * sizeof *all);
            sum += count[i];
        }
        size_t found = adapters_compare(all, sum, &rows);
        adapters_describe(rows, found, MAX_NODES, &lines);
        for (size_t i = 0; i < lines.count; i++)
            text_append(text, sizeof text, "%s\n", lines.text[i]);
        texts_free(&lines);
        free(rows);
        if (strcmp(text, w->expected) != 0)
            fail_msg("%s: found\n%s", w->what, text);
    }
}

/* One link of a thousand nodes with ten adapters each is slow. */
TEST(compares_a_thousand_nodes)
{
    enum { NODES = 1000, ADAPTERS = 10 };
    struct adapter *all = calloc(NODES * ADAPTERS, sizeof *all);
    struct adapter_row *rows;
    assert_non_null(all);
    for (int i = 0; i < NODES * ADAPTERS; i++) {
        all[i].node = i / ADAPTERS;
        snprintf(all[i].host, sizeof all[i].host, "n%d", i / ADAPTERS);
        snprintf(all[i].name, sizeof all[i].name, "mlx5_%d/1", i % ADAPTERS);
        for (int k = 0; k < ADAPTER_FACTS; k++)
            all[i].value[k] = k == 2 && i == 5005 ? 50 : 100;
    }
    assert_int_equal(adapters_compare(all, NODES * ADAPTERS, &rows), 1);
    assert_string_equal(rows[0].host, "n500");
    assert_string_equal(rows[0].adapter, "mlx5_5/1");
    assert_string_equal(rows[0].property, "rate");
    assert_true(rows[0].value == 50 && rows[0].usual == 100);
    free(rows);
    free(all);
}

TEST(finds_the_nodes_of_a_finding)
{
    static const struct {
        const char *line, *names;
        bool concerns;
    } all[] = {
        {"n1: eth0 x", "n1", true},        {"n1: eth0 x", "n1 mlx5_0", true},  {"n1: eth0 x", "n0-n1", true},
        {"n1: eth0 x", "n1-n2", true},     {"n1: eth0 x", "n0, n1, n2", true}, {"n1: eth0 x", "n11", false},
        {"n1: eth0 x", "an1, n12", false}, {"n1: eth0 x", "", false},          {": eth0 x", "n1", false}};
    for (size_t i = 0; i < COUNT(all); i++)
        if (adapters_concern(all[i].line, all[i].names) != all[i].concerns)
            fail_msg("%s: %s", all[i].names, all[i].line);
}
