/* The protocol in memory, its writer, and its reader, which also handles files that are damaged, cut short or
 * not protocols at all. */
#include "common/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/checksum.h"

/* Numbers, from 1, of the first and the last line of metadata with the same key. */
struct key {
    const char *name;
    size_t first, last;
};

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct key *)a)->name, ((const struct key *)b)->name);
}

static const struct key *find_key(const struct protocol *protocol, const char *name)
{
    struct key key = {.name = name}, **found = tfind(&key, &protocol->keys, compare_keys);
    return found ? *found : NULL;
}

static void index_last(struct protocol *protocol)
{
    size_t number = protocol->meta_count;
    struct protocol_pair *pair = &protocol->meta[number - 1];
    struct key *key = memory_new(1, sizeof *key, "the metadata"), **found;
    *key = (struct key){pair->key, number, number};
    found = tsearch(key, &protocol->keys, compare_keys);
    if (!found)
        memory_exhausted("the metadata", 1, sizeof *key);
    else if (*found != key) {
        free(key);
        pair->repeats = true;
        protocol->meta[(*found)->last - 1].next = number;
        (*found)->last = number;
    }
}

static void keep_meta(struct protocol *protocol, const char *key, const char *value)
{
    array_grow(&protocol->meta, protocol->meta_count, sizeof *protocol->meta);
    protocol->meta[protocol->meta_count++] =
        (struct protocol_pair){.key = text_one_line(key), .value = text_one_line(value)};
    index_last(protocol);
}

/* Returns the copy of the row in the protocol. */
static const void *keep_row(struct protocol_rows *rows, const struct record_table *table, const void *row)
{
    array_grow(&rows->row, rows->count, table->size);
    char *kept = rows->row + rows->count++ * table->size;
    memcpy(kept, row, table->size);
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].kind == COLUMN_WORD)
            text_to_word(kept + table->columns[i].offset);
    return kept;
}

static void keep_result(struct protocol *protocol, const char *name, double value, const char *unit)
{
    array_grow(&protocol->results, protocol->result_count, sizeof *protocol->results);
    protocol->results[protocol->result_count++] =
        (struct protocol_result){.name = text_one_line(name), .value = value, .unit = text_one_line(unit)};
}

bool protocol_is_known(const struct protocol *protocol)
{
    const char *stated = protocol_get(protocol, "definition"), *known = protocol->type->definition;
    const char *earlier = protocol->type->earlier;
    return strcmp(stated ? stated : "", known ? known : "") == 0 ||
           (stated && earlier && strcmp(stated, earlier) == 0);
}

bool protocol_is_complete(const struct protocol *protocol)
{
    return protocol->end && strcmp(protocol->end, "complete") == 0;
}

const char *protocol_get(const struct protocol *protocol, const char *key)
{
    const struct key *found = find_key(protocol, key);
    return found ? protocol->meta[found->last - 1].value : NULL;
}

const char *protocol_text(const struct protocol *protocol, const char *key)
{
    const char *value = protocol_get(protocol, key);
    return value ? value : "unknown";
}

double protocol_number(const struct protocol *protocol, const char *key)
{
    const char *text = protocol_text(protocol, key);
    char *rest;
    double number = strtod(text, &rest);
    return rest != text ? number : NAN;
}

bool protocol_is(const struct protocol *protocol, const char *key, const char *value)
{
    return strcmp(protocol_text(protocol, key), value) == 0;
}

bool protocol_integer(const struct protocol *protocol, const char *key, int64_t min, int64_t max,
                      int64_t *value)
{
    const char *text = protocol_text(protocol, key);
    char *rest;
    errno = 0;
    *value = strtoll(text, &rest, 10);
    return rest != text && !*rest && !errno && *value >= min && *value <= max;
}

const char *protocol_next(const struct protocol *protocol, const char *key, size_t *i)
{
    const struct key *found = *i ? NULL : find_key(protocol, key);
    *i = *i ? protocol->meta[*i - 1].next : found ? found->first : 0;
    return *i ? protocol->meta[*i - 1].value : NULL;
}

int64_t protocol_sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

const void *protocol_at(const struct protocol *protocol, size_t i)
{
    return protocol->records.row + i * protocol->type->records.size;
}

const void *protocol_table(const struct protocol *protocol, size_t table, size_t *count)
{
    *count = protocol->tables[table].count;
    return protocol->tables[table].row;
}

