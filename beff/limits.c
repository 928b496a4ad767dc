/* Limits, from the metadata of a protocol. Uses protocol, rating. */
#include "beff/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `busiest_node = PATTERN MESSAGES`: what the node that sends most to others sends them in one iteration. */
static double messages_of_busiest(const struct protocol *protocol, const char *id)
{
    size_t length = strlen(id);
    const char *value;
    for (size_t i = 0; (value = protocol_next(protocol, "busiest_node", &i));)
        if (strncmp(value, id, length) == 0 && value[length] == ' ')
            return strtod(value + length, NULL);
    return NAN;
}

double limits_link_share(const struct protocol *protocol, const struct pattern_list *list,
                         const struct rating *rating, int size)
{
    double link = protocol_number(protocol, "option_limit-link"), logs = 0;
    int count = 0;
    for (int i = 0; i < list->count && link > 0; i++) {
        const struct pattern *p = &list->patterns[i];
        double limit = link * (double)p->messages / messages_of_busiest(protocol, p->id),
               share = rating_cell(rating, i, METHODS, size) / limit;
        if (p->rated && share > 0) { /* of a pattern that sends nothing between nodes it is 0 */
            logs += log(share);
            count++;
        }
    }
    return count ? exp(logs / count) : NAN;
}

double limits_memory_copy(const struct protocol *protocol)
{
    static const char *const keys[] = {"copy_before", "copy_after"};
    double largest = NAN;
    const char *value;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; (value = protocol_next(protocol, keys[k], &i));)
            largest = fmax(largest, strtod(value, NULL));
    return largest;
}
