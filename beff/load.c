#include "beff/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beff/record.h"
#include "beff/groups.h"
#include "common/memory.h"
#include "common/random.h"
#include "common/stats.h"

/* The first of the streams that roles, order, polygons and groups are drawn from. */
enum { STREAM = 3000000, STREAM_ORDER, STREAM_VICTIMS, STREAM_CONGESTORS = STREAM_VICTIMS + LOAD_BLOCKS };

/* A block takes this many times its length: until all have voted that it is over, and until the congestors
 * have ended. */
#define BLOCK_TIMES 1.12

/* Largest growth of a batch, and most iterations of a batch. */
enum { GROWTH = 8, MAX_ITERATIONS = 1000000 };

const char *const load_victims[] = {
    [LOAD_LATENCY] = "latency", [LOAD_BANDWIDTH] = "bandwidth", [LOAD_ALLREDUCE] = "allreduce", NULL};
const char *const load_congestors[] = {[LOAD_NOTHING] = "nothing",
                                       [LOAD_INCAST] = "incast",
                                       [LOAD_POLYGONS] = "polygons",
                                       [LOAD_ALLTOALL] = "alltoall",
                                       NULL};

const char *const load_roles[] = {[LOAD_ROLE_VICTIM] = "victim", [LOAD_ROLE_CONGESTOR] = "congestor", NULL};

int64_t load_victim_bytes(enum load_victim victim)
{
    return victim == LOAD_BANDWIDTH ? 128 * 1024 : 8;
}

int64_t load_congestor_bytes(enum load_congestor congestor)
{
    static const int64_t bytes[] = {
        [LOAD_INCAST] = 128 * 1024, [LOAD_POLYGONS] = LOAD_LARGEST, [LOAD_ALLTOALL] = 64 * 1024};
    return bytes[congestor];
}

double load_seconds(double block)
{
    return LOAD_COMBINATIONS * LOAD_BLOCKS * block * BLOCK_TIMES;
}

/* ---- roles ---- */

void load_divide(uint64_t seed, size_t count, bool *victim)
{
    struct random_stream random;
    uint32_t *order = memory_new(count, sizeof *order, "the roles");
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    random_start(&random, seed, STREAM);
    random_shuffle(&random, order, count);
    for (size_t i = 0; i < count; i++)
        victim[order[i]] = i < count - count / 2;
    free(order);
}

int load_find_role(const char *text, const char *host, bool *victim, struct message *error)
{
    char role[FABRIC_NAME_SIZE];
    if (groups_check("--load-roles", "victim|congestor", text, error))
        return -1;
    groups_find(text, host, role);
    *victim = strcmp(role, "victim") == 0;
    if (*victim || strcmp(role, "congestor") == 0)
        return 0;
    return message_set(error, "the --load-roles file has no line %.64s victim|congestor", host);
}

/* ---- order and groups ---- */

bool load_possible(enum load_congestor congestor, int64_t congestors, int64_t nodes)
{
    return congestor == LOAD_NOTHING ||
           (congestor == LOAD_INCAST ? nodes >= LOAD_MIN_INCAST : congestors >= 2);
}

void load_order(uint64_t seed, uint32_t order[LOAD_COMBINATIONS * LOAD_BLOCKS])
{
    struct random_stream random;
    for (uint32_t i = 0; i < LOAD_COMBINATIONS * LOAD_BLOCKS; i++)
        order[i] = i;
    random_start(&random, seed, STREAM_ORDER);
    random_shuffle(&random, order, LOAD_COMBINATIONS * LOAD_BLOCKS);
}

void load_polygon(uint64_t seed, bool victims, int block, size_t count, uint32_t own, uint32_t *left,
                  uint32_t *right)
{
    struct random_stream random;
    random_start(&random, seed, (uint64_t)(victims ? STREAM_VICTIMS : STREAM_CONGESTORS) + (uint64_t)block);
    random_neighbours(&random, count, own, left, right);
}