void protocol_free(struct protocol *protocol)
{
    if (protocol->file)
        fclose(protocol->file);
    for (size_t i = 0; i < protocol->meta_count; i++) {
        free(protocol->meta[i].key);
        free(protocol->meta[i].value);
    }
    for (size_t i = 0; i < protocol->result_count; i++) {
        free(protocol->results[i].name);
        free(protocol->results[i].unit);
    }
    tdestroy(protocol->keys, free);
    free(protocol->meta);
    free(protocol->records.row);
    for (size_t i = 0; i < PROTOCOL_TABLES; i++)
        free(protocol->tables[i].row);
    free(protocol->results);
    free(protocol->end);
    free(protocol->path);
    *protocol = (struct protocol){0};
}

/* ---- writing ---- */

/* Writes text and flushes it, so that no record is lost if the run is killed. */
__attribute__((format(printf, 2, 3))) static void put(struct protocol *protocol, const char *format, ...)
{
    if (!protocol->file)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *line = text_vformat(format, arguments);
    size_t length = strlen(line);
    va_end(arguments);
    int failed = text_write(protocol->file, line, length);
    protocol->checksum = checksum_add(protocol->checksum, line, length);
    protocol->bytes += length;
    free(line);
    if (!failed)
        return;
    message_set(&protocol->error, "%s cannot be written after %zu record%s: %s", protocol->path,
                protocol->records.count, TEXT_S(protocol->records.count), strerror(errno));
    fclose(protocol->file);
    protocol->file = NULL;
}

int protocol_error(struct protocol *protocol, struct message *error)
{
    if (!*protocol->error.text)
        return 0;
    *error = protocol->error;
    protocol->error = (struct message){""};
    return -1;
}

int protocol_create(struct protocol *protocol, const char *path, bool replace, const struct record_type *type,
                    struct message *error)
{
    *protocol =
        (struct protocol){.type = type, .checksum = CHECKSUM_START, .path = path ? memory_text(path) : NULL};
    protocol->file = path ? text_open(path, replace) : NULL;
    if (path && !protocol->file)
        return message_set(error, "%s cannot be created: %s", path, strerror(errno));
    protocol_meta(protocol, "format", PROTOCOL_FORMAT);
    protocol_meta(protocol, "program", type->program);
    return protocol_error(protocol, error);
}

/* Detects bugs in the program: a key that is not in its table, or a value of another kind. */
static void check_meta(struct protocol *protocol, const char *key, const char *value)
{
    const struct metadata *metadata = protocol->type ? protocol->type->metadata : NULL;
    const struct metadata_row row = metadata_find(metadata, key);
    const char *expected = row.key ? metadata_expected(row.kind, value) : "a key of its metadata table";
    if (metadata && expected && !*protocol->error.text)
        message_set(&protocol->error, "%s: \"%.60s = %.60s\" cannot be written: expected %s",
                    protocol->type->program, key, value, expected);
}

static size_t line_limit(const char *key)
{
    return strcmp(key, "command") == 0 ? PROTOCOL_MAX_COMMAND : PROTOCOL_MAX_LINE;
}

/* A value that is too long for a line is cut. */
void protocol_meta(struct protocol *protocol, const char *key, const char *value)
{
    size_t limit = line_limit(key) - strlen("#:  = \n") - strlen(key), length = strnlen(value, limit + 1);
    while (length > limit || (length && (value[length] & 0xC0) == 0x80))
        length--;
    char *fits = text_format("%.*s", (int)length, value);
    check_meta(protocol, key, fits);
    keep_meta(protocol, key, fits);
    free(fits);
    put(protocol, "#: %s = %s\n", key, protocol->meta[protocol->meta_count - 1].value);
}

void protocol_put(struct protocol *protocol, const char *key, const char *format, ...)
{
    char value[2048];
    TEXT_PRINT(value, sizeof value, format);
    protocol_meta(protocol, key, value);
}

/* Writes a field of a row. */
static void put_field(const struct column *column, const void *row, FILE *out)
{
    const void *field = (const char *)row + column->offset;
    if (column->optional && column->kind != COLUMN_WORD && isnan(column_number(column, row)) &&
        !*column_text(column, row))
        fputc('-', out);
    else if (column_is_text(column))
        fputs(column_text(column, row), out);
    else if (column->kind == COLUMN_INTEGER)
        fprintf(out, "%" PRId64, *(const int64_t *)field);
    else
        fprintf(out, "%.17g", *(const double *)field);
}

