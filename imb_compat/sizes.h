/* Message sizes: the series of powers of two, and lists; the buffers that they need; and how often each is
 * repeated (docs/from-imb.md 4). Pure. */
#ifndef IMB_COMPAT_SIZES_H
#define IMB_COMPAT_SIZES_H

#include "imb_compat/tables.h"

struct imb_sizes {
    int64_t *bytes;
    int count;
    bool listed;        /* by -msgsize or -msglen */
    int64_t max_wanted; /* the largest of a list that was cut to 2^max; 0: none was */
};

/* Sizes that the user listed, by -msgsize or in the text of the -msglen file (`text`, NULL for none),
 * unchanged; an empty list if there are none. 0, or -1 with one line that names file, line and reason. */
int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error);

/* Sizes for one benchmark, whose type has `unit` bytes: the list, cut to 2^max and rounded up to units, or
 * 0, 2^min, ... 2^max in units (docs/from-imb.md 2); the one size 0 if it transfers nothing, or
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
 * that would come to the same place get places of their own. (docs/from-imb.md 4) */
struct imb_memory imb_memory_make(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                                  int size, int64_t bytes, int64_t repetitions);

double imb_memory_gib(const struct imb_memory *memory);

/* Whether a buffer has more items than an int can count. */
bool imb_memory_overflows(const struct imb_memory *memory);

/* The type that a benchmark transfers. */
enum imb_type imb_type_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* Its sizes are multiples of so many bytes. */
int imb_unit_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* ---- how often a kernel is repeated ---- */

/* The policy that holds for a benchmark: dynamic, multiple_np or off. */
enum imb_policy imb_policy_of(const struct imb_settings *settings, const struct imb_benchmark *benchmark);

/* Repetitions by mode, size and number of processes, before any time is looked at; `listed`: the sizes are,
 * and the first number then does not limit those of the non-aggregate mode. */
int64_t imb_repetitions(const struct imb_settings *settings, const struct imb_benchmark *benchmark,
                        enum imb_mode mode, bool listed, int64_t bytes, int processes);

/* Repetitions of the second probe, after one that took `seconds`. */
int64_t imb_repetitions_probe(const struct imb_settings *settings, int64_t repetitions, double seconds);

/* At most so many that they keep within `left` seconds, with the warm-up before them; at least one. `first`
 * and `second`: seconds for one repetition as the two probes had it. The quicker one counts: a disturbed
 * probe does not lower the number. */
int64_t imb_repetitions_within(const struct imb_settings *settings, int64_t repetitions, double first,
                               double second, double left);

/* Untimed repetitions before the timed ones. */
int64_t imb_repetitions_warmup(const struct imb_settings *settings, int64_t repetitions);

#endif
