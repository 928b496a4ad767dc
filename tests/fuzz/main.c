/* A small mutating driver for the fuzz target, for compilers without libFuzzer.
 *
 * usage: fuzz SECONDS SEED PROTOCOL...     (SEED 0: from the clock)
 *
 * Each input is one of the protocols with fewer records and with mutated lines, fields and bytes. Half of the
 * inputs then get a correct end and checksum, so that they pass the checksum test and reach the code after
 * it. An input that crashes, hangs or takes too much memory is kept as fuzz-crash.prot in the current
 * directory. */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

#include "common/checksum.h"
#include "common/random.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
const char *__asan_default_options(void);

enum { MOST_LINES = 4000, MOST_BYTES = 1 << 20, MOST_RECORDS = 60, HANG_SECONDS = 20 };

struct text {
    char *bytes;
    size_t size;
};

/* A protocol as lines, and the input text that is made from them. */
struct input {
    char *line[MOST_LINES];
    int lines;
    struct text text;
};

static struct input current;

/* Limits memory to far more than any of these inputs should need. */
const char *__asan_default_options(void)
{
    return "hard_rss_limit_mb=2000:max_allocation_size_mb=600:detect_leaks=1";
}

static void keep_crash(void)
{
    FILE *file = fopen("fuzz-crash.prot", "w");
    if (file) {
        fwrite(current.text.bytes, 1, current.text.size, file);
        fclose(file);
    }
    fprintf(stderr, "fuzz: the input is in fuzz-crash.prot\n");
}

static void hang(int signal)
{
    (void)signal;
    fprintf(stderr, "fuzz: the input took more than %d s\n", HANG_SECONDS);
    keep_crash();
    _exit(1);
}

static struct text read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    struct text text = {malloc(MOST_BYTES + 1), 0};
    if (!file || !text.bytes) {
        fprintf(stderr, "fuzz: %s cannot be read\n", path);
        exit(2);
    }
    text.size = fread(text.bytes, 1, MOST_BYTES, file);
    text.bytes[text.size] = 0;
    fclose(file);
    return text;
}

static int below(struct random_stream *random, int bound)
{
    return (int)random_below(random, (uint64_t)bound);
}

/* Limits the processor time of an input, so that other load on the machine does not look like a hang. The
 * limit on the elapsed time is far longer. 0 removes both limits. */
static void watch(int seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm((unsigned)seconds * 15);
}

/* ---- making an input ---- */

static void add_line(const char *bytes, size_t size)
{
    if (current.lines < MOST_LINES)
        current.line[current.lines++] = strndup(bytes, size);
}

/* Takes all metadata lines and rows of other tables, but only some records: consecutive records, or every
 * `step`th record. */
static void take_lines(const struct text *from, struct random_stream *random)
{
    int records = 0, step = 1 + (below(random, 2) ? below(random, 40) : 0), skip = below(random, 200);
    for (const char *at = from->bytes; *at;) {
        size_t size = strcspn(at, "\n");
        if (*at == '#')
            add_line(at, size);
        else if (--skip < 0 && skip % step == 0 && records++ < MOST_RECORDS)
            add_line(at, size);
        at += size + (at[size] == '\n');
    }
}

static void replace_line(int i, char *line)
{
    if (!line)
        exit(2);
    free(current.line[i]);
    current.line[i] = line;
}

/* Replaces a field of a record, or the value of a metadata line, with an odd value. Tabs separate the odd
 * values. */
static void change_field(struct random_stream *random, int i)
{
    static const char odd[] =
        "\t0\t-1\t1\t2\t3\tnan\tinf\t-inf\t1e308\t1e-320\t9223372036854775807\t-9223372036854775808\t"
        "99999999999999999999\t2147483647\t4294967296\t999\t1000\t16777216\tring-1\trandom-999\ttotal\t"
        "Sendrecv\twrite\tread\tPingPong\tunknown\tyes\t1,2,3\t0x10\t%s%n\t\x1b[31m\t\xff\xfe\t=1+1\t<script>"
        "\t"
        "a'b\"c$(touch x)`touch x`%s%n|<x>;\\\t2147483647-1\t2026-01-01T00:00:00Z\t0 0";
    char *line = current.line[i], *start = line, *result = NULL;
    const char *value = odd;
    for (int skip = below(random, 39); skip > 0; skip--)
        value = strchr(value, '\t') + 1;
    bool meta = *line == '#' && line[1] != '@';
    if (meta) {
        char *equals = strstr(line, " = ");
        start = equals ? equals + 3 : line;
    } else {
        for (int skip = below(random, 16); skip > 0 && strchr(start, '\t'); skip--)
            start = strchr(start, '\t') + 1;
    }
    size_t length = meta ? strlen(start) : strcspn(start, "\t");
    if (asprintf(&result, "%.*s%.*s%s", (int)(start - line), line, (int)strcspn(value, "\t"), value,
                 start + length) < 0)
        exit(2);
    replace_line(i, result);
}

