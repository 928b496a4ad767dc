/* Finds the group of a node, such as the nodes of a switch: in a file, or from Slurm's variables. The file of
 * --load-roles has the same form. */
#ifndef BEFF_GROUPS_H
#define BEFF_GROUPS_H

#include "beff/fabric.h"

/* Checks the text of a --groups file: lines `HOST GROUP`, each host once; empty lines and lines that start
 * with # are ignored. A message names the option, the line and the expected word ("GROUP"). */
int groups_check(const char *option, const char *word, const char *text, struct message *error);

/* Sets the group of a host from the text of a --groups file; "-" if the file does not contain the host. A
 * name without a domain also matches. */
void groups_find(const char *text, const char *host, char group[FABRIC_NAME_SIZE]);

/* Sets the group of a host from SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN (either may be NULL):
 * the last switch; "-" if the pattern has no switch or if the address is another node's. mpiexec inside
 * sbatch gives the first node's address to all nodes. */
void groups_slurm(const char *address, const char *pattern, const char *host, char group[FABRIC_NAME_SIZE]);

#endif
