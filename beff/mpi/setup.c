/* Sets up a run of beff: memory, message sizes, buffers, nodes, protocol. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/mpi/run.h"
#include "beff/groups.h"
#include "common/ending.h"
#include "common/memory.h"
#include "common/mpi/gpu.h"

/* Returns the node of each rank, to be freed. Collective. */
static int32_t *map_ranks(const struct run *run)
{
    int32_t own = run->machine.node_number;
    int32_t *nodes = memory_new((size_t)run->comm->size, sizeof *nodes, "the nodes of the ranks");
    COMM_CHECK(run->comm, MPI_Allgather(&own, 1, MPI_INT32_T, nodes, 1, MPI_INT32_T, run->comm->all));
    return nodes;
}

/* Returns the order of the ranks for the net rings, to be freed; NULL on one node. Collective. */
static int32_t *make_order(const struct run *run)
{
    if (run->machine.nodes < 2)
        return NULL;
    int32_t *nodes = map_ranks(run);
    int32_t *order = memory_new((size_t)run->comm->size, sizeof *order, "the order of the ranks");
    patterns_order(nodes, run->comm->size, order);
    free(nodes);
    return order;
}

static enum exit_status make_buffers(struct beff_run *b, const struct beff_settings *s, const int32_t *order,
                                     struct message *error)
{
    const struct comm *comm = b->run.comm;
    int64_t available = b->run.machine.available_mib;
    int64_t mib = (2 * beff_area(b->lmax) + beff_counts(comm->size)) / (1024 * 1024) + 1;
    message_set(error,
                "out of memory: each process needs %" PRId64 " MiB for message buffers (Lmax %" PRId64
                " B), but only about %" PRId64
                " MiB are free; set a smaller memory per process with --memory",
                mib, b->lmax, available);
    if (available && mib > available)
        return EXIT_ENVIRONMENT;
    patterns_make(&b->list, comm->size, (int)s->polygons, s->seed, b->lmax);
    if (order)
        patterns_add_net_rings(&b->list, order);
    patterns_add_alone(&b->list, b->run.machine.nodes);
    b->list.skipped = s->skipped;
    return runner_make(&b->runner, b->run.comm, &b->run.space, &b->list) ? EXIT_ENVIRONMENT : EXIT_OK;
}

/* Finds the first two ranks on the same node. Nodes are numbered in the order of their first ranks. */
static void find_inside(const int32_t *nodes, int ranks, int32_t inside[2])
{
    int32_t highest = 0;
    inside[1] = 1;
    while (inside[1] < ranks - 1 && nodes[inside[1]] > highest)
        highest = nodes[inside[1]++];
    inside[0] = 0;
    while (nodes[inside[0]] != nodes[inside[1]])
        inside[0]++;
}

/* Counts the messages of each pattern in one iteration: all that leave a node, the most that leave one node,
 * the most that one process sends to other nodes, and the most that one process sends inside its node.
 * Collective. */
static void note_messages(struct beff_run *b)
{
    struct comm *comm = b->run.comm;
    int patterns = b->list.count;
    bool first = comm->rank == 0;
    int32_t *nodes = map_ranks(&b->run);
    int64_t *sum = memory_new(4 * (size_t)patterns, sizeof *sum, "the nodes"), *max = sum + patterns,
            *leaving = max + patterns, *staying = leaving + patterns;
    for (int p = 0; p < patterns; p++) {
        const struct neighbours *n = &b->runner.neighbours[p];
        sum[p] = max[p] = leaving[p] = neighbours_leaving(n, comm->rank, nodes, 0);
        staying[p] = neighbours_leaving(n, comm->rank, NULL, 1) - leaving[p];
    }
    COMM_CHECK(comm, MPI_Allreduce(MPI_IN_PLACE, max, patterns, MPI_INT64_T, MPI_SUM, b->nodes.node));
    comm_reduce(comm, first ? MPI_IN_PLACE : max, max, 3 * patterns, MPI_INT64_T, MPI_MAX);
    comm_reduce(comm, first ? MPI_IN_PLACE : sum, sum, patterns, MPI_INT64_T, MPI_SUM);
    for (int p = 0; p < patterns && first; p++) {
        struct beff_between row = {"", sum[p], max[p], (double)leaving[p], (double)staying[p]};
        snprintf(row.pattern, sizeof row.pattern, "%s", b->list.patterns[p].id);
        protocol_add(&b->run.protocol, BEFF_BETWEEN, &row, 1);
    }
    find_inside(nodes, comm->size, b->inside);
    free(nodes);
    free(sum);
}

/* Notes the nodes that the --groups file does not have. */
static void note_groups(const struct fabric *f, const char *file, struct protocol *protocol)
{
    int count = 0, first = 0;
    for (int i = f->points - 1; i >= 0; i--)
        if (strcmp(f->point[i].group, "-") == 0 && (i == 0 || f->point[i - 1].node != f->point[i].node)) {
            first = i;
            count++;
        }
    if (count)
        protocol_put(protocol, "note", "no group in --groups %s: %d of %d nodes (the first: %s)", file, count,
                     f->nodes, f->point[first].host);
}

void beff_describe(struct run *run)
{
    const struct beff_run *b = (const struct beff_run *)run;
    const struct beff_settings *s = (const struct beff_settings *)run->settings;
    protocol_put(&run->protocol, "seed", "%" PRIu64, s->seed);
    protocol_put(&run->protocol, "lmax", "%" PRId64, b->lmax);
    protocol_put(&run->protocol, "patterns", "%d", b->list.count);
    if (b->nodes.count > 1)
        protocol_add(&run->protocol, BEFF_END_POINTS, b->nodes.fabric.point, (size_t)b->nodes.fabric.points);
    if (b->nodes.count > 1 && s->groups)
        note_groups(&b->nodes.fabric, s->groups, &run->protocol);
}

