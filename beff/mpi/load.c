#include "beff/mpi/load.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "beff/record.h"
#include "common/measure.h"
#include "common/memory.h"

enum { TAG = 1 };

/* The congestors end at most this many seconds after the victims, and at most this share of a block later. */
#define LATER       0.01
#define LATER_SHARE 0.04

/* ---- roles ---- */

/* Finds the role of this process. */
static enum exit_status find_role(struct load_state *l, const struct nodes *nodes, const char *host,
                                  const char *roles, bool processes, struct message *error)
{
    const struct comm *comm = l->runner->comm;
    size_t count = (size_t)(processes ? comm->size : nodes->count);
    if (count < LOAD_MIN)
        return EXIT_WITH(EXIT_ENVIRONMENT, error, "--load needs at least %d %s, and this run has only %zu%s",
                         LOAD_MIN, processes ? "processes" : "nodes", count,
                         processes ? "" : "; to try it on this machine, add --load-processes");
    if (roles)
        return load_find_role(roles, host, &l->victim, error) ? EXIT_USAGE : EXIT_OK;
    bool *victim = memory_new(count, sizeof *victim, "the roles");
    load_divide(l->seed, count, victim);
    l->victim = victim[processes ? comm->rank : nodes->index];
    free(victim);
    return EXIT_OK;
}

/* Makes the communicators of a role, and of the congestors on different nodes. */
static void split(struct load_state *l, const struct nodes *nodes, bool processes)
{
    struct comm *comm = l->runner->comm;
    int local = 0, congests = !l->victim;
    int64_t counts[2] = {congests, 0};
    if (!processes)
        COMM_CHECK(comm, MPI_Comm_rank(nodes->node, &local));
    COMM_CHECK(comm, MPI_Comm_split(comm->all, l->victim, comm->rank, &l->role));
    COMM_CHECK(comm, MPI_Comm_split(comm->all, congests ? local : MPI_UNDEFINED, comm->rank, &l->level));
    counts[1] = congests && local == 0;
    COMM_CHECK(comm, comm_allreduce(comm, MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM));
    l->processes = counts[0];
    l->nodes = counts[1];
}

void load_note_roles(struct load_state *l, struct protocol *protocol, bool processes)
{
    struct comm *comm = l->runner->comm;
    const struct nodes *n = l->places;
    int victim = l->victim, first = comm->rank == 0;
    int *victims = memory_new(first ? (size_t)n->count : 0, sizeof *victims, "the roles");
    l->node = memory_new(first ? (size_t)comm->size : 0, sizeof *l->node, "the roles");
    COMM_CHECK(comm, MPI_Gather(&n->index, 1, MPI_INT, l->node, 1, MPI_INT, 0, comm->all));
    if (n->local == 0)
        COMM_CHECK(comm, MPI_Gather(&victim, 1, MPI_INT, victims, 1, MPI_INT, 0, n->peers));
    for (int i = 0; first && !processes && i < n->count; i++) {
        struct load_role row = {.role = victims[i] ? LOAD_ROLE_VICTIM : LOAD_ROLE_CONGESTOR};
        snprintf(row.host, sizeof row.host, "%s", nodes_host(n, i));
        protocol_add(protocol, BEFF_LOAD_ROLES, &row, 1);
    }
    free(victims);
}

enum exit_status load_start(struct load_state *l, struct runner *runner, const struct nodes *nodes,
                            const char *host, uint64_t seed, const char *roles, bool processes)
{
    struct message error;
    struct comm *comm = runner->comm;
    char *text;
    int rank;
    *l = (struct load_state){
        .runner = runner, .places = nodes, .seed = seed, .level = MPI_COMM_NULL, .role = MPI_COMM_NULL};
    int failed = comm_read_text(comm, "--load-roles", roles, &text, &error);
    enum exit_status status = failed ? EXIT_USAGE : find_role(l, nodes, host, text, processes, &error);
    status = comm_agree(comm, status, &error);
    free(text);
    if (status != EXIT_OK)
        return status;
    split(l, nodes, processes);
    COMM_CHECK(comm, MPI_Comm_rank(l->role, &rank));
    const size_t bytes = LOAD_GROUP * (size_t)load_congestor_bytes(LOAD_INCAST);
    l->incast = space_new(runner->exchange.space, bytes);
    if (l->processes == 0 || l->processes == comm->size)
        status = EXIT_WITH(EXIT_USAGE, &error, "--load-roles makes every host a %s: expected both roles",
                           l->processes ? "congestor" : "victim");
    else if (!l->incast ||
             exchange_make(&l->exchange, runner->exchange.space, l->role, rank, 0, LOAD_LARGEST))
        status = EXIT_WITH(EXIT_ENVIRONMENT, &error, "out of memory for the messages of --load");
    else
        space_clear(runner->exchange.space, l->incast, 0, bytes);
    return comm_agree(comm, status, &error);
}

