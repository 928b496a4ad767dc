#include "common/column.h"

#include <math.h>
#include <stdint.h>

double column_number(const struct column *column, const void *row)
{
    const void *member = (const char *)row + column->offset;
    if (column_is_text(column))
        return NAN;
    double number =
        column->kind == COLUMN_INTEGER ? (double)*(const int64_t *)member : *(const double *)member;
    return number < column->min ? NAN : number * (column->factor > 0 ? column->factor : 1);
}

const char *column_text(const struct column *column, const void *row)
{
    const void *member = (const char *)row + column->offset;
    if (column->kind == COLUMN_CHOICE)
        return *(const int64_t *)member < 0 ? "" : column->words[*(const int64_t *)member];
    return column->kind == COLUMN_TEXT   ? *(const char *const *)member
           : column->kind == COLUMN_WORD ? member
                                         : "";
}
