/* Adds what explains the rating to beff's sheet: noise and slow nodes
 * (docs/diagnostics.md 1). */
#include <math.h>
#include <stdlib.h>

#include "beff/disturbance.h"
#include "beff/loss.h"
#include "beff/states.h"
#include "beff/results.h"
#include "beff/sweep.h"
#include "common/adapters.h"
#include "common/memory.h"
#include "common/stats.h"

/* A record is perturbed if it took more than PERTURBED_FACTOR times as long as the shortest record of its
 * cell (pattern, method, size). Cells with fewer than PERTURBED_REPETITIONS records do not count. */
enum { PERTURBED_REPETITIONS = 3 };
#define PERTURBED_FACTOR 1.5

/* Maximum number of slow nodes that are named one by one. */
enum { NODES_NAMED = 4 };

/* ---- latency and bandwidth ---- */

/* Returns the message size in bytes at which the bandwidth first reaches `wanted`, or NaN. Between two sizes,
 * log b is interpolated linearly over log L. */
static double size_reaching(const int64_t *sizes, const double *bandwidth, double wanted)
{
    int s = 0;
    while (s < BEFF_SIZES && !(bandwidth[s] >= wanted))
        s++;
    if (s == 0 || s == BEFF_SIZES)
        return s ? NAN : (double)sizes[0];
    double low = (double)sizes[s - 1], high = (double)sizes[s];
    return low * pow(high / low, log(wanted / bandwidth[s - 1]) / log(bandwidth[s] / bandwidth[s - 1]));
}

static void add_half_bandwidth(struct beff_results *r)
{
    double bandwidth[BEFF_SIZES], largest = 0;
    for (int s = 0; s < BEFF_SIZES; s++) {
        bandwidth[s] = rating_at_size(&r->rating, &r->reps, METHODS, s);
        largest = fmax(largest, bandwidth[s]); /* fmax ignores the NaN of a size without measurements */
    }
    bool whole = isfinite(r->rating.figures.b_eff);
    sheet_detail(&r->sheet, "half_bandwidth_bytes", "message size at half of the largest bandwidth", "B",
                 whole ? size_reaching(r->list.sizes, bandwidth, largest / 2) : NAN);
    sheet_detail(&r->sheet, "message_balance_bytes", "balance: latency * largest bandwidth per process", "B",
                 whole ? r->rating.figures.latency * largest / (double)r->list.processes : NAN);
}

/* ---- noise ---- */

/* Returns the share of perturbed records; NaN if no cell has enough records. */
static double perturbed_share(const struct beff_results *r)
{
    double records = 0, perturbed = 0;
    double *seconds = memory_new((size_t)r->reps.count, sizeof *seconds, "the times");
    for (size_t cell = 0; cell < r->reps.cells; cell++) {
        size_t n = 0;
        for (int i = 0; i < r->reps.count; i++) {
            const struct beff_record *record = r->reps.all[i].record[cell];
            if (record)
                seconds[n++] = record->t_max / (double)record->loops;
        }
        double shortest = stats_min(seconds, n);
        records += n >= PERTURBED_REPETITIONS ? (double)n : 0;
        for (size_t i = 0; i < n && n >= PERTURBED_REPETITIONS; i++)
            perturbed += seconds[i] > PERTURBED_FACTOR * shortest;
    }
    free(seconds);
    return records > 0 ? perturbed / records : NAN;
}

static void add_noise(struct beff_results *r)
{
    double percent = 100 * perturbed_share(r);
    sheet_detail(&r->sheet, "perturbed_percent", "perturbed records (more than 1.5 times the minimum)", "%",
                 percent);
    const struct figures *f = &r->rating.figures;
    double noise = 100 * (1 - f->medians / f->b_eff);
    sheet_detail(&r->sheet, "noise_percent", "noise: b_eff from medians is lower than b_eff by", "%", noise);
    if (isfinite(noise))
        snprintf(r->sheet.noise, sizeof r->sheet.noise,
                 "noise costs %.1f %%; %.2g %% of the records took over %g times the best", fmax(noise, 0),
                 fmax(percent, 0), PERTURBED_FACTOR);
}