/* Adds rows to a table, whose lines start with `lead`. The first row is preceded by the line of columns. */
static void add_rows(struct protocol *protocol, struct protocol_rows *rows, const struct record_table *table,
                     const void *added, size_t count, bool records)
{
    struct stream stream;
    FILE *out = stream_start(&stream);
    if (!rows->count && count) {
        fprintf(out, records ? "# columns:" : "# columns of %s:", table->name);
        for (size_t i = 0; i < table->column_count; i++)
            fprintf(out, " %s", table->columns[i].name);
        fputc('\n', out);
    }
    for (size_t r = 0; r < count; r++) {
        const void *row = keep_row(rows, table, (const char *)added + r * table->size);
        fprintf(out, records ? "" : "#@%s\t", table->name);
        for (size_t i = 0; i < table->column_count; i++) {
            put_field(&table->columns[i], row, out);
            fputc(i + 1 < table->column_count ? '\t' : '\n', out);
        }
    }
    char *text = stream_end(&stream);
    put(protocol, "%s", text);
    free(text);
}

void protocol_record(struct protocol *protocol, const void *record)
{
    add_rows(protocol, &protocol->records, &protocol->type->records, record, 1, true);
}

void protocol_add(struct protocol *protocol, size_t table, const void *rows, size_t count)
{
    add_rows(protocol, &protocol->tables[table], &protocol->type->tables[table], rows, count, false);
}

void protocol_result(struct protocol *protocol, const char *name, double value, const char *unit)
{
    keep_result(protocol, name, value, unit);
    put(protocol, "#: result %s = %.17g %s\n", name, value, unit);
}

void protocol_end(struct protocol *protocol, const char *how)
{
    free(protocol->end);
    protocol->end = text_one_line(how);
    put(protocol, "#: end = %s\n", protocol->end);
    put(protocol, "#: checksum = %016" PRIx64 "\n", protocol->checksum);
    FILE *file = protocol->file;
    if (!file)
        return;
    protocol->file = NULL;
    struct stat status;
    bool removed = fstat(fileno(file), &status) == 0 && status.st_nlink == 0;
    int cause = TEMP_FAILURE_RETRY(fsync(fileno(file))) && errno != EINVAL && errno != ENOTSUP
                    ? errno
                    : 0; /* a pipe cannot be synced */
    if (fclose(file) && !cause && errno != EINTR)
        cause = errno;
    if (removed)
        message_set(&protocol->error, "%s was removed during the run", protocol->path);
    else if (cause)
        message_set(&protocol->error, "%s cannot be written: %s", protocol->path, strerror(cause));
}

/* ---- reading ---- */

enum { COLUMNS_MAX = 64 };

/* What the reader knows of a table. */
struct reader_table {
    const struct record_table *type;
    struct protocol_rows *rows;
    const struct column *columns[COLUMNS_MAX]; /* column of each field; NULL: unknown */
    size_t column_count;
    char *row; /* the current row, with the values of the columns that are missing */
};

struct reader {
    struct protocol *protocol;
    const char *path;
    const struct record_type *const *types;
    struct message *error;
    struct message *damage; /* see protocol_read() */
    size_t line;
    long bytes;                                      /* number of bytes in complete lines */
    uint64_t checksum;                               /* checksum of all lines before the current one */
    struct reader_table tables[PROTOCOL_TABLES + 1]; /* the records and the tables of the type */
    bool known;                                      /* the records follow the definition of the type */
    bool checked;                                    /* the checksum line has been read */
};

#define REFUSE(reader, format, ...)                                                                          \
    message_set((reader)->error, "%s:%zu: " format, (reader)->path, (reader)->line, __VA_ARGS__)

static int read_result(struct reader *reader, char *name)
{
    char *equals = strstr(name, " = "), *unit;
    if (!equals)
        return REFUSE(reader, "%s", "expected \" = \" in a result");
    *equals = 0;
    if (reader->protocol->result_count == PROTOCOL_MAX_RESULTS)
        return REFUSE(reader, "more than %d results", PROTOCOL_MAX_RESULTS);
    double value = strtod(equals + 3, &unit);
    if (unit == equals + 3 || *unit != ' ')
        return REFUSE(reader, "result %.60s: expected a number and a unit", name);
    keep_result(reader->protocol, name, value, unit + 1);
    reader->protocol->results[reader->protocol->result_count - 1].line = reader->line;
    return 0;
}

