/* The nodes of a run and the exchanges between them: keeps them, writes them to the protocol and reads them
 * back, and finds slow nodes, groups and links (docs/between-nodes.md). Run and report use the same
 * functions. */
#ifndef BEFF_FABRIC_H
#define BEFF_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol.h"
#include "common/text.h"

enum { FABRIC_NAME_SIZE = COLUMN_WORD_SIZE, FABRIC_NODES_MAX = 1 << 30 };

/* Rounds of pairs that are measured first, confirming partners of a suspect, rounds of a group in each half
 * of the run, random bisections, exchanges that confirm a slow pair, and the smaller size in bytes. */
enum {
    FABRIC_ROUNDS = 3,
    FABRIC_PARTNERS = 6,
    FABRIC_GROUP_ROUNDS = 4,
    FABRIC_BISECTIONS = 10,
    FABRIC_CONFIRMED = 3,
    FABRIC_SURE = 4, /* round of FABRIC_CONFIRM and FABRIC_AGAIN in which slow pairs are confirmed */
    FABRIC_SMALL = 8
};

/* Largest number of end points for which a matrix is measured. */
enum { FABRIC_MATRIX_MAX = 2048 };

/* An exchange is quick if its time is at most FABRIC_FACTOR times the median node's, or, if the nodes differ
 * much, 1 + FABRIC_DISTANCE times the median deviation of the faster ones. */
#define FABRIC_FACTOR   1.2
#define FABRIC_DISTANCE 6.0

enum fabric_stage {
    FABRIC_QUIET,
    FABRIC_CONFIRM,
    FABRIC_AGAIN,     /* like FABRIC_CONFIRM, at the end of the run */
    FABRIC_BISECTION, /* the ordered bisection has the round FABRIC_BISECTIONS + 1 */
    FABRIC_GROUP,
    FABRIC_ONE_WAY,   /* messages from `a` to `b` only */
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
    int in_group;   /* index of its group; -1: none */
    double latency; /* shortest quiet exchange of FABRIC_SMALL, seconds; NaN: not measured */
    double seconds; /* shortest quiet exchange of the large size; NaN: not measured */
    double factor;  /* `seconds`, or a shorter confirming time, divided by the median node's */
    bool old;       /* of the slower one of two kinds of nodes */
    bool far;       /* its 8 B messages are slow with all others */
    int best;       /* its partner in that exchange */
    double usual;   /* shortest large exchange with the quickest quarter of its partners, at most; seconds */
    int component;  /* lowest end point that is linked with this one by quick exchanges */
    int members;    /* number of end points of the component, if this is its lowest one; otherwise 0 */
    bool outside;   /* quick exchanges do not link it with the largest component */
    bool before;    /* the same, without the exchanges at the end of the run */
    const char *finding; /* "slow", "shared link", "slow group" or "" */
    int runs;            /* number of runs with this end point, of several that are judged together */
};

struct fabric_exchange {
    int64_t stage; /* enum fabric_stage */
    int64_t round; /* from 1 */
    int64_t bytes;
    int64_t a, b; /* end points; FABRIC_CONFIRM, FABRIC_AGAIN: the suspect and its partner; FABRIC_GROUP: `a`
                     is in the group; FABRIC_INJECTION: of two nodes */
    double seconds;
    int64_t errors; /* wrong bytes */
    int run;        /* of several runs that are judged together */
};

/* A pair of end points a < b in the matrix. */
struct fabric_pair {
    int64_t a, b;
    double seconds; /* of an exchange */
};

struct fabric_group {
    char name[FABRIC_NAME_SIZE];
    int64_t nodes;  /* number of its end points */
    int64_t old;    /* number of its end points of the slower kind */
    double mb_s[2]; /* MB/s across the boundary per node: best of the first rounds, of the repeated rounds */
    double
        median; /* the same, median of the first rounds; with slow nodes and pairs, if there are no others */
    double percent; /* `median` in percent of what a node reaches alone */
    double latency; /* shortest quiet exchange of FABRIC_SMALL with another group, seconds; NaN: unknown */
    bool compared;  /* there are at least three groups with about as many nodes, all of the same kind */
    bool low;       /* the first rounds were too slow */
    bool slow;      /* the repeated rounds were too slow as well */
};

