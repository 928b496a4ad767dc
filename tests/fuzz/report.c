/* Fuzz target: reads a protocol with any content, verifies it, writes its text, JSON, tables and
 * page, and extracts its figures for a comparison. Also works with libFuzzer:
 *   clang -fsanitize=fuzzer,address,undefined -I. -D_GNU_SOURCE tests/fuzz/report.c SOURCES -lm */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/page.h"
#include "report/comparison.h"
#include "report/rank.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void show_all(const struct report *report, FILE *out)
{
    sheet_text(report->sheet, out);
    sheet_json(report->sheet, true, out);
    for (int i = 0; i < report->sheet->data_count; i++) {
        struct table table;
        report->engine->table(report->sheet, i, &table);
        table_text(&table, "# ", out);
    }
    page_start(report, 1, out);
    page_run(report, out);
}

/* Passes this run, a good run and this run again to compare and rank. They refuse most inputs. */
static void compare_all(char *path)
{
    char *paths[] = {path, (char *)(uintptr_t) "protocols/samples/imb-mpi1-n2/run.prot", path};
    const struct report_settings settings = {.runs = {paths, 3},
                                             .separated = true,
                                             .sides = 2,
                                             .side = {{1, NULL}, {3, "label"}},
                                             .allow_invalid = true};
    struct comparison comparison;
    struct rank rank;
    comparison_make(&comparison, &settings);
    comparison_free(&comparison);
    rank_make(&rank, &settings);
    rank_free(&rank);
}

static void use(char *path, bool all, FILE *out)
{
    struct report report;
    struct message error;
    report_open(&report, path, &error);
    if (report.sheet)
        show_all(&report, out);
    report_free(&report);
    if (all)
        compare_all(path);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static FILE *out;
    char path[] = "/tmp/beff-fuzz-XXXXXX";
    int file = mkstemp(path);
    if (!out)
        out = fopen("/dev/null", "w");
    if (file < 0 || !out || write(file, data, size) != (ssize_t)size)
        abort();
    use(path, size % 4 == 0, out); /* only for some inputs: comparing takes most of the time */
    close(file);
    unlink(path);
    return 0;
}
