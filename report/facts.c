/* Compares the metadata of the runs: finds what must not differ, what was changed on purpose, and what else
 * differs. Each key of a run, variable of its environment and MPI-IO hint in force is a fact. All facts are
 * sorted once, so the time is nearly proportional to their number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/results.h"
#include "beff/states.h"
#include "common/environment.h"
#include "common/memory.h"
#include "common/stats.h"
#include "report/sides.h"

#define HINT "hint " /* starts the label of a hint in force */

struct fact {
    char *label, *value;
    size_t run, order;
    unsigned uses; /* bits of enum metadata_use */
};

struct facts {
    struct sides *sides;
    const struct report_settings *settings;
    bool alike; /* see sides_check() */
    struct fact *fact;
    size_t count;
    const char **value; /* value of the current label in each run */
    const char *label;
    bool *odd;            /* runs that differ from the other runs of their side */
    struct texts suggest; /* factors that would explain the differences between the sides */
    bool *seen, *changed; /* for each factor: a run has it; the sides differ in it */
};

/* ---- factors ---- */

/* Facts that are changed by one option or by another factor. */
static const char *const groups[][2] = {{"option_memory", "memory"},
                                        {"memory_source", "memory"},
                                        {"memory_per_process_mib", "memory"},
                                        {"lmax", "memory"},
                                        {"time_s", "time"},
                                        {"hint_asked", "hints"},
                                        {"info", "hints"}};

/* Returns the name by which a fact is given to --factor. */
static const char *factor_of(const char *label)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(groups[i][0], label) == 0)
            return groups[i][1];
    if (strncmp(label, HINT, strlen(HINT)) == 0)
        return "hints";
    return strncmp(label, OPTION_KEY, strlen(OPTION_KEY)) == 0 ? label + strlen(OPTION_KEY) : label;
}

/* Returns true for facts that are no factors: those without which no figures can be compared, and the names
 * of files with hints, whose content counts. */
static bool is_no_factor(const char *label)
{
    static const char *const labels[] = {"program", "definition", "option_hints", "option_info"};
    enum { COUNT = sizeof labels / sizeof labels[0] };
    return text_find(labels, COUNT, label) < COUNT;
}

/* Returns the number of the factor of the settings that a fact belongs to, or -1. The hints in force also
 * belong to mpi, and hints decide which processes move data. */
static int find_factor(const struct report_settings *settings, const char *label)
{
    bool hint = strncmp(label, HINT, strlen(HINT)) == 0, never = is_no_factor(label);
    for (size_t i = 0; i < settings->factors.count && !never; i++) {
        const char *factor = settings->factors.text[i];
        if (strcmp(factor, label) == 0 || strcmp(factor, factor_of(label)) == 0 ||
            (strcmp(factor, "hints") == 0 && strcmp(label, "moved_by") == 0) ||
            (hint && (strcmp(factor, "mpi") == 0 || strcmp(factor, label + strlen(HINT)) == 0)))
            return (int)i;
    }
    return -1;
}

/* ---- collecting ---- */

/* Adds a fact, which owns the texts. */
static void add_fact(struct facts *f, size_t run, unsigned uses, char *label, char *value)
{
    array_grow(&f->fact, f->count, sizeof *f->fact);
    text_squeeze(value);
    f->fact[f->count] = (struct fact){label, value, run, f->count, uses};
    f->count++;
}

/* Adds the hints of a line such as "write scatter, 2 processes: KEY=VALUE KEY=VALUE". */
static void add_hints(struct facts *f, size_t run, unsigned uses, const char *line)
{
    const char *colon = strstr(line, ": ");
    for (const char *at = colon ? colon + 2 : line; *at; at += strspn(at, " ")) {
        int length = (int)strcspn(at, " "), name = (int)strcspn(at, "= ");
        if (name < length)
            add_fact(f, run, uses | METADATA_EXPLAINS, text_format(HINT "%.*s", name, at),
                     text_format("%.*s", length - name - 1, at + name + 1));
        at += length;
    }
}

