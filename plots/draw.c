/* Drawing into files and memory. Uses script, gnuplot. */
#include "plots/draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plots/gnuplot.h"

static FILE *create(const char *folder, const char *name, const char *end, char **path, struct message *error)
{
    *path = text_format("%s/%s.%s", folder, name, end);
    FILE *file = *path ? fopen(*path, "w+") : NULL;
    if (!file)
        message_set(error, "%s can't be written: %s", *path ? *path : name, strerror(errno));
    return file;
}

static int draw_file(const struct figure *figure, const struct script_style *style, const char *folder,
                     struct message *error)
{
    char *script_path, *path = NULL;
    FILE *script = create(folder, figure->name, "gp", &script_path, error);
    FILE *out = script ? create(folder, figure->name, script_formats[style->format], &path, error) : NULL;
    int failed = -1;
    if (out) {
        fprintf(script, "# gnuplot %s.gp > %s.%s\n", figure->name, figure->name,
                script_formats[style->format]);
        script_write(figure, style, script);
        failed = gnuplot_draw(script, out, error) != GNUPLOT_OK;
        if (fclose(out) && !failed)
            failed = message_set(error, "%s can't be written: %s", path, strerror(errno));
        if (failed)
            unlink(path); /* no half a picture */
    }
    if (script)
        fclose(script);
    free(script_path);
    free(path);
    return failed ? -1 : 0;
}

int draw_files(const struct figure_list *figures, const struct script_style *style, const char *folder,
               struct message *error)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return message_set(error, "%s can't be made: %s", folder, strerror(errno));
    for (int i = 0; i < figures->count; i++)
        if (draw_file(&figures->figure[i], style, folder, error))
            return -1;
    return 0;
}

static char *read_all(FILE *file)
{
    long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    if (text)
        text[fread(text, 1, (size_t)size, file)] = 0;
    return text;
}

char *draw_svg(const struct figure *figure, const struct script_style *style, bool *missing,
               struct message *error)
{
    FILE *script = tmpfile(), *out = tmpfile();
    char *svg = NULL;
    if (script && out) {
        script_write(figure, style, script);
        enum gnuplot_status status = gnuplot_draw(script, out, error);
        *missing = status == GNUPLOT_MISSING;
        if (status == GNUPLOT_OK && !(svg = read_all(out)))
            message_set(error, "out of memory for a plot");
    } else {
        message_set(error, "no temporary file for gnuplot: %s", strerror(errno));
    }
    if (script)
        fclose(script);
    if (out)
        fclose(out);
    return svg;
}
