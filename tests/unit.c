/* Runs the tests that a unit test program has defined with TEST(). */
#include <errno.h>

#include "tests/unit.h"

static struct CMUnitTest tests[100];
static size_t count;

void unit_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
              CMFixtureFunction tear_down)
{
    if (count == COUNT(tests))
        abort();
    tests[count++] = (struct CMUnitTest){name, test, set_up, tear_down, NULL};
}

int main(void)
{
    return _cmocka_run_group_tests(program_invocation_short_name, tests, count, NULL, NULL);
}
