#include "beff_io/rating.h"

#include <math.h>
#include <string.h>

/* Share of the time of a read that a server's cache saves: caches are ten times as fast as the disks. */
#define IO_CACHE_GAIN 0.9

static struct io_partition_rating *find(struct io_rating *rating, int64_t processes)
{
    for (int i = 0; i < rating->partitions; i++)
        if (rating->partition[i].processes == processes)
            return &rating->partition[i];
    if (rating->partitions == IO_MAX_PARTITIONS)
        return NULL;
    struct io_partition_rating *p = &rating->partition[rating->partitions++];
    *p = (struct io_partition_rating){.processes = processes};
    for (int a = 0; a < IO_ACCESSES; a++)
        for (int t = 0; t < IO_TYPES; t++)
            p->type[a][t] = NAN;
    return p;
}

static bool ended_by(const struct io_record *r, const char *reason)
{
    return strcmp(r->ended_by, reason) == 0;
}

static void count_end(struct io_rating *rating, const struct io_record *r)
{
    rating->skipped += ended_by(r, "skipped") || (ended_by(r, "space") && r->calls == 0);
    rating->by_bytes += ended_by(r, "bytes");
    rating->by_space += ended_by(r, "space");
    rating->by_repeat += ended_by(r, "repeat");
    rating->by_data += ended_by(r, "data") && r->units > 0;
    rating->measured += r->units > 0 && r->calls > 0;
    rating->brief += r->units > 0 && r->calls > 0 && r->t_total < IO_TRUSTED_SECONDS;
}

/* Returns the bandwidth of a record in MB/s; NaN if it moved no data. */
static double bandwidth(const struct io_record *r)
{
    double found = io_record_bandwidth(r);
    return found > 0 ? found : NAN;
}

static int add(struct io_rating *rating, const struct io_record *r, struct message *error)
{
    enum io_access access = io_access_find(r->access);
    if (access == IO_ACCESSES)
        return message_set(error, "unknown access method \"%s\" in a record of pattern %s", r->access,
                           r->pattern);
    struct io_partition_rating *p = find(rating, r->processes);
    if (!p)
        return message_set(error, "the records contain more than %d partitions", IO_MAX_PARTITIONS);
    if (!io_record_is_total(r)) { /* a run may end before the total of its type */
        rating->errors = protocol_sum(rating->errors, r->errors);
        count_end(rating, r);
        return 0;
    }
    p->type[access][r->type] = bandwidth(r);
    if (access == ACCESS_READ) {
        rating->files[io_record_coldness(r)]++;
        rating->unverified += r->resident < 0 && !r->direct && !r->elsewhere;
    }
    if (access == ACCESS_WRITE)
        rating->file_bytes = protocol_sum(rating->file_bytes, r->bytes);
    return 0;
}

/* Returns the mean bandwidth of the types that are measured with an access method, with type 0 counted twice;
 * NaN if one of these types was not measured. */
static double mean(const double *type, enum io_access access, bool rewrite_all)
{
    double sum = 0, weights = 0;
    for (int t = 0; t < IO_TYPES; t++)
        if (io_runs((enum io_type)t, access, rewrite_all)) {
            double weight = t == TYPE_SCATTER ? 2 : 1;
            sum += weight * type[t];
            weights += weight;
        }
    return sum / weights;
}

static void rate(struct io_partition_rating *p, bool rewrite_all)
{
    for (int a = 0; a < IO_ACCESSES; a++)
        p->access[a] = mean(p->type[a], (enum io_access)a, rewrite_all);
    p->b_eff_io =
        0.25 * p->access[ACCESS_WRITE] + 0.25 * p->access[ACCESS_REWRITE] + 0.5 * p->access[ACCESS_READ];
    double writes = p->type[ACCESS_REWRITE][TYPE_SCATTER];
    for (int t = 0; t < IO_TYPES; t++)
        writes += p->type[ACCESS_WRITE][t];
    p->release_2_1 = sqrt(writes / (IO_TYPES + 1) * p->access[ACCESS_READ]);
}

bool io_is_selection(const struct protocol *protocol)
{
    static const char *const keys[] = {"option_types", "option_patterns", "option_access"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = protocol_get(protocol, keys[i]);
        if (value && *value)
            return true;
    }
    return false;
}

