/* Scripts for gnuplot. All text that may come from a protocol goes through escape_gnuplot, outside of
 * enhanced mode; of numbers, only what printf makes of a double. Uses escape, figure. */
#include "report/script.h"

#include <math.h>
#include <string.h>

#include "report/escape.h"

const char *const script_formats[] = {"svg", "png", "pdf", "eps", NULL};

/* Two terminals for each format: the second for a gnuplot without cairo. Sizes are those of SVG times
 * `scale`. */
static const struct terminal {
    const char *name;
    double scale;
    const char *unit;
    int font; /* size of text */
    const char *options, *otherwise;
} terminals[SCRIPT_FORMATS] = {
    [SCRIPT_SVG] = {"svg", 1, "", 13, "background rgb 'white'", NULL},
    [SCRIPT_PNG] = {"pngcairo", 2, "", 10, "fontscale 2 linewidth 2 pointscale 2", "png size 1000,580 giant"},
    [SCRIPT_PDF] = {"pdfcairo", 0.01, "in", 10, "", "pdf"},
    [SCRIPT_EPS] = {"epscairo", 0.01, "in", 10, "", "postscript eps color font 'Helvetica,10'"},
};
/* Sizes of SVG. In a page the text beside it gives the size; COLUMN is 8.5 cm (with letters of 7.4 points) of
 * PDF and EPS, which are made smaller by that much. */
enum { WIDTH = 900, HEIGHT = 520, BARE_WIDTH = 720, BARE_HEIGHT = 440 };
enum { COLUMN_WIDTH = 450, COLUMN_PANEL = 210, ROW = 16, FEW_ROWS = 20 };
#define COLUMN 0.744

/* Okabe and Ito: told apart by colour-blind readers as well; yellow is too faint on white. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
enum { COLOURS = sizeof colours / sizeof colours[0] };
static const int points[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10, 1, 2, 3};
static const char *const dashes[] = {"1", "(14,5)", "(3,4)", "(12,4,2,4)", "(6,4)", "(18,4,2,4,2,4)"};

#define PICK(list, i) (list)[(size_t)(i) % (sizeof(list) / sizeof(list)[0])]

/* ---- parts ---- */

static double width_of(const struct script_style *style)
{
    return style->column ? COLUMN_WIDTH : style->bare ? BARE_WIDTH : WIDTH;
}

/* Whether an earlier series has the same title. */
static bool is_known(const struct figure *figure, int series)
{
    int s = 0;
    while (strcmp(figure->series[s].title, figure->series[series].title) != 0)
        s++;
    return s < series;
}

/* Height of the key for all panels: about so much text fits in a line. */
static double key_height(const struct figure *figure, const struct script_style *style)
{
    enum { LETTER = 8, SAMPLE = 9 };
    const double line = style->column ? 19.5 : 23;
    int count = 0, longest = 0;
    for (int s = 0; s < figure->series_count; s++)
        if (!is_known(figure, s)) {
            int length = (int)strlen(figure->series[s].title);
            longest = length > longest ? length : longest;
            count++;
        }
    int columns = style->column ? 1 : (int)width_of(style) / LETTER / (longest + SAMPLE);
    return line * (columns > 1 ? (count + columns - 1) / columns : count);
}

static double height_of(const struct figure *figure, const struct script_style *style)
{
    double height = style->bare ? BARE_HEIGHT : HEIGHT;
    if (style->column)
        height = COLUMN_PANEL * figure->panel_count + key_height(figure, style) + 60;
    else if (figure->panel_count > 1) /* a long key is not at the panels' cost */
        height += fmax(0, key_height(figure, style) - 4 * 23);
    return height + (figure->rows > FEW_ROWS ? ROW * (figure->rows - FEW_ROWS) : 0);
}