static void change_byte(struct random_stream *random, int i)
{
    size_t size = strlen(current.line[i]);
    if (size)
        current.line[i][random_below(random, size)] = (char)(1 + below(random, 255));
}

static void move_line(struct random_stream *random, int i, int j)
{
    char *swapped = current.line[i];
    switch (below(random, 3)) {
    case 0:
        current.line[i] = current.line[j];
        current.line[j] = swapped;
        break;
    case 1:
        replace_line(j, strdup(current.line[i]));
        break;
    default:
        replace_line(i, strdup(""));
    }
}

/* Repeats a line many times, repeats each key with another value, or makes a value very long. */
static void blow_up(struct random_stream *random)
{
    int what = below(random, 3), lines = current.lines, chosen = below(random, lines);
    for (int i = 0; i < lines; i++) {
        char *line = current.line[i], *equals = *line == '#' ? strstr(line, " = ") : NULL, *changed = NULL;
        int start = equals ? (int)(equals + 3 - line) : 0;
        if (what == 0 && i < 400) {
            add_line(current.line[chosen], strlen(current.line[chosen]));
        } else if (what == 1 && equals && asprintf(&changed, "%.*s%d", start, line, below(random, 9)) > 0) {
            add_line(changed, strlen(changed));
            free(changed);
        } else if (what == 2 && i == chosen && equals &&
                   asprintf(&changed, "%.*s%0*d'\"`$(x)%%s", start, line, 9000, 7) > 0) {
            replace_line(i, changed);
        }
    }
}

static void mutate(struct random_stream *random)
{
    if (current.lines > 0 && below(random, 4) == 0)
        blow_up(random);
    for (int n = below(random, 6); n > 0 && current.lines > 0; n--) {
        int i = below(random, current.lines), what = below(random, 10);
        if (what < 6)
            change_field(random, i);
        else if (what < 8)
            change_byte(random, i);
        else
            move_line(random, i, below(random, current.lines));
    }
}

/* Joins the lines. If `sealed`, adds a correct end and checksum; otherwise, may truncate the text or put a
 * zero byte into it. */
static void join(struct random_stream *random, bool sealed)
{
    char *out = current.text.bytes;
    size_t size = 0;
    uint64_t checksum = CHECKSUM_START;
    for (int i = 0; i < current.lines; i++) {
        const char *line = current.line[i];
        if (sealed && (strncmp(line, "#: checksum", 11) == 0 || strncmp(line, "#: end", 6) == 0))
            continue;
        if (size + strlen(line) + 200 > 2 * MOST_BYTES)
            break;
        size += (size_t)sprintf(out + size, "%s\n", line);
    }
    if (sealed) {
        size += (size_t)sprintf(out + size, "#: end = complete\n");
        checksum = checksum_add(checksum, out, size);
        size += (size_t)sprintf(out + size, "#: checksum = %016" PRIx64 "\n", checksum);
    } else if (below(random, 2)) {
        size = random_below(random, size + 1);
    } else if (size && below(random, 4) == 0) {
        out[random_below(random, size)] = 0;
    }
    current.text.size = size;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz SECONDS SEED PROTOCOL...\n");
        return 2;
    }
    int protocols = argc - 3;
    struct text *seeds = calloc((size_t)protocols, sizeof *seeds);
    struct random_stream random;
    uint64_t seed = strtoull(argv[2], NULL, 10);
    time_t end = time(NULL) + atoi(argv[1]);
    random_start(&random, seed ? seed : (uint64_t)time(NULL), 0);
    current.text.bytes = malloc(2 * MOST_BYTES);
    if (!seeds || !current.text.bytes)
        return 2;
    for (int i = 0; i < protocols; i++)
        seeds[i] = read_file(argv[3 + i]);
    __sanitizer_set_death_callback(keep_crash);
    signal(SIGALRM, hang);
    signal(SIGPROF, hang);
    long inputs = 0;
    for (; time(NULL) < end; inputs++) {
        take_lines(&seeds[below(&random, protocols)], &random);
        mutate(&random);
        join(&random, below(&random, 2));
        watch(HANG_SECONDS);
        LLVMFuzzerTestOneInput((const unsigned char *)current.text.bytes, current.text.size);
        watch(0);
        for (int i = 0; i < current.lines; i++)
            free(current.line[i]);
        current.lines = 0;
    }
    for (int i = 0; i < protocols; i++)
        free(seeds[i].bytes);
    free(seeds);
    free(current.text.bytes);
    printf("fuzz: %ld inputs\n", inputs);
    return 0;
}
