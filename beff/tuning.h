/* What beff's planner is tuned with, each value with its reason. The definition's own numbers are in
 * schedule.h. */
#ifndef BEFF_TUNING_H
#define BEFF_TUNING_H

/* A measurement aims at this many seconds: the middle of 2.5 to 5 ms, so that an estimate that is off by a
 * third either way still lands inside. */
#define TUNING_TARGET 3.5e-3

/* Untimed iterations aim at this: a fifth more than they have to take, as the time of one is an estimate. */
#define TUNING_WARM 1.2e-3

/* They aim at this where a buffer on the way may lend its bandwidth: what was sent before was slower than
 * what the machine sustains with large messages, and left the buffer idle; what is sent now comes near that,
 * or above it (32 kB at 25 MB/s last 20 ms where the sender is 7 % faster than that). So long for each method
 * once, as some may be too slow to use it up. */
#define TUNING_LONG_WARM 20e-3
/* Less where 1 MiB, taken for the largest buffer there is, is used up before by a sender 7 % above what is
 * sustained. */
#define TUNING_BUFFER 1048576.0
#define TUNING_EXCESS 0.07
#define TUNING_SLOWER 0.97
#define TUNING_NEAR   0.9

/* This share of the time left is planned for: a measurement's end is not known exactly beforehand. */
#define TUNING_PLAN_SHARE 0.97

/* The first transfers of a run may be slower than all others (slow start of TCP, connections being made),
 * buffers may make small messages look slower than they were probed, and what was left out cannot be made
 * good: in the first repetition nothing is reduced unless, beyond the time that there is, this share of it is
 * missing before the first size, half of that before the 15th, none before the last. What small sizes take is
 * little. */
#define TUNING_DOUBT 0.8
/* The same before the first size of the second repetition, none before the last: the machine may be slower
 * for some seconds than it was before and will be after. */
#define TUNING_DOUBT_SECOND 0.4

/* A probe takes this long, or 100 ticks of the clock: a hundredth of it would be read exactly enough. */
#define TUNING_PROBE_SECONDS 0.5e-3
/* It is made twice, as a disturbance would spoil the whole plan, but not where it takes this long: there a
 * disturbance counts little. */
#define TUNING_PROBE_LONG 50e-3
/* All probes together take at most this share of the time; what they do not reach is extrapolated. */
#define TUNING_PROBE_SHARE 0.05

/* So much of the largest overrun is still reckoned with after each further measurement: half after 34. */
#define TUNING_OVERRUN_FADING 0.98
/* At most this share of the time left: one stall early in a run must not leave out everything else. */
#define TUNING_OVERRUN_SHARE 0.5

/* What measurements took beyond what was expected is averaged over this share of the time, as if nothing had
 * been disturbed before the first one: a stall of 0.1 s at the start of minutes must not reduce the run. */
#define TUNING_WALLS_SHARE 0.05

/* A new value moves an estimate by this part of their ratio: that of a cell, measured once per repetition,
 * and that of the overhead, seen in every measurement. */
#define TUNING_CELL_WEIGHT     2
#define TUNING_OVERHEAD_WEIGHT 16
/* At most so many times the estimate: a disturbance, a thousand times too long, hardly spoils it. */
#define TUNING_MOST_STEP 4.0

/* How much slower a size was than its probe counts by this power at the next larger one, and so on. Small
 * messages that drain a buffer on the way take a multiple of their probe, which the buffer helped; the
 * largest ones, probed for longer than any buffer lasts, do not. */
#define TUNING_CARRIED 0.5

/* Comparisons of the methods are averaged over the last two or three: one alone picks the wrong method where
 * single iterations differ by a third, but the best one may change with the size. */
#define TUNING_COMPARE_WEIGHT 0.4

/* A ring that is so many times as fast as a polygon takes another path (within its node), where another
 * method may be the best; to find out costs little there. */
#define TUNING_OTHER_PATH 2

/* Ticks of the clock that a measurement takes at least. */
#define TUNING_TICKS 10

#endif
