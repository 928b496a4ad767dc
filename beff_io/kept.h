/* The index of kept files: seed, M_PART and places, so that a later run can read and check them again
 * (docs/definition.md 2.6). Pure. */
#ifndef BEFF_IO_KEPT_H
#define BEFF_IO_KEPT_H

#include "beff_io/layout.h"
#include "common/text.h"

/* Name of the index in the directory of the files. */
#define KEPT_INDEX "index"

/* Writes the index: layouts of all partitions. Reads it into seed, M_PART, patterns and partitions of a task,
 * and layouts. 0, or -1 with one line that names the file. */
int kept_write(const struct io_task *task, const struct io_layout *layouts, const char *directory,
               struct message *error);
int kept_read(struct io_task *task, struct io_layout layouts[IO_MOST_PARTITIONS], const char *directory,
              struct message *error);

#endif
