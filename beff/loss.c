#include "beff/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* ---- the pair ---- */

static int compare_exchanges(const void *a, const void *b)
{
    double x = (*(const struct fabric_exchange *const *)a)->seconds,
           y = (*(const struct fabric_exchange *const *)b)->seconds;
    return (x > y) - (x < y);
}

bool loss_pair(const struct fabric *f, int32_t pair[2])
{
    const struct fabric_exchange **quiet = memory_new(f->exchanges, sizeof(void *), "the exchanges");
    size_t count = 0;
    for (const struct fabric_exchange *x = f->exchange; x < f->exchange + f->exchanges; x++)
        if (x->stage == FABRIC_QUIET && x->bytes > FABRIC_SMALL && f->point[x->a].node != f->point[x->b].node)
            quiet[count++] = x;
    qsort(quiet, count, sizeof(void *), compare_exchanges);
    for (int i = 0; i < 2 && count; i++)
        pair[i] = (int32_t)(i ? quiet[count / 2]->b : quiet[count / 2]->a);
    free(quiet);
    return count > 0;
}

/* ---- the figures ---- */

/* Returns the seconds of one iteration in which each process of a pair sends `sends` messages alone. */
static double iteration(const struct beff_results *r, const char *place, int sends, int method, int size)
{
    char id[PATTERN_ID_SIZE];
    snprintf(id, sizeof id, "%s-%d", place, sends);
    int p = pattern_find(&r->list, id);
    return p < 0 ? NAN
                 : (double)r->list.patterns[p].messages * (double)r->list.sizes[size] / 1e6 /
                       rating_cell(&r->rating, p, (enum method)method, size);
}

/* Returns the seconds of one iteration of a process that sends a share of its messages to other nodes. */
static double process(const struct beff_results *r, double share, int sends, int method, int size)
{
    return (share > 0 ? share * iteration(r, "alone", sends, method, size) : 0) +
           (share < 1 ? (1 - share) * iteration(r, "inside", sends, method, size) : 0);
}

/* Returns MB/s of a rated pattern at one size if no message meets another one or, with `node`, only messages
 * of the same node. The slowest process has the most messages that leave its node, or the most that stay. */
static double without_contention(const struct beff_results *r, int pattern, int size, bool node)
{
    const struct pattern *p = &r->list.patterns[pattern];
    struct leaving leaving = beff_leaving(r->sheet.protocol, p->id);
    int sends = pattern_sends(p);
    double share[] = {leaving.most / sends, 1 - leaving.inside / sends};
    if (isnan(share[0])) /* one node, or run.prot lacks the columns: the mean counts */
        share[0] = share[1] = isnan(leaving.sum) ? 0 : leaving.sum / (double)p->messages;
    double mb = (double)r->list.sizes[size] / 1e6, best = NAN;
    for (int m = 0; m < METHODS; m++) {
        double most = process(r, share[0], sends, m, size), least = process(r, share[1], sends, m, size);
        double seconds = isnan(most) || most > least ? most : least;
        if (node && !isnan(seconds))
            seconds = fmax(seconds, leaving.busiest * fmax(mb / r->loss.mb_s, 1 / r->loss.messages));
        best = fmax(best, (double)p->messages * mb / seconds); /* fmax ignores a NaN */
    }
    return best;
}

/* Computes one level: b_eff as section 6 of the definition computes it, and its value at each size. */
static double add_level(const struct beff_results *r, bool node, double at_size[BEFF_SIZES])
{
    double mean[PATTERN_MAX] = {0}, values[PATTERN_MAX];
    for (int s = 0; s < BEFF_SIZES; s++) {
        for (int p = 0; p < r->list.count; p++) {
            values[p] =
                repetitions_rate(&r->reps, &r->list.patterns[p]) ? without_contention(r, p, s, node) : NAN;
            mean[p] += values[p] / BEFF_SIZES;
        }
        at_size[s] = repetitions_average(&r->reps, values);
    }
    return repetitions_average(&r->reps, mean);
}

struct loss_row {
    int64_t bytes;
    double link, alone, node, all, reached;
};

