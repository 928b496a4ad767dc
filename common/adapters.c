#include "common/adapters.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/stats.h"
#include "common/sysinfo.h"

enum { PATH_SIZE = 4096 };

/* A counter deviates if it rose more than RISE times as much as on the median node. A node also drops packets
 * that no program wants, so FEW_DROPPED are usual. */
#define RISE        10
#define FEW_DROPPED 100

/* The facts about an adapter: properties, then counters. A text has a property's value and the value with
 * which it is compared. */
enum { ACTIVE, WIDTH, RATE, PCIE_SPEED, PCIE_WIDTH, PCIE_SPEED_MAX, PCIE_WIDTH_MAX, COUNTERS };
static const char *const names[ADAPTER_FACTS] = {
    "active", "width", "rate", "pcie_speed", "pcie_width", "pcie_speed_max", "pcie_width_max",
    /* counters */
    "symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_xmit_discards",
    "local_link_integrity_errors", "out_of_sequence", "packet_seq_err", "rnr_nak_retry_err",
    "local_ack_timeout_err", "rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "hni_pcs_uncorrected_cw",
    "hni_llr_rx_replay_event", "hni_llr_tx_replay_event", "pct_spt_timeouts", "pct_sct_timeouts"};
static const char *const texts[COUNTERS][3] = {
    {"link up: ", "", "the others"},  {"width ", "X", "the others"},     {"rate ", " Gbit/s", "the others"},
    {"PCIe ", " GT/s", "the others"}, {"PCIe width ", "", "the others"}, {"PCIe ", " GT/s", "at most"},
    {"PCIe width ", "", "at most"}};

/* ---- reading ---- */

/* Kinds of adapters. Files are relative to the directory of an adapter. */
static const struct kind {
    const char *parent, *pattern, *device, *state, *rate;
    double gbit_s; /* unit of the rate */
    const char *counters[2];
} kinds[] = {
    {"/sys/class/infiniband/", "*/ports/*", "../../device", "state", "rate", 1, {"counters", "hw_counters"}},
    {"/sys/class/net/", "*", "device", "operstate", "speed", 1e-3, {"statistics", "statistics"}},
    {"/sys/class/cxi/", "*", "device", "state", "rate", 1, {"device/telemetry", "device/telemetry"}},
};

/* Reads the first line of a file. Returns the number at its start, or NaN if there is none. */
static double read_line(const char *directory, const char *folder, const char *file, char line[64])
{
    char path[PATH_SIZE], *end;
    snprintf(path, sizeof path, "%s/%s/%s", directory, folder, file);
    sysinfo_line("", path, "", line, 64);
    double value = strtod(line, &end); /* Slingshot's counters read "VALUE@TIME" */
    return end > line && value >= 0 && value < COLUMN_MAX ? value : NAN;
}

static void read_adapter(const struct kind *kind, const char *directory, double value[ADAPTER_FACTS])
{
    static const char *const pcie[] = {"current_link_speed", "current_link_width", "max_link_speed",
                                       "max_link_width"};
    char line[64];
    for (int i = 0; i < ADAPTER_FACTS; i++)
        value[i] = NAN;
    read_line(directory, ".", kind->state, line);
    if (*line && strcmp(line, "unknown") != 0)
        value[ACTIVE] = strstr(line, "ACTIVE") || strcmp(line, "up") == 0;
    double rate = read_line(directory, ".", kind->rate, line); /* "100 Gb/sec (4X EDR)" or "10000" */
    if (value[ACTIVE] > 0 && rate > 0) {                       /* a link that is down may have any rate */
        value[RATE] = rate * kind->gbit_s;
        sscanf(line, "%*[^(](%lfX", &value[WIDTH]);
    }
    for (int i = 0; i < 4; i++) {
        double number = read_line(directory, kind->device, pcie[i], line);
        if (number > 0 && number < 255) /* 0 and 255 lanes are unknown */
            value[PCIE_SPEED + i] = number;
    }
    for (int i = COUNTERS; i < ADAPTER_FACTS; i++)
        for (int k = 0; k < 2 && isnan(value[i]); k++)
            value[i] = read_line(directory, kind->counters[k], names[i], line);
}

int adapters_read(const char *root, int64_t node, const char *host, struct adapter list[ADAPTERS])
{
    int count = 0;
    for (const struct kind *kind = kinds; kind < kinds + sizeof kinds / sizeof kinds[0]; kind++) {
        char *pattern = text_format("%s%s%s", root, kind->parent, kind->pattern);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc && count < ADAPTERS; i++) {
                const char *path = found.gl_pathv[i], *name = path + strlen(root) + strlen(kind->parent);
                char device[PATH_SIZE];
                snprintf(device, sizeof device, "%s/%s", path, kind->device);
                if (access(device, F_OK))
                    continue;
                struct adapter *adapter = &list[count++];
                *adapter = (struct adapter){.node = node};
                snprintf(adapter->host, sizeof adapter->host, "%s", host);
                snprintf(adapter->name, sizeof adapter->name, "%.*s%s", (int)strcspn(name, "/"), name,
                         strchr(name, '/') ? strrchr(name, '/') : "");
                text_to_word(adapter->name);
                read_adapter(kind, path, adapter->value);
            }
        globfree(&found);
        free(pattern);
    }
    return count;
}