void load_end(struct load_state *l)
{
    if (!l->runner)
        return;
    struct comm *comm = l->runner->comm;
    if (l->role != MPI_COMM_NULL)
        COMM_CHECK(comm, MPI_Comm_free(&l->role));
    if (l->level != MPI_COMM_NULL)
        COMM_CHECK(comm, MPI_Comm_free(&l->level));
    exchange_free(&l->exchange);
    space_free(l->runner->exchange.space, l->incast);
    free(l->node);
}

/* ---- one block ---- */

/* The state of a block. */
struct block {
    struct load_state *load;
    struct load_result *result; /* NULL on a congestor */
    struct load_pace pace;
    MPI_Request request[2]; /* of the votes that have not ended */
    struct load_vote own[2], agreed[2];
    bool counts; /* the first part of the block is over */

    /* All-to-all and incast */
    int rank, size;
    uint32_t group[LOAD_GROUP]; /* ranks, the receiver first */
    int members;
};

static int synchronise(void *context)
{
    struct comm *comm = ((struct block *)context)->load->runner->comm;
    COMM_CHECK(comm, comm_barrier(comm));
    return 0;
}

/* Ends the vote of the batch before the latest one, and starts the vote of this batch. */
static long vote(void *context, const struct measured *so_far)
{
    struct block *b = context;
    struct comm *comm = b->load->runner->comm;
    int slot = b->pace.batch % 2;
    bool voted = b->pace.batch >= 2;
    if (voted)
        COMM_CHECK(comm, MPI_Wait(&b->request[slot], MPI_STATUS_IGNORE));
    b->counts = so_far->seconds >= LOAD_START * b->pace.length;
    struct load_vote agreed = b->agreed[slot];
    long more = load_pace_next(&b->pace, voted ? &agreed : NULL);
    if (more == 0) {
        COMM_CHECK(comm, MPI_Wait(&b->request[!slot], MPI_STATUS_IGNORE));
        return 0;
    }
    b->own[slot] = load_pace_vote(&b->pace, so_far->seconds);
    if (ending_signal())
        b->own[slot].over = 1;
    COMM_CHECK(comm, MPI_Iallreduce(&b->own[slot], &b->agreed[slot], 2, MPI_DOUBLE, MPI_MAX, b->load->role,
                                    &b->request[slot]));
    return more;
}

static void lap(void *context, double seconds)
{
    struct block *b = context;
    if (!b->result || !b->counts)
        return;
    histogram_add(&b->result->durations, seconds);
    b->result->sum += seconds;
}

/* ---- the iterations ---- */

static int polygon(void *context, long iteration)
{
    struct block *b = context;
    return exchange_nonblocking(&b->load->exchange, iteration);
}

static int allreduce(void *context, long iteration)
{
    struct block *b = context;
    int64_t own = b->rank + iteration, sum = 0, size = b->size;
    int code = MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, b->load->role);
    b->result->errors += sum != size * (size - 1) / 2 + size * iteration;
    return code;
}

/* Sends to one process and receives from another; the distance of both changes with the iteration. */
static int alltoall(void *context, long iteration)
{
    struct block *b = context;
    struct exchange *x = &b->load->exchange;
    int distance = 1 + (int)(iteration % (b->size - 1)), bytes = (int)load_congestor_bytes(LOAD_ALLTOALL);
    return MPI_Sendrecv(x->send, bytes, MPI_BYTE, (b->rank + distance) % b->size, TAG, x->receive, bytes,
                        MPI_BYTE, (b->rank - distance + b->size) % b->size, TAG, b->load->role,
                        MPI_STATUS_IGNORE);
}

