/* Implements the three methods and runs them in the timing loop. */
#include "beff/mpi/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/measure.h"
#include "common/memory.h"

/* ---- neighbours ---- */

static void add_transfer(struct exchange *x, int64_t to, int64_t from)
{
    if (to >= 0 || from >= 0)
        x->transfer[x->transfers++] =
            (struct transfer){to >= 0 ? (int)to : MPI_PROC_NULL, from >= 0 ? (int)from : MPI_PROC_NULL};
}

void exchange_prepare(struct exchange *x, const struct neighbours *n, int64_t bytes)
{
    x->transfers = 0;
    for (int axis = 0; axis < n->axes; axis++) {
        add_transfer(x, n->left[axis], n->right[axis]);
        if (n->left[axis] != n->right[axis]) /* in a ring of 2 they are equal: one message each way */
            add_transfer(x, n->right[axis], n->left[axis]);
    }
    x->bytes = (int)bytes;
    size_t sends = 0, receives = 0;
    for (int i = 0; i < x->transfers; i++) {
        sends += x->transfer[i].to != MPI_PROC_NULL;
        receives += x->transfer[i].from != MPI_PROC_NULL;
    }
    walk_prepare(&x->sending, (size_t)bytes, sends);
    walk_prepare(&x->receiving, (size_t)bytes, receives);
    x->errors = 0;
    x->number++;
}

/* ---- buffers and marks ---- */

static inline void start_iteration(struct exchange *x)
{
    walk_start(&x->sending);
    walk_start(&x->receiving);
}

/* Returns the first byte of a message. The last byte is its complement. The mark depends on measurement,
 * sender, iteration and step, so that a lost, repeated or swapped message is detected. */
static inline unsigned char mark(const struct exchange *x, int sender, long iteration, int step)
{
    return (unsigned char)(x->number * 59 + (unsigned long)iteration * 5 + (unsigned)sender * 37 +
                           (unsigned)step * 101);
}

/* Sets x->image to a message whose first byte is `first`; `flip` 0xff: to its complement. */
static void draw(struct exchange *x, unsigned char first, unsigned char flip)
{
    for (size_t i = 0; i < (size_t)x->bytes && x->marks == MARKS_ALL; i++)
        x->image[i] = (unsigned char)(first + i + (i >> 8) * 31 + (i >> 16) * 7) ^ flip;
    x->image[x->bytes - 1] = (unsigned char)~first ^ flip;
    x->image[0] = first ^ flip;
}

/* Writes marks, or their complements, to a message in GPU memory. */
static void put_marks(struct exchange *x, unsigned char *message, unsigned char first, unsigned char flip)
{
    const size_t last = (size_t)x->bytes - 1;
    draw(x, first, flip);
    if (x->marks == MARKS_ALL) {
        space_put(x->space, message, x->image, last + 1);
        return;
    }
    space_put(x->space, message + last, &x->image[last], 1);
    space_put(x->space, message, &x->image[0], 1);
}

static inline unsigned char *marked_message(struct exchange *x, long iteration, int step)
{
    unsigned char *message = x->send + walk_next(&x->sending);
    unsigned char first = mark(x, x->rank, iteration, step);
    if (x->marks == MARKS_DIRECT) {
        message[x->bytes - 1] = (unsigned char)~first;
        message[0] = first; /* written last, because in a 1-byte message both bytes are the same */
    } else if (x->marks > MARKS_NONE) {
        put_marks(x, message, first, 0);
    }
    return message;
}

static inline unsigned char *room_for_message(struct exchange *x, int from, long iteration, int step)
{
    unsigned char *message = x->receive + walk_next(&x->receiving);
    if (x->marks > MARKS_NONE)
        put_marks(x, message, mark(x, from, iteration, step), 0xff);
    return message;
}

static void note_mismatch(struct exchange *x, int from, long iteration, int place, int expected, int found)
{
    if (x->errors++ == 0)
        x->first = (struct mismatch){from, iteration, place, expected, found};
}

