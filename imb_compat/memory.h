/* The message buffers of one process: how large, how many copies. Pure. */
#ifndef IMB_COMPAT_MEMORY_H
#define IMB_COMPAT_MEMORY_H

#include "imb_compat/settings.h"

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