static void add_facts(struct facts *f, size_t run)
{
    const struct report *report = &f->sides->run[run].report;
    const struct protocol *p = &report->protocol;
    const struct beff_results *results = (const struct beff_results *)(const void *)report->sheet;
    if (p->type == &beff_record_type) /* the run may have measured fewer polygons than it planned */
        add_fact(f, run, METADATA_DEFINES, memory_text("polygons"),
                 text_format("%d", results->reps.polygons));
    for (size_t i = 0; i < p->meta_count; i++) {
        const char *key = p->meta[i].key, *value = p->meta[i].value;
        const struct metadata_row row = metadata_find(p->type->metadata, key);
        if (row.kind == METADATA_LABEL && row.uses & METADATA_EXPLAINS) {
            int length = (int)strcspn(value, "=");
            if (value[length] && !environment_is_launchers(value))
                add_fact(f, run, row.uses, text_format("%.*s", length, value),
                         memory_text(value + length + 1));
        } else if (strcmp(key, "hints_in_force") == 0) {
            add_hints(f, run, row.uses, value);
        } else if (strcmp(key, "moved_by") == 0) { /* a short run lacks accesses, so only the values count */
            const char *colon = strstr(value, ": ");
            add_fact(f, run, row.uses, memory_text(key), memory_text(colon ? colon + 2 : value));
        } else if (row.uses & ~(unsigned)(METADATA_REPEATS | METADATA_REQUIRED) ||
                   find_factor(f->settings, key) >= 0) {
            add_fact(f, run, row.uses, memory_text(key), memory_text(value));
        }
    }
}

static int compare_facts(const void *a, const void *b)
{
    const struct fact *left = a, *right = b;
    int order = strcmp(left->label, right->label);
    return order ? order : (left->order > right->order) - (left->order < right->order);
}

enum { NEAR = 64 }; /* a value is compared with this many values before it, so long lists take no long time */

/* Joins the different values of a key that a run has several times: "automatic, disable". Facts `*at` to
 * `end` - 1 belong to one label. Sets `*at` to the first fact of the next run. */
static void join(struct facts *f, size_t *at, size_t end)
{
    struct fact *first = &f->fact[*at];
    size_t i = *at + 1;
    struct stream stream;
    FILE *out = stream_start(&stream);
    fputs(first->value, out);
    for (; i < end && f->fact[i].run == first->run; i++) {
        bool known = false;
        for (size_t k = i < NEAR + *at ? *at : i - NEAR; k < i && !known; k++)
            known = strcmp(f->fact[k].value, f->fact[i].value) == 0;
        if (!known)
            fprintf(out, ", %s", f->fact[i].value);
    }
    free(first->value);
    f->value[first->run] = first->value = stream_end(&stream);
    *at = i;
}

/* ---- differences ---- */

enum { SHOWN = 60 }; /* maximum bytes of a value in a message */

/* Writes the part of a long value around its first difference to another value. */
static const char *shown(const char *value, const char *other, char text[SHOWN + 8])
{
    size_t same = 0, length = strlen(value);
    while (value[same] && value[same] == other[same])
        same++;
    size_t start = same > SHOWN / 3 && length > SHOWN ? same - SHOWN / 3 : 0;
    while (start && (value[start] & 0xC0) == 0x80) /* inside a character */
        start++;
    size_t kept = length - start > SHOWN ? text_line(value + start, SHOWN) : length - start;
    snprintf(text, SHOWN + 8, "%s%.*s%s", start ? "..." : "", (int)kept, value + start,
             start + kept < length ? "..." : "");
    return text;
}

static const char *name_of(const struct facts *f, size_t run)
{
    return report_name(&f->sides->run[run].report);
}

static void refuse(struct facts *f, size_t run, size_t other)
{
    char one[SHOWN + 8], two[SHOWN + 8];
    const char *a = f->value[run], *b = f->value[other];
    grouped_add(&f->sides->reasons, NULL, "%s differs: %s in %s, %s in %s", f->label, shown(a, b, one),
                name_of(f, run), shown(b, a, two), name_of(f, other));
}

/* Returns the index of the value that is most common, and sets `most` to its number. */
static size_t most_common(const char *const *values, size_t count, size_t *most)
{
    size_t common = 0;
    *most = 0;
    for (size_t i = 0; i < count && 2 * *most <= count; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < count; k++)
            alike += strcmp(values[i], values[k]) == 0;
        if (alike > *most) {
            *most = alike;
            common = i;
        }
    }
    return common;
}