static const struct column columns[] = {
    {"bytes", "B", COLUMN_INTEGER, 0, offsetof(struct loss_row, bytes), .role = COLUMN_SIZE},
    {"link", "MB/s", COLUMN_REAL, 3, offsetof(struct loss_row, link)},
    {"alone", "MB/s", COLUMN_REAL, 3, offsetof(struct loss_row, alone), .role = COLUMN_HIGHER},
    {"node", "MB/s", COLUMN_REAL, 3, offsetof(struct loss_row, node)},
    {"all", "MB/s", COLUMN_REAL, 3, offsetof(struct loss_row, all)},
    {"reached", "%", COLUMN_REAL, 1, offsetof(struct loss_row, reached)}};

static void fill(const struct table *table, int s, void *cells)
{
    const struct beff_results *r = table->context;
    TABLE_FITS(struct loss_row);
    double processes = (double)r->list.processes, all = rating_at_size(&r->rating, &r->reps, METHODS, s);
    *(struct loss_row *)cells = (struct loss_row){r->list.sizes[s],
                                                  r->loss.link > 0 ? r->loss.link : NAN,
                                                  r->loss.alone[s] / processes,
                                                  r->loss.node[s] / processes,
                                                  all / processes,
                                                  100 * all / r->loss.node[s]};
}

/* Adds the line "in MB/s for each process, of 12500 per node: one pair at Lmax 11797 (94 %), ...". */
static void add_line(struct beff_results *r, const char *contention, double pair, double alone_mb_s,
                     double node, double all)
{
    const struct {
        const char *name;
        double mb_s;
    } levels[] = {{"one pair at Lmax", pair},
                  {"averaged over the sizes", alone_mb_s},
                  {"all processes of a node", node < alone_mb_s ? node : NAN},
                  {"all at once", all}};
    char line[400] = "in MB/s for each process";
    double whole = r->loss.link > 0 ? r->loss.link : pair;
    if (r->loss.link > 0)
        text_append(line, sizeof line, ", of %.0f per node", whole);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (isfinite(levels[i].mb_s))
            text_append(line, sizeof line, "%s%s %.*f (%.0f %%)", i ? ", " : ": ", levels[i].name,
                        levels[i].mb_s < 10, levels[i].mb_s, 100 * levels[i].mb_s / whole);
    texts_add(&r->sheet.notes, "%s: %s costs %.0f %%", line, contention, fmax(100 * (1 - all / node), 0));
}

void loss_add(struct beff_results *r)
{
    const char *left_out = protocol_get(r->sheet.protocol, "alone_left_out");
    struct loss *loss = &r->loss;
    double processes = (double)r->list.processes, b_eff = r->rating.figures.b_eff;
    bool shared = r->nodes > 1 && r->list.processes > r->nodes;
    const char *lost = r->nodes == 1 ? "  lost to contention in the node"
                       : shared      ? "  lost to contention in nodes and network"
                                     : "  lost to contention in the network";
    for (int i = 0; i < r->injections; i++) {
        loss->mb_s = fmax(loss->mb_s, r->injection[i].mb_s);
        loss->messages = fmax(loss->messages, r->injection[i].messages);
    }
    double quiet = add_level(r, false, loss->alone);
    double node = add_level(r, shared && loss->mb_s > 0 && loss->messages > 0, loss->node);
    if (left_out)
        texts_add(&r->sheet.notes, "b_eff without contention: not measured, %.40s", left_out);
    if (isnan(b_eff) || isnan(quiet))
        return;
    int sends = pattern_sends(&r->list.patterns[BEFF_RING_PATTERNS]);
    double seconds = INFINITY;
    for (int m = 0; m < METHODS; m++)
        seconds = fmin(seconds, iteration(r, r->nodes > 1 ? "alone" : "inside", sends, m, BEFF_SIZES - 1));
    sheet_detail(&r->sheet, "b_eff_alone", "b_eff if no message met another one", "MB/s", quiet);
    sheet_use(&r->sheet, SHEET_HIGHER);
    sheet_detail(&r->sheet, "contention_share", lost, "%", 100 * (1 - b_eff / node));
    sheet_use(&r->sheet, SHEET_LOWER);
    add_line(r, strstr(lost, "contention"), sends * (double)r->list.sizes[BEFF_SIZES - 1] / seconds / 1e6,
             quiet / processes, node / processes, b_eff / processes);
}

void loss_add_table(struct beff_results *r)
{
    if (isfinite(r->loss.alone[0]) && isfinite(r->rating.figures.b_eff))
        sheet_table(&r->sheet,
                    &(struct table){"by_loss",
                                    "By message size, without and with contention: MB/s for each process",
                                    TABLE_COLUMNS(columns), .rows = BEFF_SIZES, .fill = fill},
                    r);
}