/* Compares a message in GPU memory with its marks. */
static void check_marks(struct exchange *x, const unsigned char *message, int from, long iteration,
                        unsigned char first)
{
    const size_t bytes = (size_t)x->bytes, step = x->marks == MARKS_ALL || bytes < 2 ? 1 : bytes - 1;
    unsigned char *found = memory_new(bytes, 1, "a received message");
    draw(x, first, 0);
    for (size_t i = 0; i < bytes; i += step) {
        if (i == 0 || step > 1)
            space_get(x->space, found + i, message + i, step > 1 ? 1 : bytes);
        if (found[i] != x->image[i])
            note_mismatch(x, from, iteration, i == 0 ? 0 : i == bytes - 1 ? 1 : 2, x->image[i], found[i]);
    }
    free(found);
}

static inline void check_message(struct exchange *x, const unsigned char *message, int from, long iteration,
                                 int step)
{
    unsigned char first = mark(x, from, iteration, step), last = (unsigned char)~first;
    if (x->marks > MARKS_NONE)
        check_marks(x, message, from, iteration, first);
    if (x->marks != MARKS_DIRECT)
        return;
    if (message[0] != first)
        note_mismatch(x, from, iteration, 0, first, message[0]);
    if (x->bytes > 1 && message[x->bytes - 1] != last)
        note_mismatch(x, from, iteration, 1, last, message[x->bytes - 1]);
}

/* ---- methods ---- */

enum { VOTE_TAG, TAG };

/* Makes an MPI call and, if it fails, records the call and its line. */
#define TRY(x, call) note_failure((x), (call), #call, __LINE__)

static inline int note_failure(struct exchange *x, int code, const char *call, int line)
{
    if (code != MPI_SUCCESS) {
        x->failed = call;
        x->failed_line = line;
    }
    return code;
}

/* Sends one message after another. A step that only sends or only receives uses MPI_Send or MPI_Recv. */
static int sendrecv(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    start_iteration(x);
    for (int i = 0; i < x->transfers; i++) {
        int to = x->transfer[i].to, from = x->transfer[i].from, code;
        unsigned char *out = to == MPI_PROC_NULL ? NULL : marked_message(x, iteration, i);
        unsigned char *in = from == MPI_PROC_NULL ? NULL : room_for_message(x, from, iteration, i);
        if (!in)
            code = TRY(x, MPI_Send(out, x->bytes, MPI_BYTE, to, TAG, x->comm));
        else if (!out)
            code = TRY(x, MPI_Recv(in, x->bytes, MPI_BYTE, from, TAG, x->comm, MPI_STATUS_IGNORE));
        else
            code = TRY(x, MPI_Sendrecv(out, x->bytes, MPI_BYTE, to, TAG, in, x->bytes, MPI_BYTE, from, TAG,
                                       x->comm, MPI_STATUS_IGNORE));
        if (code != MPI_SUCCESS)
            return code;
        if (in)
            check_message(x, in, from, iteration, i);
    }
    return MPI_SUCCESS;
}

/* Sends all messages in one call. Neighbours in different steps are different processes. */
static int alltoallv(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    int *send_counts = x->counts, *send_places = send_counts + x->processes;
    int *receive_counts = send_places + x->processes, *receive_places = receive_counts + x->processes;
    start_iteration(x);
    for (int i = 0; i < x->transfers; i++) {
        int to = x->transfer[i].to, from = x->transfer[i].from;
        if (to != MPI_PROC_NULL) {
            send_counts[to] = x->bytes;
            send_places[to] = (int)(marked_message(x, iteration, i) - x->send);
        }
        if (from != MPI_PROC_NULL) {
            receive_counts[from] = x->bytes;
            receive_places[from] = (int)(room_for_message(x, from, iteration, i) - x->receive);
        }
    }
    int code = TRY(x, MPI_Alltoallv(x->send, send_counts, send_places, MPI_BYTE, x->receive, receive_counts,
                                    receive_places, MPI_BYTE, x->comm));
    for (int i = 0; i < x->transfers; i++) {
        int to = x->transfer[i].to, from = x->transfer[i].from;
        if (to != MPI_PROC_NULL)
            send_counts[to] = 0;
        if (from != MPI_PROC_NULL) {
            receive_counts[from] = 0;
            check_message(x, x->receive + receive_places[from], from, iteration, i);
        }
    }
    return code;
}

