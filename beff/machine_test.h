/* Made-up machines in virtual time for the tests of the scheduler, and the results of runs on them. */
#ifndef BEFF_MACHINE_TEST_H
#define BEFF_MACHINE_TEST_H

#include "beff/rating.h"
#include "beff/results.h"
#include "beff/scheduler.h"
#include "common/random.h"
#include "tests/unit.h"

enum { SEED = 11 };

struct machine {
    /* Properties of the machine. */
    double latency, bandwidth;     /* of one iteration: latency in seconds, bandwidth in bytes per second */
    double overhead;               /* seconds of a measurement in addition to its iterations */
    double noise;                  /* each measurement takes up to this share longer */
    double first;                  /* additional seconds of the first iteration of each pattern */
    double alltoallv;              /* additional seconds of each iteration with Alltoallv */
    double pingpong, ring1;        /* times of ping-pong and ring-1, relative to other patterns; 0 means 1 */
    double rate, buffer;           /* token bucket: bytes per second in the long run; bytes of a burst */
    double busy;                   /* share of measurements, chosen at random, that take twice as long */
    double resolution;             /* resolution of the clock in seconds */
    int64_t processes, memory_mib; /* 0: 4 processes, 1024 MiB */
    int lucky_every;               /* every lucky_every-th measurement of one iteration takes 1e-6 s */
    int stall_at;                  /* number of the measurement, from 1, that takes 5 s longer; 0: none */
    int jump_every;                /* the clock jumps in every jump_every-th measurement; 0: never */
    double jump;                   /* length of a jump in seconds */
    int stop_at, fail_at_record;   /* measurement with a signal; record that cannot be written */
    bool once;
    size_t written;   /* bytes of run.prot before the run */
    int64_t nodes;    /* pairs are measured alone; 0: they are not */
    unsigned skipped; /* methods that are skipped, see methods_skipped() */

    /* State and results. */
    double time, room; /* current time; bytes left in the buffer */
    int measurements, jumps;
    bool *met;                /* [pattern]: true if the pattern has been measured */
    int begun[64];            /* [sweep]: number of its starts */
    int marks, pass;          /* number of marks; the last marked pass */
    double marked, in_passes; /* time of the last mark; time between a mark and the end of a pass */
    struct protocol protocol;
    struct message said;
    struct random_stream random;
    const struct beff_record *records; /* of the protocol, after the run */
    struct command *commands;          /* the command of each record */
    size_t count, space;
    double limit; /* T */
    const struct pattern_list *list;
};

/* Nonblocking is the fastest method, Alltoallv the slowest. */
static inline double one_iteration(const struct machine *m, int pattern, enum method method, int size)
{
    static const double factor[METHODS] = {1, 0.8, 1.3};
    double one = factor[method] * (m->latency + (double)m->list->sizes[size] / m->bandwidth);
    if (m->pingpong > 0 && !strcmp(m->list->patterns[pattern].id, "pingpong"))
        one *= m->pingpong;
    if (m->ring1 > 0 && pattern == 0)
        one *= m->ring1;
    return one * m->list->patterns[pattern].axes + (method == METHOD_ALLTOALLV ? m->alltoallv : 0);
}

static inline double share(struct machine *m)
{
    return (double)random_below(&m->random, 1000001) / 1e6;
}

static inline double elapsed(void *context)
{
    return ((struct machine *)context)->time;
}

/* Returns the seconds of `count` iterations of `bytes` bytes each. An iteration takes `one` seconds while
 * there is room in the buffer. After that, the bytes are sent at the rate. */
static inline double flow(struct machine *m, double one, double bytes, int64_t count)
{
    double natural = one * (double)count, speed = bytes / one;
    if (m->rate == 0)
        return natural;
    if (speed <= m->rate) {
        m->room = fmin(m->buffer, m->room + (m->rate - speed) * natural);
        return natural;
    }
    double fast = fmin(natural, m->room / (speed - m->rate));
    m->room -= fast * (speed - m->rate);
    return fast + (bytes * (double)count - speed * fast) / m->rate;
}

