/* Draws pictures with gnuplot. The scripts are compiled into beff_report (plots/), and their data are
 * computed from the records. gnuplot reads no file of a run. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include <stdbool.h>
#include <stdio.h>

#include "common/text.h"

/* The file formats "svg", "png" ...; NULL at the end. */
extern const char *const draw_formats[];

struct draw_style {
    const char *format;
    bool mono;   /* black and grey */
    bool column; /* 8.5 cm wide, without a caption */
    bool page;   /* as wide as a column of the HTML page; no caption, because the page contains it */
};

struct picture {
    const char *script;
    char name[96];     /* name of the file that the script writes, without its suffix */
    char argument[96]; /* second argument of the script; "" if there is none */
    char title[160];
    bool of_runs;           /* shows several runs: its script gets the folder of the data, not a run */
    bool drawn;             /* false if none of its data were measured, or if gnuplot failed */
    struct message failure; /* reason why gnuplot failed, or "" */
};

/* A data file of the scripts, in memory. */
struct draw_data {
    char name[112]; /* "patterns/sizes.dat", "plots/rank.dat" */
    char *text;
    size_t size;
};

/* A set of pictures and their data. Initialise it with {0}, and close it with draw_close(). */
struct drawing {
    char *directory; /* temporary directory; NULL before draw_all() */
    char *caption;   /* lines below the title */
    char yrange[64]; /* range of the bandwidth axes: "MAX", "MIN:MAX" or "" */
    struct picture *picture;
    struct draw_data *data;
    int count;
    size_t data_count;
    bool no_gnuplot; /* gnuplot is missing: nothing was drawn */
};

/* Adds a data file. Returns the stream to write it to. Call memory_stream_end() before the next file is
 * added. */
FILE *draw_data(struct drawing *drawing, const char *name);

/* Adds a picture whose title is formatted like printf. The pointer is valid until the next call. */
struct picture *draw_add(struct drawing *drawing, const char *script, const char *title, ...)
    __attribute__((format(printf, 3, 4)));

/* Draws all pictures in a temporary directory. Call it once. Sets picture->failure if gnuplot cannot draw a
 * picture. Returns 0 on success, or -1 with a message in `error` if gnuplot cannot be used. */
int draw_all(struct drawing *drawing, const struct draw_style *style, struct message *error);

/* Returns true if gnuplot could not draw a picture. The message in `error` names the first such picture. */
bool draw_failed(const struct drawing *drawing, struct message *error);

/* Writes the drawn pictures into a folder, with their scripts and with data that the run's directory does not
 * contain. Returns the number of pictures, or -1 with a message in `error`. */
int draw_save(const struct drawing *drawing, const struct draw_style *style, const char *folder,
              struct message *error);

/* Reads a drawn picture. Returns its content, which the caller must free, and its size in bytes; or NULL with
 * a message in `error`. */
char *draw_read(const struct drawing *drawing, const struct picture *picture, const char *format,
                size_t *size, struct message *error);

void draw_close(struct drawing *drawing);

#endif
