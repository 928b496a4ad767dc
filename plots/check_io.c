/* Each record of io against its definition. */
#include "plots/engines.h"

void check_io(const struct report *report, struct findings *findings)
{
    (void)report, (void)findings;
}
