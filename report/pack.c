/* Implements the command pack, and opens packs. */
#include "report/pack.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/checksum.h"
#include "common/memory.h"

static const char ending[] = ".tar.gz";

/* ---- other programs, and a directory for them ---- */

/* Runs a program of this system. */
static int run_program(const char *const *words, struct message *error)
{
    pid_t child;
    int status = 0, failed = posix_spawnp(&child, words[0], NULL, NULL, (char *const *)words, environ);
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return failed   ? message_set(error, "%s cannot be started: %s", words[0], strerror(failed))
           : status ? message_set(error, "%s has failed: see its message", words[0])
                    : 0;
}

/* Returns a new directory, to be removed by stage_remove(). */
static char *stage_new(struct message *error)
{
    const char *folder = getenv("TMPDIR");
    char *stage = text_format("%s/beff_report.XXXXXX", folder && *folder == '/' ? folder : "/tmp");
    if (mkdtemp(stage))
        return stage;
    message_set(error, "directory %.300s cannot be created: %s", stage, strerror(errno));
    free(stage);
    return NULL;
}

static int make_folder(const char *path, struct message *error)
{
    return mkdir(path, 0777) ? message_set(error, "%.300s cannot be created: %s", path, strerror(errno)) : 0;
}

static void stage_remove(char *stage)
{
    struct message error;
    if (stage && run_program((const char *const[]){"rm", "-rf", stage, NULL}, &error))
        report_say("%s", error.text);
    free(stage);
}

/* ---- names of hosts ---- */

/* Adds the names of hosts in a table: the words of the size of a host's name. */
static void add_hosts(struct texts *names, const struct record_table *table, const struct protocol_rows *rows)
{
    for (size_t k = 0; k < table->column_count; k++)
        for (size_t i = 0; i < rows->count; i++) {
            const char *word = rows->row + i * table->size + table->columns[k].offset;
            if (table->columns[k].kind == COLUMN_WORD && table->columns[k].size == COLUMN_HOST_SIZE && *word)
                texts_add_once(names, word);
        }
}

static void find_hosts(struct texts *names, const struct report *run)
{
    const struct protocol *p = &run->protocol;
    char other[COLUMN_HOST_SIZE];
    if (*report_meta(run, "host"))
        texts_add_once(names, report_meta(run, "host"));
    for (size_t t = 0; t < p->type->table_count; t++)
        add_hosts(names, &p->type->tables[t], &p->tables[t]);
    add_hosts(names, &p->type->records, &p->records);
    if (sscanf(report_meta(run, "environment_differs"), "%*d of %*d nodes, first %64[^:]", other) == 1)
        texts_add_once(names, other);
}

/* Returns the length of the longest name at the start of the text, complete or without its domain, and its
 * number; 0: none. */
static size_t find_name(const struct texts *names, const char *text, size_t *number)
{
    size_t longest = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->text[i];
        if (*name != *text)
            continue;
        const size_t lengths[] = {strlen(name), strcspn(name, ".")};
        for (int k = 0; k < 2; k++)
            if (lengths[k] > longest && strncmp(text, name, lengths[k]) == 0 &&
                !isalnum((unsigned char)text[lengths[k]])) {
                longest = lengths[k];
                *number = i;
            }
    }
    return longest;
}

/* Writes a text in which name number i, with a domain after it, is replaced by n(i + 1). */
static void put_renamed(const struct texts *names, const char *text, FILE *out)
{
    for (const char *c = text; *c;) {
        size_t number = 0,
               length = c > text && isalnum((unsigned char)c[-1]) ? 0 : find_name(names, c, &number);
        if (!length) {
            fputc(*c++, out);
            continue;
        }
        for (c += length; *c == '.' && isalnum((unsigned char)c[1]);)
            for (c++; isalnum((unsigned char)*c) || *c == '-';)
                c++;
        fprintf(out, "n%zu", number + 1);
    }
}

/* Writes a line of a record with other names of hosts. Words that the format needs are kept. */
static void put_line(const struct texts *names, const char *line, FILE *out)
{
    static const char *const kept[] = {"# columns", "#: format = ", "#: program = ", "#: definition = "};
    const char *rest = line, *after = strncmp(line, "#@", 2) == 0 ? strchr(line, '\t') : strstr(line, " = ");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strncmp(line, kept[i], strlen(kept[i])) == 0)
            rest = line + strlen(line);
    if (*rest && *line == '#' && after)
        rest = after;
    fwrite(line, 1, (size_t)(rest - line), out);
    put_renamed(names, rest, out);
}

/* ---- packing ---- */

