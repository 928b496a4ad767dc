/* The nodes of a run and the exchanges between them: keeps them, writes them to the protocol and reads them
 * back, and finds slow nodes, links and groups (docs/between-nodes.md). Run and report use the same
 * functions. */
#ifndef BEFF_FABRIC_H
#define BEFF_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol.h"
#include "common/text.h"

enum { FABRIC_NAME_SIZE = COLUMN_WORD_SIZE, FABRIC_NODES_MAX = 1 << 30 };

/* Rounds of pairs that are measured quietly, confirming partners of a suspect, rounds of a group, and the
 * smaller message size in bytes. */
enum { FABRIC_ROUNDS = 3, FABRIC_PARTNERS = 6, FABRIC_GROUP_ROUNDS = 3, FABRIC_SMALL = 8 };

/* Largest number of end points for which a matrix is measured. */
enum { FABRIC_MATRIX_MAX = 2048 };

/* An exchange is quick if its time is at most FABRIC_FACTOR times the median node's, or, if the nodes differ
 * much, 1 + FABRIC_DISTANCE times their median deviation. */
#define FABRIC_FACTOR   1.2
#define FABRIC_DISTANCE 6.0

enum fabric_stage {
    FABRIC_QUIET,
    FABRIC_CONFIRM,
    FABRIC_LOADED,
    FABRIC_GROUP,
    FABRIC_PAIR,      /* node 0 with another node: a message to and fro */
    FABRIC_INJECTION, /* all nodes at once; `round` is the number of processes of each */
    FABRIC_STAGES
};
extern const char *const fabric_stages[]; /* their names, NULL last */

/* An end point: one process of a node, or of a node's network device. */
struct fabric_point {
    int64_t node;                                           /* number of the node, from 0 */
    char host[COLUMN_HOST_SIZE];                            /* name of the node */
    int64_t processes;                                      /* processes of the node */
    char group[FABRIC_NAME_SIZE], device[FABRIC_NAME_SIZE]; /* "-": none */

    /* From fabric_judge(). */
    int in_group;        /* index of its group; -1: none */
    double latency;      /* shortest quiet exchange of FABRIC_SMALL, seconds; NaN: not measured */
    double seconds;      /* shortest quiet exchange of the large size; NaN: not measured */
    double factor;       /* `seconds`, or a shorter confirming time, divided by the median node's */
    int component;       /* lowest end point that is linked with this one by quick exchanges */
    int members;         /* number of end points of the component, if this is its lowest one; otherwise 0 */
    bool outside;        /* quick exchanges do not link it with the largest component */
    const char *finding; /* "slow", "shared link", "slow group" or "" */
};

struct fabric_exchange {
    int64_t stage; /* enum fabric_stage */
    int64_t round; /* from 1 */
    int64_t bytes;
    int64_t a, b; /* end points; FABRIC_CONFIRM: the suspect and its partner; FABRIC_GROUP: `a` is in the
                 group; FABRIC_INJECTION: of two nodes */
    double seconds;
    int64_t errors; /* wrong bytes */
};

/* A pair of end points a < b in the matrix. */
struct fabric_pair {
    int64_t a, b;
    double seconds; /* of an exchange */
};

struct fabric_group {
    char name[FABRIC_NAME_SIZE];
    int64_t nodes;  /* number of its end points */
    double mb_s[2]; /* MB/s across the boundary per node: best of the first rounds, of the repeated rounds */
    double latency; /* shortest quiet exchange of FABRIC_SMALL with another group, seconds; NaN: unknown */
    bool compared;  /* there are at least three groups with about as many nodes */
    bool low;       /* the first rounds were too slow */
    bool slow;      /* the repeated rounds were too slow as well */
};

struct fabric_finding {
    enum { FABRIC_SLOW_NODE, FABRIC_SHARED_LINK, FABRIC_SLOW_GROUP } kind;
    char *names;   /* the node, nodes or group; identifies the finding in several runs */
    double factor; /* time / median time of the other nodes; group: share of the median rate */
    int partners;
};

enum fabric_verdict { FABRIC_FINE, FABRIC_SLOW, FABRIC_OPEN };

struct fabric {
    struct fabric_point *point;
    int points, nodes;
    struct fabric_exchange *exchange;
    size_t exchanges;
    float *matrix;        /* seconds, see fabric_cell(); 0: not measured; NULL: no matrix */
    const char *left_out; /* stages that did not fit; NULL: none */

    /* From fabric_judge(). */
    enum fabric_verdict verdict;
    struct texts notes; /* what was found, apart from the findings, or why nothing can be said */
    struct fabric_finding *finding;
    size_t findings;
    struct fabric_group *group;
    int groups;
    int64_t bytes; /* the large size */
    double median; /* the median node's time, seconds */
    double limit;  /* longest quick time, seconds */
    int64_t errors;
    double latency, latency_max;        /* median and largest exchange of FABRIC_SMALL, seconds */
    int latency_pair[2];                /* the end points of the largest */
    double loaded_mb_s, loaded_percent; /* all pairs at once; NaN: not measured */
};

void fabric_add_point(struct fabric *fabric, const struct fabric_point *point);

/* Adds an exchange and, unless `protocol` is NULL, writes it to the protocol. */
void fabric_add_exchange(struct fabric *fabric, const struct fabric_exchange *exchange,
                         struct protocol *protocol);

/* Returns the place of the pair of end points a < b in a matrix of `points` end points. */
static inline size_t fabric_cell(int points, int a, int b)
{
    return (size_t)a * (size_t)points - (size_t)a * (size_t)(a + 1) / 2 + (size_t)(b - a - 1);
}

/* Writes the pairs of the matrix that were measured to the protocol. */
void fabric_put_matrix(const struct fabric *fabric, struct protocol *protocol);

/* Reads a protocol, which must outlive the fabric, and judges it. Returns 0 on success, or -1 with a message.
 * Call fabric_free() in either case. */
int fabric_read(struct fabric *fabric, const struct protocol *protocol, struct message *error);

/* Computes everything that follows from end points and exchanges. It may be called again after more have
 * been added. */
void fabric_judge(struct fabric *fabric);

/* Returns one line about a finding, to be freed. */
char *fabric_text(const struct fabric *fabric, const struct fabric_finding *finding);

void fabric_free(struct fabric *fabric);

#endif
