/* Makes beff's sheet from a protocol: figures, criteria of the verdict, noise and tables. */
#ifndef BEFF_RESULTS_H
#define BEFF_RESULTS_H

#include "beff/fabric.h"
#include "beff/load.h"
#include "beff/rating.h"
#include "common/sheet.h"

/* Exchanges of all nodes at once, with some processes of each node. NaN: not measured. */
struct injection {
    int64_t processes;     /* per node */
    double messages, mb_s; /* messages per second and MB/s of a node */
};

/* Number of messages from one node to another in one iteration; NaN if there is only one node. */
struct leaving {
    double sum, busiest; /* of all nodes; of the node that sends most */
    double most, inside; /* of a process at most; and messages of a process that stay; NaN if unknown */
};

/* What the table by_loss is made of (docs/between-nodes.md). */
struct loss {
    double link;                                /* rate of a node's link in MB/s; 0: unknown */
    double mb_s, messages;                      /* largest of the injections, per node and second */
    double alone[BEFF_SIZES], node[BEFF_SIZES]; /* MB/s of all processes: if no message met another one; if
                                                   only messages of one node met */
};

struct beff_results {
    struct sheet sheet;
    struct pattern_list list;
    int64_t nodes; /* 1 if messages between nodes were not counted */
    struct repetitions reps;
    struct rating rating;
    double link_share[BEFF_SIZES]; /* see beff_link_share() */
    struct fabric fabric;
    struct injection *injection;
    int injections;
    struct loss loss;
    struct load load;
    char label[48]; /* of the rating: "b_eff", or with the memory of the messages "b_eff (cuda:device)" */
};

/* Recomputes the results of a run (`results`: struct beff_results) from the protocol's metadata (processes,
 * seed, option_polygons, lmax, ...) and records. The protocol must outlive the results. Call
 * beff_results_free() in either case. */
int beff_results_make(void *results, const struct protocol *protocol, struct message *error);

/* Describes the table of one pattern: the bandwidth of each method and of the best method, by size. The table
 * after the last pattern's is the matrix of nodes. */
void beff_pattern_table(const void *results, int pattern, struct table *table);

/* Finds the metadata `between_nodes = PATTERN SUM BUSIEST` of a pattern. */
struct leaving beff_leaving(const struct protocol *protocol, const char *id);

/* Adds the figures between nodes to the sheet. */
void beff_add_between(struct beff_results *results);

/* Returns the share of a pattern's messages that go from one node to another, in percent; NaN if there is
 * only one node. */
double beff_leaving_percent(const struct beff_results *results, int pattern);

/* Returns the measured bandwidth divided by the bandwidth that --limit-link allows, at one size: the
 * logarithmic average over the rated patterns that send messages between nodes. NaN if no limit was given or
 * nothing was measured. */
double beff_link_share(const struct beff_results *results, int size);

/* Adds limits, noise and slow nodes to the sheet. */
int beff_add_noise(struct beff_results *results, struct message *error);

/* Adds the tables to the sheet. */
void beff_add_tables(struct beff_results *results);

/* Checks that order, methods and polygons of the records follow the schedule. */
int beff_verify(const void *results, struct message *error);

void beff_results_free(void *results);

#endif
