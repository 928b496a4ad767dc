/* The columns of beff's records, and the names of the methods. */
#include "beff/record.h"

#define COLUMN(kind, name) COLUMN_OF(beff_record, kind, name)

static const struct column columns[] = {
    COLUMN(INTEGER, pass),  COLUMN(INTEGER, rep),      COLUMN(TEXT, pattern),   COLUMN(TEXT, method),
    COLUMN(INTEGER, bytes), COLUMN(INTEGER, messages), COLUMN(INTEGER, loops),  COLUMN(REAL, t_min),
    COLUMN(REAL, t_avg),    COLUMN(REAL, t_max),       COLUMN(REAL, bandwidth), COLUMN(INTEGER, errors)};

const struct record_type beff_record_type = {"beff", columns, sizeof columns / sizeof columns[0],
                                             sizeof(struct beff_record)};

static const char *const names[METHODS] = {
    [METHOD_SENDRECV] = "Sendrecv", [METHOD_NONBLOCKING] = "nonblocking", [METHOD_ALLTOALLV] = "Alltoallv"};

const char *method_name(enum method method)
{
    return names[method];
}

enum method method_find(const char *name)
{
    return (enum method)text_find(names, METHODS, name);
}