int io_rating_make(struct io_rating *rating, const struct protocol *protocol, struct message *error)
{
    bool rewrite_all = protocol_is(protocol, "option_rewrite", "yes");
    bool selected = io_is_selection(protocol);
    *rating = (struct io_rating){.best = -1, .release_2_1 = NAN};
    for (size_t i = 0; i < protocol->records.count; i++)
        if (add(rating, protocol_at(protocol, i), error))
            return -1;
    for (int i = 0; i < rating->partitions; i++) {
        struct io_partition_rating *p = &rating->partition[i];
        rate(p, rewrite_all);
        if (selected)
            continue;
        rating->release_2_1 = fmax(rating->release_2_1, p->release_2_1); /* fmax() ignores a NaN */
        if (isfinite(p->b_eff_io) &&
            (rating->best < 0 || p->b_eff_io > rating->partition[rating->best].b_eff_io))
            rating->best = i;
    }
    return 0;
}

/* ---- patterns ---- */

/* Returns the record of a pattern; NULL if there is none. */
static const struct io_record *find_pattern(const struct protocol *protocol, int64_t processes,
                                            enum io_access access, int number)
{
    char pattern[COLUMN_WORD_SIZE];
    snprintf(pattern, sizeof pattern, "%d", number);
    for (size_t i = 0; i < protocol->records.count; i++) {
        const struct io_record *r = protocol_at(protocol, i);
        if (r->processes == processes && strcmp(r->access, io_access_names[access]) == 0 &&
            strcmp(r->pattern, pattern) == 0)
            return r;
    }
    return NULL;
}

double io_rating_pattern(const struct protocol *protocol, int64_t processes, enum io_access access,
                         int number)
{
    const struct io_record *r = find_pattern(protocol, processes, access, number);
    return r ? bandwidth(r) : NAN;
}

/* ---- caches of servers ---- */

double io_rating_cache(const struct protocol *protocol, const struct io_partition_rating *rated, double raise)
{
    double written_s = NAN, read_bytes = NAN, between = 0;
    for (size_t i = 0; i < protocol->records.count; i++) {
        const struct io_record *r = protocol_at(protocol, i);
        bool own = r->processes == rated->processes && r->type == TYPE_SCATTER;
        enum io_access access = io_access_find(r->access);
        if (!io_record_is_total(r))
            continue;
        if (own && access == ACCESS_READ)
            read_bytes = (double)r->bytes;
        if (own && access == ACCESS_WRITE)
            written_s = r->t_total;
        if (isnan(read_bytes))
            between = own ? 0 : between + (double)r->bytes;
    }
    double low = 0, high = 1e18, read = rated->type[ACCESS_READ][TYPE_SCATTER];
    for (int i = 0; i < 100; i++) {
        double bytes = (low + high) / 2, hit = fmax(0, bytes - between) / (read_bytes + bytes);
        double writes = bytes / written_s / 1e6,
               reads = read * hit * IO_CACHE_GAIN / (1 - hit * IO_CACHE_GAIN);
        *(0.25 * writes / 3 + 0.5 * reads / 3 > raise * rated->b_eff_io ? &high : &low) = bytes;
    }
    return isfinite(written_s) && isfinite(read_bytes) ? high : NAN;
}

/* ---- the writing rule ---- */

/* Returns true if the repeat factor of the patterns with this `place` comes only from patterns that ended for
 * lack of bytes or space (docs/definition-beff_io-2.md 3). */
static bool is_repeat_limited_by_space(const struct protocol *protocol, const struct io_pattern *patterns,
                                       int64_t processes, int place)
{
    double smallest = INFINITY;
    bool limited = false;
    for (int t = TYPE_SCATTER; t <= TYPE_SEPARATED; t++) {
        const struct io_pattern *other = io_match(patterns, (enum io_type)t, place);
        const struct io_record *r =
            other ? find_pattern(protocol, processes, ACCESS_WRITE, other->number) : NULL;
        if (!r)
            continue;
        double factor = (double)r->calls * (double)io_repeats_per_call(other);
        bool bytes = ended_by(r, "bytes") || ended_by(r, "space");
        limited = factor < smallest ? bytes : factor == smallest ? limited && bytes : limited;
        smallest = fmin(smallest, factor);
    }
    return limited;
}

double io_rating_fulfilled(const struct protocol *protocol, const struct io_pattern *patterns,
                           int64_t processes, double slice)
{
    double fulfilled = 0;
    for (int i = 0; i < IO_PATTERNS; i++) {
        const struct io_record *r = find_pattern(protocol, processes, ACCESS_WRITE, i);
        double scheduled = slice * patterns[i].units;
        if (r && ended_by(r, "repeat") &&
            !is_repeat_limited_by_space(protocol, patterns, processes, patterns[i].place))
            fulfilled += scheduled;
        else if (r && patterns[i].units)
            fulfilled += fmin(r->t_total, scheduled);
    }
    return fulfilled / (slice * IO_UNITS);
}