static void put_terminal(const struct figure *figure, const struct script_style *style, FILE *out)
{
    const struct terminal *t = &terminals[style->format];
    bool small = style->column && *t->unit;
    double scale = t->scale * (small ? COLUMN : 1);
    double width = scale * width_of(style), height = scale * height_of(figure, style);
    fprintf(out, "set encoding utf8\n");
    if (t->otherwise)
        fprintf(out, "if (strstrt(GPVAL_TERMINALS, ' %s ') > 0) {\n    ", t->name);
    fprintf(out, "set terminal %s size %g%s,%g%s font 'sans-serif,%g' %s\n", t->name, width, t->unit, height,
            t->unit, t->font * (small ? COLUMN : 1), t->options);
    if (t->otherwise)
        fprintf(out, "} else {\n    set terminal %s\n}\n", t->otherwise);
    fprintf(out, "set termoption noenhanced\n");
}

/* The label, in a column in two lines where it is long. */
static void put_label(const char *name, const char *label, bool two_lines, FILE *out)
{
    const char *middle = two_lines && strlen(label) > 20 ? strchr(label + strlen(label) / 2, ' ') : NULL;
    char first[sizeof((struct figure_axis *)NULL)->label];
    snprintf(first, sizeof first, "%.*s", (int)(middle ? middle - label : (ptrdiff_t)strlen(label)), label);
    fprintf(out, "set %slabel ", name);
    escape_gnuplot(first, out);
    if (middle) {
        fputs(".\"\\n\".", out);
        escape_gnuplot(middle + 1, out);
    }
    fputc('\n', out);
}

static void put_axis(const char *name, const struct figure_axis *axis, bool labelled, bool in_column,
                     FILE *out)
{
    const char *base = axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT ? " 2" : "";
    bool linear = axis->kind >= AXIS_LINEAR;
    fprintf(out, linear ? "unset logscale %s\n" : "set logscale %s%s\n", name, base);
    fprintf(out, "set %srange [%.10g:%.10g]\n", name, axis->low, axis->high);
    put_label(name, labelled ? axis->label : "", in_column && *name == 'y', out);
    fprintf(out, "set %stics (", name);
    for (int i = 0; i < axis->tick_count; i++) {
        fputs(i ? ", " : "", out);
        escape_gnuplot(labelled ? axis->ticks[i].text : "", out);
        fprintf(out, " %.10g%s", axis->ticks[i].at, *axis->ticks[i].text ? "" : " 1");
    }
    fprintf(out, ")\n");
}

static void put_line(int number, const char *text, double height, int font, const char *colour, FILE *out)
{
    fprintf(out, "set label %d ", number);
    escape_gnuplot(text, out);
    fprintf(out, " at screen 0.012, screen %.3f left noenhanced font ',%d' textcolor rgb '%s'\n", height,
            font, colour);
}

/* Title and subtitle; the note at the foot, in two lines if it is long. */
static void put_words(const struct figure *figure, double height, int font, FILE *out)
{
    enum { FITS = 145 };
    char first[sizeof figure->note];
    memcpy(first, figure->note, sizeof first);
    char *end = strlen(first) > FITS ? memrchr(first, ';', FITS) : NULL;
    const char *second = end ? end + 1 + strspn(end + 1, " ") : "";
    if (end)
        *end = 0;
    put_line(1, figure->title, 1 - 18 / height, font + 2, "#000000", out);
    put_line(2, figure->subtitle, 1 - 44 / height, font - 1, "#444444", out);
    put_line(3, first, (*second ? 29 : 13) / height, font - 3, "#666666", out);
    put_line(4, second, 13 / height, font - 3, "#666666", out);
}

static void put_data(const struct figure_series *series, int number, FILE *out)
{
    fprintf(out, "$data%d << EOD\n", number);
    for (size_t i = 0; i < series->count; i++) {
        const struct figure_point *p = &series->points[i];
        const double numbers[] = {p->x, p->y, p->low, p->high};
        for (int k = 0; k < 4; k++)
            fprintf(out, isfinite(numbers[k]) ? "%s%.10g" : "%sNaN", k ? " " : "", numbers[k]);
        fputc('\n', out);
    }
    fprintf(out, "EOD\n");
}

/* ---- series ---- */

static void put_look(const struct figure_series *series, const struct script_style *style, FILE *out)
{
    const char *colour = style->mono ? "#000000" : PICK(colours, series->look);
    fprintf(out, " linecolor rgb '%s' dashtype %s linewidth 1.6", colour,
            series->other ? dashes[1] : PICK(dashes, style->mono ? series->look : series->look / COLOURS));
    if (series->kind <= SERIES_ACROSS)
        fprintf(out, " pointtype %d pointsize 0.7", PICK(points, series->look + (series->other ? 5 : 0)));
}

