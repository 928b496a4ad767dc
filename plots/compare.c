/* compare */
#include "plots/command.h"
#include "plots/report.h"
enum report_status report_compare(const struct report_settings *settings)
{
    (void)settings;
    return REPORT_FINE;
}
