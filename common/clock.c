#include "common/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/sysinfo.h"

enum { LINE_SIZE = 1024 };

/* Returns the seconds since boot. /proc also counts start times from boot. */
static double since_boot(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the start time of this process in clock ticks since boot, or 0 if /proc cannot be read. */
static unsigned long long process_start(void)
{
    enum { STATE_FIELD = 3, START_FIELD = 22 };
    char line[LINE_SIZE];
    unsigned long long ticks = 0;
    sysinfo_line("", "/proc/self/stat", "", line, sizeof line);
    const char *field = strrchr(line, ')'); /* end of the name */
    field = field && field[1] ? field + 2 : NULL;
    for (int i = STATE_FIELD; field && i < START_FIELD; i++)
        field = strchr(field + 1, ' ');
    return field && sscanf(field, " %llu", &ticks) == 1 ? ticks : 0;
}

double clock_since_start(void)
{
    static double start; /* written once, by the first call, before any thread is started */
    if (start == 0) {
        start = (double)process_start() / (double)sysconf(_SC_CLK_TCK);
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

void clock_date_in_name(char date[CLOCK_DATE_SIZE])
{
    clock_date(date);
    for (char *c = date; *c; c++)
        if (*c == ':')
            *c = '-';
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
