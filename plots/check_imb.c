/* Each record of imb against its definition. */
#include "plots/engines.h"

void check_imb(const struct report *report, struct findings *findings)
{
    (void)report, (void)findings;
}
