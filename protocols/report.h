/* A run as the report sees it: its protocol, and everything that its engine computes from the protocol alone.
 * Which engine it is the metadata tell; what the report needs of an engine is one row of report_engines.
 * Pure. */
#ifndef PROTOCOLS_REPORT_H
#define PROTOCOLS_REPORT_H

#include "common/engine.h"
#include "protocols/finding.h"

struct report;

/* One figure of a run by which runs are compared. */
#define REPORT_RATING "rating" /* the group of the one figure that the verdict is about */
struct report_item {
    char group[24]; /* REPORT_RATING, "figure", "size", "pattern" ... */
    char name[96];  /* unique in its group; equal in runs that compare */
    char unit[16];
    double bytes; /* of the message, where sizes go by their place and not by their bytes; 0: none */
    double value; /* positive and finite */
    bool less_is_better;
};

struct report_items {
    struct report_item *item;
    size_t count;
};

/* Adds an item; a value that is not positive and finite is left out. 0, or -1 when out of memory. */
int report_item_add(struct report_items *items, const struct report_item *item);

/* What the report needs of an engine beside the engine itself: a row in the engine's file. */
struct report_engine {
    const struct engine *engine;

    /* Each record by itself and against the metadata: what can't be or does not follow from the rest. */
    void (*check)(const struct report *report, struct findings *findings);
    /* Order by which two records of the same measurement are equal; NULL: a measurement may come twice. */
    int (*same)(const void *a, const void *b);
    bool has_directory; /* a run makes a directory of files, not a protocol alone */

    /* Metadata that must be equal in runs that are compared, or else it is another definition; NULL at the
     * end. lmax, too, where the memory was given: detected, it follows the same rule everywhere. */
    const char *const *definition;
    const char *older; /* definition of protocols whose rating alone is computed again; NULL: none */
    /* What is compared beside the sheet's values; see report_items. 0, or -1 when out of memory. */
    int (*items)(const struct report *report, struct report_items *items);
};

/* Less than, equal to or greater than 0, as a is to b. */
int report_order(int64_t a, int64_t b);

/* One file each. */
extern const struct report_engine report_beff, report_beff_io, report_imb;

struct report {
    char *path;      /* of the protocol's file */
    char *directory; /* of the run; NULL if the protocol's file was given */
    struct protocol protocol;
    const struct report_engine *row;
    const struct engine *engine; /* the row's */
    struct message damage;       /* a wrong checksum; "" */
    struct findings findings;    /* in the records */
    struct message unchecked;    /* what could not be compared, with commas between; "" */
    struct sheet *sheet;         /* the first member of the engine's results */
};

/* Reads the run in a directory, or the protocol in a file, and checks its records: what is wrong with them is
 * in the findings; a wrong checksum is kept apart. 0, or -1 with one line that names file, line and reason.
 */
int report_read(struct report *report, const char *path, struct message *error);

/* Makes the results. 0, or -1 with one line, which is the first fatal finding if there is one. */
int report_make(struct report *report, struct message *error);

/* Both, and a wrong checksum is an error; frees the report where it returns -1. */
int report_load(struct report *report, const char *path, struct message *error);

void report_free(struct report *report);

/* Everything by which this run is compared with others. 0, or -1 when out of memory. */
int report_items_make(const struct report *report, struct report_items *items);

/* Adds to `unchecked`. */
void report_unchecked(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of a metadata key; "" if it is missing. */
const char *report_meta(const struct report *report, const char *key);

/* Whether it was measured by an older definition: its rating is computed, the rest is not checked, and it is
 * not valid. */
bool report_is_older(const struct report *report);

/* A whole number in the metadata; false if it is missing, no number, or not from `least` to `most`. */
bool report_integer(const struct report *report, const char *key, int64_t least, int64_t most,
                    int64_t *value);

/* Where record number `i` stands. */
struct finding report_at(const struct report *report, size_t i, bool fatal);

/* Whether a value that was computed and one that was read are the same but for the last binary digits, in
 * which the mathematical libraries of two systems may differ. */
bool report_equal(double a, double b);

#endif
