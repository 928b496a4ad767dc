/* Names, portions and places in files. Uses benchmarks. */
#include "imb_compat/file.h"

#include <stdio.h>
#include <string.h>

struct imb_portion imb_portion_of(int64_t x, int rank, int size)
{
    int64_t items = (x + IMB_FILE_ITEM - 1) / IMB_FILE_ITEM, each = items / size, more = items % size;
    int64_t first = IMB_FILE_ITEM * (rank * each + (rank < more ? rank : more));
    int64_t last = first + IMB_FILE_ITEM * (each + (rank < more));
    first = first < x ? first : x;
    last = last < x ? last : x;
    return (struct imb_portion){first, last - first};
}

void imb_file_name(char name[IMB_FILE_NAME_SIZE], int group, int rank)
{
    char of_group[16] = "", of_rank[16] = "";
    if (group >= 0)
        snprintf(of_group, sizeof of_group, "_g%d", group);
    if (rank >= 0)
        snprintf(of_rank, sizeof of_rank, "_%d", rank);
    snprintf(name, IMB_FILE_NAME_SIZE, "IMB_out%s%s", of_group, of_rank);
}

struct imb_placing imb_placing_of(const struct imb_benchmark *b, int64_t x, int rank, int size)
{
    struct imb_portion own = imb_portion_of(x, rank, size);
    if (b->flags & IMB_PRIVATE)
        return (struct imb_placing){.step = own.bytes};
    bool own_view = b->flags & IMB_OWN_POINTER && own.bytes && own.bytes < x;
    return (struct imb_placing){.first = own.offset,
                                .step = x,
                                .stride = own_view ? x : 0,
                                .any_order = b->flags & IMB_SHARED_POINTER &&
                                             b->class != IMB_CLASS_COLLECTIVE && size > 1 &&
                                             imb_portion_of(x, 1, size).bytes};
}