static int read_checksum(struct reader *reader, const char *value)
{
    char *rest;
    errno = 0;
    uint64_t stated = strtoull(value, &rest, 16);
    if (errno || rest != value + 16 || *rest)
        return REFUSE(reader, "%s", "expected a checksum of 16 hexadecimal digits");
    reader->checked = true;
    if (stated == reader->checksum)
        return 0;
    REFUSE(reader, "wrong checksum %016" PRIx64 ": expected %016" PRIx64 "; the file was damaged or edited",
           stated, reader->checksum);
    if (reader->damage)
        *reader->damage = *reader->error;
    return reader->damage ? 0 : -1;
}

static void add_table(struct reader *reader, size_t i, const struct record_table *type,
                      struct protocol_rows *rows)
{
    reader->tables[i] = (struct reader_table){.type = type, .rows = rows};
    reader->tables[i].row = memory_new(1, type->size, "a row");
}

static int select_type(struct reader *reader, const char *program)
{
    if (reader->protocol->type)
        return REFUSE(reader, "%s", "expected only one line \"#: program = ...\"");
    for (const struct record_type *const *type = reader->types; *type; type++)
        if (strcmp((*type)->program, program) == 0) {
            reader->protocol->type = *type;
            add_table(reader, 0, &(*type)->records, &reader->protocol->records);
            for (size_t i = 0; i < (*type)->table_count; i++)
                add_table(reader, i + 1, &(*type)->tables[i], &reader->protocol->tables[i]);
            return 0;
        }
    return REFUSE(reader, "unknown program \"%.60s\"", program);
}

static int read_meta(struct reader *reader, char *line)
{
    if (reader->line > 1 && strncmp(line, "result ", 7) == 0)
        return read_result(reader, line + 7);
    char *equals = strstr(line, " = ");
    if (!equals)
        return REFUSE(reader, "%s", "expected \" = \" in a metadata line");
    char *value = equals + 3;
    *equals = 0;
    if (reader->line == 1 &&
        (strcmp(line, "format") || (strcmp(value, PROTOCOL_FORMAT) && strcmp(value, PROTOCOL_EARLIER))))
        return REFUSE(reader, "not a record of format %s", PROTOCOL_FORMAT);
    if (strcmp(line, "checksum") == 0)
        return read_checksum(reader, value);
    if (strcmp(line, "end") == 0) {
        reader->protocol->end = text_one_line(value);
        return 0;
    }
    if (strcmp(line, "program") == 0 && select_type(reader, value))
        return -1;
    keep_meta(reader->protocol, line, value);
    return 0;
}

/* Sets the member to no value. */
static void clear_field(const struct column *column, char *row)
{
    void *field = row + column->offset;
    if (column->kind == COLUMN_INTEGER || column->kind == COLUMN_CHOICE)
        *(int64_t *)field = -1;
    else if (column->kind == COLUMN_REAL)
        *(double *)field = NAN;
}

/* Gives the columns that are missing their values. Refuses the file if the results need one of them. */
static int fill_missing(struct reader *reader, struct reader_table *table)
{
    const struct record_table *type = table->type;
    for (const struct column *column = type->columns; column < type->columns + type->column_count; column++) {
        bool found = false;
        for (size_t i = 0; i < table->column_count; i++)
            found |= table->columns[i] == column;
        if (!found && !column->optional)
            return REFUSE(reader, "the column %s of %s is missing", column->name,
                          table == reader->tables ? reader->protocol->type->program : type->name);
        if (!found)
            clear_field(column, table->row);
    }
    return 0;
}

static int read_columns(struct reader *reader, struct reader_table *table, char *names)
{
    const struct record_table *type = table->type;
    if (table->column_count)
        return REFUSE(reader, "%s", "expected only one line of columns");
    reader->known = protocol_is_known(reader->protocol);
    for (char *save, *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        if (table->column_count == COLUMNS_MAX)
            return REFUSE(reader, "more than %d columns", COLUMNS_MAX);
        const struct column *column = NULL;
        for (size_t i = 0; reader->known && i < type->column_count; i++)
            if (strcmp(type->columns[i].name, name) == 0)
                column = &type->columns[i];
        for (size_t i = 0; column && i < table->column_count; i++)
            if (table->columns[i] == column)
                return REFUSE(reader, "duplicate column %s", name);
        table->columns[table->column_count++] = column;
    }
    return reader->known ? fill_missing(reader, table) : 0;
}

