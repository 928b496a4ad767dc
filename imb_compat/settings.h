/* Parses the command line: IMB's options and additional ones. */
#ifndef IMB_COMPAT_SETTINGS_H
#define IMB_COMPAT_SETTINGS_H

#include <stdint.h>

#include "common/engine.h"
#include "imb_compat/benchmarks.h"

/* Kinds of work: what the repetitions of a component do. */
enum imb_work { IMB_NO_WORK, IMB_MESSAGES, IMB_FILES, IMB_THREADS, IMB_WORKS };

struct imb_component_row {
    const char *part; /* name in the header */
    enum imb_work work;
    bool adaptive; /* several numbers of processes; the sizes end at -msglog; the repetitions depend on size
                    * and time. Otherwise, all processes take part, and options add sizes in their order. */
    bool trailing_spaces; /* some lines of the header end with a space */
    bool space_after_op;  /* only the two lines after MPI_Op end with a space */
    bool space_after_red; /* the line with the data type for reductions ends with a space */
    bool aggregate_last;  /* the aggregate mode follows the non-aggregate mode */
    bool in_30;           /* release 3.0 had this component */
    bool gpu;             /* messages are in GPU memory unless -mem_alloc_type is given */
    bool bare;            /* headings have a shorter form, without trailing spaces */
    int rule, table_rule; /* length of the lines around the title and around headings; 0: the usual length */
};
extern const struct imb_component_row imb_components[IMB_COMPONENTS];
#define IMB_COMPONENT_NAMES "MPI1 EXT IO NBC RMA MPI4 MT P2P MPI1-GPU RMA-GPU"

/* Returns the argument of imb_compat that selects the component, for example "MPI1". */
const char *imb_component_name(enum imb_component component);

enum imb_policy { IMB_DYNAMIC, IMB_MULTIPLE_NP, IMB_AUTO, IMB_OFF };
enum imb_mode_choice { IMB_RUN_BOTH_MODES, IMB_RUN_AGGREGATE, IMB_RUN_NON_AGGREGATE };
enum imb_release { IMB_2021, IMB_30 };
enum imb_threads { IMB_THREADS_SINGLE, IMB_THREADS_FUNNELED, IMB_THREADS_SERIALIZED, IMB_THREADS_MULTIPLE };
extern const char *const imb_thread_words[]; /* words for -thread_level, in this order; ends with NULL */
enum imb_contig { IMB_BASE, IMB_BASE_VEC, IMB_RESIZE, IMB_RESIZE_VEC };

enum imb_barrier { IMB_BARRIER_ON, IMB_BARRIER_OFF, IMB_BARRIER_SPECIAL };
enum imb_malloc { IMB_MALLOC_SERIAL, IMB_MALLOC_CONTINUOUS, IMB_MALLOC_PARALLEL };
#define IMB_MSGLEN "msglen=" /* prefix of an entry of `sizes` */

/* Data types, in the order of the words for -data_type. */
enum imb_type { IMB_CHAR, IMB_INT, IMB_FLOAT, IMB_DOUBLE, IMB_BYTE, IMB_TYPES };

struct imb_type_row {
    const char *label; /* name in the header */
    int size;
};
extern const struct imb_type_row imb_types[IMB_TYPES];

struct imb_settings {
    struct run_settings run;      /* must be first; run.time is time_total, or infinite */
    enum imb_component component; /* IMB_COMPONENTS if none was given */

    int threads; /* enum imb_threads */
    const char *input;
    struct texts include, exclude, names;

    int64_t npmin, multi, window_size;
    struct option_numbers off_cache, iter, msglog, map, mem_limit;
    int policy;         /* enum imb_policy */
    int aggregate_mode; /* enum imb_mode_choice */
    double time;
    const char *msglen;
    struct texts msgsize;
    bool root_shift, sync, imb_barrier, zero_size, warm_up, msg_pause;
    int data_type, red_data_type, contig_type;
    int memory, gpu_memory; /* places of the messages: components without and with GPU memory by default */

    int compat; /* enum imb_release */
    bool check, raw;
    double time_total; /* in seconds; 0: no limit */
    const char *json, *prot, *info;

    /* IMB-MT, IMB-P2P. */
    struct texts sizes; /* options that add sizes, in the order given: "count=1,2", "msglog=3:4" */
    int64_t warmup, stride, malloc_align, pause;
    int barrier;     /* enum imb_barrier */
    int datatype;    /* 0: int, 1: char */
    int malloc_algo; /* enum imb_malloc */
    bool no_header, writes, reads;

    /* Derived from the members above. */
    int64_t min_log, max_log;
    int map_p, map_q;    /* 0: no map */
    int64_t cache, line; /* sizes of cache and cache line in bytes; cache 0: messages may stay in the cache */
    int64_t volume;      /* maximum number of bytes transferred per size */
    double mem;          /* memory limit in GiB */
    int64_t repetitions, few_repetitions;
    int team; /* threads per process */
};

extern const struct option_table imb_options; /* the parts of the table are the components */
extern const struct imb_settings imb_defaults;

/* Completes the settings (a struct imb_settings). Fails if options contradict each other. */
int imb_settings_check(void *settings, struct message *error);

enum { IMB_MAX_LOG = 30 };
#define IMB_NO_SIZE(what) /* format of a message; its last argument is the maximum size */                   \
    what ": expected a whole number from 0 to %d, optionally followed by K, M or G (KiB, MiB, GiB)"
#define IMB_MAX_BYTES (INT64_C(1) << IMB_MAX_LOG)

/* Parses a size: a whole number, optionally followed by K, M or G, or by KB, MB or GB. Returns the size in
 * bytes, or -1 if the text is not a size or the size exceeds IMB_MAX_BYTES. */
int64_t imb_length(const char *text);

/* Reads the text of the -info file. Adds every line of the form "KEY VALUE" to `hints`, with one space
 * between key and value. Skips empty lines and lines that start with #. Keys and values must be shorter than
 * the limits. Fails if a line has no value, is too long or contains unprintable characters, if a key is
 * duplicated, or if no line has the form "KEY VALUE". */
int imb_info_read(struct texts *hints, const char *file, const char *text, int key_limit, int value_limit,
                  struct message *error);

extern const struct engine imb_engine;

#endif