/* Compares the runs of a side. Returns true if the current label has the same value in all of them. */
static bool compare_within(struct facts *f, const struct side *side, bool must)
{
    char one[SHOWN + 8], two[SHOWN + 8];
    size_t other = side->first;
    while (other < side->end && strcmp(f->value[other], f->value[side->first]) == 0)
        other++;
    if (other == side->end)
        return true;
    if (!must) {
        const char *a = f->value[side->first], *b = f->value[other];
        grouped_add(&f->sides->notes, NULL, "%s varies within %s: %s and %s", f->label, side->label,
                    shown(a, b, one), shown(b, a, two));
        return false;
    }
    size_t most, odd = side->end;
    size_t common = side->first + most_common(f->value + side->first, side->end - side->first, &most);
    for (size_t i = side->end; i-- > side->first;)
        if (strcmp(f->value[i], f->value[common]) != 0)
            f->odd[odd = i] = true;
    refuse(f, odd, common);
    return false;
}

/* Adds the differences of the current label between two sides, each of which has one value. Returns true if
 * the sides must not differ in it. */
static bool compare_sides(struct facts *f, const struct side *side, const struct side *other, unsigned uses)
{
    char one[SHOWN + 8], two[SHOWN + 8];
    const char *a = f->value[side->first], *b = f->value[other->first], *before = shown(a, b, one),
               *after = shown(b, a, two);
    int factor = find_factor(f->settings, f->label);
    if (strcmp(a, b) == 0)
        return false;
    if (factor >= 0) {
        f->changed[factor] = true;
        grouped_add(&f->sides->factors, NULL, "%s %s -> %s", f->label, before, after);
    } else if (uses & METADATA_DEFINES || (f->alike && uses & METADATA_SYSTEM)) {
        const char *name = factor_of(f->label);
        refuse(f, side->first, other->first);
        if (!is_no_factor(name))
            texts_add_once(&f->suggest, name);
        return true;
    } else if (f->alike) {
        grouped_add(&f->sides->changes, NULL, "%s %s -> %s", f->label, before, after);
    } else if (uses & METADATA_SYSTEM) {
        grouped_add(&f->sides->notes, f->sides->apart ? other->label : NULL,
                    "%s differs between the sides (%s in %s, %s in %s)", f->label, before, side->label, after,
                    other->label);
    }
    return false;
}

/* Compares each side that has runs with the side whose value most of them have. If that is more than half of
 * the sides, the runs of a side that must not differ are odd. */
static void compare_all_sides(struct facts *f, unsigned uses)
{
    const struct sides *sides = f->sides;
    const struct side **side = memory_new(sides->sides, sizeof *side, "the comparison");
    const char **value = memory_new(sides->sides, sizeof *value, "the comparison");
    size_t most, count = 0;
    for (size_t s = 0; s < sides->sides; s++)
        if (sides->side[s].first < sides->side[s].end) {
            side[count] = &sides->side[s];
            value[count++] = f->value[sides->side[s].first];
        }
    size_t common = most_common(value, count, &most);
    for (size_t s = 0; s < count && most < count; s++)
        if (s != common && compare_sides(f, side[common], side[s], uses) && 2 * most > count)
            for (size_t i = side[s]->first; i < side[s]->end; i++)
                f->odd[i] = true;
    free(side);
    free(value);
}

static void compare_label(struct facts *f, unsigned uses)
{
    struct sides *sides = f->sides;
    int factor = find_factor(f->settings, f->label);
    bool constant = true,
         must = factor >= 0 || uses & (METADATA_DEFINES | METADATA_SYSTEM | METADATA_MACHINE);
    if (factor >= 0)
        f->seen[factor] = true;
    for (size_t s = 0; s < sides->sides && (must || f->alike); s++)
        if (sides->side[s].first < sides->side[s].end)
            constant &= compare_within(f, &sides->side[s], must);
    if (constant && (must || f->alike))
        compare_all_sides(f, uses);
}

/* Compares all labels. Sizes define the measurement only if the memory was given, and the time limit only if
 * a run lacks time. */
static void compare_facts_of_runs(struct facts *f)
{
    const struct protocol *first = &f->sides->run[0].report.protocol;
    bool given = protocol_is(first, "memory_source", "given");
    for (size_t i = 0, end; i < f->count; i = end) {
        unsigned uses = 0;
        f->label = f->fact[i].label;
        const char *absent = metadata_find(first->type->metadata, f->label).absent;
        for (size_t run = 0; run < f->sides->count; run++)
            f->value[run] = absent ? absent : ENVIRONMENT_UNSET;
        for (end = i; end < f->count && strcmp(f->fact[end].label, f->label) == 0; end++)
            uses |= f->fact[end].uses;
        if ((given && uses & METADATA_SIZES) || (f->sides->timed && strcmp(f->label, "time_s") == 0))
            uses |= METADATA_DEFINES;
        for (size_t at = i; at < end;)
            join(f, &at, end);
        compare_label(f, uses);
    }
}