/* How a series looks, and its title in the key. */
static void put_style(const struct figure_series *series, bool titled, const struct script_style *style,
                      FILE *out)
{
    static const char *const with[] = {
        [SERIES_MEASURED] = "linespoints", [SERIES_POINTS] = "points", [SERIES_ACROSS] = "points",
        [SERIES_CURVE] = "lines",          [SERIES_LIMIT] = "lines",   [SERIES_BAND] = "filledcurves"};
    fprintf(out, " with %s", with[series->kind]);
    if (series->kind == SERIES_BAND)
        fprintf(out, " fillstyle solid 1.0 noborder linecolor rgb '#D9D9D9'");
    else if (series->kind == SERIES_LIMIT)
        fprintf(out, " linecolor rgb '#808080' dashtype (2,3) linewidth 2");
    else
        put_look(series, style, out);
    fputs(titled ? " title " : " notitle", out);
    if (titled)
        escape_gnuplot(series->title, out);
}

static void put_series(const struct figure_series *series, int number, bool titled,
                       const struct script_style *style, FILE *out)
{
    if (series->kind == SERIES_CELLS) { /* with the value in each */
        fprintf(out,
                " \\\n    $data%d using 1:2:($1-0.46):($1+0.46):($2-0.46):($2+0.46):4 with boxxyerror "
                "fillstyle solid 1.0 border linecolor rgb '#555555' fillcolor palette notitle, \\\n"
                "    $data%d using 1:2:(sprintf('%%.2f', $3)) with labels notitle",
                number, number);
        return;
    }
    if (figure_has_bars(series))
        fprintf(out,
                " \\\n    $data%d using 1:2:3:4 with %cerrorbars linecolor rgb '%s' linewidth 1 pointtype 0 "
                "notitle,",
                number, series->kind == SERIES_ACROSS ? 'x' : 'y',
                style->mono ? "#000000" : PICK(colours, series->look));
    fprintf(out, " \\\n    $data%d using %s", number, series->kind == SERIES_BAND ? "1:3:4" : "1:2");
    put_style(series, titled, style, out);
}

/* The grey things are drawn first: they lie behind. */
static void put_plot(const struct figure *figure, int panel, bool titled, const struct script_style *style,
                     FILE *out)
{
    bool started = false;
    fprintf(out, "plot");
    for (int grey = 1; grey >= 0; grey--)
        for (int s = 0; s < figure->series_count; s++) {
            const struct figure_series *series = &figure->series[s];
            if (series->panel != panel || (series->kind == SERIES_BAND) != grey)
                continue;
            fputs(started ? "," : "", out);
            put_series(series, s, titled, style, out);
            started = true;
        }
    fputc('\n', out);
}

/* ---- panels ---- */

/* Letters before y: those of its ticks, and of its label where the ticks are no names. */
static size_t margin_of(const struct figure *figure, int panels)
{
    size_t longest = 4, more = figure->rows ? 3 : 6;
    for (int p = 0; p < panels; p++)
        for (int i = 0; i < figure->panel[p].y.tick_count; i++) {
            size_t length = strlen(figure->panel[p].y.ticks[i].text);
            longest = length > longest ? length : longest;
        }
    return longest + more;
}

/* The key beside it. */
static void put_single(const struct figure *figure, const struct script_style *style, FILE *out)
{
    double height = height_of(figure, style);
    fprintf(out,
            "set key outside right top vertical spacing 1.2 Left reverse samplen 3 width 1 noenhanced\n"
            "set lmargin %zu\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n",
            margin_of(figure, 1), 1 - 73 / height, 99 / height);
    put_axis("y", &figure->panel[0].y, true, false, out);
    put_plot(figure, 0, true, style, out);
}