int exchange_nonblocking(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    MPI_Request requests[2 * EXCHANGE_MAX_TRANSFERS];
    unsigned char *in[EXCHANGE_MAX_TRANSFERS] = {NULL};
    int count = 0, code = MPI_SUCCESS;
    start_iteration(x);
    for (int i = 0; i < x->transfers && code == MPI_SUCCESS; i++)
        if (x->transfer[i].from != MPI_PROC_NULL) {
            in[i] = room_for_message(x, x->transfer[i].from, iteration, i);
            code = TRY(x, MPI_Irecv(in[i], x->bytes, MPI_BYTE, x->transfer[i].from, TAG + i, x->comm,
                                    &requests[count++]));
        }
    for (int i = 0; i < x->transfers && code == MPI_SUCCESS; i++)
        if (x->transfer[i].to != MPI_PROC_NULL)
            code = TRY(x, MPI_Isend(marked_message(x, iteration, i), x->bytes, MPI_BYTE, x->transfer[i].to,
                                    TAG + i, x->comm, &requests[count++]));
    if (code == MPI_SUCCESS)
        code = TRY(x, MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < x->transfers && code == MPI_SUCCESS; i++)
        if (in[i])
            check_message(x, in[i], x->transfer[i].from, iteration, i);
    return code;
}

int exchange_check(struct exchange *x, int (*work)(void *exchange, long number), long number, bool every_byte)
{
    if (x->marks == MARKS_DIRECT)
        return MPI_SUCCESS;
    x->marks = every_byte ? MARKS_ALL : MARKS_ENDS;
    int code = work(x, number);
    x->marks = MARKS_NONE;
    return code;
}

/* ---- the timing loop ---- */

static int synchronise(void *context)
{
    struct comm *comm = ((struct runner *)context)->comm;
    COMM_CHECK(comm, comm_barrier(comm));
    return 0;
}

/* Makes one iteration of a method and returns an MPI error code. All processes must call Alltoallv. Only
 * processes that take part call the other methods. */
typedef int iteration(void *exchange, long number);

/* Runs the timing loop. If an MPI call fails, the whole run ends: other processes may be waiting for a
 * message that will never arrive. */
static void run_loop(struct runner *m, iteration *work, int64_t untimed, int64_t loops,
                     long (*vote)(void *context, const struct measured *so_far), struct measured *measured)
{
    struct measure_ops ops = {
        .now = comm_now, .synchronise = synchronise, .work = work, .vote = vote, .context = m};
    if (measure(&ops, (long)untimed, (long)loops, measured) == MEASURE_FAILED)
        comm_check(m->comm, measured->error, m->exchange.failed, __FILE__, m->exchange.failed_line);
}

/* ---- all processes ---- */

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    const struct measurement *f = in;
    struct measurement *t = inout;
    for (int i = 0; i < *length; i++, f++, t++) {
        if (f->errors > 0 && (t->errors == 0 || f->rank < t->rank)) {
            t->rank = f->rank;
            t->bad = f->bad;
        }
        t->parts += f->parts;
        t->t_min = fmin(t->t_min, f->t_min);
        t->t_avg += f->t_avg;
        t->t_max = fmax(t->t_max, f->t_max);
        t->errors += f->errors;
        t->stop = f->stop > t->stop ? f->stop : t->stop;
    }
}

static iteration *const methods[METHODS] = {[METHOD_SENDRECV] = sendrecv,
                                            [METHOD_ALLTOALLV] = alltoallv,
                                            [METHOD_NONBLOCKING] = exchange_nonblocking};

/* Makes the checked iteration that follows a timed loop in GPU memory. */
static void check_after(struct runner *m, iteration *work, int64_t number, bool every_byte)
{
    comm_check(m->comm, exchange_check(&m->exchange, work, (long)number, every_byte), m->exchange.failed,
               __FILE__, m->exchange.failed_line);
}

