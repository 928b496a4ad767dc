/* The command line: IMB's options, and ours. */
#ifndef IMB_COMPAT_SETTINGS_H
#define IMB_COMPAT_SETTINGS_H

#include <stdint.h>

#include "common/engine.h"
#include "imb_compat/benchmarks.h"

struct imb_component_row {
    const char *part;     /* in the header */
    bool blanks;          /* IMB ends some header lines of this component with a blank */
    bool blank_ends;      /* and only the last two of these lines here */
    bool blank_after_red; /* and this one, too */
    bool aggregate_last;  /* the order of modes */
    bool in_first;        /* release 3.0 had it */
    bool bare;            /* no line ends with a blank */
    int rule,
        table_rule; /* characters of the lines above and below titles and headings; 0: as many as usual */
};
extern const struct imb_component_row imb_components[IMB_COMPONENTS];
#define IMB_COMPONENT_NAMES "MPI1 EXT IO NBC RMA MPI4 MT P2P"

/* By its name, or by its program's ("IMB-MPI1"); IMB_COMPONENTS if there is none. */
enum imb_component imb_component_find(const char *name);

/* Returns the first argument of imb_compat that selects the component: "MPI1". */
const char *imb_component_name(enum imb_component component);

enum imb_policy { IMB_DYNAMIC, IMB_MULTIPLE_NP, IMB_AUTO, IMB_OFF };
enum imb_mode_choice { IMB_RUN_BOTH_MODES, IMB_RUN_AGGREGATE, IMB_RUN_NON_AGGREGATE };
enum imb_release { IMB_2021, IMB_30 };
enum imb_threads { IMB_THREADS_SINGLE, IMB_THREADS_FUNNELED, IMB_THREADS_SERIALIZED, IMB_THREADS_MULTIPLE };
extern const char *const imb_thread_words[]; /* of the option, in this order */
enum imb_contig { IMB_BASE, IMB_BASE_VEC, IMB_RESIZE, IMB_RESIZE_VEC };

enum imb_barrier { IMB_BARRIER_ON, IMB_BARRIER_OFF, IMB_BARRIER_SPECIAL };
enum imb_malloc { IMB_MALLOC_SERIAL, IMB_MALLOC_CONTINUOUS, IMB_MALLOC_PARALLEL };
#define IMB_MSGLEN "msglen=" /* in `sizes` */

/* Data types, in the order of the option's words. */
enum imb_type { IMB_CHAR, IMB_INT, IMB_FLOAT, IMB_DOUBLE, IMB_BYTE, IMB_TYPES };

struct imb_type_row {
    const char *label; /* in the header */
    int size;
};
extern const struct imb_type_row imb_types[IMB_TYPES];

struct imb_settings {
    struct run_settings run;      /* the first member; its time is time_total, or infinite */
    enum imb_component component; /* IMB_COMPONENTS: none */

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

    int compat; /* enum imb_release */
    bool check, raw;
    double time_total; /* 0: no limit */
    const char *json, *prot, *info;

    /* IMB-MT, IMB-P2P. */
    struct texts sizes; /* "count=1,2", "msglog=3:4" and so on, in their order */
    int64_t warmup, stride, malloc_align, pause;
    int barrier;     /* enum imb_barrier */
    int datatype;    /* 0: int, 1: char */
    int malloc_algo; /* enum imb_malloc */
    bool no_header, writes, reads;

    /* Made from the above. */
    int64_t min_log, max_log;
    int map_p, map_q;    /* 0: no map */
    int64_t cache, line; /* bytes; cache 0: messages stay in the cache */
    int64_t volume;      /* bytes */
    double mem;          /* GiB */
    int64_t repetitions, few_repetitions;
    int team; /* threads of a process */
};

extern const struct option_table imb_options; /* its parts are the components */
extern const struct imb_settings imb_defaults;

/* Refuses combinations that make no sense, completes the settings (struct imb_settings). 0, or -1 with one
 * line. */
int imb_settings_check(void *settings, struct message *error);

/* A length in bytes with an optional K, M or G behind it (what follows that letter is not looked at); -1 if
 * it is none, or larger than IMB_MAX_BYTES. */
enum { IMB_MAX_LOG = 30 };
#define IMB_NO_SIZE(what) /* a message that ends with the allowed maximum */                                 \
    what ": expected a whole number from 0 to %d, optionally followed by K, M or G (KiB, MiB, GiB)"
#define IMB_MAX_BYTES (INT64_C(1) << IMB_MAX_LOG)
int64_t imb_length(const char *text);

/* Reads the text of the -info file: every line "KEY VALUE" is added to `lines`, with one blank between the
 * two; empty lines and those that start with # are skipped. Keys and values have fewer characters than the
 * limits of MPI. Returns 0, or -1 with one line that names file, line and reason: a line without a value, too
 * long or unprintable, a key that is there twice, a file without any. */
int imb_info_read(struct texts *lines, const char *file, const char *text, int key_limit, int value_limit,
                  struct message *error);

/* The engine as run and report see it. */
extern const struct engine imb_engine;

#endif
