/* Wall-clock time outside of measurements: how long this run has lasted, and dates. Pure. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

enum { CLOCK_DATE_SIZE = 32 };

/* Seconds since this process was started by the operating system, set-up before main() included; where that
 * can't be read, since the first call. */
double clock_since_start(void);

/* Now, UTC, as 2026-11-21T12:34:56Z; for names of files 12-34-56Z, as make and other tools stumble over
 * colons. */
void clock_date(char date[CLOCK_DATE_SIZE]);
void clock_date_in_name(char date[CLOCK_DATE_SIZE]);

/* The smallest step seen between two readings of `now` that differ, in seconds; 0 if it never moved in many
 * readings. */
double clock_resolution(double (*now)(void *context), void *context);

#endif