static int read_number(struct reader *reader, const struct column *column, const char *text, char *field)
{
    char *rest = NULL;
    double value;
    errno = 0;
    if (column->kind == COLUMN_INTEGER)
        value = (double)(*(int64_t *)(void *)field = strtoll(text, &rest, 10));
    else
        value = *(double *)(void *)field = strtod(text, &rest);
    if (rest == text || *rest || (errno == ERANGE && column->kind == COLUMN_INTEGER))
        return REFUSE(reader, "invalid %s \"%.40s\": expected a number", column->name, text);
    if (!(value >= column->min && value <= column->max)) /* true for NaN */
        return REFUSE(reader, "%s = %.40s is not from %.16g to %.16g", column->name, text, column->min,
                      column->max);
    return 0;
}

static int read_word(struct reader *reader, const struct column *column, const char *text, char *field)
{
    if (strlen(text) >= column->size)
        return REFUSE(reader, "%s is longer than %zu characters", column->name, column->size - 1);
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~') /* terminals interpret some other bytes */
            return REFUSE(reader, "invalid %s \"%s\": expected printable ASCII without spaces", column->name,
                          text);
    strcpy(field, text);
    return 0;
}

static int read_choice(struct reader *reader, const struct column *column, const char *text, char *field)
{
    int64_t i = 0;
    while (column->words[i] && strcmp(column->words[i], text) != 0)
        i++;
    *(int64_t *)(void *)field = i;
    return column->words[i] ? 0 : REFUSE(reader, "unknown %s \"%.40s\"", column->name, text);
}

static int read_field(struct reader *reader, const struct column *column, const char *text, char *row)
{
    char *field = row + column->offset;
    if (column->kind == COLUMN_WORD)
        return read_word(reader, column, text, field);
    if (column->optional && strcmp(text, "-") == 0)
        return clear_field(column, row), 0;
    return column->kind == COLUMN_CHOICE ? read_choice(reader, column, text, field)
                                         : read_number(reader, column, text, field);
}

/* The last binary digits may differ between processors. */
static int check_bandwidth(struct reader *reader)
{
    const struct record_type *type = reader->protocol->type;
    const struct reader_table *table = reader->tables;
    double computed = type->bandwidth(table->row);
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i] && strcmp(table->columns[i]->name, "bandwidth") == 0) {
            double stated = *(const double *)(const void *)(table->row + table->columns[i]->offset);
            if (fabs(stated - computed) > 1e-9 * computed)
                return REFUSE(reader, "bandwidth = %.17g, but %.17g follows from the record", stated,
                              computed);
        }
    return 0;
}

static int read_row(struct reader *reader, struct reader_table *table, char *line)
{
    if (!table->column_count)
        return REFUSE(reader, "%s", "expected the line of columns before the records");
    int failed = 0;
    size_t fields = 0;
    for (char *field; !failed && (field = strsep(&line, "\t")); fields++) {
        if (fields == table->column_count)
            failed = REFUSE(reader, "expected %zu fields, found more", table->column_count);
        else if (table->columns[fields])
            failed = read_field(reader, table->columns[fields], field, table->row);
    }
    if (!failed && fields < table->column_count)
        failed = REFUSE(reader, "expected %zu fields, found %zu", table->column_count, fields);
    if (!failed && reader->known && table == reader->tables && reader->protocol->type->bandwidth)
        failed = check_bandwidth(reader);
    if (!failed && reader->known)
        keep_row(table->rows, table->type, table->row);
    return failed;
}

/* Ends the name of a table at `end`, and moves `rest` after it. Returns the table of this name, or NULL. */
static struct reader_table *find_table(struct reader *reader, char **rest, const char *end)
{
    const char *name = strsep(rest, end);
    for (size_t i = 1; i <= PROTOCOL_TABLES && reader->tables[i].type; i++)
        if (strcmp(reader->tables[i].type->name, name) == 0)
            return &reader->tables[i];
    return NULL;
}

