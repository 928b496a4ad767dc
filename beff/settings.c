/* The tables of beff: its options, and the engine. */
#include "beff/settings.h"

#include <math.h>

#include "beff/load.h"
#include "beff/patterns.h"
#include "beff/record.h"
#include "beff/results.h"
#include "beff/scheduler.h"
#include "common/space.h"

#define FIELD(member) offsetof(struct beff_settings, member)

static const char *const clock_words[] = {
    [RUN_CLOCK_SYSTEM] = "system", [RUN_CLOCK_SIMULATED] = "simulated", NULL};

static const struct option_row rows[] = {
    {"time", OPTION_SECONDS, FIELD(run.time), "N[s|m|h]",
     "time limit of the whole run, from start to exit; default: 180 s, or the time of a complete pass, up to "
     "1800 s",
     .min = 1, .max = 1e7, .not_valid = "if too short for a complete pass"},
    {"memory", OPTION_INTEGER, FIELD(memory), "MIB",
     "memory per process, in MiB; default: detected (memory of a node or its limit, divided by its "
     "processes)",
     .min = 1, .max = 1e9},
    RUN_OPTIONS("beff"),
    {"limit-link", OPTION_REAL, FIELD(limit_link), "MB/s",
     "link bandwidth of a node; on several nodes, the table by size then shows the share of it that was "
     "reached",
     .min = 1e-3, .max = 1e9},
    {"groups", OPTION_TEXT, FIELD(groups), "FILE",
     "groups of nodes whose links to other groups are compared: lines HOST GROUP; default: the switches in "
     "Slurm's SLURM_TOPOLOGY_ADDR, if it is set on each node"},
    {"matrix", OPTION_FLAG, FIELD(matrix), NULL,
     "also measure all pairs of nodes (at most 2048) and write them to patterns/node_matrix.dat"},
    {"nodes-seed", OPTION_SEED, FIELD(nodes_seed), "N|random",
     "seed of the order in which pairs of nodes are measured, to repeat a run; default: random", .min = 1},
    {"seed", OPTION_SEED, FIELD(seed), "N|random", "seed of the random polygons", .min = 0,
     .title = "Measurement (only runs with the same settings are comparable)"},
    {"polygons", OPTION_INTEGER, FIELD(polygons), "N", "number of random polygons", .min = 1,
     .max = PATTERN_MAX_POLYGONS, .uses = METADATA_DEFINES, .not_valid = "if below 30"},
    {"max-loops", OPTION_INTEGER, FIELD(max_loops), "N",
     "maximum iterations per measurement, by default unlimited; 300 is the paper's rule", .min = 1,
     .max = 1e9, .uses = METADATA_DEFINES, .not_valid = ""},
    {"methods", OPTION_TEXT, FIELD(methods), "NAME,...",
     "measure only these methods: Sendrecv, nonblocking, Alltoallv; ping-pong always uses Sendrecv. Fewer "
     "methods can only lower the result, so it stays valid",
     .uses = METADATA_DEFINES},
    {"buffers", OPTION_TEXT, FIELD(run.buffers), "KIND",
     "memory of the messages: system (default), or of a GPU: cuda or rocm, also with :device, :managed or "
     ":host; gpu: the driver that has a device"},
    RUN_DEVICE("--buffers", 0),
    {"load", OPTION_FLAG, FIELD(load), NULL,
     "also measure how much the messages of some nodes suffer while the other nodes load the network (not "
     "rated)",
     .title = "Messages under load"},
    {"load-roles", OPTION_TEXT, FIELD(load_roles), "FILE",
     "roles of the nodes, as lines HOST victim or HOST congestor; default: half of the nodes are victims"},
    {"load-block", OPTION_SECONDS, FIELD(load_block), "N[s|m|h]", "length of a block in seconds", .min = 1e-3,
     .max = 1000},
    {"load-processes", OPTION_FLAG, FIELD(load_processes), NULL,
     "divide processes instead of nodes, to try --load on one machine"},
    {"f", OPTION_TEXT, FIELD(run.output), "PREFIX", "--output", .title = "Options of b_eff 3.6"},
    {"yrange", OPTION_TEXT, FIELD(yrange), "[MIN:]MAX", "range of the bandwidth axis in plots, in MB/s"},
    {"help", OPTION_HELP, FIELD(run.help), "[OPTION]",
     "print this help, or the help of one option; allowed anywhere", .title = "Help"},
    {"version", OPTION_FLAG, FIELD(run.version), NULL, "print version and build"},
    {"plan", OPTION_FLAG, FIELD(run.plan), NULL,
     "print patterns, sizes, schedule, expected time and memory; measure nothing. Works without mpiexec",
     .title = "Planning"},
    {"processes", OPTION_INTEGER, FIELD(processes), "N",
     "with --plan: number of processes; default: number of started processes, or the node's cores", .min = 2,
     .max = 1e8},
    {"ranks-per-node", OPTION_INTEGER, FIELD(ranks_per_node), "N",
     "with --plan: divide this node's memory among N processes; default: number of its cores", .min = 1,
     .max = 1e6},
    {"link", OPTION_REAL, FIELD(link), "MB/s",
     "with --plan: link bandwidth of a node, to estimate the time of a pass and, with one process per node, "
     "b_eff without contention",
     .min = 1e-3, .max = 1e9},
    {"latency", OPTION_REAL, FIELD(latency), "MICROSEC", "with --plan --link: latency between nodes",
     .min = 0, .max = 1e9},
    {"rank", OPTION_INTEGER, FIELD(rank), "R",
     "with --plan: also print the neighbours of rank R in each pattern", .min = 0, .max = 1e8},
    /* For tests: SimGrid's SMPI simulates the machine. */
    {"clock", OPTION_CHOICE, FIELD(run.clock), "WHICH",
     "system, or simulated: SimGrid's SMPI simulates the machine. Each measurement is made once, with one "
     "iteration unless --max-loops is given",
     .choices = clock_words, .hidden = true, .uses = METADATA_DEFINES, .not_valid = "if simulated"},
};

