/* Finds out who else used the processors of a node during a pass: other programs, a hypervisor, a quota
 * (docs/diagnostics.md 1). Run and report use the same functions. */
#ifndef BEFF_DISTURBANCE_H
#define BEFF_DISTURBANCE_H

#include "common/protocol.h"
#include "common/sysinfo.h"

enum disturber {
    DISTURBER_PROGRAMS,
    DISTURBER_HYPERVISOR,
    DISTURBER_QUOTA,
    DISTURBER_SWITCHES, /* involuntary context switches of the run's own processes */
    DISTURBERS
};

enum { DISTURBANCE_TEXT_SIZE = 480 };

/* Shortest pass that is recorded, in seconds: the system counts processor time in steps of 10 ms. */
#define DISTURBANCE_SECONDS 1.0

/* What one disturber took from a node during a pass, on average. The worst node of a pass is a row of
 * run.prot. */
struct disturbance {
    int64_t pass, cause; /* cause: enum disturber */
    double seconds;      /* duration of the pass */
    double used;         /* processors; or switches per second of all processes of the node */
    double of;           /* the node's processors, or the number of its processes; 0: unknown */
    char host[COLUMN_HOST_SIZE];
};
extern const char *const disturbance_causes[]; /* their names, NULL last */

/* What the run's own processes on a node did during a pass. */
struct own_use {
    double seconds; /* duration of the pass */
    double busy;    /* processor time in seconds */
    double switches, processes;
};

/* Computes the disturbances of a node from its times before and after a pass. All are unknown if the times do
 * not fit the duration of the pass. */
void disturbance_make(struct disturbance made[DISTURBERS], const char *host,
                      const struct processor_times *before, const struct processor_times *after,
                      const struct own_use *own);

/* Returns the share of the node that was lost, or switches per process; -1: unknown, or `disturbance` is
 * NULL. */
double disturbance_share(const struct disturbance *disturbance);

/* Writes the worst disturbances of a pass of `seconds` to the protocol, unless the pass was too short. */
void disturbance_put(struct protocol *protocol, int pass, double seconds,
                     struct disturbance worst[DISTURBERS]);

/* Describes the worst disturbances of all passes in one line; "" if none of them matters. Switches are
 * described only if other programs are. */
void disturbance_describe(const struct protocol *protocol, char text[DISTURBANCE_TEXT_SIZE]);

#endif
