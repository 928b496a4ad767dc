/* A figure as data: axes, one panel or a few beside one another, series of points with intervals. The same
 * figure becomes a gnuplot script, an overlay of two systems, or a part of a page. Pure. */
#ifndef PLOTS_FIGURE_H
#define PLOTS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

/* Where something is not known or was not measured: NaN. A point without y interrupts its line. */
struct figure_point {
    double x, y;
    double low, high; /* the interval; of a band its edges; of a cell its value, and its darkness above 1 */
};

enum series_kind {
    SERIES_MEASURED, /* points joined by lines, with bars for intervals */
    SERIES_POINTS,   /* points alone */
    SERIES_ACROSS,   /* points with intervals in x */
    SERIES_CURVE,    /* a line without marks: a mean of many */
    SERIES_LIMIT,    /* a grey line: the known limit */
    SERIES_BAND,     /* a grey area from low to high */
    SERIES_CELLS     /* squares around whole x and y */
};

struct figure_series {
    char title[96];
    enum series_kind kind;
    int look;   /* which colour, dashes and point: 0, 1, ... */
    bool other; /* of the second of two systems: other dashes and points */
    int panel;
    struct figure_point *points;
    size_t count;
};

enum axis_kind {
    AXIS_BYTES,    /* logarithmic, to the base 2; zero stands left of the smallest size */
    AXIS_COUNT,    /* logarithmic, to the base 2: numbers of processes */
    AXIS_LOG,      /* logarithmic, to the base 10 */
    AXIS_LINEAR,   /* this one and those that follow are not logarithmic */
    AXIS_PERCENT,  /* from 0 to 100 */
    AXIS_NUMBERS,  /* linear, whole numbers */
    AXIS_POSITIONS /* the figure's own ticks */
};

struct figure_tick {
    double at;
    char text[48]; /* "": a small tick */
};

enum { FIGURE_MOST_TICKS = 96 };

struct figure_axis {
    char label[96];
    enum axis_kind kind;
    double low, high; /* the range; 0: as the data have it */
    struct figure_tick ticks[FIGURE_MOST_TICKS];
    int tick_count;
};

enum { FIGURE_MOST_SERIES = 16, FIGURE_MOST_PANELS = 3 }; /* series: of a panel */

struct figure_panel {
    char title[64]; /* "" where the figure has one alone */
    struct figure_axis y;
    bool relative;    /* it shows what another panel does, by the run's own mean */
    int series_count; /* of the figure's series, which stand panel by panel */
};

struct figure {
    char name[64]; /* stem of a file name */
    char title[160];
    char subtitle[440]; /* system, processes, date, verdict */
    char note[240];     /* what the bars are, what is not drawn */
    struct figure_axis x;
    struct figure_panel panel[FIGURE_MOST_PANELS];
    int panel_count;
    struct figure_series series[FIGURE_MOST_PANELS * FIGURE_MOST_SERIES];
    int series_count;
    int item;      /* which of several figures of a kind */
    int rows;      /* that y has a tick for: the height; 0: y is no list */
    bool same_y;   /* the panels have one range of y */
    bool compared; /* two systems are laid over one another in it */
    bool failed;   /* out of memory */
};

/* Adds a panel, which the next series go to. */
struct figure_panel *figure_panel(struct figure *figure, const char *title, enum axis_kind y,
                                  const char *y_label);

/* Adds a panel whose y is a list of so many rows, 1 at the foot; returns its axis, for the ticks. */
struct figure_axis *figure_start_rows(struct figure *figure, int rows);

/* Adds a series to the last panel; NULL if it is full (the note then says that). */
struct figure_series *figure_series(struct figure *figure, enum series_kind kind, int look,
                                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds a point, or one without an interval. A series that is NULL takes none. */
void figure_point(struct figure *figure, struct figure_series *series, struct figure_point point);
void figure_plain_point(struct figure *figure, struct figure_series *series, double x, double y);

/* Adds a sentence to the note. */
void figure_note(struct figure *figure, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a tick to an axis. */
void figure_tick(struct figure_axis *axis, double at, const char *text);

/* Number of points that can be drawn. */
size_t figure_points(const struct figure *figure);

/* Whether a point of a series that is drawn with bars has one. */
bool figure_has_bars(const struct figure_series *series);

/* Sets ranges and ticks of all axes from the data, where they are not given; takes out series without a
 * point, and panels without a series. */
void figure_scale(struct figure *figure);

void figure_free(struct figure *figure);

/* ---- axes ---- */

/* Where x = 0 stands on an axis of bytes whose smallest positive value is `least`. */
double axis_zero(double least);

/* A number of bytes as "32 KiB". */
void axis_bytes_text(double bytes, char *text, size_t size);

/* Sets range and ticks for values from `low` to `high`. */
void axis_scale(struct figure_axis *axis, double low, double high);

#endif