const struct option_table beff_options = {
    .program = "beff",
    .synopsis = "[OPTION]...      (start it with mpiexec -n PROCESSES)",
    .purpose = "beff measures the effective communication bandwidth b_eff of a parallel machine.",
    .notes =
        "Exit status: 0 measured and rated; 1 measured, but with errors in the data, clock or files,\n"
        "or without a rating; 2 usage; 3 unsuitable environment (too few processes, output not writable,\n"
        "out of memory); 4 stopped by a signal; all measurements are kept.\n"
        "NOT VALID for comparison alone is not an error: the reasons are printed with the result.\n",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};

const struct beff_settings beff_defaults = {
    .seed = BEFF_SEED, .polygons = BEFF_POLYGONS, .rank = -1, .load_block = 0.25};

static bool is_range(const char *text)
{
    double low, high;
    char end;
    if (sscanf(text, "%lf:%lf%c", &low, &high, &end) != 2) {
        low = 0;
        if (sscanf(text, "%lf%c", &high, &end) != 1)
            return false;
    }
    return isfinite(low) && isfinite(high) && low < high;
}

/* The list of methods in one spelling, by the methods that are skipped. `rank` compares it as text. */
static const char *const method_lists[1 << METHODS] = {
    NULL,        "nonblocking,Alltoallv", "Sendrecv,Alltoallv",
    "Alltoallv", "Sendrecv,nonblocking",  "nonblocking",
    "Sendrecv"};

static int check(void *context, struct message *error)
{
    struct beff_settings *settings = context;
    if (settings->yrange && !is_range(settings->yrange))
        return message_set(error, "invalid --yrange \"%.80s\": expected MAX or MIN:MAX in MB/s",
                           settings->yrange);
    if (settings->methods && methods_skipped(settings->methods, &settings->skipped))
        return message_set(
            error,
            "invalid --methods \"%.80s\": expected Sendrecv, nonblocking or Alltoallv, separated by commas",
            settings->methods);
    settings->methods = method_lists[settings->skipped];
    if (space_check("--buffers", settings->run.buffers, settings->run.device, error))
        return -1;
    if (!settings->load && (settings->load_roles || settings->load_processes))
        return message_set(error, "--load-roles and --load-processes need --load");
    if (settings->load_roles && settings->load_processes)
        return message_set(error, "--load-roles and --load-processes exclude each other");
    double load = settings->load ? load_seconds(settings->load_block) : 0;
    double longest = settings->run.time > 0 ? settings->run.time : SCHEDULER_TIME;
    if (load > LOAD_SHARE * longest)
        return message_set(error,
                           "--load needs %.0f s, more than %.0f %% of T = %g s: set --time %.0f or more",
                           load, 100 * LOAD_SHARE, longest, ceil(load / LOAD_SHARE));
    if (!settings->run.plan && (settings->processes || settings->rank >= 0 || settings->ranks_per_node ||
                                settings->link > 0 || settings->latency > 0))
        return message_set(error, "--processes, --rank, --ranks-per-node, --link and --latency need --plan");
    if (settings->run.clock == RUN_CLOCK_SIMULATED && !settings->memory)
        return message_set(
            error,
            "--clock simulated needs --memory: the memory of the simulated machine cannot be detected");
    if (settings->run.clock == RUN_CLOCK_SIMULATED && !settings->max_loops)
        settings->max_loops = 1;
    return 0;
}

const struct engine beff_engine = {
    .program = "beff",
    .basis = "definition " BEFF_DEFINITION,
    .type = &beff_record_type,
    .settings_size = sizeof(struct beff_settings),
    .defaults = &beff_defaults,
    .options = &beff_options,
    .check = check,
    .plan = beff_plan,
    .results_size = sizeof(struct beff_results),
    .results_make = beff_results_make,
    .results_free = beff_results_free,
    .verify = beff_verify,
    .table = beff_pattern_table,
};
