/* The guard's thread: signals, patience, deadline, and its end. */
#include "common/guard.h"

#include <signal.h>

#include "common/clock.h"
#include "tests/unit.h"

struct witness {
    struct guard *guard;
    atomic_int calls, cause;
    double at;
};

static void give_up(void *context, enum guard_cause cause)
{
    struct witness *w = context;
    w->at = clock_since_start();
    atomic_store(&w->cause, (int)cause);
    guard_move(w->guard, INFINITY); /* a real one ends the process instead */
    atomic_fetch_add(&w->calls, 1);
}

static void start(struct guard *guard, struct witness *witness, double deadline_in, double patience)
{
    *witness = (struct witness){.guard = guard, .cause = -1};
    *guard = (struct guard){.patience = patience, .give_up = give_up, .context = witness};
    assert_int_equal(guard_start(guard, clock_since_start() + deadline_in), 0);
    assert_int_equal(guard_signal(guard), 0);
}

/* Waits until the value is not zero, at most 5 s. */
static int wait_for(int (*value)(void *), void *context)
{
    double until = clock_since_start() + 5;
    while (!value(context) && clock_since_start() < until)
        usleep(500);
    return value(context);
}

static int signal_of(void *guard)
{
    return guard_signal(guard);
}

static int calls_of(void *witness)
{
    return atomic_load(&((struct witness *)witness)->calls);
}

static void keeps_each_signal(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < COUNT(signals); i++) {
        struct guard guard;
        struct witness witness;
        start(&guard, &witness, 1000, 1000);
        kill(getpid(), signals[i]);
        assert_int_equal(wait_for(signal_of, &guard), signals[i]);
        guard_stop(&guard);
        assert_int_equal(calls_of(&witness), 0);
        assert_int_equal(guard_signal(&guard), signals[i]);
    }
}

static void keeps_the_first_signal(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    start(&guard, &witness, 1000, 1000);
    kill(getpid(), SIGUSR1);
    assert_int_equal(wait_for(signal_of, &guard), SIGUSR1);
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGINT);
    usleep(20000);
    assert_int_equal(guard_signal(&guard), SIGUSR1);
    guard_stop(&guard);
    assert_int_equal(calls_of(&witness), 0);
}

static void gives_up_after_its_patience(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    start(&guard, &witness, 1000, 0.1);
    double sent = clock_since_start();
    kill(getpid(), SIGTERM);
    assert_int_equal(wait_for(calls_of, &witness), 1);
    assert_int_equal(witness.cause, GUARD_SIGNAL);
    assert_true(witness.at - sent >= 0.1 && witness.at - sent < 3);
    guard_stop(&guard); /* also when its thread has ended */
    assert_int_equal(calls_of(&witness), 1);
}

static void forgives_a_failure(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    start(&guard, &witness, 1000, 0.2);
    guard_fail(&guard);
    guard_forgive(&guard);
    usleep(400000);
    assert_int_equal(calls_of(&witness), 0);
    guard_fail(&guard); /* the next one counts */
    assert_int_equal(wait_for(calls_of, &witness), 1);
    assert_int_equal(witness.cause, GUARD_FAILURE);
    guard_stop(&guard);
}

/* Repeated signals (batch systems and people send several) do not buy more time. */
static void is_not_delayed_by_more_signals(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    start(&guard, &witness, 1000, 0.2);
    double sent = clock_since_start();
    for (int i = 0; i < 100 && !calls_of(&witness); i++) {
        kill(getpid(), SIGTERM);
        usleep(20000);
    }
    assert_int_equal(calls_of(&witness), 1);
    assert_true(witness.at - sent >= 0.2 && witness.at - sent < 1.5);
    guard_stop(&guard);
    /* What was sent after its end is still pending: take it away. */
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    while (sigtimedwait(&term, NULL, &(struct timespec){0}) > 0) {
    }
}

static void gives_up_at_the_deadline(void **state)
{
    (void)state;
    static const double rows[] = {0.1, 0, -5};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct guard guard;
        struct witness witness;
        double deadline = clock_since_start() + rows[i];
        start(&guard, &witness, rows[i], 1000);
        assert_int_equal(wait_for(calls_of, &witness), 1);
        assert_int_equal(witness.cause, GUARD_DEADLINE);
        assert_true(witness.at >= deadline && witness.at < deadline + 8);
        assert_int_equal(guard_signal(&guard), 0);
        guard_stop(&guard);
        assert_int_equal(calls_of(&witness), 1);
    }
}

/* The deadline holds after a signal, too. */
static void does_not_wait_beyond_the_deadline(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    double deadline = clock_since_start() + 0.15;
    start(&guard, &witness, 0.15, 1000);
    kill(getpid(), SIGTERM);
    assert_int_equal(wait_for(signal_of, &guard), SIGTERM);
    assert_int_equal(wait_for(calls_of, &witness), 1);
    assert_int_equal(witness.cause, GUARD_SIGNAL);
    assert_true(witness.at >= deadline);
    guard_stop(&guard);
}

static void moves_its_deadline(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    start(&guard, &witness, 0.1, 1000);
    guard_move(&guard, clock_since_start() + 1000); /* later: nothing happens at the old one */
    usleep(200000);
    assert_int_equal(calls_of(&witness), 0);
    double deadline = clock_since_start() + 0.05;
    guard_move(&guard, deadline); /* closer: noticed within a second */
    assert_int_equal(wait_for(calls_of, &witness), 1);
    assert_true(witness.at >= deadline && witness.at < deadline + 3);
    guard_stop(&guard);
}

/* The main thread got through with ending the run, and only waits for MPI: a signal does not shorten that. */
static void a_moved_deadline_outlives_a_signal(void **state)
{
    (void)state;
    struct guard guard;
    struct witness witness;
    start(&guard, &witness, 1000, 0.15);
    kill(getpid(), SIGTERM);
    assert_int_equal(wait_for(signal_of, &guard), SIGTERM);
    usleep(20000); /* its patience has begun */
    guard_move(&guard, clock_since_start() + 1000);
    usleep(250000);
    assert_int_equal(calls_of(&witness), 0);
    guard_stop(&guard);
}

static void stops_without_being_started(void **state)
{
    (void)state;
    struct guard guard = {.patience = 1};
    guard_stop(&guard);
    guard_stop(&guard);
}

static void ends_when_stopped(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct guard guard;
        struct witness witness;
        start(&guard, &witness, i % 2 ? INFINITY : 0.03, 0.03);
        double before = clock_since_start();
        guard_stop(&guard);
        assert_true(clock_since_start() - before < 1);
        assert_int_equal(calls_of(&witness), 0);
    }
    usleep(60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_each_signal),
        cmocka_unit_test(keeps_the_first_signal),
        cmocka_unit_test(gives_up_after_its_patience),
        cmocka_unit_test(forgives_a_failure),
        cmocka_unit_test(is_not_delayed_by_more_signals),
        cmocka_unit_test(gives_up_at_the_deadline),
        cmocka_unit_test(does_not_wait_beyond_the_deadline),
        cmocka_unit_test(moves_its_deadline),
        cmocka_unit_test(a_moved_deadline_outlives_a_signal),
        cmocka_unit_test(stops_without_being_started),
        cmocka_unit_test(ends_when_stopped),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