/* Returns true if two runs have the same results. */
static bool is_alike(const struct report *a, const struct report *b)
{
    int count = a->sheet->value_count;
    bool alike =
        !a->faults.count && count == b->sheet->value_count && sheet_valid(a->sheet) == sheet_valid(b->sheet);
    for (int i = 0; i < count && alike; i++) {
        double x = a->sheet->values[i].value, y = b->sheet->values[i].value;
        alike = x == y || (isnan(x) && isnan(y));
    }
    return alike;
}

/* Writes the record of a run, with a new checksum, and checks that its results are the same. */
static int copy_run(const struct report *run, const struct texts *names, const char *path,
                    struct message *error)
{
    char *line = NULL, *text;
    size_t room = 0, size;
    FILE *in = fopen(run->path, "r"), *out = memory_stream(&text, &size);
    while (in && getline(&line, &room, in) > 0 && strncmp(line, "#: checksum = ", 14) != 0) {
        if (names->count && strncmp(line, "#: end = ", 9) == 0)
            fputs("#: note = beff_report pack replaced the names of hosts and computed the checksum again\n",
                  out);
        put_line(names, line, out);
    }
    memory_stream_end(out);
    char *whole =
        text_format("%s#: checksum = %016" PRIx64 "\n", text, checksum_add(CHECKSUM_START, text, size));
    struct report copy = {0};
    int failed = !in ? message_set(error, "%.300s cannot be read: %s", run->path, strerror(errno))
                 : text_save(path, false, whole, strlen(whole))
                     ? message_set(error, "%.300s cannot be written: %s", path, strerror(errno))
                     : 0;
    if (!failed && (report_open(&copy, path, error) || !is_alike(&copy, run)))
        failed = message_set(error,
                             "%.200s: the name of a host is also a word of the record: pack it without "
                             "--replace-hosts",
                             run->path);
    report_free(&copy);
    free(whole);
    free(text);
    free(line);
    if (in)
        fclose(in);
    return failed;
}

/* Writes the questionnaire into a folder: the user's own if it exists, or else a new one, also for the user.
 */
static int add_site(const struct report_settings *settings, const struct report *runs, const char *folder,
                    struct message *error)
{
    struct site site;
    const char *own = settings->site ? settings->site : "site.yaml";
    bool given = access(own, F_OK) == 0;
    if (given && site_read(&site, own, error))
        return site_free(&site), -1;
    if (!given)
        site_fill(&site, runs, settings->runs.count);
    char *text = site_text(&site), *missing = site_missing(&site),
         *path = text_format("%s/site.yaml", folder);
    int failed =
        text_save(path, false, text, strlen(text)) || (!given && text_save(own, false, text, strlen(text)))
            ? message_set(error, "%.300s cannot be written: %s", given ? path : own, strerror(errno))
            : 0;
    if (!failed && *missing)
        printf("%s: fill in %s, and pack again\n", own, missing);
    free(path);
    free(missing);
    free(text);
    site_free(&site);
    return failed;
}

/* Opens the runs and refuses those that do not verify. */
static int open_runs(const struct report_settings *settings, struct report *runs, struct texts *names,
                     struct message *error)
{
    struct report_settings quiet = *settings;
    quiet.quiet = true;
    for (size_t i = 0; i < settings->runs.count; i++) {
        const char *path = settings->runs.text[i];
        if (!report_verify(path, &quiet, stderr))
            return message_set(error, "%.300s does not verify: nothing was packed", path);
        if (report_open(&runs[i], path, error))
            return -1;
        if (settings->replace_hosts)
            find_hosts(names, &runs[i]);
    }
    return 0;
}

/* Writes runs and questionnaire into a folder. */
static int fill_folder(const struct report_settings *settings, const char *folder, struct message *error)
{
    size_t count = settings->runs.count;
    struct texts names = {0};
    struct report *runs = memory_new(count, sizeof *runs, "the runs");
    int failed = make_folder(folder, error) || open_runs(settings, runs, &names, error);
    for (size_t i = 0; i < count && !failed; i++) {
        char *own = text_format("%s/%s-%zu", folder, runs[i].engine->program, i + 1);
        char *path = text_format("%s/run.prot", own);
        failed = make_folder(own, error) || copy_run(&runs[i], &names, path, error);
        free(path);
        free(own);
    }
    failed = failed || add_site(settings, runs, folder, error);
    if (!failed)
        printf("%s: %zu run%s, %zu name%s of hosts replaced\n", settings->file, count, TEXT_S(count),
               names.count, TEXT_S(names.count));
    for (size_t i = 0; i < count; i++)
        report_free(&runs[i]);
    free(runs);
    texts_free(&names);
    return failed;
}

