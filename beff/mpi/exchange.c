/* Transfers by the three methods. Uses patterns (neighbours), record (methods). */
#include "beff/mpi/exchange.h"

#include <stdlib.h>
#include <string.h>

int exchange_make(struct exchange *x, MPI_Comm comm, int64_t lmax)
{
    const size_t page = 4096, area = (size_t)beff_area(lmax);
    *x = (struct exchange){.comm = comm, .sending = {.area = area}, .receiving = {.area = area}};
    MPI_Comm_rank(comm, &x->rank);
    MPI_Comm_size(comm, &x->processes);
    x->counts = calloc((size_t)beff_counts(x->processes), 1);
    void *send = NULL, *receive = NULL;
    if (!x->counts || posix_memalign(&send, page, area) || posix_memalign(&receive, page, area)) {
        free(send);
        exchange_free(x);
        return -1;
    }
    x->send = send;
    x->receive = receive;
    return 0;
}

void exchange_touch(struct exchange *x)
{
    memset(x->send, 0x55, x->sending.area);
    memset(x->receive, 0xaa, x->receiving.area);
}

void exchange_free(struct exchange *x)
{
    free(x->send);
    free(x->receive);
    free(x->counts);
    *x = (struct exchange){0};
}

static void add_step(struct exchange *x, int64_t to, int64_t from)
{
    if (to >= 0 || from >= 0)
        x->step[x->steps++] =
            (struct step){to >= 0 ? (int)to : MPI_PROC_NULL, from >= 0 ? (int)from : MPI_PROC_NULL};
}

void exchange_prepare(struct exchange *x, const struct neighbours *n, int64_t bytes)
{
    x->steps = 0;
    for (int axis = 0; axis < n->axes; axis++) {
        add_step(x, n->left[axis], n->right[axis]);
        if (n->left[axis] != n->right[axis]) /* both the same: a ring of 2, one message each way */
            add_step(x, n->right[axis], n->left[axis]);
    }
    x->bytes = (int)bytes;
    size_t sends = 0, receives = 0;
    for (int i = 0; i < x->steps; i++) {
        sends += x->step[i].to != MPI_PROC_NULL;
        receives += x->step[i].from != MPI_PROC_NULL;
    }
    walk_prepare(&x->sending, (size_t)bytes, sends);
    walk_prepare(&x->receiving, (size_t)bytes, receives);
    x->errors = 0;
}

void exchange_use(struct exchange *x, MPI_Comm comm)
{
    x->comm = comm;
    MPI_Comm_rank(comm, &x->rank);
}

/* ---- buffers and marks ---- */

static inline void start_iteration(struct exchange *x)
{
    walk_start(&x->sending);
    walk_start(&x->receiving);
}

/* The first byte of a message; the last one is its complement. It changes with sender, iteration and step, so
 * that a message that was lost, repeated or mixed up shows. */
static inline unsigned char mark(int sender, long iteration, int step)
{
    return (unsigned char)((unsigned long)iteration * 5 + (unsigned)sender * 37 + (unsigned)step * 101);
}

static inline unsigned char *marked_message(struct exchange *x, long iteration, int step)
{
    unsigned char *message = x->send + walk_next(&x->sending);
    unsigned char first = mark(x->rank, iteration, step);
    message[x->bytes - 1] = (unsigned char)~first;
    message[0] = first; /* written last: the one byte of a 1-byte message */
    return message;
}

static inline unsigned char *room_for_message(struct exchange *x)
{
    return x->receive + walk_next(&x->receiving);
}

static void note_mismatch(struct exchange *x, int from, long iteration, int last, int expected, int found)
{
    if (x->errors++ == 0)
        x->first = (struct mismatch){from, iteration, last, expected, found};
}

static inline void check_message(struct exchange *x, const unsigned char *message, int from, long iteration,
                                 int step)
{
    unsigned char first = mark(from, iteration, step), last = (unsigned char)~first;
    if (message[0] != first)
        note_mismatch(x, from, iteration, 0, first, message[0]);
    if (x->bytes > 1 && message[x->bytes - 1] != last)
        note_mismatch(x, from, iteration, 1, last, message[x->bytes - 1]);
}

