#include "beff/mpi/probe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/ending.h"
#include "common/memory.h"
#include "common/mpi/gpu.h"

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

enum exit_status probe(struct runner *runner, unsigned skipped, double time)
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
