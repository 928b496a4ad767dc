/* Pictures by gnuplot. The scripts are our own (plots/; assets), and their data are computed from the
 * records: gnuplot reads no file of a run. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include <stdbool.h>
#include <stdio.h>

#include "common/text.h"

/* "svg", "png", ...: NULL at the end. */
extern const char *const draw_formats[];

struct draw_style {
    const char *format;
    bool mono;   /* black and grey */
    bool column; /* 8.5 cm wide, without a caption */
    bool page;   /* for a column of the page, without a caption: the page has it */
};

struct picture {
    const char *script;
    char name[96];     /* stem of the file that the script makes */
    char argument[96]; /* second argument of the script; "": nothing */
    char title[160];
    bool of_runs;           /* its data are next to the picture, not in a run's patterns/ */
    bool drawn;             /* false: nothing of it was measured, or it failed */
    struct message failure; /* why gnuplot could not draw it; "" */
};

/* A file of data for the scripts, in memory. */
struct draw_data {
    char name[112]; /* "patterns/sizes.dat", "plots/rank.dat" */
    char *text;
    size_t size;
};

/* Starts as {0}; closed by draw_close(). */
struct drawing {
    char *directory; /* temporary; NULL before draw_all() */
    char *caption;   /* lines below the title */
    char yrange[64]; /* of bandwidths: "MAX", "MIN:MAX" or "" */
    struct picture *picture;
    struct draw_data *data;
    int count;
    size_t data_count;
    bool no_gnuplot; /* it is missing: nothing was drawn */
};

/* Adds a file of data. Returns the stream to write it to, which memory_stream_end() has to end before the
 * next file is added. */
FILE *draw_data(struct drawing *drawing, const char *name);

/* Adds a picture; its title is made by the format. The pointer is good until the next picture is added. */
struct picture *draw_add(struct drawing *drawing, const char *script, const char *title, ...)
    __attribute__((format(printf, 3, 4)));

/* Draws all pictures, once, in a temporary directory; those that fail say why. Returns 0, or -1 with a
 * message in `error` if gnuplot cannot be used at all. */
int draw_all(struct drawing *drawing, const struct draw_style *style, struct message *error);

/* Returns true, with a message in `error` that names the first one, if gnuplot could not draw a picture. */
bool draw_failed(const struct drawing *drawing, struct message *error);

/* Writes the pictures that were drawn into a folder, with their scripts and the data that the run has not
 * got. Returns the number of pictures, or -1 with a message in `error`. */
int draw_save(const struct drawing *drawing, const struct draw_style *style, const char *folder,
              struct message *error);

/* Returns a picture that was drawn, to be freed, and its size in bytes; or NULL with a message in `error`. */
char *draw_read(const struct drawing *drawing, const struct picture *picture, const char *format,
                size_t *size, struct message *error);

void draw_close(struct drawing *drawing);

#endif