int load_group(uint64_t seed, int block, size_t count, uint32_t own, uint32_t group[LOAD_GROUP])
{
    struct random_stream random;
    uint32_t *order = memory_new(count, sizeof *order, "the groups");
    size_t groups = (count + LOAD_GROUP - 1) / LOAD_GROUP, place = 0, first = 0, size = 0;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    random_start(&random, seed, STREAM_CONGESTORS + (uint64_t)block);
    random_shuffle(&random, order, count);
    while (order[place] != own)
        place++;
    for (size_t g = 0; place >= first + size; g++) {
        first = g * count / groups;
        size = (g + 1) * count / groups - first;
    }
    memcpy(group, order + first, size * sizeof *group);
    free(order);
    return (int)size;
}

/* ---- batches ---- */

void load_pace_start(struct load_pace *pace, double length, long iterations)
{
    *pace = (struct load_pace){.length = length};
    for (int i = 0; i < 4; i++)
        pace->iterations[i] = iterations > 0 ? iterations : 1;
}

struct load_vote load_pace_vote(struct load_pace *pace, double elapsed)
{
    struct load_vote vote = {elapsed >= pace->length, elapsed - pace->elapsed};
    pace->elapsed = elapsed;
    return vote;
}

long load_pace_next(struct load_pace *pace, const struct load_vote *agreed)
{
    int n = pace->batch++;
    if (agreed && agreed->over > 0)
        return 0;
    if (n < 3)
        return pace->iterations[n];
    /* The vote two batches before has the duration of the batch three batches before. */
    double before = (double)pace->iterations[(n - 3) % 4], target = pace->length / LOAD_BATCHES;
    double wanted = agreed->seconds > 0 ? before * target / agreed->seconds : before * GROWTH;
    wanted = fmin(fmin(wanted, before * GROWTH), MAX_ITERATIONS);
    return pace->iterations[n % 4] = wanted > 1 ? (long)wanted : 1;
}

/* ---- results ---- */

double load_pool_p999(struct load_pool *pool, const struct histogram *block, int64_t iterations)
{
    histogram_merge(&pool->durations, block);
    pool->iterations += iterations;
    return pool->iterations < LOAD_MANY ? NAN : histogram_quantile(&pool->durations, 0.999);
}

static int add_block(struct load *load, const struct load_block *block, struct message *error)
{
    const double values[LOAD_VALUES] = {block->mean, block->p50, block->p99, block->p999, block->max};
    int number = (int)block->victim * LOAD_CONGESTORS + (int)block->congestor;
    struct load_combination *l = &load->combination[number];
    if (l->blocks == LOAD_BLOCKS)
        return message_set(error, "load_block has more than %d blocks of %s with %s", LOAD_BLOCKS,
                           load_victims[block->victim], load_congestors[block->congestor]);
    load->errors = protocol_sum(load->errors, block->errors);
    load->measured = true;
    l->exchanges = protocol_sum(l->exchanges, block->exchanges);
    l->iterations =
        l->iterations < 0 || block->iterations < 0 ? -1 : protocol_sum(l->iterations, block->iterations);
    l->middle[LOAD_P999] = block->p999;
    l->middle[LOAD_MAX] = fmax(l->blocks ? l->middle[LOAD_MAX] : NAN, block->max);
    for (int i = 0; i < LOAD_VALUES; i++)
        load->seconds[number][i][l->blocks] = values[i];
    l->blocks++;
    return 0;
}

/* Copies the known values of all blocks of a combination. Returns their number. */
static size_t values_of(const struct load *load, int number, enum load_value value,
                        double values[LOAD_BLOCKS])
{
    size_t count = 0;
    for (int i = 0; i < load->combination[number].blocks; i++)
        if (!isnan(load->seconds[number][value][i]))
            values[count++] = load->seconds[number][value][i];
    return count;
}

