/* Text files that are compiled into beff_report: the gnuplot scripts, and the style sheet and the script of
 * the HTML page. The Makefile lists them in ASSETS, and build-aux/embed writes the table. */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include <stddef.h>
#include <string.h>

struct asset {
    const char *name; /* file name without its folder; NULL ends the table */
    const char *text;
};
extern const struct asset assets[];

/* Returns the text of a file, whose name must be in the table. */
static inline const char *asset_text(const char *name)
{
    const struct asset *asset = assets;
    while (strcmp(asset->name, name) != 0)
        asset++;
    return asset->text;
}

#endif
