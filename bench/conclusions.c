/* Tries the rules of compare, rank, nightly and beff_ab on made-up runs. They use the functions of
 * common/inference.h and the rules of report/sessions.c and report/comparison.c. All values are logarithms
 * until a rule sees them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/inference.h"
#include "common/random.h"
#include "common/stats.h"

enum { MOST = 400, ROWS = 100 };

static struct random_stream stream;
static int experiments;

static double uniform(void)
{
    return ((double)random_below(&stream, 1u << 30) + 0.5) / (double)(1u << 30);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1.0) * uniform());
}

static void begin(uint64_t row)
{
    random_start(&stream, 57, row);
}

static double percent(double count)
{
    return 100 * count / experiments;
}

/* ---- one comparison ---- */

struct sample {
    double value[2][MOST];
    size_t runs, sessions; /* of each side; runs of a session follow each other */
};

/* Draws both sides. `within` and `between` are standard deviations; `change` is added to the second side. */
static void draw(struct sample *s, size_t sessions, size_t each, double within, double between, double change)
{
    s->sessions = sessions;
    s->runs = sessions * each;
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < sessions; k++) {
            double effect = between * normal();
            for (size_t i = 0; i < each; i++)
                s->value[side][k * each + i] = exp(effect + within * normal() + (side ? change : 0));
        }
}

/* The tables of chances of n and m values. */
static const double *chances_of(size_t n, size_t m)
{
    static double *known[101][101];
    if (!known[n][m])
        known[n][m] = interval_chances(n, m);
    return known[n][m];
}

static struct ratio interval(const double *before, size_t n, const double *after, size_t m, double level,
                             double *chance)
{
    size_t count;
    double reached, *ratios = ratios_of_sides(before, n, after, m, &count);
    struct ratio ratio = ratio_make(ratios, count, chances_rank(chances_of(n, m), level, &reached));
    if (chance)
        *chance = ratio_chance(ratios, count, 1, chances_of(n, m));
    free(ratios);
    return ratio;
}

/* Applies compare's rule: medians of sessions if there are enough, otherwise runs with an allowance. */
static struct ratio compare(const struct sample *s, double assumed)
{
    double medians[2][MOST], reached;
    size_t k = s->sessions, each = s->runs / k;
    if (!chances_rank(chances_of(k, k), INTERVAL_LEVEL, &reached))
        return ratio_widen(interval(s->value[0], s->runs, s->value[1], s->runs, INTERVAL_LEVEL, NULL),
                           ratio_allowance(assumed, NORMAL_95, k, k));
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < k; i++)
            medians[side][i] = stats_median(s->value[side] + i * each, each);
    return interval(medians[0], k, medians[1], k, INTERVAL_LEVEL, NULL);
}

static bool decides(struct ratio ratio)
{
    return ratio.low > 1 || ratio.high < 1;
}

static void try_compare(void)
{
    static const struct {
        size_t sessions, each;
    } sides[] = {{1, 6}, {1, 10}, {2, 3}, {4, 3}, {6, 1}};
    printf(
        "compare, no change, runs of a session vary by 1 %%: verdicts \"worse\" or \"better\", in %%\n"
        "  sessions x runs   between sessions 0 %%        1 %%        3 %%   (before: without sessions)\n");
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        printf("  %zu x %-2zu                      ", sides[i].sessions, sides[i].each);
        for (int b = 0; b < 3; b++) {
            int wrong = 0, naive = 0;
            begin(100 + i * 3 + (uint64_t)b);
            for (int e = 0; e < experiments; e++) {
                struct sample s;
                draw(&s, sides[i].sessions, sides[i].each, 0.01, (double[]){0, 0.01, 0.03}[b], 0);
                wrong += decides(compare(&s, 0.03));
                naive += decides(interval(s.value[0], s.runs, s.value[1], s.runs, INTERVAL_LEVEL, NULL));
            }
            printf("%5.1f (%4.1f)", percent(wrong), percent(naive));
        }
        putchar('\n');
    }
}

