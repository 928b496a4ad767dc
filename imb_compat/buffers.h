/* Determines the message buffers of one process (docs/definition-imb.md 4). */
#ifndef IMB_COMPAT_BUFFERS_H
#define IMB_COMPAT_BUFFERS_H

#include "imb_compat/tables.h"

struct imb_buffer {
    int64_t bytes;  /* size of one copy */
    int64_t step;   /* bytes from one copy to the next */
    int64_t copies; /* copies are used in turn, so that each has left the cache before its next use */
};

struct imb_memory {
    int64_t bytes, repetitions; /* size of the messages; maximum number of repetitions */
    struct imb_buffer send, receive;
    int64_t items, stride; /* items in a message; bytes from one item to the next */
    int64_t second;        /* exchanges: offset of the second message in the receive buffer */
    int64_t messages;      /* stencils: messages in a buffer, each with its own count; otherwise 1 */
    int64_t places;        /* windows, random partners, files: places in the receive buffer, used in turn */
    int64_t requests;      /* persistent requests, used in turn; 0: none */
};

/* Returns the buffers for messages of `bytes` bytes. If the repetitions are `checked`, each message has its
 * own place in the receive buffer, so that no message overwrites another one before it is compared
 * (docs/definition-imb.md 4). */
struct imb_memory imb_memory_make(const struct imb_table *table, int64_t bytes, int64_t repetitions,
                                  bool checked);

/* Returns the number of the copy of a buffer that a repetition uses. A persistent request keeps its copies,
 * so repetitions that use the same request use the same copies. */
int64_t imb_copy_of(const struct imb_memory *memory, const struct imb_buffer *buffer, int64_t repetition);

double imb_memory_gib(const struct imb_memory *memory);

/* Returns true if the number of items in the send buffer, or in one place of the receive buffer, exceeds the
 * range of int. In stencils, the items of each message count on their own. */
bool imb_memory_overflows(const struct imb_memory *memory);

#endif
