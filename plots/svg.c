/* SVG in a page. Text and attributes' values are passed on as they are: gnuplot escaped them. Uses escape. */
#include "plots/svg.h"

#include <stdbool.h>
#include <string.h>

#include "plots/escape.h"

struct embedding {
    const char *prefix, *label;
    FILE *out;
    struct message *error;
};

struct span {
    const char *start;
    size_t length;
};

static const char *const elements[] = {"svg",     "g",      "defs",     "path",        "circle",
                                       "ellipse", "rect",   "use",      "text",        "tspan",
                                       "polygon", "line",   "polyline", "clipPath",    "mask",
                                       "pattern", "filter", "feFlood",  "feComposite", NULL};
/* Left out with all that is in them: they would show up as tooltips. */
static const char *const silent[] = {"title", "desc", NULL};

static bool equals(struct span span, const char *text)
{
    return strlen(text) == span.length && memcmp(span.start, text, span.length) == 0;
}

static bool is_in(struct span span, const char *const *list)
{
    for (; *list; list++)
        if (equals(span, *list))
            return true;
    return false;
}

static struct span name_at(const char *at)
{
    return (struct span){at, strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_")};
}

static int refuse(const struct embedding *e, const char *what, struct span span)
{
    return message_set(e->error, "gnuplot's picture has %s \"%.*s\", which does not belong in a page", what,
                       (int)(span.length < 40 ? span.length : 40), span.start);
}

/* ---- attributes ---- */

/* References may only go to parts of this picture. */
static bool is_harmless(struct span name, struct span value)
{
    if (name.length >= 2 && (name.start[0] | 32) == 'o' && (name.start[1] | 32) == 'n')
        return false;
    if (equals(name, "href") || equals(name, "xlink:href"))
        return value.length && *value.start == '#';
    if (equals(name, "style"))
        return !memmem(value.start, value.length, "url", 3) && !memmem(value.start, value.length, "@", 1);
    const char *url = memmem(value.start, value.length, "url(", 4);
    return !url || url[4] == '#';
}

/* Passes a value on; names of parts get the prefix. */
static void put_value(const struct embedding *e, struct span name, struct span value)
{
    if (equals(name, "id"))
        fputs(e->prefix, e->out);
    for (size_t i = 0; i < value.length; i++) {
        fputc(value.start[i], e->out);
        bool reference = value.start[i] == '#' &&
                         (i == 0 ? name.length >= 4 && memcmp(name.start + name.length - 4, "href", 4) == 0
                                 : value.start[i - 1] == '(');
        if (reference)
            fputs(e->prefix, e->out);
    }
}

/* Reads one attribute at *at, and passes it on unless it is left out. */
static int put_attribute(const struct embedding *e, const char **at, bool left_out)
{
    struct span name = name_at(*at), value;
    const char *equal = name.start + name.length + strspn(name.start + name.length, " ");
    const char *open = *equal == '=' ? equal + 1 + strspn(equal + 1, " ") : "";
    const char *end = name.length && (*open == '"' || *open == '\'') ? strchr(open + 1, *open) : NULL;
    if (!end)
        return refuse(e, "the attribute", (struct span){*at, strcspn(*at, " \n>")});
    value = (struct span){open + 1, (size_t)(end - open - 1)};
    if (!is_harmless(name, value) || memchr(value.start, '<', value.length))
        return refuse(e, "the attribute", name);
    *at = end + 1;
    if (left_out)
        return 0;
    fprintf(e->out, " %.*s=%c", (int)name.length, name.start, *open);
    put_value(e, name, value);
    fputc(*open, e->out);
    return 0;
}

/* ---- elements ---- */

/* The picture itself: as large as there is room. */
static void put_root(const struct embedding *e)
{
    fputs(" class=\"plot\" role=\"img\" aria-label=\"", e->out);
    escape_html(e->label, e->out);
    fputc('"', e->out);
}

static int put_start(const struct embedding *e, const char **at)
{
    struct span name = name_at(*at + 1);
    bool root = equals(name, "svg");
    if (!is_in(name, elements))
        return refuse(e, "the element", name);
    fprintf(e->out, "<%.*s", (int)name.length, name.start);
    if (root)
        put_root(e);
    for (*at = name.start + name.length;;) {
        *at += strspn(*at, " \t\r\n");
        if (**at == '>' || (**at == '/' && (*at)[1] == '>'))
            break;
        struct span attribute = name_at(*at);
        bool left_out = root && (equals(attribute, "width") || equals(attribute, "height"));
        if (put_attribute(e, at, left_out))
            return -1;
    }
    if (**at == '/')
        fputc(*(*at)++, e->out);
    fputc(*(*at)++, e->out);
    return 0;
}

/* Behind the end of an element that is left out. */
static const char *skip_silent(const char *at, struct span name)
{
    char end[16];
    snprintf(end, sizeof end, "</%.*s>", (int)name.length, name.start);
    const char *found = strstr(at, end);
    return found ? found + strlen(end) : NULL;
}

static int put_end(const struct embedding *e, const char **at)
{
    struct span name = name_at(*at + 2);
    if (!is_in(name, elements) || name.start[name.length] != '>')
        return refuse(e, "the element", name);
    fprintf(e->out, "</%.*s>", (int)name.length, name.start);
    *at = name.start + name.length + 1;
    return 0;
}

int svg_embed(const char *svg, const char *prefix, const char *label, FILE *out, struct message *error)
{
    const struct embedding e = {prefix, label, out, error};
    const char *at = strstr(svg, "<svg");
    if (!at)
        return message_set(error, "gnuplot's picture is no SVG");
    while (*at) {
        size_t text = strcspn(at, "<");
        if (at[strspn(at, " \t\r\n")] != '<' || !text) /* not what only indents */
            fwrite(at, 1, text, out);
        at += text;
        if (!*at)
            break;
        struct span name = name_at(at + 1);
        if (is_in(name, silent)) {
            at = skip_silent(at, name);
            if (!at)
                return refuse(&e, "the unfinished element", name);
        } else if (at[1] == '/' ? put_end(&e, &at) : put_start(&e, &at)) {
            return -1;
        }
    }
    return 0;
}