/* The loss that compare finds in 80 % of the cases. */
static void try_detection(void)
{
    static const size_t sessions[] = {1, 2, 4, 6};
    static const double between[] = {0, 0.01, 0.03};
    printf("compare, a loss that gives the verdict \"worse\" in 80 %% of the cases, runs vary by 1 %%\n"
           "  sessions x runs   between sessions 0 %%    1 %%    3 %%\n");
    for (int i = 0; i < 4; i++) {
        printf("  %zu x 3                      ", sessions[i]);
        for (int b = 0; b < 3; b++) {
            double found = 0, step = 0.16, loss = 0;
            for (; step > 4e-4; step /= 2) { /* bisection with the same random numbers */
                begin(200 + (uint64_t)(i * 3 + b));
                found = 0;
                for (int e = 0; e < experiments; e++) {
                    struct sample s;
                    draw(&s, sessions[i], 3, 0.01, between[b], log(1 - loss - step));
                    found += compare(&s, 0.03).high < 1;
                }
                loss += found < 0.8 * experiments ? step : 0;
            }
            if (loss < 0.3)
                printf(" %6.1f%%", 100 * (loss + step));
            else
                printf("  (none)");
        }
        putchar('\n');
    }
}

/* Two states, a factor of 2 apart, that last `stay` runs in the mean; the sides one after the other in one
 * session, or alternating. */
static void try_states(void)
{
    printf("compare, 6 and 6 runs, a slow state (factor 2) that lasts 5, 10 runs: wrong verdicts, in %%\n");
    for (int alternate = 0; alternate < 2; alternate++) {
        printf("  %-42s", alternate ? "alternating" : "one after the other (before: no allowance)");
        for (int k = 0; k < 2; k++) {
            int wrong = 0, naive = 0;
            begin(300 + (uint64_t)(2 * alternate + k));
            for (int e = 0; e < experiments; e++) {
                struct sample s = {.runs = 6, .sessions = 1};
                bool slow = uniform() < 0.5;
                for (int i = 0; i < 12; i++) {
                    int side = alternate ? (i % 4 == 1 || i % 4 == 2) : i >= 6;
                    s.value[side][alternate ? i / 2 : i % 6] = exp(0.01 * normal() - slow * log(2));
                    slow ^= uniform() < (k ? 0.1 : 0.2);
                }
                wrong += decides(compare(&s, alternate ? 0 : 0.03));
                naive += decides(compare(&s, 0));
            }
            printf(" %5.1f (%4.1f)", percent(wrong), percent(naive));
        }
        putchar('\n');
    }
}

/* ---- rows ---- */

/* Compares rows as compare does. `effect` is common to all rows of a session, `own` differs between its rows;
 * `slow` rows take `factor` times as long. Counts experiments in which an unchanged, and a slow row is named.
 */
static void rows_case(const char *name, size_t runs, double effect, double own, int slow, double factor)
{
    static double value[2][ROWS][64];
    int wrong = 0, found = 0, mean_worse = 0;
    for (int e = 0; e < experiments; e++) {
        double chance[ROWS], mean[2][64], shared[2][64], column[ROWS];
        for (int side = 0; side < 2; side++) {
            double session = effect * normal();
            for (int r = 0; r < ROWS; r++) {
                double row = own * normal() + (side && r < slow ? log(factor) : 0);
                for (size_t i = 0; i < runs; i++)
                    value[side][r][i] = exp(session + row + 0.01 * normal());
            }
            for (size_t i = 0; i < runs; i++) {
                for (int r = 0; r < ROWS; r++)
                    column[r] = value[side][r][i];
                mean[side][i] = stats_logavg(column, ROWS);
                shared[side][i] = stats_median(column, ROWS);
            }
        }
        mean_worse += ratio_widen(interval(mean[0], runs, mean[1], runs, INTERVAL_LEVEL, NULL),
                                  ratio_allowance(0.03, NORMAL_95, 1, 1))
                          .low > 1;
        for (int r = 0; r < ROWS; r++) {
            for (int side = 0; side < 2; side++)
                for (size_t i = 0; i < runs; i++)
                    value[side][r][i] /= shared[side][i];
            interval(value[0][r], runs, value[1][r], runs, INTERVAL_LEVEL, &chance[r]);
        }
        bool marks[ROWS], named = false, right = false;
        size_t selected = chances_correct(chance, ROWS, marks);
        for (int r = 0; r < ROWS && selected; r++) {
            double level = 1 - (1 - INTERVAL_LEVEL) * (double)selected / ROWS;
            bool significant =
                marks[r] && decides(ratio_widen(interval(value[0][r], runs, value[1][r], runs, level, NULL),
                                                ratio_allowance(0.03, NORMAL_95, 1, 1)));
            named |= significant && r >= slow;
            right |= significant && r < slow;
        }
        wrong += named;
        found += right;
    }
    printf("  %-56s %5.1f %6.1f %6.1f\n", name, percent(wrong), percent(found), percent(mean_worse));
}

