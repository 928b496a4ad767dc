/* Tests who else used the processors: known answers for made-up times. */
#include "beff/disturbance.h"

#include "beff/record.h"
#include "tests/unit.h"

/* Each pass takes 10 s. */
enum { SECONDS = 10 };

static void measured(struct disturbance made[DISTURBERS], const char *host, struct processor_times after,
                     double own, double switches)
{
    const struct processor_times before = {2, 1000, 100, 9000, 50};
    disturbance_make(made, host, &before, &after, &(struct own_use){SECONDS, own, switches, 2});
}

/* Returns the line of a run with one pass of `seconds`. */
static const char *line_of(struct disturbance made[DISTURBERS], double seconds)
{
    static char text[DISTURBANCE_TEXT_SIZE];
    struct protocol p;
    struct message error;
    assert_int_equal(protocol_create(&p, NULL, false, &beff_record_type, &error), 0);
    disturbance_put(&p, 1, seconds, made);
    disturbance_describe(&p, text);
    assert_int_equal(protocol_error(&p, &error), 0);
    protocol_free(&p);
    return text;
}

TEST(names_who_used_the_processors)
{
    static const struct {
        const char *what;
        struct processor_times after;
        double own, switches, seconds;
        const char *line;
    } rows[] = {
        {"other programs",
         {2, 1020, 100, 9020, 50},
         8,
         0,
         10,
         "other programs used 1.2 of 2 processors on vm (60 %)"},
        {"only the run", {2, 1020, 100, 9020, 50}, 20, 9, 10, ""},
        {"the run's time contains interrupts", {2, 1015, 100, 9020, 50}, 20, 9, 10, ""},
        {"idle processors", {2, 1000, 100, 9020, 50}, 0, 0, 10, ""},
        {"2 %",
         {2, 1010.4001, 100, 9020, 50},
         10,
         0,
         10,
         "other programs used 0.04 of 2 processors on vm (2 %)"},
        {"less than 2 %", {2, 1010.39, 100, 9020, 50}, 10, 0, 10, ""},
        {"less than a second", {2, 1020, 100, 9020, 50}, 8, 0, 0.99, ""},
        {"a second",
         {2, 1020, 100, 9020, 50},
         18,
         0,
         1,
         "other programs used 0.20 of 2 processors on vm (10 %)"},
        {"a thread went offline", {1, 1020, 100, 9020, 50}, 8, 0, 10, ""},
        {"counters that stand still", {2, 1000, 100, 9000, 50}, 20, 9999, 10, ""},
        {"counters that run backwards", {2, 990, 100, 9020, 50}, 0, 0, 10, ""},
        {"steal that runs backwards", {2, 1020, 90, 9020, 50}, 8, 0, 10, ""},
        {"counters that hardly move", {2, 1005, 100, 9009, 50}, 0, 0, 10, ""},
        {"counters that jump", {2, 1020, 100, 9031, 50}, 8, 0, 10, ""},
        {"a hypervisor",
         {2, 1016, 104, 9020, 50},
         16,
         0,
         10,
         "the hypervisor took 0.40 of 2 processors on vm (20 %)"},
        {"a quota",
         {2, 1015, 100, 9020, 55},
         15,
         0,
         10,
         "the cgroup's quota withheld 0.50 of 2 processors on vm (25 %)"},
        {"a quota that withheld more than all",
         {2, 1015, 100, 9020, 99},
         15,
         0,
         10,
         "the cgroup's quota withheld 2.0 of 2 processors on vm (100 %)"},
        {"switches without other programs", {2, 1020, 100, 9020, 50}, 20, 2400, 10, ""},
        {"other programs that displace nobody",
         {2, 1020, 100, 9020, 50},
         18,
         900,
         10,
         "other programs used 0.20 of 2 processors on vm (10 %)"},
        {"everything",
         {2, 1014, 104, 9020, 52},
         10,
         2400,
         10,
         "other programs used 0.40 of 2 processors on vm (20 %); the hypervisor took 0.40 of 2 processors on "
         "vm (20 %); the cgroup's quota withheld 0.20 of 2 processors on vm (10 %); each process was "
         "displaced 120 times per second on vm"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct disturbance made[DISTURBERS];
        measured(made, "vm", rows[i].after, rows[i].own, rows[i].switches);
        const char *line = line_of(made, rows[i].seconds);
        if (strcmp(line, rows[i].line) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", rows[i].what, line, rows[i].line);
    }
}

/* There are 64 threads. The run uses two of them, and another program uses one. */
TEST(a_share_is_of_all_processors_that_the_run_may_use)
{
    struct disturbance made[DISTURBERS];
    const struct processor_times before = {64}, after = {64, 3 * SECONDS, 0, 64 * SECONDS, 0};
    disturbance_make(made, "vm", &before, &after, &(struct own_use){SECONDS, 2 * SECONDS, 0, 2});
    assert_string_equal(line_of(made, SECONDS), "");
    disturbance_make(made, "vm", &before, &after, &(struct own_use){SECONDS, SECONDS, 0, 2});
    assert_string_equal(line_of(made, SECONDS), "other programs used 2.0 of 64 processors on vm (3 %)");
}

TEST(a_host_is_one_word)
{
    struct disturbance made[DISTURBERS];
    measured(made, "two words", (struct processor_times){2, 1020, 100, 9020, 50}, 0, 0);
    assert_string_equal(line_of(made, SECONDS),
                        "other programs used 2.0 of 2 processors on two?words (100 %)");
}

TEST(describes_the_worst_pass)
{
    static const struct {
        struct disturbance rows[3];
        const char *text;
    } rows[] = {
        {{{0}}, ""},
        {{{1, DISTURBER_PROGRAMS, 9.5, 0.5, 1, "vm"}},
         "other programs used 0.50 of 1 processor on vm (50 %)"},
        {{{1, DISTURBER_PROGRAMS, 9.5, 0.5, 2, "vm"},
          {2, DISTURBER_PROGRAMS, 9.5, 0.6, 2, "n1"},
          {3, DISTURBER_PROGRAMS, 9.5, 0.1, 2, "n2"}},
         "other programs used 0.60 of 2 processors on n1 (30 %) in pass 2"},
        {{{1, DISTURBER_PROGRAMS, 9.5, 0.5, 2, "vm"}, {2, DISTURBER_SWITCHES, 9.5, 0, 2, "vm"}},
         "other programs used 0.50 of 2 processors on vm (25 %) in pass 1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct protocol p = {.type = &beff_record_type};
        char text[DISTURBANCE_TEXT_SIZE];
        for (int k = 0; k < 3 && rows[i].rows[k].pass; k++)
            protocol_add(&p, BEFF_DISTURBANCES, &rows[i].rows[k], 1);
        disturbance_describe(&p, text);
        assert_string_equal(text, rows[i].text);
        protocol_free(&p);
    }
}