static int incast(void *context, long iteration)
{
    struct block *b = context;
    const int bytes = (int)load_congestor_bytes(LOAD_INCAST);
    MPI_Request requests[LOAD_GROUP];
    int code = MPI_SUCCESS;
    (void)iteration;
    if (b->members < 2)
        return MPI_SUCCESS;
    if ((int)b->group[0] != b->rank)
        return MPI_Send(b->load->incast, bytes, MPI_BYTE, (int)b->group[0], TAG, b->load->level);
    for (int i = 1; i < b->members && code == MPI_SUCCESS; i++)
        code = MPI_Irecv(b->load->incast + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, (int)b->group[i], TAG,
                         b->load->level, &requests[i - 1]);
    return code == MPI_SUCCESS ? MPI_Waitall(b->members - 1, requests, MPI_STATUSES_IGNORE) : code;
}

typedef int iteration(void *context, long number);

/* Prepares this process's part of a block. Returns its iteration, or NULL if it is idle. */
static iteration *prepare(struct block *b, const struct load_command *command)
{
    static iteration *const victims[] = {
        [LOAD_LATENCY] = polygon, [LOAD_BANDWIDTH] = polygon, [LOAD_ALLREDUCE] = allreduce};
    static iteration *const congestors[] = {
        [LOAD_NOTHING] = NULL, [LOAD_INCAST] = incast, [LOAD_POLYGONS] = polygon, [LOAD_ALLTOALL] = alltoall};
    struct load_state *l = b->load;
    struct comm *comm = l->runner->comm;
    iteration *work = l->victim ? victims[command->victim] : congestors[command->congestor];
    MPI_Comm members = work == incast ? l->level : l->role;
    COMM_CHECK(comm, MPI_Comm_rank(members, &b->rank));
    COMM_CHECK(comm, MPI_Comm_size(members, &b->size));
    if (work == incast && b->size >= LOAD_MIN_INCAST)
        b->members = load_group(l->seed, command->block, (size_t)b->size, (uint32_t)b->rank, b->group);
    if (work == polygon) {
        uint32_t left, right;
        load_polygon(l->seed, l->victim, command->block, (size_t)b->size, (uint32_t)b->rank, &left, &right);
        const struct neighbours ring = {.axes = 1, .left = {left}, .right = {right}};
        exchange_prepare(&l->exchange, &ring,
                         l->victim ? load_victim_bytes(command->victim)
                                   : load_congestor_bytes(command->congestor));
    }
    return work;
}

/* Adds the results of all processes on rank 0. */
static void collect(struct comm *comm, struct load_result *own)
{
    struct {
        double value;
        int rank;
    } longest = {own->durations.max, comm->rank}, all;
    struct load_result sum = *own;
    double least = own->durations.count ? own->durations.min : INFINITY;
    int64_t counts[] = {own->durations.count, own->errors}, total[2] = {0};
    comm_reduce(comm, own->durations.bin, sum.durations.bin, HISTOGRAM_BINS, MPI_INT64_T, MPI_SUM);
    comm_reduce(comm, counts, total, 2, MPI_INT64_T, MPI_SUM);
    comm_reduce(comm, &least, &sum.durations.min, 1, MPI_DOUBLE, MPI_MIN);
    comm_reduce(comm, &own->sum, &sum.sum, 1, MPI_DOUBLE, MPI_SUM);
    comm_reduce(comm, counts, &sum.iterations, 1, MPI_INT64_T, MPI_MAX);
    comm_reduce(comm, &own->stop, &sum.stop, 1, MPI_INT, MPI_MAX);
    comm_reduce(comm, &longest, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC);
    sum.durations.count = total[0];
    sum.errors = total[1];
    sum.durations.max = all.value;
    sum.slowest = all.rank;
    *own = sum;
}

