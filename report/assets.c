/* Finds a text file that was compiled in. Pure. */
#include "report/assets.h"

#include <stdlib.h>
#include <string.h>

const char *asset_text(const char *name)
{
    for (const struct asset *asset = assets; asset->name != NULL; asset++)
        if (strcmp(asset->name, name) == 0)
            return asset->text;
    abort();
}
