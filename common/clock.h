/* Wall-clock time outside of measurements: the age of this process, and dates. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

enum { CLOCK_DATE_SIZE = 32 };

/* Returns the seconds since the operating system started this process, or since the first call if the start
 * time cannot be read. */
double clock_since_start(void);

/* Write the current UTC time: clock_date() as 2026-11-21T12:34:56Z, clock_date_in_name() as
 * 2026-11-21T12-34-56Z for file names, because make and other tools misread colons. */
void clock_date(char date[CLOCK_DATE_SIZE]);
void clock_date_in_name(char date[CLOCK_DATE_SIZE]);

/* Returns the smallest step in seconds between two readings of `now`, or 0 if the clock stands still. */
double clock_resolution(double (*now)(void *context), void *context);

#endif