/* Kinds of findings, the worst first. Kinds from FABRIC_SLOW_LINK on are judged from all runs together. */
enum fabric_kind {
    FABRIC_SLOW_NODE,
    FABRIC_SHARED_LINK,
    FABRIC_SLOW_GROUP,
    FABRIC_SLOW_LINK,
    FABRIC_SLOW_PAIR,
    FABRIC_LATENCY,
    FABRIC_MARGINAL, /* not an accusation */
    FABRIC_KINDS
};

struct fabric_finding {
    enum fabric_kind kind;
    char *names;   /* of what is slow; identifies the finding in several runs */
    char *text;    /* one line about it */
    double factor; /* time / usual time; 1 or more */
    int partners, runs;
};

/* A pair of end points a < b that is slow, or that may be. */
struct fabric_suspect {
    int64_t a, b;
    bool small;     /* with FABRIC_SMALL */
    bool confirmed; /* in FABRIC_CONFIRMED exchanges more */
};

enum fabric_verdict { FABRIC_FINE, FABRIC_SLOW, FABRIC_OPEN };

struct fabric {
    struct fabric_point *point;
    int points, nodes;
    struct fabric_exchange *exchange;
    size_t exchanges;
    float *matrix; /* seconds, see fabric_cell(); 0: not measured; NULL: no matrix */
    float *way;    /* seconds of a message from a to b alone: [a][b]; 0: not measured; NULL: no matrix */
    const char *left_out; /* stages that did not fit; NULL: none */
    int64_t other_errors; /* wrong bytes in exchanges that have no row */
    int runs;             /* number of runs that are judged together; 0: one */

    /* From fabric_judge(). */
    enum fabric_verdict verdict;
    bool judged;        /* the nodes were judged; if not, a pair or a latency may still be slow */
    struct texts notes; /* what was found, apart from the findings, or why nothing can be said */
    struct fabric_finding *finding;
    size_t findings;
    struct fabric_group *group;
    int groups;
    struct fabric_suspect *pair; /* slow pairs and suspects */
    size_t pairs;
    size_t measured;  /* number of pairs that exchanged the large size quietly */
    int64_t bytes;    /* the large size */
    double median[2]; /* the median node's time, seconds; of the slower kind of nodes, if there are two */
    double limit[2];  /* longest quick time, seconds; of the slower kind */
    int64_t errors;
    double latency, latency_max; /* median and largest exchange of FABRIC_SMALL, seconds */
    int latency_pair[2];         /* the end points of the largest */
    double bisection[FABRIC_BISECTIONS +
                     1]; /* MB/s per node, random ones and the ordered one; NaN: not measured */
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

/* Sets `way`, for fabric_judge(). */
void fabric_find_ways(struct fabric *fabric);

/* Reads a protocol, which must outlive the fabric, for fabric_judge(). Call fabric_free() even if that fails.
 */
int fabric_read(struct fabric *fabric, const struct protocol *protocol, struct message *error);

/* Computes everything that follows from end points and exchanges. It may be called again after more have
 * been added. */
void fabric_judge(struct fabric *fabric);

/* Returns how many times as long as usual the exchanges of two end points take because one of them is of the
 * slower kind: 1 if there is one kind. */
static inline double fabric_kind_factor(const struct fabric *fabric, int64_t a, int64_t b)
{
    return fabric->median[fabric->point[a].old || fabric->point[b].old] / fabric->median[0];
}

/* Returns the MB/s that the median node would send if each of its end points exchanged messages alone. */
double fabric_alone(const struct fabric *fabric);

/* Adds the nodes and exchanges of a run, whose times become multiples of the run's own median. Returns -1 if
 * its large size is not the size of the runs before. fabric_judge() then judges all runs together. */
int fabric_add_run(struct fabric *pool, const struct fabric *run);

/* Returns the name of a kind of finding, and one line of advice about it. */
const char *fabric_kind(enum fabric_kind kind);
const char *fabric_advice(enum fabric_kind kind);

/* For the rules in fabric_links.c: adds a finding, whose texts are freed with the fabric; returns the name of
 * an end point, to be freed. */
void fabric_add_finding(struct fabric *fabric, const struct fabric_finding *finding);
char *fabric_name(const struct fabric *fabric, int point);
/* Drops the findings from number `from` on. */
void fabric_drop_findings(struct fabric *fabric, size_t from);

/* Finds slow pairs, links between groups, latencies and marginal nodes, for fabric_judge(). */
void fabric_judge_links(struct fabric *fabric);

/* Frees everything that fabric_judge() has computed. */
void fabric_reset(struct fabric *fabric);

void fabric_free(struct fabric *fabric);

#endif