static inline struct measurement measure(void *context, const struct command *command)
{
    struct machine *m = context;
    size_t records = m->protocol.records.count;
    m->measurements++;
    if (records >= m->space) {
        m->space = 2 * records + 1000;
        m->commands = realloc(m->commands, m->space * sizeof *m->commands);
        assert_non_null(m->commands);
    }
    m->commands[records] = *command;
    if ((int)records + 1 == m->fail_at_record)
        message_set(&m->protocol.error, "the disk is full");
    assert_true(command->loops >= 1);
    double one =
        one_iteration(m, command->pattern, command->method, command->size) * (1 + m->noise * share(m));
    if (m->busy > 0 && share(m) < m->busy)
        one *= 2;
    if (m->lucky_every && m->measurements % m->lucky_every == 0 && command->loops == 1)
        one = 1e-6;
    double bytes = (double)(m->list->sizes[command->size] * m->list->patterns[command->pattern].messages) /
                   (double)m->list->processes;
    double first = m->met[command->pattern] ? 0 : m->first;
    m->met[command->pattern] = true;
    m->room = fmin(m->buffer, m->room + m->rate * m->overhead);
    double untimed = flow(m, one, bytes, command->untimed), seconds = flow(m, one, bytes, command->loops);
    if (command->untimed)
        untimed += first;
    else
        seconds += first;
    seconds += m->measurements == m->stall_at ? 5 : 0;
    m->time += m->overhead + untimed + seconds;
    if (m->resolution > 0)
        seconds = m->resolution * floor(seconds / m->resolution);
    if (m->jump_every && m->measurements % m->jump_every == 0) {
        m->jumps++;
        seconds += m->jump;
    }
    return (struct measurement){.t_min = 0.5 * seconds,
                                .t_avg = 0.75 * seconds,
                                .t_max = seconds,
                                .errors = command->size == 3,
                                .stop = m->measurements == m->stop_at ? 15 : 0};
}

static inline void set_time(void *context, double seconds)
{
    ((struct machine *)context)->limit = seconds;
}

static inline void say(void *context, const char *text)
{
    message_set(&((struct machine *)context)->said, "%s", text);
}

static inline void begin(void *context, int sweep)
{
    struct machine *m = context;
    m->begun[sweep < (int)COUNT(m->begun) ? sweep : 0]++;
}

static inline void mark(void *context, int pass)
{
    struct machine *m = context;
    m->in_passes += pass ? m->time - m->marked : 0;
    m->marked = m->time;
    m->pass = pass;
    m->marks++;
}

static inline bool choose_pair(void *context)
{
    return ((struct machine *)context)->nodes > 0;
}

/* A run on a made-up machine, with its results. */
struct trial {
    struct pattern_list list;
    struct machine machine;
    struct scheduler scheduler;
    enum exit_status end;
    struct repetitions reps;
    struct rating rating;
};

static inline void finish(struct trial *t)
{
    rating_free(&t->rating);
    repetitions_free(&t->reps);
    patterns_free(&t->list);
    protocol_free(&t->machine.protocol);
    free(t->machine.met);
    free(t->machine.commands);
}

/* Runs a trial. Frees the results of its previous run. */
static inline void run(struct trial *t, const struct machine *machine, int polygons, double time,
                       int64_t max_loops)
{
    struct message error;
    finish(t);
    *t = (struct trial){.machine = *machine};
    struct machine *m = &t->machine;
    int64_t lmax = beff_lmax(m->memory_mib ? m->memory_mib : 1024);
    patterns_make(&t->list, m->processes ? m->processes : 4, polygons, SEED, lmax);
    t->list.skipped = m->skipped;
    if (m->nodes)
        patterns_add_alone(&t->list, m->nodes);
    m->list = &t->list;
    m->limit = time > 0 ? time : SCHEDULER_TIME_MAX;
    m->room = m->buffer;
    m->met = calloc((size_t)(t->list.count + t->list.alone), sizeof *m->met);
    random_start(&m->random, 1, 1);
    protocol_create(&m->protocol, NULL, false, &beff_record_type, &error);
    m->protocol.bytes = m->written;
    protocol_put(&m->protocol, "patterns", "%d", t->list.count);
    t->scheduler =
        (struct scheduler){.ops = {elapsed, measure, set_time, say, NULL, choose_pair, begin, mark, m},
                           .protocol = &m->protocol,
                           .list = &t->list,
                           .time = &m->limit,
                           .given = time > 0,
                           .resolution = m->resolution > 0 ? m->resolution : 1e-8,
                           .max_loops = max_loops,
                           .once = m->once};
    t->end = scheduler_run(&t->scheduler);
    m->records = (const struct beff_record *)(const void *)m->protocol.records.row;
    m->count = m->protocol.records.count;
    const struct beff_results results = {.sheet = {.protocol = &m->protocol}, .list = t->list};
    if (m->count && beff_verify(&results, &error))
        fail_msg("%s", error.text);
    bool largest = protocol_get(&m->protocol, "largest_sizes");
    if (repetitions_make(&t->reps, &t->list, m->records, m->count, largest, &error))
        fail_msg("%s", error.text);
    rating_make(&t->rating, &t->reps);
}

/* Returns a number that the scheduler noted, or NaN if it noted none. */
static inline double noted(const struct trial *t, const char *key)
{
    return protocol_number(&t->machine.protocol, key);
}

static const struct machine plain = {.latency = 10e-6, .bandwidth = 2e9, .overhead = 0.3e-3};
/* A machine with a link of 25 MB/s, on which the opening takes half a minute. */
static const struct machine slow = {
    .latency = 100e-6, .bandwidth = 25e6, .overhead = 0.5e-3, .memory_mib = 128};

#endif
