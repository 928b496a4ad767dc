/* Tests that running out of memory ends the program with a line that states the purpose and the size of the
 * allocation. Also tests arrays that grow, and streams in memory. */
#include "common/memory.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit.h"

/* Without this, the address sanitizer would end the program at an impossible size. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

struct ended {
    jmp_buf to;
    char line[256];
};

static void end(void *context, const char *line)
{
    struct ended *ended = context;
    snprintf(ended->line, sizeof ended->line, "%s", line);
    longjmp(ended->to, 1);
}

TEST(memory_is_zeroed)
{
    char *bytes = memory_new(100, 3, "bytes");
    for (int i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
    bytes = memory_new(0, 8, "nothing");
    assert_non_null(bytes);
    free(bytes);
}

TEST(an_impossible_size_ends_the_program)
{
    struct ended ended;
    memory_on_exhaustion(end, &ended);
    if (!setjmp(ended.to)) {
        free(memory_new(SIZE_MAX / 2, 4, "the records")); /* the product does not fit */
        fail();
    }
    assert_ptr_equal(strstr(ended.line, "out of memory for the records ("), ended.line);
    if (!setjmp(ended.to)) {
        free(memory_new(1, PTRDIFF_MAX, "one"));
        fail();
    }
    assert_string_equal(ended.line, "out of memory for one (9223372036854775808 bytes)");
    if (!setjmp(ended.to)) {
        void *array = NULL;
        array_grow(&array, (size_t)1 << 62, 8); /* the bytes do not fit */
        fail();
    }
    assert_ptr_equal(strstr(ended.line, "out of memory for a list ("), ended.line);
    memory_on_exhaustion(NULL, NULL);
}

TEST(exits_with_3_if_no_handler_is_set)
{
    int status, fd[2];
    char line[256] = "";
    assert_int_equal(pipe(fd), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], STDERR_FILENO);
        memory_exhausted("the results", 10, 7);
    }
    close(fd[1]);
    assert_true(read(fd[0], line, sizeof line - 1) > 0);
    close(fd[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(line, "memory_test: out of memory for the results (70 bytes)\n");
}

TEST(arrays_grow)
{
    int *numbers = NULL;
    for (int i = 0; i < 1000; i++) {
        array_grow(&numbers, (size_t)i, sizeof *numbers);
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

TEST(a_stream_becomes_a_text)
{
    struct stream stream;
    fprintf(stream_start(&stream), "%d apples", 3);
    char *text = stream_end(&stream);
    assert_string_equal(text, "3 apples");
    assert_int_equal(stream.size, 8);
    char *copy = memory_text(text);
    free(text);
    assert_string_equal(copy, "3 apples");
    free(copy);
}