/* One key for all panels: a plot of nothing over the whole width. */
static void put_key(const struct figure *figure, const struct script_style *style, double bottom, double top,
                    FILE *out)
{
    int count = 0;
    fprintf(out,
            "set lmargin at screen 0.02\nset rmargin at screen 0.98\nset bmargin at screen %.3f\n"
            "set tmargin at screen %.3f\n",
            bottom, top);
    fprintf(out, "unset border\nunset grid\nunset tics\nunset xlabel\nunset ylabel\n"
                 "unset title\nunset logscale\nset xrange [0:1]\nset yrange [0:1]\n"
                 "set key center center horizontal Left reverse samplen 3 width 1 noenhanced\nplot");
    for (int s = 0; s < figure->series_count; s++)
        if (!is_known(figure, s)) {
            fprintf(out, "%s \\\n    2", count++ ? "," : "");
            put_style(&figure->series[s], true, style, out);
        }
    fputc('\n', out);
}

/* Beside one another, or below one another in a column: places as shares of the picture. */
static void put_panels(const struct figure *figure, const struct script_style *style, FILE *out)
{
    double height = height_of(figure, style), bottom = style->bare ? 4 : 40; /* above two lines of notes */
    double key = key_height(figure, style) + 10, foot = bottom + key + (style->column ? 60 : 78),
           head = !style->bare              ? 94
                  : *figure->panel[0].title ? 35
                                            : 13;
    /* With one range of y the first axis serves all. */
    bool below = style->column;
    double start = fmax(below ? 0.2 : 0.1,
                        8.5 * (double)margin_of(figure, below ? figure->panel_count : 1) / width_of(style)),
           gap = figure->same_y && !below ? 0.02 : 0.14, end = 0.985;
    int columns = below ? 1 : figure->panel_count, rows = below ? figure->panel_count : 1;
    double width = (end - start - gap * (columns - 1)) / columns;
    double step = (height - head - foot + 40) / rows; /* from one panel to the next */
    fprintf(out, "set multiplot\nset tics font ',%d'\n", terminals[style->format].font - 2);
    for (int p = 0; p < figure->panel_count; p++) {
        const struct figure_panel *panel = &figure->panel[p];
        double left = start + (below ? 0 : p) * (width + gap), top = height - head - (below ? p : 0) * step;
        fprintf(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", left, left + width);
        fprintf(out, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", top / height,
                (top - step + 40) / height);
        fprintf(out, "unset key\nset title ");
        escape_gnuplot(panel->title, out);
        fprintf(out, " noenhanced offset 0,-0.5\n");
        put_axis("x", &figure->x, !below || p == rows - 1, below, out);
        put_axis("y", &panel->y, p == 0 || below || !figure->same_y, below, out);
        put_plot(figure, p, false, style, out);
        if (p == 0)
            fprintf(out, "unset label\n");
    }
    if (figure->series[0].kind != SERIES_CELLS) /* the values are in them */
        put_key(figure, style, bottom / height, (bottom + key) / height, out);
    fprintf(out, "unset multiplot\n");
}

void script_write(const struct figure *figure, const struct script_style *given, FILE *out)
{
    struct script_style style = *given;
    style.bare |= style.column;
    put_terminal(figure, &style, out);
    for (int s = 0; s < figure->series_count; s++)
        put_data(&figure->series[s], s, out);
    fprintf(out, "set datafile missing '?'\nset border 3 linecolor rgb '#555555'\n"
                 "set tics nomirror out scale 0.6,0.3\n"
                 "set grid xtics ytics linecolor rgb '#D8D8D8' linewidth 0.7 dashtype 1\n");
    fprintf(out, "set palette defined (1 '#FFFFFF', 2 '%s')\nset cbrange [1:2]\nunset colorbox\n",
            style.mono ? "#888888" : "#E69F00");
    put_axis("x", &figure->x, true, false, out);
    if (!style.bare)
        put_words(figure, height_of(figure, &style), terminals[style.format].font, out);
    if (style.bare)
        fprintf(out, "set xlabel offset 0,0.4\n");
    if (style.column)
        fprintf(out, "set ylabel font ',%d'\n", terminals[style.format].font - 2);
    if (figure->panel_count == 1 && !style.bare)
        put_single(figure, &style, out);
    else
        put_panels(figure, &style, out);
}