static enum report_status pack_command(const struct report_settings *settings)
{
    const char *file = settings->file ? settings->file : "", *slash = strrchr(file, '/');
    const char *start = slash ? slash + 1 : file;
    size_t length = strlen(start);
    if (length < sizeof ending || strcmp(start + length + 1 - sizeof ending, ending) != 0) {
        report_say("invalid -o \"%.200s\": expected a name such as MACHINE%s", file, ending);
        return REPORT_USAGE;
    }
    struct message error;
    char *name = text_format("%.*s", (int)(length + 1 - sizeof ending), start), *stage = stage_new(&error);
    char *folder = stage ? text_format("%s/%s", stage, name) : NULL;
    int failed = !stage || fill_folder(settings, folder, &error) ||
                 run_program((const char *const[]){"tar", "--force-local", "--sort=name", "--owner=0",
                                                   "--group=0", "-C", stage, "-czf", file, "--", name, NULL},
                             &error);
    stage_remove(stage);
    free(folder);
    free(name);
    return failed ? report_refuse(&error) : REPORT_FINE;
}

/* ---- opening ---- */

/* Adds the regular files that match a pattern. */
static void find_files(struct texts *files, const char *pattern)
{
    glob_t found = {0};
    struct stat status;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (lstat(found.gl_pathv[i], &status) == 0 && S_ISREG(status.st_mode))
                texts_add(files, "%s", found.gl_pathv[i]);
    globfree(&found);
}

void packs_find(size_t i, const char *program, struct texts *runs)
{
    char *pattern = text_format("%zu/*/%s-*/run.prot", i, program);
    find_files(runs, pattern);
    free(pattern);
}

static int open_pack(struct packs *packs, size_t i, const char *file, struct message *error)
{
    char *folder = text_format("%s/%zu", packs->stage, i), *pattern = text_format("%s/*/site.yaml", folder);
    struct texts sites = {0};
    int failed =
        make_folder(folder, error) ||
        run_program((const char *const[]){"tar", "--force-local", "-C", folder, "-xzf", file, NULL}, error);
    if (!failed)
        find_files(&sites, pattern);
    if (!failed && sites.count != 1)
        failed = message_set(error, "%.300s is no file of beff_report pack: it has no */site.yaml", file);
    if (!failed)
        failed = site_read(&packs->site[i], sites.text[0], error);
    texts_free(&sites);
    free(pattern);
    free(folder);
    return failed;
}

int packs_open(struct packs *packs, const struct texts *files, struct message *error)
{
    *packs = (struct packs){.stage = stage_new(error),
                            .count = files->count,
                            .site = memory_new(files->count, sizeof *packs->site, "the packs")};
    int failed = packs->stage ? 0 : -1;
    if (files->count > REPORT_MAX_SIDES)
        failed =
            message_set(error, "%zu files were given: expected at most %d", files->count, REPORT_MAX_SIDES);
    for (size_t i = 0; i < files->count && !failed; i++)
        failed = open_pack(packs, i, files->text[i], error);
    if (!failed && chdir(packs->stage))
        failed = message_set(error, "%.300s cannot be used: %s", packs->stage, strerror(errno));
    return failed;
}

void packs_close(struct packs *packs)
{
    stage_remove(packs->stage);
    for (size_t i = 0; i < packs->count; i++)
        site_free(&packs->site[i]);
    free(packs->site);
    *packs = (struct packs){0};
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    {"o", OPTION_TEXT, REPORT_FIELD(file), "FILE", "file to write: MACHINE.tar.gz"},
    {"site", OPTION_TEXT, REPORT_FIELD(site), "FILE", "questionnaire; default site.yaml"},
    REPORT_FLAG("replace-hosts", replace_hosts, "replace names of hosts by n1, n2, ..."),
    REPORT_HELP};

static const char notes[] =
    "Packs the records of runs of one machine and a questionnaire about it, for others to look up\n"
    "(docs/submitting.md). Every run must verify; otherwise nothing is packed. If the questionnaire does "
    "not\n"
    "exist, it is created with the answers that the runs know: fill in the others and pack again.\n\n"
    "--replace-hosts replaces the names of the runs' hosts in all records, also in paths and variables. The\n"
    "checksums are then computed again, and a note in each run says so. Other names, such as those of users\n"
    "and file servers, stay: look at run.prot before you publish it.\n\n"
    "tar -xzf FILE unpacks the file; each run can be shown, verified and compared as before.\n\n"
    "Exit status: 0 packed; 2 usage; 3 a run does not verify or a file cannot be written.\n";

REPORT_COMMAND(pack, "[--replace-hosts] [--site FILE] RUN... -o FILE", "pack runs into one file for others");
