/* Message sizes. Uses settings. */
#include "imb_compat/sizes.h"

#include <stdlib.h>
#include <string.h>

static int append(struct imb_sizes *sizes, int64_t bytes)
{
    int64_t *more = realloc(sizes->bytes, ((size_t)sizes->count + 1) * sizeof *more);
    if (!more)
        return -1;
    sizes->bytes = more;
    sizes->bytes[sizes->count++] = bytes;
    return 0;
}

/* One line of the file: a length and nothing behind it but what follows its suffix; empty, or a comment. */
static int take_line(struct imb_sizes *sizes, const char *file, int number, const char *line, size_t length,
                     struct message *error)
{
    char text[64];
    if (length && line[length - 1] == '\r')
        length--;
    if (!length || *line == '#')
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), line);
    int64_t bytes = imb_length(text);
    if (bytes < 0)
        return message_set(
            error,
            "-msglen: %.200s, line %d: \"%s\" is no size: a whole number from 0 to %d, with K, M "
            "or G behind it for KiB, MiB, GiB",
            file, number, text, 1 << IMB_MOST_LOG);
    return append(sizes, bytes) ? message_set(error, "out of memory for the sizes") : 0;
}

static int take_file(struct imb_sizes *sizes, const char *file, const char *text, struct message *error)
{
    for (int number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        if (take_line(sizes, file, number, text, length, error))
            return -1;
        text += length + (text[length] == '\n');
    }
    return sizes->count ? 0 : message_set(error, "-msglen: there is no size in %.200s", file);
}

int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error)
{
    *sizes = (struct imb_sizes){.listed = settings->msgsize.count > 0 || text};
    for (size_t i = 0; i < settings->msgsize.count; i++)
        if (append(sizes, imb_length(settings->msgsize.word[i])))
            return message_set(error, "out of memory for the sizes");
    return text && !settings->msgsize.count ? take_file(sizes, settings->msglen, text, error) : 0;
}

static int64_t round_up(int64_t bytes, int unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static int take_list(struct imb_sizes *sizes, const struct imb_sizes *listed, int64_t most, int unit)
{
    for (int i = 0; i < listed->count; i++) {
        int64_t bytes = listed->bytes[i];
        if (bytes > most && bytes > sizes->most_wanted)
            sizes->most_wanted = bytes;
        if (append(sizes, round_up(bytes < most ? bytes : most, unit)))
            return -1;
    }
    return 0;
}

int imb_sizes_make(struct imb_sizes *sizes, const struct imb_settings *settings,
                   const struct imb_sizes *listed, const struct imb_benchmark *benchmark, int unit)
{
    int64_t most = INT64_C(1) << settings->max_log;
    *sizes = (struct imb_sizes){.listed = listed->listed};
    if (benchmark->class == IMB_CLASS_SYNC)
        return append(sizes, 0);
    if (benchmark->class == IMB_CLASS_ELEMENT)
        return append(sizes, unit);
    if (listed->listed)
        return take_list(sizes, listed, most, unit);
    most -= most % unit;
    if (settings->zero_size && append(sizes, 0))
        return -1;
    for (int64_t bytes = round_up(INT64_C(1) << settings->min_log, unit); bytes < most; bytes *= 2)
        if (append(sizes, bytes))
            return -1;
    return most > 0 ? append(sizes, most) : 0;
}

void imb_sizes_free(struct imb_sizes *sizes)
{
    free(sizes->bytes);
    *sizes = (struct imb_sizes){0};
}
