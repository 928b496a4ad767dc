/* The files of IMB-IO: their names, and the part of each that a process moves (docs/definition.md 3.9). Pure.
 */
#ifndef IMB_COMPAT_FILE_H
#define IMB_COMPAT_FILE_H

#include "imb_compat/benchmarks.h"

enum { IMB_FILE_ITEM = 4 }; /* bytes: portions are whole items */

/* What a process moves of a block of X bytes. */
struct imb_portion {
    int64_t offset, bytes;
};

/* The portion of process `rank` of `size`: they follow one another, in whole items as far as the block goes,
 * the first processes have one item more. */
struct imb_portion imb_portion_of(int64_t x, int rank, int size);

enum { IMB_FILE_NAME_SIZE = 48 };

/* Name of a file in the working directory: of a group (-1: there is but one) and, where every process has its
 * own, of a process by its rank among all (-1: the group's). */
void imb_file_name(char name[IMB_FILE_NAME_SIZE], int group, int rank);

/* How a benchmark places the portions in a file. */
struct imb_placing {
    int64_t first;  /* of repetition 0 */
    int64_t step;   /* from one repetition to the next */
    int64_t stride; /* a view shows every so many bytes a portion; 0: all bytes */
    bool any_order; /* the shared pointer: portions come as the processes come, where two or more move any */
};

/* Of process `rank` of `size`, with blocks of X bytes. */
struct imb_placing imb_placing_of(const struct imb_benchmark *benchmark, int64_t x, int rank, int size);

#endif
