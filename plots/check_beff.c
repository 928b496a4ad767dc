/* Each record of beff against its definition. */
#include "plots/engines.h"

void check_beff(const struct report *report, struct findings *findings)
{
    (void)report, (void)findings;
}