void adapters_read_again(const char *root, struct adapter list[ADAPTERS])
{
    struct adapter again[ADAPTERS];
    int after = adapters_read(root, 0, "", again);
    for (struct adapter *old = list; old < list + ADAPTERS && *old->name; old++) {
        const struct adapter *new = again;
        while (new < again + after && strcmp(new->name, old->name) != 0)
            new ++;
        bool lost = new == again + after;
        for (int i = 0; i < ADAPTER_FACTS; i++) {
            double before = old->value[i], now = lost ? i == ACTIVE ? 0 : NAN : new->value[i];
            old->value[i] = i < COUNTERS ? fmin(before, now) : now >= before ? now - before : NAN;
        }
    }
}

/* ---- comparison ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct adapter *)a)->name, ((const struct adapter *)b)->name);
}

static int by_order(const void *a, const void *b)
{
    const struct adapter_row *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Compares a fact about the adapters of `count` nodes, and adds the deviations to the `n` rows. A property is
 * usual if most nodes have it. If fewer than three nodes differ, PCIe is compared with its maximum. `sorted`
 * has room for all values. Returns the number of rows. */
static size_t compare_fact(const struct adapter *same, size_t count, int fact, double *sorted,
                           struct adapter_row **rows, size_t n)
{
    bool counts = fact >= COUNTERS;
    size_t known = 0, alike = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(same[i].value[fact]))
            sorted[known++] = same[i].value[fact];
    stats_sort(sorted, known);
    double median = known > 1 ? sorted[(known - 1) / 2] : counts ? 0 : NAN, least = 0;
    for (size_t i = 0; i < known; i++)
        alike += sorted[i] == median;
    bool alone = !counts && known < 3 && alike < 2;
    int shown = alone && fact >= PCIE_SPEED ? fact + PCIE_SPEED_MAX - PCIE_SPEED : fact;
    if (shown == fact && !counts && 2 * alike <= known)
        return n;
    if (counts)
        least = fmax(RISE * median, strstr(names[fact], "_dropped") ? FEW_DROPPED : 0);
    for (const struct adapter *a = same; a < same + count; a++) {
        double value = a->value[fact], usual = shown == fact ? median : a->value[shown];
        if (!(counts ? value > least : value < usual))
            continue;
        array_grow(rows, n, sizeof **rows);
        struct adapter_row *row = &(*rows)[n];
        *row = (struct adapter_row){.value = value, .usual = usual, .order = a->node << 32 | (int64_t)n};
        memcpy(row->host, a->host, sizeof row->host);
        memcpy(row->adapter, a->name, sizeof row->adapter);
        snprintf(row->property, sizeof row->property, "%s", names[shown]);
        n++;
    }
    return n;
}

size_t adapters_compare(struct adapter *all, size_t count, struct adapter_row **rows)
{
    double *sorted = memory_new(count, sizeof *sorted, "the adapters");
    size_t n = 0, alike;
    *rows = NULL;
    if (count)
        qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i += alike) {
        for (alike = 1; i + alike < count && strcmp(all[i].name, all[i + alike].name) == 0;)
            alike++;
        for (int fact = 0; fact < ADAPTER_FACTS; fact++)
            if (fact != PCIE_SPEED_MAX && fact != PCIE_WIDTH_MAX)
                n = compare_fact(all + i, alike, fact, sorted, rows, n);
    }
    if (n)
        qsort(*rows, n, sizeof **rows, by_order);
    free(sorted);
    return n;
}

/* ---- description ---- */

void adapters_describe(const struct adapter_row *rows, size_t count, size_t nodes, struct texts *lines)
{
    char line[480];
    size_t done = 0;
    for (const struct adapter_row *row = rows; row < rows + count; row++) {
        bool known = row > rows && strcmp(row[-1].host, row->host) == 0;
        bool same = known && strcmp(row[-1].adapter, row->adapter) == 0;
        int fact = text_find(names, COUNTERS, row->property);
        if (!known)
            snprintf(line, sizeof line, "%s:", row->host);
        text_append(line, sizeof line, "%s %s%s", known ? ";" : "", same ? "" : row->adapter,
                    same ? "" : " ");
        if (fact == ACTIVE)
            text_append(line, sizeof line, "down, the others up");
        else if (fact < COUNTERS)
            text_append(line, sizeof line, "%s%.6g%s, %s %.6g%s", texts[fact][0], row->value, texts[fact][1],
                        texts[fact][2], row->usual, texts[fact][1]);
        else
            text_append(line, sizeof line, "%.0f %s during the run", row->value, row->property);
        if ((row + 1 == rows + count || strcmp(row->host, row[1].host) != 0) && ++done <= nodes)
            texts_add(lines, "%s", line);
    }
    if (done > nodes)
        texts_add(lines, "adapters of %zu more nodes deviate: table adapter of run.prot", done - nodes);
}

bool adapters_concern(const char *line, const char *finding)
{
    size_t length = strcspn(line, ":");
    for (const char *at = finding; length && (at = memmem(at, strlen(at), line, length)); at++)
        if ((at == finding || strchr("- ", at[-1])) && strchr("-, ", at[length]))
            return true;
    return false;
}