/* Returns the ratio of a value of a combination, loaded to alone. `chance` becomes the chance of such values
 * if the load had no effect. */
static struct ratio compare(const struct load *load, int number, enum load_value value, double *chance)
{
    double before[LOAD_BLOCKS], after[LOAD_BLOCKS], level;
    size_t n = values_of(load, number - number % LOAD_CONGESTORS, value, before);
    size_t m = values_of(load, number, value, after), count;
    double *chances = interval_chances(n, m), *ratios = ratios_of_sides(before, n, after, m, &count);
    struct ratio ratio = ratio_make(ratios, count, chances_rank(chances, INTERVAL_LEVEL, &level));
    *chance = chances ? ratio_chance(ratios, count, 1, chances) : 1;
    free(chances);
    free(ratios);
    return ratio;
}

/* Computes the ratios, and finds the largest slowdown that is significant. */
static void compare_all(struct load *load)
{
    double chance[LOAD_COMBINATIONS], ignored;
    bool significant[LOAD_COMBINATIONS];
    const struct ratio none = {NAN, NAN, NAN};
    size_t count = 0;
    for (int i = 0; i < LOAD_COMBINATIONS; i++) {
        struct load_combination *l = &load->combination[i];
        l->mean = i % LOAD_CONGESTORS ? compare(load, i, LOAD_MEAN, &chance[count++]) : none;
        l->p99 = i % LOAD_CONGESTORS ? compare(load, i, LOAD_P99, &ignored) : none;
        load->most = fmax(load->most, l->mean.high); /* fmax ignores NaN */
    }
    chances_correct(chance, count, significant);
    for (int i = 0, k = 0; i < LOAD_COMBINATIONS; i++) {
        double value = load->combination[i].mean.value;
        if (i % LOAD_CONGESTORS && significant[k++] && value > 1 &&
            (load->worst < 0 || value > load->combination[load->worst].mean.value))
            load->worst = i;
    }
}

int load_make(struct load *load, const struct protocol *protocol, struct message *error)
{
    size_t count;
    const struct load_block *block = protocol_table(protocol, BEFF_LOAD_BLOCKS, &count);
    *load = (struct load){
        .worst = -1, .most = NAN, .processes = protocol_is(protocol, "option_load-processes", "yes")};
    for (size_t i = 0; i < count; i++)
        if (add_block(load, &block[i], error))
            return -1;
    for (int i = 0; i < LOAD_COMBINATIONS; i++) {
        struct load_combination *l = &load->combination[i];
        double values[LOAD_BLOCKS];
        l->victim = load_victims[i / LOAD_CONGESTORS];
        l->congestor = load_congestors[i % LOAD_CONGESTORS];
        for (int k = 0; k < LOAD_VALUES && (k < LOAD_P999 || !l->blocks); k++)
            l->middle[k] = stats_median(values, values_of(load, i, (enum load_value)k, values));
    }
    compare_all(load);
    return 0;
}

/* ---- sheet ---- */

/* The words of the activities on the sheet. */
static const char *const victim_words[] = {[LOAD_LATENCY] = "polygons of 8 B",
                                           [LOAD_BANDWIDTH] = "polygons of 128 KiB",
                                           [LOAD_ALLREDUCE] = "Allreduce of 8 B"};
static const char *const congestor_words[] = {[LOAD_NOTHING] = "nothing",
                                              [LOAD_INCAST] = "incast of 128 KiB",
                                              [LOAD_POLYGONS] = "polygons of 1 MiB",
                                              [LOAD_ALLTOALL] = "all-to-all of 64 KiB"};

#define AT(member) offsetof(struct load_combination, member)