int runner_try(struct runner *m, enum method method, int64_t bytes)
{
    const int size = m->comm->size, rank = m->comm->rank;
    exchange_prepare(&m->exchange, &(struct neighbours){1, {(rank + size - 1) % size}, {(rank + 1) % size}},
                     bytes);
    return exchange_check(&m->exchange, methods[method], 0, true);
}

struct measurement runner_measure(struct runner *m, const struct command *command)
{
    struct measurement own = {.t_min = INFINITY, .stop = ending_signal()};
    struct exchange *x = &m->exchange;
    struct measured measured;
    comm_activity(m->comm, "measuring %s, %s, %" PRId64 " B", m->list->patterns[command->pattern].id,
                  method_name(command->method), m->list->sizes[command->size]);
    struct neighbours neighbours = m->neighbours[command->pattern];
    int64_t bytes = m->list->sizes[command->size];
    if (command->pattern >= m->list->count && command->method == METHOD_ALLTOALLV && neighbours.axes > 1) {
        bytes *= neighbours.axes; /* one message instead of two to the same process */
        neighbours.axes = 1;
    }
    exchange_prepare(x, &neighbours, bytes);
    /* A process without messages still makes the collective call; its time does not count. */
    bool calls = x->transfers > 0 || command->method == METHOD_ALLTOALLV;
    run_loop(m, methods[command->method], calls ? command->untimed : 0, calls ? command->loops : 0, NULL,
             &measured);
    bool *whole = &m->whole[command->method][command->size];
    if (calls)
        check_after(m, methods[command->method], command->untimed + command->loops, !*whole);
    *whole |= m->list->patterns[command->pattern].rated; /* with messages of all processes */
    if (x->transfers > 0)
        own =
            (struct measurement){measured.seconds, measured.seconds, measured.seconds, x->errors, own.stop, 1,
                                 m->comm->rank,    x->first};
    struct measurement all = own; /* t_avg is the sum during the reduction */
    comm_reduce(m->comm, &own, &all, 1, m->type, m->combine);
    all.t_avg /= (double)all.parts;
    return all;
}

/* ---- set-up ---- */

int exchange_make(struct exchange *x, const struct space *space, MPI_Comm comm, int rank, int processes,
                  int64_t lmax)
{
    const size_t area = (size_t)beff_area(lmax);
    *x = (struct exchange){.space = space,
                           .comm = comm,
                           .rank = rank,
                           .processes = processes,
                           .sending = {.area = area},
                           .receiving = {.area = area}};
    x->counts = memory_new((size_t)beff_counts(processes), 1, "the counts");
    x->marks = space_is_system(space) ? MARKS_DIRECT : MARKS_NONE;
    x->image = x->marks == MARKS_DIRECT ? NULL : memory_new(2 * (size_t)lmax, 1, "a message");
    x->send = space_new(space, area);
    x->receive = x->send ? space_new(space, area) : NULL;
    return x->receive ? 0 : -1;
}

void exchange_free(struct exchange *x)
{
    space_free(x->space, x->send);
    space_free(x->space, x->receive);
    free(x->image);
    free(x->counts);
}

int runner_make(struct runner *m, struct comm *comm, const struct space *space,
                const struct pattern_list *list)
{
    *m = (struct runner){.comm = comm, .list = list};
    COMM_CHECK(comm, MPI_Type_contiguous((int)sizeof(struct measurement), MPI_BYTE, &m->type));
    COMM_CHECK(comm, MPI_Type_commit(&m->type));
    COMM_CHECK(comm, MPI_Op_create(combine, 1, &m->combine));
    size_t count = (size_t)(list->count + list->alone);
    m->neighbours = memory_new(count, sizeof *m->neighbours, "the neighbours");
    for (int p = 0; p < list->count; p++)
        pattern_neighbours(&list->patterns[p], comm->rank, &m->neighbours[p]);
    return exchange_make(&m->exchange, space, comm->all, comm->rank, comm->size, list->sizes[BEFF_SIZES - 1]);
}

