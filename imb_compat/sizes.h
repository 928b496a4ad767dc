/* Message sizes: the series of powers of two, and lists; and the buffers that they need. Pure. */
#ifndef IMB_COMPAT_SIZES_H
#define IMB_COMPAT_SIZES_H

#include "imb_compat/settings.h"

struct imb_sizes {
    int64_t *bytes;
    int count;
    bool listed;         /* by -msgsize or -msglen */
    int64_t most_wanted; /* the largest of a list that was cut to 2^max; 0: none was */
};

/* Sizes that the user listed, by -msgsize or in the text of the -msglen file (`text`, NULL for none), as they
 * stand there; an empty list if there are none. 0, or -1 with one line that names file, line and reason. */
int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error);

/* Sizes for one benchmark, whose type has `unit` bytes: the list, cut to 2^max and rounded up to units, or
 * 0, 2^min, ... 2^max in units (docs/definition.md 3.2); the one size 0 if it transfers nothing, or
 * one unit if that is all it transfers. 0, or -1 when out of
 * memory. */
int imb_sizes_make(struct imb_sizes *sizes, const struct imb_settings *settings,
                   const struct imb_sizes *listed, const struct imb_benchmark *benchmark, int unit);

void imb_sizes_free(struct imb_sizes *sizes);

/* ---- the message buffers of one process: how large, how many copies ---- */

struct imb_buffer {
    int64_t bytes;  /* what one repetition uses */
    int64_t step;   /* from one copy to the next */
    int64_t copies; /* used in turn, so that a message is out of the cache when its turn comes again */
};

struct imb_memory {
    struct imb_buffer send, receive;
    int64_t items, stride; /* of one message: items, and bytes from one to the next */
    int64_t second;        /* exchanges: where the second message is received */
    int64_t places;        /* windows and files: places where messages are received in turn */
};

/* For messages of `bytes` bytes in a group of `size` processes. When all that arrives is checked, messages
 * that would come to the same place get places of their own. (docs/definition.md 3.4) */
struct imb_memory imb_memory_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                  int size, int64_t bytes, int64_t repetitions);

double imb_memory_gib(const struct imb_memory *memory);

/* Whether a buffer has more items than an int can count. */
bool imb_memory_overflows(const struct imb_memory *memory);

/* The type that a benchmark transfers. */
enum imb_type imb_type_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* Its sizes are multiples of so many bytes. */
int imb_unit_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

#endif