void load_measure(struct load_state *l, const struct load_command *command, struct load_result *result)
{
    struct comm *comm = l->runner->comm;
    struct block b = {.load = l, .result = l->victim ? result : NULL};
    const struct measure_ops ops = {
        .now = comm_now, .synchronise = synchronise, .vote = vote, .lap = lap, .context = &b};
    struct measure_ops own = ops;
    struct measured measured;
    *result = (struct load_result){0};
    comm_activity(comm, "measuring %s with %s under load, block %d", load_victims[command->victim],
                  load_congestors[command->congestor], command->block + 1);
    own.work = prepare(&b, command);
    int number = (int)command->victim * LOAD_CONGESTORS + (int)command->congestor;
    double later = l->victim ? 0 : fmin(LATER, LATER_SHARE * command->seconds);
    load_pace_start(&b.pace, command->seconds + later, l->iterations[number]);
    if (!own.work)
        own.vote = NULL;
    if (measure(&own, 0, own.work ? LONG_MAX : 0, &measured) == MEASURE_FAILED)
        comm_check(comm, measured.error, "a message under load", __FILE__, __LINE__);
    if (own.work == polygon &&
        exchange_check(&l->exchange, exchange_nonblocking, measured.loops, false) != MPI_SUCCESS)
        comm_check(comm, MPI_ERR_OTHER, "a checked message under load", __FILE__, __LINE__);
    l->iterations[number] = b.pace.iterations[b.pace.batch % 4];
    if (own.work == polygon)
        result->errors = l->exchange.errors;
    result->stop = ending_signal();
    collect(comm, result);
}

/* ---- all blocks ---- */

/* Returns the value, or NaN if it is unknown. */
static double known(double seconds)
{
    return seconds > 0 ? seconds : NAN;
}

static void put_block(struct load_state *l, struct protocol *protocol, int number,
                      const struct load_command *command, const struct load_result *r, struct load_pool *pool)
{
    const struct histogram *h = &r->durations;
    struct load_block row = {.block = number,
                             .victim = command->victim,
                             .congestor = command->congestor,
                             .iterations = r->iterations,
                             .exchanges = h->count,
                             .min = known(h->count ? h->min : 0),
                             .mean = known(h->count ? r->sum / (double)h->count : 0),
                             .p50 = known(histogram_quantile(h, 0.5)),
                             .p99 = known(histogram_quantile(h, 0.99)),
                             .p999 = load_pool_p999(pool, h, r->iterations),
                             .max = known(h->count ? h->max : 0),
                             .rank = r->slowest,
                             .errors = r->errors};
    snprintf(row.host, sizeof row.host, "%s", nodes_host(l->places, l->node[r->slowest]));
    protocol_add(protocol, BEFF_LOAD_BLOCKS, &row, 1);
}

int load_blocks(struct load_state *l, double block, struct protocol *protocol, double (*left)(void *context),
                void (*tell)(void *context, const struct load_command *command), void *context)
{
    enum { BLOCKS = LOAD_COMBINATIONS * LOAD_BLOCKS };
    const double whole = load_seconds(block) / BLOCKS;
    uint32_t order[BLOCKS];
    struct load_pool *pool = memory_new(LOAD_COMBINATIONS, sizeof *pool, "the histograms");
    int stop = 0;
    load_order(l->seed, order);
    for (int c = 0; c < LOAD_CONGESTORS; c++)
        if (!load_possible((enum load_congestor)c, l->processes, l->nodes))
            protocol_put(protocol, "load_skipped",
                         "%s: too few congestors (%" PRId64 " on %" PRId64 " nodes)", load_congestors[c],
                         l->processes, l->nodes);
    for (int i = 0; i < BLOCKS && !stop; i++) {
        uint32_t combination = order[i] / LOAD_BLOCKS;
        struct load_command command = {combination / LOAD_CONGESTORS, combination % LOAD_CONGESTORS,
                                       (int)(order[i] % LOAD_BLOCKS), block};
        struct load_result result;
        if (!load_possible(command.congestor, l->processes, l->nodes))
            continue;
        if (left(context) < whole) {
            protocol_put(protocol, "load_skipped", "the blocks from %d on: no time is left", i + 1);
            break;
        }
        tell(context, &command);
        load_measure(l, &command, &result);
        put_block(l, protocol, i + 1, &command, &result, &pool[combination]);
        stop = result.stop;
    }
    free(pool);
    return stop;
}