static const struct column columns[] = {{"victim", "", COLUMN_TEXT, 0, AT(victim)},
                                        {"congestor", "", COLUMN_TEXT, 0, AT(congestor)},
                                        {"blocks", "", COLUMN_INTEGER, 0, AT(blocks)},
                                        {"iterations", "", COLUMN_INTEGER, 0, AT(iterations)},
                                        {"exchanges", "", COLUMN_INTEGER, 0, AT(exchanges)},
                                        {"mean", "microsec", COLUMN_REAL, 2, AT(middle[LOAD_MEAN]), 1e6},
                                        {"p50", "microsec", COLUMN_REAL, 2, AT(middle[LOAD_P50]), 1e6},
                                        {"p99", "microsec", COLUMN_REAL, 2, AT(middle[LOAD_P99]), 1e6},
                                        {"p99.9", "microsec", COLUMN_REAL, 2, AT(middle[LOAD_P999]), 1e6},
                                        {"max", "microsec", COLUMN_REAL, 2, AT(middle[LOAD_MAX]), 1e6},
                                        {"impact", "", COLUMN_REAL, 3, AT(mean.value)},
                                        {"low", "", COLUMN_REAL, 3, AT(mean.low)},
                                        {"high", "", COLUMN_REAL, 3, AT(mean.high)},
                                        {"impact_p99", "", COLUMN_REAL, 3, AT(p99.value)},
                                        {"low_p99", "", COLUMN_REAL, 3, AT(p99.low)},
                                        {"high_p99", "", COLUMN_REAL, 3, AT(p99.high)}};

void load_note(const struct load *load, struct sheet *sheet)
{
    if (!load->measured)
        return;
    const struct load_combination *l = &load->combination[load->worst < 0 ? 0 : load->worst];
    if (load->worst >= 0)
        texts_add(&sheet->notes, "under load: %s take %.3g times as long (%.3g to %.3g) with %s",
                  victim_words[load->worst / LOAD_CONGESTORS], l->mean.value, l->mean.low, l->mean.high,
                  congestor_words[load->worst % LOAD_CONGESTORS]);
    else if (!isnan(load->most))
        texts_add(&sheet->notes, "under load: no impact measurable (at most %.3g)", load->most);
    else
        texts_add(&sheet->notes, "under load: too few blocks for an interval");
    if (protocol_get(sheet->protocol, "buffers"))
        texts_add(&sheet->notes,
                  "under load: MPI_Allreduce uses system memory, the other messages GPU memory");
    if (load->processes)
        texts_add(&sheet->notes, "under load: processes were divided instead of nodes, so they share memory "
                                 "and processors; idle congestors wait by polling");
}

void load_add(struct load *load, struct sheet *sheet)
{
    if (!load->measured)
        return;
    for (int i = 0; i < LOAD_COMBINATIONS; i++) {
        struct load_combination *l = &load->combination[i];
        const double values[] = {l->mean.value, l->p99.value};
        for (int k = 0; k < 2 && i % LOAD_CONGESTORS && l->blocks; k++) {
            snprintf(l->name[k], sizeof l->name[k], "impact_%s_%s%s", l->victim, l->congestor,
                     k ? "_p99" : "");
            snprintf(l->label[k], sizeof l->label[k], "%s of %s with %s", k ? "p99" : "mean time",
                     victim_words[i / LOAD_CONGESTORS], congestor_words[i % LOAD_CONGESTORS]);
            sheet_detail(sheet, l->name[k], l->label[k], "times", values[k]);
            sheet_use(sheet, SHEET_LOWER);
        }
    }
    double largest = load->worst >= 0 ? load->combination[load->worst].mean.low : isnan(load->most) ? NAN : 1;
    sheet_detail(sheet, "impact_largest", "largest significant impact, lower end (1: none)", "times",
                 largest);
    sheet_use(sheet, SHEET_RANKED | SHEET_LOWER);
    const struct table table = {.name = "load",
                                .title = "Exchanges under load: medians over the blocks (p99.9, max: of all "
                                         "iterations), and impact: loaded / alone",
                                TABLE_COLUMNS(columns),
                                TABLE_ROWS(load->combination, LOAD_COMBINATIONS)};
    sheet_table(sheet, &table, load);
}
