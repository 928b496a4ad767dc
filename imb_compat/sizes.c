#include "imb_compat/sizes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

static void add_size(struct imb_sizes *sizes, int64_t bytes)
{
    array_grow(&sizes->bytes, (size_t)sizes->count, sizeof *sizes->bytes);
    sizes->bytes[sizes->count++] = bytes;
}

/* Adds the sizes in the text of a file, one per line, in the syntax of imb_length(). */
static int take_file(struct imb_sizes *sizes, const char *file, const char *text, struct message *error)
{
    struct text_lines lines = {text};
    while (text_next(&lines)) {
        int64_t bytes = imb_length(lines.line);
        if (bytes < 0)
            return message_set(error, IMB_NO_SIZE("-msglen: %.200s, line %d: \"%.60s\" is not a size"), file,
                               lines.number, lines.line, 1 << IMB_MAX_LOG);
        add_size(sizes, bytes);
    }
    return sizes->count
               ? 0
               : message_set(error, "-msglen: %.200s contains no size: expected one size per line", file);
}

static int take_msglog(struct imb_sizes *sizes, const char *value, struct message *error)
{
    long long log[2] = {0, 0};
    int end = 0, given = sscanf(value, "%lld%n:%lld%n", &log[0], &end, &log[1], &end);
    bool single = given == 1; /* only MAX */
    if (single) {
        log[1] = log[0];
        log[0] = 0;
    }
    if (given < 1 || value[end] || *value == '-' || log[0] < 0 || log[1] < log[0] || log[1] > IMB_MAX_LOG)
        return message_set(error,
                           "invalid -msglog \"%.80s\": expected [MIN:]MAX, whole numbers from 0 to %d with "
                           "MIN not above MAX",
                           value, IMB_MAX_LOG);
    sizes->count = 0;
    if (single)
        add_size(sizes, 0);
    for (; log[0] <= log[1]; log[0]++)
        add_size(sizes, INT64_C(1) << log[0]);
    return 0;
}

static int take_counts(struct imb_sizes *sizes, const char *value, int64_t unit, struct message *error)
{
    for (;; value++) {
        char *rest;
        int64_t count = strtoll(value, &rest, 10);
        if (rest == value || *value == '-' || (*rest && *rest != ',') || count < 0 || count > INT_MAX)
            return message_set(
                error, "invalid -count \"%.80s\": expected whole numbers from 0 to %d, separated by commas",
                value, INT_MAX);
        add_size(sizes, count * unit);
        value = rest;
        if (!*value)
            return 0;
    }
}

/* Applies the options of IMB-MT and IMB-P2P that add sizes, in the order given. */
static int take_options(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                        struct message *error)
{
    const bool threads = settings->component == IMB_MT;
    const int64_t unit = (int64_t)imb_types[settings->data_type].size * settings->team;
    for (size_t i = 0; i < settings->sizes.count; i++) {
        const char *option = settings->sizes.text[i], *value = strchr(option, '=') + 1;
        int64_t bytes = imb_length(value);
        if (threads ? take_counts(sizes, value, unit, error)
                    : strncmp(option, "msglog", 6) == 0 && take_msglog(sizes, value, error))
            return -1;
        if (strncmp(option, "msgsz", 5) == 0) {
            if (bytes < 0)
                return message_set(error, IMB_NO_SIZE("invalid -msgsz \"%.80s\""), value, 1 << IMB_MAX_LOG);
            add_size(sizes, bytes);
        }
        if (value == settings->msglen) { /* the last -msglen replaces all sizes before it */
            sizes->count = 0;
            if (take_file(sizes, settings->msglen, text, error))
                return -1;
        }
    }
    if (!sizes->count && threads)
        for (int64_t count = 1; count <= 8; count *= 2)
            add_size(sizes, count * unit);
    else if (!sizes->count)
        return take_msglog(sizes, "22", error);
    return 0;
}

int imb_sizes_listed(struct imb_sizes *sizes, const struct imb_settings *settings, const char *text,
                     struct message *error)
{
    const struct texts *words = &settings->msgsize;
    const bool options = !imb_components[settings->component].adaptive;
    *sizes = (struct imb_sizes){.listed = words->count > 0 || text || options};
    if (options)
        return take_options(sizes, settings, text, error);
    for (size_t i = 0; i < words->count; i++)
        add_size(sizes, imb_length(words->text[i]));
    return text && !words->count ? take_file(sizes, settings->msglen, text, error) : 0;
}

void imb_sizes_make(struct imb_sizes *sizes, const struct imb_table *table, const struct imb_sizes *listed)
{
    const struct imb_settings *settings = table->settings;
    const enum imb_class class = table->benchmark->class;
    const int64_t unit = table->unit;
    const bool cut = imb_components[settings->component].adaptive;
    const int64_t max = INT64_C(1) << settings->max_log, last = max - max % unit;
    *sizes = (struct imb_sizes){.listed = listed->listed};
    if (class == IMB_CLASS_UNSIZED || class == IMB_CLASS_ELEMENT) {
        add_size(sizes, class == IMB_CLASS_UNSIZED ? 0 : unit);
        return;
    }
    for (int i = 0; i < listed->count; i++) {
        int64_t bytes = listed->bytes[i];
        if (cut && bytes > max && bytes > sizes->max_wanted)
            sizes->max_wanted = bytes;
        add_size(sizes, imb_round_up(cut && bytes > max ? max : bytes, unit));
    }
    if (listed->listed)
        return;
    if (settings->zero_size)
        add_size(sizes, 0);
    for (int64_t bytes = imb_round_up(INT64_C(1) << settings->min_log, unit); bytes < last; bytes *= 2)
        add_size(sizes, bytes);
    if (last > 0)
        add_size(sizes, last);
}