void runner_set_pair(struct runner *m, bool inside, const int32_t ranks[2])
{
    for (int p = m->list->count; p < m->list->count + m->list->alone; p++) {
        const struct pattern *pattern = &m->list->patterns[p];
        struct neighbours n = {.axes = pattern->number};
        for (int axis = 0; axis < n.axes; axis++)
            n.left[axis] = n.right[axis] = ranks[m->comm->rank == ranks[0]];
        if (pattern->inside == inside)
            m->neighbours[p] =
                m->comm->rank == ranks[0] || m->comm->rank == ranks[1] ? n : (struct neighbours){.axes = 0};
    }
}

void runner_free(struct runner *m)
{
    if (!m->comm)
        return;
    COMM_CHECK(m->comm, MPI_Type_free(&m->type));
    COMM_CHECK(m->comm, MPI_Op_free(&m->combine));
    exchange_free(&m->exchange);
    free(m->neighbours);
    comm_activity(m->comm, "%s", "");
}

void runner_touch(struct runner *m, double time)
{
    enum { PIECE = 1 << 20 };
    const struct exchange *x = &m->exchange;
    for (size_t at = 0; at < x->sending.area && comm_elapsed(m->comm) < time; at += PIECE) {
        size_t size = x->sending.area - at < PIECE ? x->sending.area - at : PIECE;
        space_clear(x->space, x->send + at, 0x55, size);
        space_clear(x->space, x->receive + at, 0xaa, size);
        ++*ending_steps();
    }
}

/* ---- pairs of nodes ---- */

/* Share of the time of a pair at whose start exchanges do not count, and maximum number of exchanges, if the
 * clock stands still. */
#define EARLY 0.2
enum { MOST = 1000000 };

static void use_communicator(struct runner *m, MPI_Comm comm)
{
    m->exchange.comm = comm;
    COMM_CHECK(m->comm, MPI_Comm_rank(comm, &m->exchange.rank));
}

static double work_seconds(const struct measured *measured)
{
    return measured->seconds - measured->vote_seconds;
}

/* Agrees with the partner on the number of exchanges until the next vote. */
static long agree(void *runner, const struct measured *so_far)
{
    struct runner *m = runner;
    double own = work_seconds(so_far), other;
    COMM_CHECK(m->comm, MPI_Sendrecv(&own, 1, MPI_DOUBLE, m->partner, VOTE_TAG, &other, 1, MPI_DOUBLE,
                                     m->partner, VOTE_TAG, m->exchange.comm, MPI_STATUS_IGNORE));
    double elapsed = fmax(own, other);
    if (elapsed < EARLY * m->seconds) {
        m->early = own;
        m->early_loops = so_far->loops;
    }
    return fabric_batch(so_far->loops, elapsed, m->seconds);
}

double runner_peer(struct runner *m, MPI_Comm comm, int partner, const struct fabric_step *step,
                   int64_t *errors)
{
    bool takes_part = partner >= 0, votes = takes_part && step->seconds > 0;
    struct measured measured;
    comm_activity(m->comm, "measuring between nodes, %" PRId64 " B", step->bytes);
    if (takes_part)
        use_communicator(m, comm);
    int rank = m->exchange.rank;
    bool both = step->way == FABRIC_BOTH, first = step->way == FABRIC_UP ? partner > rank : partner < rank;
    struct neighbours pair = {1, {both || first ? partner : -1}, {both || !first ? partner : -1}};
    exchange_prepare(&m->exchange, &pair, step->bytes);
    if (step->way >= FABRIC_UP)
        m->exchange.transfers = 1; /* the first process sends, the other one receives */
    m->partner = partner;
    m->seconds = step->seconds;
    m->early = 0;
    m->early_loops = 0;
    run_loop(m, step->way == FABRIC_TO_AND_FRO ? sendrecv : exchange_nonblocking,
             takes_part && !m->comm->simulated, votes ? MOST : takes_part, votes ? agree : NULL, &measured);
    if (takes_part) {
        check_after(m, step->way == FABRIC_TO_AND_FRO ? sendrecv : exchange_nonblocking, measured.loops + 1,
                    false);
        use_communicator(m, m->comm->all);
    }
    *errors += m->exchange.errors;
    return takes_part ? (work_seconds(&measured) - m->early) / (double)(measured.loops - m->early_loops) : 0;
}