/* ---- methods ---- */

enum { TAG = 1 };

/* Makes a call and keeps which one failed, if it did. */
#define TRY(x, call) note_failure((x), (call), #call, __LINE__)

static inline int note_failure(struct exchange *x, int code, const char *call, int line)
{
    if (code != MPI_SUCCESS) {
        x->failed = call;
        x->failed_line = line;
    }
    return code;
}

/* One message after the other; a plain call where there is only one to send or to receive. */
static int sendrecv(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    start_iteration(x);
    for (int i = 0; i < x->steps; i++) {
        int to = x->step[i].to, from = x->step[i].from, code;
        unsigned char *out = to == MPI_PROC_NULL ? NULL : marked_message(x, iteration, i);
        unsigned char *in = from == MPI_PROC_NULL ? NULL : room_for_message(x);
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

/* All messages in one call. Neighbours in different steps are different processes. */
static int alltoallv(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    int *send_counts = x->counts, *send_places = send_counts + x->processes;
    int *receive_counts = send_places + x->processes, *receive_places = receive_counts + x->processes;
    start_iteration(x);
    for (int i = 0; i < x->steps; i++) {
        int to = x->step[i].to, from = x->step[i].from;
        if (to != MPI_PROC_NULL) {
            send_counts[to] = x->bytes;
            send_places[to] = (int)(marked_message(x, iteration, i) - x->send);
        }
        if (from != MPI_PROC_NULL) {
            receive_counts[from] = x->bytes;
            receive_places[from] = (int)(room_for_message(x) - x->receive);
        }
    }
    int code = TRY(x, MPI_Alltoallv(x->send, send_counts, send_places, MPI_BYTE, x->receive, receive_counts,
                                    receive_places, MPI_BYTE, x->comm));
    for (int i = 0; i < x->steps; i++) {
        int to = x->step[i].to, from = x->step[i].from;
        if (to != MPI_PROC_NULL)
            send_counts[to] = 0;
        if (from != MPI_PROC_NULL) {
            receive_counts[from] = 0;
            check_message(x, x->receive + receive_places[from], from, iteration, i);
        }
    }
    return code;
}

/* All receives, all sends, one wait. */
static int nonblocking(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    MPI_Request requests[2 * EXCHANGE_MAX_STEPS];
    unsigned char *in[EXCHANGE_MAX_STEPS] = {NULL};
    int count = 0, code = MPI_SUCCESS;
    start_iteration(x);
    for (int i = 0; i < x->steps && code == MPI_SUCCESS; i++)
        if (x->step[i].from != MPI_PROC_NULL) {
            in[i] = room_for_message(x);
            code = TRY(x, MPI_Irecv(in[i], x->bytes, MPI_BYTE, x->step[i].from, TAG + i, x->comm,
                                    &requests[count++]));
        }
    for (int i = 0; i < x->steps && code == MPI_SUCCESS; i++)
        if (x->step[i].to != MPI_PROC_NULL)
            code = TRY(x, MPI_Isend(marked_message(x, iteration, i), x->bytes, MPI_BYTE, x->step[i].to,
                                    TAG + i, x->comm, &requests[count++]));
    if (code == MPI_SUCCESS)
        code = TRY(x, MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < x->steps && code == MPI_SUCCESS; i++)
        if (in[i])
            check_message(x, in[i], x->step[i].from, iteration, i);
    return code;
}

exchange_iteration *exchange_method(enum method method)
{
    static exchange_iteration *const methods[METHODS] = {
        [METHOD_SENDRECV] = sendrecv, [METHOD_ALLTOALLV] = alltoallv, [METHOD_NONBLOCKING] = nonblocking};
    return methods[method];
}

int exchange_copy(void *exchange, long iteration)
{
    struct exchange *x = exchange;
    (void)iteration;
    start_iteration(x);
    unsigned char *out = x->send + walk_next(&x->sending);
    memcpy(room_for_message(x), out, (size_t)x->bytes);
    return MPI_SUCCESS;
}
