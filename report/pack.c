/* Implements the command pack. */
#include "report/command.h"

static enum report_status pack_command(const struct report_settings *settings)
{
    struct texts words = {0};
    texts_add(&words, "pack");
    texts_add(&words, "%s", settings->file ? settings->file : "");
    texts_add(&words, "%s", settings->site);
    texts_add(&words, settings->replace_hosts ? "replace" : "keep");
    return report_run_script(&words, &settings->runs);
}

/* ---- the command ---- */

static const struct option_row rows[] = {
    {"o", OPTION_TEXT, REPORT_FIELD(file), "FILE", "file to write: MACHINE.tar.gz"},
    {"site", OPTION_TEXT, REPORT_FIELD(site), "FILE", "questionnaire; default site.yaml"},
    {"replace-hosts", OPTION_FLAG, REPORT_FIELD(replace_hosts), NULL,
     "replace names of hosts by n1, n2, ..."},
    {REPORT_HELP}};

static const char notes[] =
    "Packs the records of runs of one machine and a questionnaire about it, for others to look up\n"
    "(docs/submitting.md). Every run must verify; otherwise nothing is packed. If the questionnaire does\n"
    "not exist, it is created with the answers that the runs know: fill in the others and pack again.\n\n"
    "--replace-hosts replaces the names of the runs' hosts in all records, also in paths and variables. The\n"
    "checksums are then computed again, and a note in each run says so. Other names, such as those of users\n"
    "and file servers, stay: look at run.prot before you publish it.\n\n"
    "tar -xzf FILE unpacks the file; each run can be shown, verified and compared as before.\n\n"
    "Exit status: 0 packed; 2 usage; 3 a run does not verify or a file cannot be written.\n";

REPORT_COMMAND(pack, "[--replace-hosts] [--site FILE] RUN... -o FILE", "pack runs into one file for others");
