/* The columns of beff's records, and the names of the methods. Uses protocol. */
#include "beff/record.h"

static const struct column columns[] = {
    {"pass", COLUMN_INTEGER, offsetof(struct beff_record, pass)},
    {"rep", COLUMN_INTEGER, offsetof(struct beff_record, rep)},
    {"pattern", COLUMN_TEXT, offsetof(struct beff_record, pattern)},
    {"method", COLUMN_TEXT, offsetof(struct beff_record, method)},
    {"bytes", COLUMN_INTEGER, offsetof(struct beff_record, bytes)},
    {"messages", COLUMN_INTEGER, offsetof(struct beff_record, messages)},
    {"loops", COLUMN_INTEGER, offsetof(struct beff_record, loops)},
    {"t_min", COLUMN_REAL, offsetof(struct beff_record, t_min)},
    {"t_avg", COLUMN_REAL, offsetof(struct beff_record, t_avg)},
    {"t_max", COLUMN_REAL, offsetof(struct beff_record, t_max)},
    {"bandwidth", COLUMN_REAL, offsetof(struct beff_record, bandwidth)},
    {"errors", COLUMN_INTEGER, offsetof(struct beff_record, errors)},
    {"switches", COLUMN_INTEGER, offsetof(struct beff_record, switches)},
    {"clock_jumps", COLUMN_INTEGER, offsetof(struct beff_record, clock_jumps)},
};

const struct record_type beff_record_type = {"beff", columns, sizeof columns / sizeof columns[0],
                                             sizeof(struct beff_record)};

static const char *const names[METHODS] = {
    [METHOD_SENDRECV] = "Sendrecv", [METHOD_ALLTOALLV] = "Alltoallv", [METHOD_NONBLOCKING] = "nonblocking"};

const char *method_name(enum method method)
{
    return names[method];
}

enum method method_find(const char *name)
{
    return (enum method)text_find(names, METHODS, name);
}
