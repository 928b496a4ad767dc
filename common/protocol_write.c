/* Writing run.prot, line by line as the run goes on. Uses protocol, checksum. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/checksum.h"
#include "common/protocol.h"

static int out_of_memory(struct message *error)
{
    return message_set(error, "run.prot: out of memory for the records");
}

/* Writes one line and flushes it, so that a run killed at any point leaves every finished line. Once a write
 * has failed the file is closed: what follows is kept in memory only, and the damage is reported once. */
__attribute__((format(printf, 3, 4))) static int put(struct protocol *protocol, struct message *error,
                                                     const char *format, ...)
{
    if (!protocol->file)
        return 0;
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return out_of_memory(error);
    int failed = fwrite(line, 1, (size_t)length, protocol->file) != (size_t)length;
    failed = fflush(protocol->file) || failed;
    protocol->checksum = checksum_add(protocol->checksum, line, (size_t)length);
    free(line);
    if (!failed)
        return 0;
    int cause = errno;
    fclose(protocol->file);
    protocol->file = NULL;
    return message_set(error, "%s can't be written after %zu records: %s", protocol->path,
                       protocol->record_count, strerror(cause));
}

int protocol_create(struct protocol *protocol, const char *path, bool replace, const struct record_type *type,
                    struct message *error)
{
    *protocol =
        (struct protocol){.type = type, .checksum = CHECKSUM_START, .path = path ? strdup(path) : NULL};
    if (path && !protocol->path)
        return out_of_memory(error);
    protocol->file = path ? fopen(path, replace ? "w" : "wx") : NULL;
    if (path && !protocol->file)
        return message_set(error, "%s can't be created: %s", path, strerror(errno));
    int failed = protocol_meta(protocol, "format", PROTOCOL_FORMAT, error);
    return failed ? failed : protocol_meta(protocol, "program", type->program, error);
}

int protocol_meta(struct protocol *protocol, const char *key, const char *value, struct message *error)
{
    if (protocol_keep_meta(protocol, key, value))
        return out_of_memory(error);
    return put(protocol, error, "#: %s = %s\n", key, protocol->meta[protocol->meta_count - 1].value);
}

int protocol_put(struct protocol *protocol, struct message *error, const char *key, const char *format, ...)
{
    char value[2048];
    TEXT_PRINT(value, sizeof value, format);
    return protocol_meta(protocol, key, value, error);
}

/* The line's fields, separated by tabs, or the names of the columns, each behind a blank, where there is no
 * record; in memory of its own. */
static char *format_line(const struct record_type *type, const void *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < type->column_count; i++) {
        const struct column *column = &type->columns[i];
        const void *field = record ? (const char *)record + column->offset : column->name;
        if (!record)
            fprintf(out, " %s", column->name);
        else if (column->kind == COLUMN_TEXT)
            fprintf(out, "%s%s", i ? "\t" : "", (const char *)field);
        else if (column->kind == COLUMN_INTEGER)
            fprintf(out, "%s%" PRId64, i ? "\t" : "", *(const int64_t *)field);
        else
            fprintf(out, "%s%.17g", i ? "\t" : "", *(const double *)field);
    }
    return out && fclose(out) == 0 ? text : NULL;
}

static int put_columns(struct protocol *protocol, struct message *error)
{
    char *names = protocol->columns_written ? NULL : format_line(protocol->type, NULL);
    if (protocol->columns_written)
        return 0;
    protocol->columns_written = true;
    int failed = names ? put(protocol, error, "# columns:%s\n", names) : out_of_memory(error);
    free(names);
    return failed;
}

int protocol_record(struct protocol *protocol, const void *record, struct message *error)
{
    if (put_columns(protocol, error))
        return -1;
    char *line = format_line(protocol->type, record);
    if (!line || protocol_keep_record(protocol, record, 0)) {
        free(line);
        return out_of_memory(error);
    }
    int failed = put(protocol, error, "%s\n", line);
    free(line);
    return failed;
}

int protocol_result(struct protocol *protocol, const char *name, double value, const char *unit,
                    struct message *error)
{
    if (protocol_keep_result(protocol, name, value, unit))
        return out_of_memory(error);
    return put(protocol, error, "#: result %s = %.17g %s\n", name, value, unit);
}

int protocol_end(struct protocol *protocol, const char *how, struct message *error)
{
    free(protocol->end);
    protocol->end = text_one_line(how);
    if (!protocol->end)
        return out_of_memory(error);
    if (put(protocol, error, "#: end = %s\n", protocol->end))
        return -1;
    if (put(protocol, error, "#: checksum = %016" PRIx64 "\n", protocol->checksum))
        return -1;
    FILE *file = protocol->file;
    protocol->file = NULL;
    struct stat status;
    if (file && fstat(fileno(file), &status) == 0 && status.st_nlink == 0) {
        fclose(file);
        return message_set(error, "%s was removed while the run went on", protocol->path);
    }
    if (file && fsync(fileno(file)) && errno != EINVAL && errno != ENOTSUP) { /* a pipe can't */
        message_set(error, "%s can't be written: %s", protocol->path, strerror(errno));
        fclose(file);
        return -1;
    }
    if (file && fclose(file))
        return message_set(error, "%s can't be written: %s", protocol->path, strerror(errno));
    return 0;
}
