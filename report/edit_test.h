/* For tests: changes a sample protocol and gives it a correct checksum again. */
#ifndef REPORT_EDIT_TEST_H
#define REPORT_EDIT_TEST_H

#include <math.h>

#include "common/checksum.h"
#include "common/engine.h"
#include "tests/unit.h"

struct edit {
    char *text; /* the protocol without its checksum line */
};

/* Opens protocols/samples/NAME/run.prot. */
static inline struct edit edit_open(const char *name)
{
    char path[160];
    size_t size;
    snprintf(path, sizeof path, "protocols/samples/%s/run.prot", name);
    struct edit edit = {unit_read(path, &size)};
    char *checksum = strstr(edit.text, "#: checksum");
    assert_non_null(checksum);
    *checksum = 0;
    return edit;
}

/* Replaces `length` bytes at `place` with `value`. */
static inline void edit_replace(struct edit *edit, const char *place, size_t length, const char *value)
{
    char *text = NULL;
    assert_true(asprintf(&text, "%.*s%s%s", (int)(place - edit->text), edit->text, value, place + length) >
                0);
    edit->text = unit_keep(text);
}

/* Returns the line of record number `record` (from 0). */
static inline char *edit_record(const struct edit *edit, int record)
{
    char *line = strstr(edit->text, "# columns:");
    for (assert_non_null(line); record >= 0; record--)
        do {
            line = strchr(line, '\n');
            assert_non_null(line);
            line++;
        } while (*line == '#');
    return line;
}

/* Changes a column of a record. */
static inline void edit_field(struct edit *edit, int record, const char *column, const char *value)
{
    char *names = strstr(edit->text, "# columns:") + strlen("# columns: "),
         *field = edit_record(edit, record);
    size_t length = strlen(column);
    while (strncmp(names, column, length) != 0 || !strchr(" \n", names[length])) {
        names += strcspn(names, " \n") + 1;
        assert_true(names[-1] == ' '); /* the column exists */
        field = strchr(field, '\t') + 1;
    }
    edit_replace(edit, field, strcspn(field, "\t\n"), value);
}

/* Changes the value of the first line "#: KEY = VALUE". */
static inline void edit_value(struct edit *edit, const char *key, const char *value)
{
    char start[80];
    snprintf(start, sizeof start, "\n#: %s = ", key);
    char *line = strstr(edit->text, start);
    assert_non_null(line);
    line += strlen(start);
    edit_replace(edit, line, strcspn(line, "\n"), value);
}

/* Ends a protocol with the results that follow from its records. */
static inline void edit_finish(const struct engine *engine, struct protocol *out)
{
    struct message error;
    char complete[] = "complete";
    out->end = complete;
    struct sheet *sheet = engine_results(engine, out, &error);
    assert_non_null(sheet);
    for (int i = 0; i < sheet->value_count; i++)
        if (isfinite(sheet->values[i].value))
            protocol_result(out, sheet->values[i].name, sheet->values[i].value, sheet->values[i].unit);
    engine_free_results(engine, sheet);
    out->end = NULL;
    protocol_end(out, complete);
    protocol_free(out);
}

/* Writes the protocol with a correct checksum. */
static inline void edit_save(const struct edit *edit, const char *path)
{
    char *text = NULL;
    int size = asprintf(&text, "%s#: checksum = %016llx\n", edit->text,
                        (unsigned long long)checksum_add(CHECKSUM_START, edit->text, strlen(edit->text)));
    assert_true(size > 0);
    unit_write(path, text, (size_t)size);
    free(text);
}

/* Writes a protocol again, with another value of a metadata key. */
static inline void edit_copy(const char *from, const char *to, const char *key, const char *value)
{
    size_t size;
    struct edit edit = {unit_read(from, &size)};
    *strstr(edit.text, "#: checksum") = 0;
    edit_value(&edit, key, value);
    edit_save(&edit, to);
}

#endif
