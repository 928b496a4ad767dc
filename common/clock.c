/* Wall-clock time. Uses the C library and /proc. */
#include "common/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds since boot: the origin of start times in /proc. */
static double since_boot(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* When this process was started, in seconds since boot; 0 if the system does not tell. */
static double process_start(void)
{
    char line[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    size_t size = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[size] = 0;
    /* Field 22; the second field is a name in parentheses that may hold anything. */
    const char *rest = strrchr(line, ')');
    unsigned long long ticks = 0;
    if (!rest ||
        sscanf(rest, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &ticks) != 1)
        return 0;
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

double clock_since_start(void)
{
    static double start; /* written once, by the first call, before any thread is started */
    if (start == 0) {
        start = process_start();
        if (start <= 0 || start > since_boot())
            start = since_boot();
    }
    return since_boot() - start;
}

void clock_date(char date[CLOCK_DATE_SIZE])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, CLOCK_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

double clock_resolution(double (*now)(void *context), void *context)
{
    double best = 0;
    for (int step = 0; step < 20; step++) {
        double start = now(context), next = start;
        for (int i = 0; i < 100000 && next <= start; i++)
            next = now(context);
        if (next > start && (best == 0 || next - start < best))
            best = next - start;
    }
    return best;
}
