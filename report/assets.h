/* Text files that beff_report carries: the page's style and script. The Makefile lists them (ASSETS);
 * build-aux/embed writes the table. */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include <stddef.h>
#include <string.h>

struct asset {
    const char *name; /* of the file, without its folder; NULL ends the table */
    const char *text;
};
extern const struct asset assets[];

/* The text of the file of this name, which has to be one of the table's. */
static inline const char *asset_text(const char *name)
{
    const struct asset *asset = assets;
    while (strcmp(asset->name, name) != 0)
        asset++;
    return asset->text;
}

#endif
