/* Pictures by gnuplot. Its scripts are our own (plots/; assets), its data are written from the records,
 * both into a temporary directory: of a run's directory it reads and executes nothing. Pure. */
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
    bool of_runs; /* its data are next to the picture, not in a run's patterns/ */
    bool drawn;   /* false: nothing of it was measured */
};

struct drawing {
    char *directory; /* temporary; with the folders patterns and plots */
    char *caption;   /* lines below the title */
    char yrange[64]; /* of bandwidths: "MAX", "MIN:MAX" or "" */
    struct picture *picture;
    int count;
    bool no_gnuplot; /* it is missing: nothing was drawn */
};

/* 0, or -1 with one line. To be closed in either case. */
int draw_open(struct drawing *drawing, struct message *error);
void draw_close(struct drawing *drawing);

/* A file of data, such as patterns/sizes.dat or plots/rank.dat; NULL with one line. */
FILE *draw_create(const struct drawing *drawing, const char *name, struct message *error);

/* Adds a picture; the title is formatted as printf does. */
struct picture *draw_add(struct drawing *drawing, const char *script, const char *title, ...)
    __attribute__((format(printf, 3, 4)));

/* Draws all pictures. 0, or -1 with one line. */
int draw_all(struct drawing *drawing, const struct draw_style *style, struct message *error);

/* Puts the pictures that were drawn into a folder, their scripts and the data that no run has;
 * returns how many, or -1 with one line. */
int draw_save(const struct drawing *drawing, const struct draw_style *style, const char *folder,
              struct message *error);

/* The SVG of a picture that was drawn, in memory of its own; NULL with one line. */
char *draw_read(const struct drawing *drawing, const struct picture *picture, struct message *error);

#endif