static int read_line(struct reader *reader, char *line)
{
    if (reader->checked)
        return REFUSE(reader, "%s", "expected nothing after the checksum");
    if (reader->protocol->end && strncmp(line, "#: checksum = ", 14))
        return REFUSE(reader, "%s", "expected only the checksum after the end line");
    if (reader->line == 1 && strncmp(line, "#: ", 3))
        return REFUSE(reader, "not a record of format %s", PROTOCOL_FORMAT);
    if (strncmp(line, "#: ", 3) == 0)
        return read_meta(reader, line + 3);
    struct reader_table *table = reader->tables;
    bool columns = strncmp(line, "# columns", 9) == 0, of = columns && strncmp(line + 9, " of ", 4) == 0;
    bool row = strncmp(line, "#@", 2) == 0;
    char *rest = line + (of ? 13 : columns ? 10 : row ? 2 : 0);
    if ((columns && !of && line[9] != ':') || (*line == '#' && !columns && !row) || *line == 0)
        return 0; /* a comment, or an empty line for gnuplot */
    if (!table->type)
        return REFUSE(reader, "%s", "expected the line \"#: program = ...\" before the columns");
    if (of || row) {
        table = find_table(reader, &rest, of ? ":" : "\t");
        if (!table)
            return 0;
        if (!rest)
            return REFUSE(reader, "%s",
                          of ? "expected \":\" after the name of the table" : "expected fields");
    }
    return columns ? read_columns(reader, table, rest) : read_row(reader, table, rest);
}

/* Reads all complete lines. An incomplete last line is ignored. */
static int read_lines(struct reader *reader, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    int failed = 0;
    errno = 0;
    for (ssize_t length; !failed && (length = getline(&line, &room, file)) > 0;) {
        static const char command[] = "#: command = ";
        size_t limit = line_limit(strncmp(line, command, strlen(command)) == 0 ? "command" : "");
        const char *foreign = text_foreign(line, (size_t)length);
        if (line[length - 1] != '\n' && (size_t)length <= limit && !foreign)
            break;
        reader->protocol->lines = ++reader->line;
        if (foreign || (size_t)length > limit) {
            failed = foreign ? REFUSE(reader, "%s", foreign)
                             : REFUSE(reader, "a line of more than %zu bytes", limit - 1);
            break;
        }
        reader->bytes += length;
        uint64_t after = checksum_add(reader->checksum, line, (size_t)length);
        line[length - 1] = 0;
        if (strlen(line) != (size_t)length - 1)
            failed = REFUSE(reader, "%s", "the line contains a zero byte");
        else
            failed = read_line(reader, line);
        reader->checksum = after;
    }
    if (!failed && errno == ENOMEM)
        memory_exhausted("a line", room, 2);
    if (!failed && reader->checked && ftell(file) > reader->bytes)
        failed = REFUSE(reader, "%ld bytes follow the checksum", ftell(file) - reader->bytes);
    free(line);
    return failed;
}

/* Opens an untrusted file: it must be regular, not too large, and no symbolic link. Returns NULL with a
 * message in `error` if it cannot be opened. */
static FILE *open_file(const char *path, struct message *error)
{
    struct stat status = {0};
    /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
    int descriptor = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    int cause = descriptor < 0 || fstat(descriptor, &status) ? errno : 0;
    FILE *file = NULL;
    if (cause)
        message_set(error, "%s cannot be read: %s", path,
                    cause == ELOOP ? "symbolic links are not followed" : strerror(cause));
    else if (!S_ISREG(status.st_mode))
        message_set(error, "%s cannot be read: it is not a regular file", path);
    else if (status.st_size > PROTOCOL_MAX_FILE)
        message_set(error, "%s cannot be read: it has %lld bytes, more than %lld", path,
                    (long long)status.st_size, (long long)PROTOCOL_MAX_FILE);
    else if (!(file = fdopen(descriptor, "r")))
        message_set(error, "%s cannot be read: %s", path, strerror(errno));
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

int protocol_read(struct protocol *protocol, const char *path, const struct record_type *const *types,
                  struct message *damage, struct message *error)
{
    if (damage)
        *damage = (struct message){""};
    *protocol = (struct protocol){0};
    FILE *file = open_file(path, error);
    if (!file)
        return -1;
    struct reader reader = {protocol, path, types, error, damage, .checksum = CHECKSUM_START};
    int failed = read_lines(&reader, file);
    if (!failed && ferror(file))
        failed = message_set(error, "%s cannot be read: %s", path, strerror(errno));
    if (!failed && !protocol->type)
        failed = message_set(error, "%s is not a record of a run: it has no line \"#: program = ...\"", path);
    if (!reader.checked) { /* the file was cut short */
        free(protocol->end);
        protocol->end = NULL;
    }
    for (size_t i = 0; i <= PROTOCOL_TABLES; i++)
        free(reader.tables[i].row);
    fclose(file);
    if (failed)
        protocol_free(protocol);
    return failed;
}