/* ---- the state of the machine ---- */

/* Factor by which the distance of the processors changes if the machine has another state. */
#define OTHER_STATE 1.5

/* Notes each side whose processors are much farther apart than on the first side. Uses the median of a side's
 * runs. */
static void compare_states(struct sides *sides, bool alike)
{
    double first = NAN, *values = memory_new(sides->count, sizeof *values, "the comparison");
    for (size_t s = 0; s < sides->sides; s++) {
        double apart = stats_median(values, sides_values(sides, &sides->side[s], STATES_APART, values));
        first = s ? first : apart;
        if (fmax(first, apart) > OTHER_STATE * fmin(first, apart))
            grouped_add(alike ? &sides->changes : &sides->notes, NULL,
                        "state of the machine: processors %.3g ns apart in %s, %.3g ns in %s", first,
                        sides->side[0].label, apart, sides->side[s].label);
    }
    free(values);
}

/* ---- what to do ---- */

/* Names the runs to remove, unless a side would have no runs, or pairs would be torn apart. */
static void suggest_runs(struct facts *f)
{
    const struct sides *sides = f->sides;
    bool useful = !f->settings->look && !f->settings->looks;
    for (size_t s = 0; s < sides->sides; s++) {
        size_t odd = 0, count = sides->side[s].end - sides->side[s].first;
        for (size_t i = sides->side[s].first; i < sides->side[s].end; i++)
            odd += f->odd[i];
        useful &= !odd || odd < count || sides->apart;
    }
    for (size_t i = 0; i < sides->count && useful; i++)
        if (f->odd[i])
            grouped_add(&f->sides->reasons, name_of(f, i), "odd: remove from the command");
}

static void suggest_factors(struct facts *f)
{
    char names[200] = "";
    for (size_t i = 0; i < f->suggest.count; i++)
        text_append(names, sizeof names, "%s%s", i ? "," : "", f->suggest.text[i]);
    for (size_t i = 0; i < f->settings->factors.count && *names; i++)
        text_append(names, sizeof names, ",%s", f->settings->factors.text[i]);
    if (*names && f->alike)
        grouped_add(&f->sides->reasons, NULL, "if this is what you changed: --factor %s", names);
    for (size_t i = 0; i < f->settings->factors.count; i++)
        if (!f->seen[i])
            grouped_add(&f->sides->reasons, NULL, "--factor %s: no run has a key, an option or a variable %s",
                        f->settings->factors.text[i], f->settings->factors.text[i]);
        else if (!f->changed[i] && !f->sides->reasons.count)
            grouped_add(&f->sides->reasons, NULL, "--factor %s: it is the same on both sides",
                        f->settings->factors.text[i]);
}

void sides_check(struct sides *sides, const struct report_settings *settings, bool alike)
{
    size_t factors = settings->factors.count;
    struct facts f = {.sides = sides,
                      .settings = settings,
                      .alike = alike,
                      .value = memory_new(sides->count, sizeof *f.value, "the comparison"),
                      .odd = memory_new(sides->count, sizeof *f.odd, "the comparison"),
                      .seen = memory_new(factors, sizeof *f.seen, "the comparison"),
                      .changed = memory_new(factors, sizeof *f.changed, "the comparison")};
    bool one_program = true;
    compare_states(sides, alike); /* the first change that is named */
    for (size_t i = 1; i < sides->count; i++)
        one_program &= sides->run[i].report.engine == sides->run[0].report.engine;
    for (size_t i = 0; i < sides->count; i++)
        if (one_program)
            add_facts(&f, i);
        else /* all other keys would differ, too */
            add_fact(&f, i, METADATA_DEFINES, memory_text("program"),
                     memory_text(sides->run[i].report.engine->program));
    if (f.count) {
        qsort(f.fact, f.count, sizeof *f.fact, compare_facts);
        compare_facts_of_runs(&f);
    }
    suggest_runs(&f);
    suggest_factors(&f);
    for (size_t i = 0; i < f.count; i++) {
        free(f.fact[i].label);
        free(f.fact[i].value);
    }
    texts_free(&f.suggest);
    free(f.fact);
    free(f.value);
    free(f.odd);
    free(f.seen);
    free(f.changed);
}