/* Reads the file of --groups, and refuses a single process. */
static enum exit_status check_input(struct run *run, const char *file, char **groups)
{
    struct message error;
    enum exit_status status = EXIT_OK;
    if (comm_read_text(run->comm, "--groups", file, groups, &error) ||
        (*groups && groups_check("--groups", "GROUP", *groups, &error)))
        status = EXIT_USAGE;
    else if (run->comm->size < 2)
        status =
            EXIT_WITH(EXIT_ENVIRONMENT, &error,
                      "too few processes: 1 was started, b_eff needs at least 2 (mpiexec -n 2 beff ...)");
    return comm_agree(run->comm, status, &error);
}

/* ---- methods in GPU memory ---- */

static const char *const calls[METHODS] = {[METHOD_SENDRECV] = "MPI_Sendrecv",
                                           [METHOD_NONBLOCKING] = "MPI_Isend and MPI_Irecv",
                                           [METHOD_ALLTOALLV] = "MPI_Alltoallv"};

/* Tries one method with one size. Returns EXIT_OK, or another status on all processes. Collective. */
static enum exit_status try(struct runner *runner, enum method method, int64_t bytes, const char *passed)
{
    struct comm *comm = runner->comm;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    struct message line, rest;
    comm_library(library);
    library[strcspn(library, ",(")] = 0;
    message_set(&rest, "with %s, %" PRId64 " B; methods that passed: %s (--methods)", calls[method], bytes,
                passed);
    message_set(&line, "this MPI (%.40s) cannot send from GPU memory %s", library, rest.text);
    comm_activity(comm, "sending from GPU memory %s", rest.text);
    gpu_guard(comm, line.text);
    int code = runner_try(runner, method, bytes);
    gpu_guard(comm, NULL);
    if (code != MPI_SUCCESS)
        memory_end(line.text); /* the others may wait for messages */
    message_set(&line, "this MPI (%.40s) delivers wrong data from GPU memory %s", library, rest.text);
    return comm_agree(comm, runner->exchange.errors ? EXIT_ENVIRONMENT : EXIT_OK, &line);
}

/* Tries, before anything is rated, the methods that are not in `skipped` with messages of 1 B, 64 KiB and
 * 8 MiB, at most Lmax. If a method fails or delivers wrong bytes, the run ends with status 3 and one line
 * that names the call, the size and the methods that passed. A call that hangs ends the run with such a line,
 * within `time` seconds of T if these are at least 12. Does nothing in system memory. Collective. */
static enum exit_status probe(struct runner *runner, unsigned skipped, double time)
{
    static const int64_t sizes[] = {1, 65536, 8388608};
    const int64_t lmax = runner->list->sizes[BEFF_SIZES - 1];
    char passed[80] = "none";
    enum exit_status status = EXIT_OK;
    const double part = 0.45 * (time - comm_elapsed(runner->comm));
    if (runner->exchange.marks != MARKS_DIRECT)
        ending_deadline(part, fmax(part, ENDING_PATIENCE), "a message did not arrive; ");
    for (int method = 0; method < METHODS && runner->exchange.marks != MARKS_DIRECT && !status; method++) {
        if (skipped & 1U << method && method != METHOD_SENDRECV) /* the ping-pong always uses Sendrecv */
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !status; i++)
            status = try(runner, (enum method)method, sizes[i] < lmax ? sizes[i] : lmax, passed);
        if (method == METHOD_SENDRECV)
            *passed = 0;
        text_append(passed, sizeof passed, "%s%s", *passed ? ", " : "", method_name((enum method)method));
    }
    return status;
}

/* ---- all of it ---- */

enum exit_status beff_set_up(struct run *run)
{
    struct beff_run *b = (struct beff_run *)run;
    struct beff_settings settings = *(const struct beff_settings *)run->settings;
    struct message error;
    char *groups;
    comm_broadcast(run->comm, &settings.seed,
                   sizeof settings.seed); /* each rank drew its own "random" seed */
    enum exit_status status = check_input(run, settings.groups, &groups);
    if (status == EXIT_OK)
        status = run_set_memory(run, settings.memory);
    if (status != EXIT_OK) {
        free(groups);
        return status;
    }
    run_warn_oversubscribed(run, ", and the result will be NOT VALID");
    b->lmax = beff_lmax(run->memory_mib);
    b->inside[1] = 1;
    int32_t *order = make_order(run);
    status = comm_agree(run->comm, make_buffers(b, &settings, order, &error), &error);
    free(order); /* all neighbours are known */
    if (status == EXIT_OK)
        nodes_make(&b->nodes, &b->runner, &run->machine, groups);
    free(groups);
    if (status == EXIT_OK && settings.load)
        status = load_start(&b->load, &b->runner, &b->nodes, run->machine.name, b->list.seed,
                            settings.load_roles, settings.load_processes);
    if (status != EXIT_OK)
        return status;
    status = comm_agree(run->comm, run->comm->rank == 0 ? run_open(run, &error) : EXIT_OK, &error);
    if (status != EXIT_OK)
        return status;
    if (settings.load)
        load_note_roles(&b->load, &run->protocol, settings.load_processes);
    /* The protocol is already open, so that a run that hangs below leaves a protocol, without an end line. */
    runner_touch(&b->runner, run->time);
    status = probe(&b->runner, settings.skipped, run->time);
    run_set_time(run, run->time); /* ends the probe's time limit */
    if (status != EXIT_OK)
        return status;
    if (!run->comm->simulated)
        processors_start(&b->processors, run->comm, &run->machine, &b->nodes);
    if (b->nodes.count > 1)
        note_messages(b);
    runner_set_pair(&b->runner, true, b->inside);
    return EXIT_OK;
}
