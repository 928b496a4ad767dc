/* What the planning of a run was tuned with: every constant that no definition fixes, with its reason. Pure.
 */
#ifndef BEFF_IO_TUNING_H
#define BEFF_IO_TUNING_H

#include <stdint.h>

/* ---- space ---- */

/* Share of the free space that a run uses by default: others write there, too. */
#define SPACE_SHARE 0.5
/* Bytes of free space left alone: the protocol and the file system's own blocks need some. */
#define SPACE_MARGIN (INT64_C(4) << 20)

/* ---- what is learnt from the file system ---- */

/* Bytes at which a new observation of the sync's cost counts as much as all before: the newest few chunks of
 * the largest size, as what a file system does meanwhile changes. */
#define SYNC_BYTES 32e6
/* Seconds per byte for removing files that are in memory: measured 0.2e-9 on ext4 and tmpfs. */
#define REMOVE_PER_BYTE 0.25e-9
/* Share of the free memory in which files are expected to stay: what a system under load keeps. */
#define MEMORY_SHARE 0.85

/* ---- time ---- */

/* Share of the time left that patterns get whatever else is expected to take: estimates err. */
#define RESERVE_LEAST 0.3

/* The look ahead at rewriting, reading and syncing takes at most this share of the time, and as many seconds:
 * enough for a few calls of 1 MB, too little to be missed. */
#define PROBE_SHARE   0.01
#define PROBE_SECONDS 1.0
/* And it writes at most so many bytes: a page cache takes a GB in that second, whose sync then takes long. */
#define PROBE_BYTES 64e6
/* How much longer than seen there rewrites and reads may take: they follow larger writes. */
#define PROBE_MARGIN 1.3
/* What they are expected to need at least, as a share of their schedule: opening and checking cost time. */
#define PROBE_LEAST 0.04
/* Mean speed of all patterns divided by that of the probe, roughly: small chunks are slower. */
#define PROBE_MEAN 0.25
/* Share of their schedule that reads of twice what fits in memory need at least: half comes from the disk. */
#define NEED_FROM_DISK 0.5

/* ---- agreeing when to stop ---- */

/* A batch of calls is expected to take at most this share of the slice: a file system that suddenly gets
 * slower is noticed in time. */
#define BATCH_SHARE 0.125
/* And at most this share of what is left: a page cache that is full at the end makes writes slower. */
#define BATCH_REST 0.25
/* A batch has at most this many times the calls before it: early speeds mislead. */
#define BATCH_GROWTH 4
/* A vote costs at most this share of its batch: half of the 1 % that the definition allows. */
#define COST_SHARE 0.005
/* A pattern ends with less than this share of its slice left: one more vote would cost more than it gains. */
#define END_SHARE 0.004

#endif
