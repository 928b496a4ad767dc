/* The columns of beff_io's records, logarithmic histograms. */
#include "beff_io/record.h"

#include <math.h>
#include <string.h>

#define COLUMN(kind, name) COLUMN_OF(io_record, kind, name)

static const struct column columns[] = {
    COLUMN(INTEGER, processes),    COLUMN(TEXT, access),        COLUMN(INTEGER, type),
    COLUMN(TEXT, pattern),         COLUMN(INTEGER, chunk_disk), COLUMN(INTEGER, chunk_mem),
    COLUMN(INTEGER, units),        COLUMN(INTEGER, calls),      COLUMN(INTEGER, bytes),
    COLUMN(REAL, t_open),          COLUMN(REAL, t_calls),       COLUMN(REAL, t_vote),
    COLUMN(REAL, t_sync),          COLUMN(REAL, t_close),       COLUMN(REAL, t_total),
    COLUMN(REAL, bandwidth),       COLUMN(INTEGER, errors),     COLUMN(REAL, t_view),
    COLUMN(REAL, t_excluded),      COLUMN(REAL, t_scheduled),   COLUMN(TEXT, ended_by),
    COLUMN(INTEGER, offset),       COLUMN(INTEGER, planned),    COLUMN(REAL, call_median),
    COLUMN(REAL, call_95),         COLUMN(REAL, call_99),       COLUMN(REAL, call_max),
    COLUMN(INTEGER, slowest_rank), COLUMN(TEXT, slowest_node),  COLUMN(REAL, resident),
    COLUMN(REAL, passed),          COLUMN(TEXT, cold)};

const struct record_type io_record_type = {"beff_io", columns, sizeof columns / sizeof columns[0],
                                           sizeof(struct io_record)};

const char *io_record_coldness(double resident, double passed)
{
    return resident >= 0 && resident <= 0.01 ? RECORD_DROPPED : passed > 1 ? RECORD_AMOUNTS : RECORD_WARM;
}

void io_record_add(struct io_record *total, const struct io_record *part)
{
    total->calls += part->calls;
    total->bytes += part->bytes;
    total->units += part->units;
    total->errors += part->errors;
    total->t_open += part->t_open;
    total->t_calls += part->t_calls;
    total->t_vote += part->t_vote;
    total->t_sync += part->t_sync;
    total->t_close += part->t_close;
    total->t_view += part->t_view;
    total->t_total += part->t_total + part->t_view;
    total->t_scheduled += part->t_scheduled;
    total->t_excluded += part->t_excluded;
}

bool io_record_is_total(const struct io_record *record)
{
    return strcmp(record->pattern, RECORD_TOTAL) == 0;
}

/* ---- durations of calls ---- */

void histogram_add(struct histogram *histogram, double seconds)
{
    double bin = HISTOGRAM_PER_OCTAVE * (log2(seconds) - HISTOGRAM_LOW);
    histogram->bin[bin >= HISTOGRAM_BINS ? HISTOGRAM_BINS - 1 : bin > 0 ? (int)bin : 0]++;
}

double histogram_quantile(const struct histogram *histogram, double share)
{
    int64_t count = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        count += histogram->bin[i];
    double rank = share * (double)count, before = 0;
    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        double inside = (double)histogram->bin[i];
        if (inside > 0 && before + inside >= rank)
            return exp2(HISTOGRAM_LOW + (i + (rank - before) / inside) / HISTOGRAM_PER_OCTAVE);
        before += inside;
    }
    return 0;
}