static void try_rows(void)
{
    printf(
        "compare, 100 rows of imb_compat, one session a side, rows vary by 1 %%: %% of comparisons in which\n"
        "  an unchanged row is named, a slow row is named, the mean of all rows is worse\n");
    begin(400);
    rows_case("no change, sessions differ by 1 %, 8 and 8 runs", 8, 0.01, 0, 0, 1);
    rows_case("no change, each row of a session by another 1 %", 8, 0.01, 0.01, 0, 1);
    rows_case("one row 20 % slower, 8 and 8 runs", 8, 0.01, 0.01, 1, 1.2);
    rows_case("40 rows 30 % slower, 8 and 8 runs", 8, 0.01, 0.01, 40, 1.3);
    rows_case("all rows 15 % slower, 4 and 4 runs", 4, 0.01, 0.01, ROWS, 1.15);
}

/* ---- nightly, acceptance, rank, pairs ---- */

static void try_nightly(void)
{
    static const double between[] = {0.02, 0.03, 0.05};
    enum { NIGHTS = 30, REFERENCE = 8, LAST = 4 };
    printf("nightly, 30 nights of 4 runs, threshold 5 %%: %% with any report (or mail) without a change; "
           "night of\n"
           "  the first report of a loss of 10 %%: median, 90 %%\n");
    for (int b = 0; b < 3; b++) {
        int alarm = 0, mail = 0;
        double *first = calloc((size_t)experiments, sizeof *first);
        for (int loss = 0; loss < 2; loss++) {
            begin(500 + (uint64_t)(2 * b + loss));
            for (int e = 0; e < experiments; e++) {
                double night[REFERENCE + LAST - 1 + NIGHTS];
                bool any = false, sent = false;
                for (int i = 0; i < REFERENCE + LAST - 1 + NIGHTS; i++) {
                    double run[4], effect = between[b] * normal();
                    for (int k = 0; k < 4; k++)
                        run[k] =
                            exp(effect + 0.01 * normal()) * (loss && i >= REFERENCE + LAST - 1 ? 0.9 : 1);
                    night[i] = stats_median(run, 4);
                }
                first[e] = NIGHTS + 1;
                for (int i = NIGHTS; i-- > 0;) {
                    struct ratio r =
                        interval(night, REFERENCE, night + REFERENCE + i, LAST, INTERVAL_LEVEL, NULL);
                    if (r.high < 0.95)
                        first[e] = i + 1;
                    any |= r.high < 0.95;
                    sent |= r.high < 0.95 || (r.low < 0.95 && r.value < 0.95);
                }
                alarm += !loss && any;
                mail += !loss && sent;
            }
        }
        printf("  nights differ by %.0f %%: %5.1f (%5.1f)   night %.0f, %.0f\n", 100 * between[b],
               percent(alarm), percent(mail), stats_median(first, (size_t)experiments),
               stats_quantile(first, (size_t)experiments, 0.9));
        free(first);
    }
}

static void try_acceptance(void)
{
    static const double spread[] = {0.01, 0.02, 0.03, 0.05, 0.07, 0.1};
    printf(
        "acceptance of the machine that was offered: rejected, in %%, by spread of the runs\n"
        "  clause                                            1 %%    2 %%    3 %%    5 %%    7 %%   10 %%\n");
    for (int rule = 0; rule < 4; rule++) {
        printf("  %-46s", (const char *[]){"slowest of six runs at least 95 % (before)",
                                           "median at least 95 %, slowest at least 80 %",
                                           "the same, 3 sessions that differ by as much",
                                           "the same, median at least 90 %"}[rule]);
        for (int i = 0; i < 6; i++) {
            int rejected = 0;
            begin(600 + (uint64_t)(6 * rule + i));
            for (int e = 0; e < experiments; e++) {
                struct sample s;
                draw(&s, 3, 2, spread[i], rule >= 2 ? spread[i] : 0, 0);
                double offered = stats_median(s.value[0], 6), slowest = stats_quantile(s.value[1], 6, 0),
                       median = stats_median(s.value[1], 6);
                rejected += rule ? median < (rule == 3 ? 0.9 : 0.95) * offered || slowest < 0.8 * offered
                                 : slowest < 0.95 * offered;
            }
            printf(" %5.1f ", percent(rejected));
        }
        putchar('\n');
    }
}