/* ---- nodes ---- */

/* Adds notes about slow nodes and links. They come first, because not all notes fit on the screen. */
static void note_findings(struct beff_results *r)
{
    const struct fabric *f = &r->fabric;
    size_t count;
    for (size_t i = 0; i < f->findings && f->points; i++) {
        if (i < NODES_NAMED)
            texts_add(&r->sheet.notes, "%s", f->finding[i].text);
    }
    if (f->findings > NODES_NAMED)
        texts_add(&r->sheet.notes, "%zu more slow node%s or link%s: beff_report nodes lists them",
                  f->findings - NODES_NAMED, TEXT_S(f->findings - NODES_NAMED),
                  TEXT_S(f->findings - NODES_NAMED));
    const struct adapter_row *rows = protocol_table(r->sheet.protocol, BEFF_ADAPTERS, &count);
    adapters_describe(rows, count, NODES_NAMED, &r->sheet.notes);
    for (size_t i = 0; i < f->notes.count && f->points; i++)
        texts_add(&r->sheet.notes, "%s", f->notes.text[i]);
}

static void add_bisection(struct beff_results *r, const char *name, const char *label, double mb_s,
                          bool detail)
{
    if (mb_s > 0) {
        (detail ? sheet_detail : sheet_value)(&r->sheet, name, label, "MB/s", mb_s);
        sheet_use(&r->sheet, SHEET_RANKED | SHEET_HIGHER);
    }
}

/* The median of the random bisections is what others call effective bisection bandwidth. */
static void add_bisections(struct beff_results *r)
{
    const struct fabric *f = &r->fabric;
    double values[FABRIC_BISECTIONS];
    size_t count = 0;
    for (int i = 0; i < FABRIC_BISECTIONS; i++)
        if (f->bisection[i] > 0)
            values[count++] = f->bisection[i];
    double median = stats_median(values, count);
    stats_sort(values, count);
    add_bisection(r, "bisection_median", "bisection bandwidth per node, median", median, false);
    add_bisection(r, "bisection_min", "  least", count ? values[0] : NAN, true);
    add_bisection(r, "bisection_max", "  largest", count ? values[count - 1] : NAN, true);
    add_bisection(r, "bisection_ordered", "  node i with node i + N/2", f->bisection[FABRIC_BISECTIONS],
                  true);
    if (count)
        texts_add(&r->sheet.notes,
                  "bisection bandwidth: %.0f, %.0f, %.0f MB/s per node (min, median, max of %zu), %.0f %% of "
                  "what a node reaches alone",
                  values[0], median, values[count - 1], count, 100 * median / fabric_alone(f));
}

static void add_nodes(struct beff_results *r)
{
    const struct fabric *f = &r->fabric;
    if (!f->points)
        return;
    add_bisections(r);
    sheet_detail(&r->sheet, "pair_latency_us", "exchange of 8 B between two nodes, median", "microsec",
                 1e6 * f->latency);
    sheet_detail(&r->sheet, "pair_latency_max_us", "  largest", "microsec", 1e6 * f->latency_max);
    if (f->latency_max > 0)
        texts_add(&r->sheet.notes, "exchange of 8 B: median %.3g us, largest %.3g us, between %s and %s",
                  1e6 * f->latency, 1e6 * f->latency_max, f->point[f->latency_pair[0]].host,
                  f->point[f->latency_pair[1]].host);
    if (f->left_out)
        texts_add(&r->sheet.notes, "nodes: no time for %.90s", f->left_out);
}

int beff_add_noise(struct beff_results *r, struct message *error)
{
    const struct protocol *p = r->sheet.protocol;
    if (fabric_read(&r->fabric, p, error) || load_make(&r->load, p, error))
        return -1;
    fabric_judge(&r->fabric);
    disturbance_describe(p, r->sheet.disturbance);
    states_note(p, &r->sheet);
    note_findings(r);
    load_note(&r->load, &r->sheet);
    add_half_bandwidth(r);
    beff_add_between(r);
    loss_add(r);
    add_noise(r);
    add_nodes(r);
    return 0;
}
