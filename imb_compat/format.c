#include "imb_compat/format.h"

#include <stddef.h>
#include <string.h>

#include "imb_compat/partners.h"

#define RELEASE_30 "3.0"

enum { WIDTH = 13, RANKS_IN_LINE = 16, RANKS_MAX = 1024 };
/* Widths of the header's labels and lengths of its rules, in the current release and in release 3.0. */
enum { LABEL = 22, LABEL_30 = 11, HEADER = 65, HEADER_30 = 52 };

/* ---- columns ---- */

struct text_column {
    struct column column;
    const char *heading_30; /* heading in release 3.0's tables for files; NULL: the column's name */
};

#define COLUMN(id, heading, heading_30, kind, member, digits, factor)                                        \
    static const struct text_column id = {                                                                   \
        {heading, "", COLUMN_##kind, digits, offsetof(struct imb_record, member), factor}, heading_30}
COLUMN(group, "Group", NULL, INTEGER, group, 0, 1);
COLUMN(bytes, "#bytes", NULL, INTEGER, bytes, 0, 1);
COLUMN(repetitions, "#repetitions", NULL, INTEGER, repetitions, 0, 1);
COLUMN(t, "t[usec]", NULL, REAL, t_max, 2, 1e6);
COLUMN(t_mean, "t[usec]", NULL, REAL, t_avg, 2, 1e6);
COLUMN(t_min, "t_min[usec]", NULL, REAL, t_min, 2, 1e6);
COLUMN(t_max, "t_max[usec]", "t_max", REAL, t_max, 2, 1e6);
COLUMN(t_avg, "t_avg[usec]", "t_avg", REAL, t_avg, 2, 1e6);
COLUMN(mbytes, "Mbytes/sec", "Mb/sec", REAL, bandwidth, 2, 1);
COLUMN(messages, "Msg/sec", NULL, REAL, msg_rate, 0, 1);
COLUMN(t_ovrl, "t_ovrl[usec]", NULL, REAL, t_max, 2, 1e6);
COLUMN(t_pure, "t_pure[usec]", NULL, REAL, t_pure, 2, 1e6);
COLUMN(t_cpu, "t_CPU[usec]", NULL, REAL, t_cpu, 2, 1e6);
COLUMN(overlap, "overlap[%]", NULL, REAL, overlap, 2, 1);
COLUMN(defects, "defects", NULL, INTEGER, errors, 2, 1);

/* The columns that follow the number of repetitions. */
static const struct text_column *const sets[][5] = {
    [IMB_COLUMNS_TIME] = {&t, &mbytes},
    [IMB_COLUMNS_TIMES_RATE] = {&t_min, &t_max, &t_avg, &mbytes},
    [IMB_COLUMNS_TIMES] = {&t_min, &t_max, &t_avg},
    [IMB_COLUMNS_MESSAGES] = {&mbytes, &messages},
    [IMB_COLUMNS_OVERLAP] = {&t_ovrl, &t_pure, &t_cpu, &overlap},
    [IMB_COLUMNS_PASSIVE] = {&t_pure, &t_ovrl},
    [IMB_COLUMNS_MEAN] = {&t_mean, &mbytes, &messages},
    [IMB_COLUMNS_BAND] = {&t_avg, &mbytes, &messages},
};

enum { COLUMNS_MAX = 8 };

static int columns_of(const struct imb_table *table, const struct text_column *columns[COLUMNS_MAX])
{
    enum imb_columns set = table->benchmark->columns;
    bool sized = table->benchmark->class != IMB_CLASS_UNSIZED;
    int count = 0;
    if (set == IMB_COLUMNS_TIME && table->settings->multi == 0 &&
        table->benchmark->class != IMB_CLASS_ONE_TO_ALL)
        set = IMB_COLUMNS_TIMES_RATE;
    if (table->settings->multi > 0)
        columns[count++] = &group;
    if (sized)
        columns[count++] = &bytes;
    columns[count++] = &repetitions;
    for (const struct text_column *const *c = sets[set]; *c; c++)
        columns[count++] = *c;
    if (table->settings->check && sized && !(table->benchmark->flags & IMB_NO_DEFECTS))
        columns[count++] = &defects;
    return count;
}

/* ---- header ---- */

static void put_rule(int length, FILE *out)
{
    fputc('#', out);
    for (int i = 1; i < length; i++)
        fputc('-', out);
    fputc('\n', out);
}

static void put_title(enum imb_component component, bool is_30, FILE *out)
{
    const struct imb_component_row *c = &imb_components[component];
    const int rule = is_30 ? HEADER_30 : c->rule ? c->rule : HEADER;
    put_rule(rule, out);
    fprintf(out, "#    %s, %s\n",
            is_30 ? "Intel (R) MPI Benchmark Suite V" RELEASE_30 : "Intel(R) MPI Benchmarks " IMB_RELEASE,
            c->part);
    put_rule(rule, out);
}

static void put_name(const struct imb_benchmark *benchmark, FILE *out)
{
    fprintf(out, "# %s\n", benchmark->name);
    for (const char *const *line = benchmark->lines; line && *line; line++)
        fprintf(out, "#     %s\n", *line);
}

void imb_put_list(enum imb_component component, FILE *out)
{
    if (component != IMB_P2P) {
        fprintf(out, "Intel(R) MPI Benchmarks " IMB_RELEASE "\nList of benchmarks:\nIMB-%s:\n",
                imb_component_name(component));
        imb_selection_list(component, out);
        return;
    }
    put_title(component, false, out);
    fputs("# List of Benchmarks to run:\n#\n", out);
    for (size_t i = 0; i < imb_benchmark_count; i++)
        if (imb_benchmarks[i].component == component)
            put_name(&imb_benchmarks[i], out);
    fputs("#\n", out);
}

static void put_system(const struct imb_header *h, int width, FILE *out)
{
    fprintf(out, "# %-*s: %s\n", width, "Date", h->date);
    fprintf(out, "# %-*s: %s\n", width, "Machine", h->system->machine);
    fprintf(out, "# %-*s: %s\n", width, "System", h->system->sysname);
    fprintf(out, "# %-*s: %s\n", width, "Release", h->system->release);
    fprintf(out, "# %-*s: %s\n", width, "Version", h->system->version);
    fprintf(out, "# %-*s: %d.%d\n", width, "MPI Version", h->mpi_version, h->mpi_subversion);
    fprintf(out, "# %-*s: %s\n", width, "MPI Thread Environment", h->thread_level);
}

static void put_range(const char *what, int64_t min, int64_t max, FILE *out)
{
    fprintf(out, "# Minimum %s in bytes:   %lld\n# Maximum %s in bytes:   %lld\n", what, (long long)min, what,
            (long long)max);
}

static void put_usual_header(const struct imb_header *h, FILE *out)
{
    const struct imb_settings *s = h->settings;
    const struct imb_component_row *c = &imb_components[s->component];
    const bool is_30 = s->compat == IMB_30, files = s->component == IMB_IO;
    const char *space = c->trailing_spaces ? " " : "", *ends = c->space_after_op ? " " : space;
    put_system(h, is_30 ? LABEL_30 : LABEL, out);
    if (!is_30)
        fprintf(out, "\n\n# Calling sequence was: \n\n# %s%s\n", h->command, space);
    fputc('\n', out);
    if (h->listed->listed && !is_30)
        fprintf(out, "# %s lengths were user defined\n", files ? "IO" : "Message");
    else
        put_range(files ? "io portion" : "message length", s->zero_size ? 0 : INT64_C(1) << s->min_log,
                  INT64_C(1) << s->max_log, out);
    if (files)
        fputs("#\n#\n#\n", out);
    else
        fprintf(out,
                "#\n# MPI_Datatype                   :   %s \n# MPI_Datatype for reductions    :   %s%s\n"
                "# MPI_Op                         :   MPI_SUM  \n#%s\n#%s\n",
                imb_types[s->data_type].label, imb_types[s->red_data_type].label,
                c->space_after_red ? " " : "", ends, ends);
    fputs("\n# List of Benchmarks to run:\n\n", out);
    for (size_t i = 0; i < h->selection->count; i++)
        put_name(h->selection->benchmarks[i], out);
}

static void put_p2p_header(const struct imb_header *h, FILE *out)
{
    int64_t min = INT64_MAX, max = 0;
    for (int i = 0; i < h->listed->count; i++) {
        min = h->listed->bytes[i] < min ? h->listed->bytes[i] : min;
        max = h->listed->bytes[i] > max ? h->listed->bytes[i] : max;
    }
    put_system(h, LABEL, out);
    fprintf(out, "#\n# Calling sequence was:\n#\n# %s\n#\n# List of Benchmarks to run:\n#\n", h->command);
    for (size_t i = 0; i < h->selection->count; i++)
        put_name(h->selection->benchmarks[i], out);
    fputs("#\n", out);
    put_range("message length", min, max, out);
    fputs("#\n", out);
}

void imb_put_header(const struct imb_header *h, FILE *out)
{
    const struct imb_settings *s = h->settings;
    const bool is_30 = s->compat == IMB_30, threads = s->component == IMB_MT;
    if (threads && s->no_header)
        return;
    put_title(s->component, is_30, out);
    if (threads)
        fputs("#\n", out);
    fprintf(out, "# imb_compat %s (beff), compatible with IMB %s\n", h->version,
            is_30 ? RELEASE_30 : IMB_RELEASE);
    if (threads) /* IMB-MT's header has neither date nor command */
        fprintf(out, IMB_NOTE IMB_NOTE, h->date, h->command);
    else if (s->component == IMB_P2P)
        put_p2p_header(h, out);
    else
        put_usual_header(h, out);
    fflush(out);
}

/* ---- table headings ---- */

/* Writes the ranks of one group. Omits the middle of a very large group. */
static void put_ranks(const struct imb_groups *g, int group, FILE *out)
{
    for (int i = 0, shown = 0; i < g->size; i++, shown++) {
        if (g->size > RANKS_MAX && shown == RANKS_MAX / 2) {
            fputs("\n#  . . .", out);
            i = g->size - RANKS_MAX / 2;
        }
        if (shown && shown % RANKS_IN_LINE == 0)
            fputs("\n# ", out);
        fprintf(out, " %4d", imb_groups_rank(g, group, i));
    }
    fputs("\n# \n", out);
}

static void put_processes(const struct imb_groups *g, FILE *out)
{
    if (g->count > 1) {
        fprintf(out, "# ( %d groups of %d processes each running simultaneous ) \n", g->count, g->size);
        for (int i = 0; i < g->count; i++) {
            if (g->count > RANKS_MAX && i == RANKS_MAX / 2) {
                fputs("#  . . .\n", out);
                i = g->count - RANKS_MAX / 2;
            }
            fprintf(out, "# Group %2d: ", i);
            put_ranks(g, i, out);
        }
    } else {
        fprintf(out, "# #processes = %d%s \n", g->size, g->map_p ? "; rank order (rowwise):" : "");
        for (int i = 0; g->map_p && i < g->size; i++) {
            if (i % g->map_q == 0)
                fputs(i ? "\n# \n# " : "# ", out);
            fprintf(out, " %4d", imb_groups_rank(g, 0, i));
        }
        fputs(g->map_p ? "\n# \n" : "", out);
    }
    int idle = g->processes - g->active;
    if (idle)
        fprintf(out, "# ( %d additional process%s waiting in MPI_Barrier)\n", idle, idle > 1 ? "es" : "");
}

static void put_grid(const struct imb_table *table, FILE *out)
{
    int dimensions = table->benchmark->rate / 2, side[IMB_MAX_DIMENSIONS] = {0};
    if (table->benchmark->class != IMB_CLASS_GRID || imb_grid_make(dimensions, table->groups.size, side))
        return;
    for (int d = dimensions - 1; d >= 0; d--)
        fprintf(out, "%s%d%s", d == dimensions - 1 ? " (" : " x ", side[d], d ? "" : ")");
}

static void put_bare_processes(const struct imb_table *table, FILE *out)
{
    const struct imb_settings *s = table->settings;
    fprintf(out, "# #processes = %d", table->groups.size);
    if (s->component == IMB_MT)
        fprintf(out, " (threads: %d)", s->team);
    fputc('\n', out);
    if (table->benchmark->columns == IMB_COLUMNS_BAND)
        fprintf(out, "# window_size = %d\n", (int)s->window_size);
}

void imb_put_heading(const struct imb_table *table, FILE *out)
{
    const struct text_column *columns[COLUMNS_MAX];
    const struct imb_component_row *c = &imb_components[table->settings->component];
    const int count = columns_of(table, columns), rule = c->table_rule ? c->table_rule : WIDTH * count;
    fputc('\n', out);
    put_rule(rule, out);
    fprintf(out, "# Benchmarking %s%s", table->groups.count > 1 ? "Multi-" : "", table->benchmark->name);
    put_grid(table, out);
    fputs(c->bare ? "\n" : " \n", out);
    if (!table->groups.size) {
        fputs("# NO SUCCESSFUL EXECUTIONS\n", out);
        put_rule(rule, out);
        fputs("\n", out);
        return;
    }
    if (c->bare)
        put_bare_processes(table, out);
    else
        put_processes(&table->groups, out);
    put_rule(rule, out);
    if (table->mode != IMB_MODE_NONE)
        fprintf(out, "#\n#    MODE: %s \n#\n", imb_mode_names[table->mode]);
    bool is_30 = table->settings->compat == IMB_30 && table->settings->component == IMB_IO;
    for (int i = 0; i < count; i++)
        fprintf(out, "%*s", WIDTH,
                is_30 && columns[i]->heading_30 ? columns[i]->heading_30 : columns[i]->column.name);
    fputc('\n', out);
    fflush(out);
}

void imb_put_invalid(const struct imb_table *table, int processes, FILE *out)
{
    const char *name = table->benchmark->name;
    if (table->settings->component == IMB_MT)
        imb_put_heading(table, out);
    else if (table->settings->component == IMB_P2P)
        fprintf(out, "\n# !! Benchmark %s %sinvalid for %d process%s !!\n", name,
                strcmp(name, "Unirandom") == 0 ? "" : "is ", processes,
                processes == 1 && strcmp(name, "SendRecv_Replace") == 0 ? "" : "es");
    else
        fprintf(out, "\n# !! Benchmark %s invalid for %d processes !! \n\n", name, processes);
    fflush(out);
}

/* ---- rows ---- */

/* Writes an empty line before the rows of a size if each group has its own row. */
static void put_gap(const struct imb_table *table, int64_t group, FILE *out)
{
    if (table->settings->multi > 0 && group == 0)
        fputc('\n', out);
}

void imb_put_row(const struct imb_table *table, const struct imb_record *row, FILE *out)
{
    const struct text_column *columns[COLUMNS_MAX];
    int count = columns_of(table, columns);
    put_gap(table, row->group, out);
    for (int i = 0; i < count; i++) {
        double value = column_number(&columns[i]->column, row);
        if (columns[i] == &mbytes && table->settings->compat == IMB_30)
            value *= 1e6 / 1048576; /* release 3.0 used units of 2^20 bytes */
        fprintf(out, "%*.*f", WIDTH, columns[i]->column.digits, value);
    }
    fputc('\n', out);
    fflush(out);
}

/* Returns IMB's advice for counts that are too large. */
static const char *overflow_advice(const struct imb_table *table)
{
    bool reduction = table->benchmark->flags & IMB_REDUCTION;
    return table->benchmark->component != IMB_MPI1 ? ""
           : imb_types[table->type].size >= 8      ? " Stopping benchmark"
           : reduction                             ? " use \"-red_data_type double\""
                                                   : " use \"-data_type double\"";
}

void imb_put_failure(const struct imb_table *table, int group, int64_t bytes, enum imb_failure failure,
                     double gib, FILE *out)
{
    put_gap(table, group, out);
    if (table->settings->multi > 0)
        fprintf(out, "%*d", WIDTH, group);
    fprintf(out, "%*lld", WIDTH, (long long)bytes);
    if (failure == IMB_OUT_OF_MEMORY)
        fprintf(out,
                " out-of-mem.; needed X=%8.3f GB; use flag \"-mem X\" or MAX_MEM_USAGE>=X (IMB_mem_info.h)\n",
                gib + 0.001);
    else if (failure == IMB_INT_OVERFLOW)
        fprintf(out, " int-overflow; The production rank*size caused int overflow;%s\n",
                overflow_advice(table));
    else
        fputs(" time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use \"-time X\" or "
              "SECS_PER_SAMPLE=X (IMB_settings.h) to increase time limit.\n",
              out);
    fflush(out);
}