/* Draws K sides of six runs in six sessions, and counts experiments in which neighbours are distinguished. */
static void try_rank(void)
{
    static const struct {
        int sides;
        double difference;
    } rows[] = {{2, 0}, {5, 0}, {20, 0}, {2, 2}, {2, 3}};
    printf("rank, six runs of each side: %% in which any neighbours are distinguished (before: intervals "
           "apart)\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int different = 0, apart = 0, n = rows[i].sides;
        begin(700 + i);
        for (int e = 0; e < experiments; e++) {
            double value[20][6], chance[20], sorted[6];
            for (int k = 0; k < n; k++)
                for (int r = 0; r < 6; r++)
                    value[k][r] = exp(0.01 * (normal() + (k ? rows[i].difference : 0)));
            for (int k = 1; k < n; k++) /* by medians, best first */
                for (int j = k; j > 0 && stats_median(value[j], 6) > stats_median(value[j - 1], 6); j--) {
                    memcpy(sorted, value[j], sizeof sorted);
                    memcpy(value[j], value[j - 1], sizeof sorted);
                    memcpy(value[j - 1], sorted, sizeof sorted);
                }
            bool marks[20], gap = false;
            for (int k = 0; k + 1 < n; k++) {
                interval(value[k + 1], 6, value[k], 6, INTERVAL_LEVEL, &chance[k]);
                gap |= stats_quantile(value[k], 6, 0) > stats_quantile(value[k + 1], 6, 1);
            }
            different += chances_holm(chance, (size_t)n - 1, marks) > 0;
            apart += gap;
        }
        printf("  %2d sides, difference of %.0f standard deviations: %5.1f (%4.1f)\n", n, rows[i].difference,
               percent(different), percent(apart));
    }
}

/* beff_ab with threshold 0 and no difference; a disturbance of 10 % hits one run in `period`. */
static void try_pairs(void)
{
    static const double periods[] = {0, 4, 4.02, 8, 12};
    printf("beff_ab, no difference, runs vary by 1 %%: %% of decisions until 158 pairs, all wrong\n"
           "  a job of 10 %% every ... runs      A B B A (before)   a coin for each pair\n");
    for (int p = 0; p < 5; p++) {
        printf("  %-32.4g", periods[p]);
        for (int coin = 0; coin < 2; coin++) {
            int wrong = 0;
            begin(800 + (uint64_t)(2 * p + coin));
            for (int e = 0; e < experiments; e++) {
                double side[2][PAIRS_MAX], start = uniform() * 100;
                size_t made = 0;
                bool decided = false;
                for (int look = 1; look <= PAIRS_LOOKS && !decided; look++) {
                    static double *chances[PAIRS_LOOKS + 1];
                    size_t n = pairs_of_look(look), count;
                    chances[look] = chances[look] ? chances[look] : pairs_chances(n);
                    for (; made < n; made++) {
                        int b_first = coin ? uniform() < 0.5 : made % 2;
                        for (int i = 0; i < 2; i++) {
                            double at = periods[p] > 0 ? fmod(start + 2 * (double)made + i, periods[p]) : 1;
                            side[i ^ b_first][made] =
                                exp(0.01 * normal() - (at < 1 && periods[p] > 0 ? 0.1 : 0));
                        }
                    }
                    double reached, *ratios = ratios_of_pairs(side[0], side[1], n, &count);
                    decided = decides(
                        ratio_make(ratios, count, chances_rank(chances[look], pairs_level(look), &reached)));
                    free(ratios);
                }
                wrong += decided;
            }
            printf(" %15.1f", percent(wrong));
        }
        putchar('\n');
    }
}

static void try_smallest_loss(void)
{
    printf("the loss that compare prints: found in %% of the cases (aim: 80; before: 48)\n");
    for (int i = 0; i < 3; i++) {
        size_t n = (size_t[]){4, 6, 10}[i];
        double *losses = calloc((size_t)experiments, sizeof *losses);
        int found = 0;
        for (int second = 0; second < 2; second++) {
            double loss = second ? stats_median(losses, (size_t)experiments) : 0;
            begin(900 + (uint64_t)(2 * i + second));
            for (int e = 0; e < experiments; e++) {
                struct sample s;
                draw(&s, n, 1, 0.03, 0, log(1 - loss));
                struct ratio r = compare(&s, 0);
                if (!second)
                    losses[e] = ratio_smallest_loss(&r, false);
                found += second && r.high < 1;
            }
        }
        printf("  %2zu and %-2zu sessions %5.1f\n", n, n, percent(found));
        free(losses);
    }
}

int main(int argc, char **argv)
{
    experiments = argc > 1 ? atoi(argv[1]) : 2000;
    try_compare();
    try_detection();
    try_states();
    try_rows();
    try_nightly();
    try_acceptance();
    try_rank();
    try_pairs();
    try_smallest_loss();
    return 0;
}
