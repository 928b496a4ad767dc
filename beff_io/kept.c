/* The index of kept files. Uses content, layout, patterns. */
#include "beff_io/kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beff_io/content.h"

#define FIRST_LINE "beff_io kept files 1\n"
/* Pattern, base, steps, calls written and rewritten, l and L. */
#define PLACE_PRINT                                                                                          \
    "place %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n"
#define PLACE_SCAN "place %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
enum { PLACE_FIELDS = 8, WORD = 8 };

static FILE *open_index(const char *directory, const char *mode, struct message *error)
{
    char *path = text_format("%s/" KEPT_INDEX, directory);
    FILE *file = path ? fopen(path, mode) : NULL;
    if (!file)
        message_set(error, "%s/" KEPT_INDEX ": %s", directory, strerror(path ? errno : ENOMEM));
    free(path);
    return file;
}

int kept_write(const struct io_task *task, const struct io_layout *layouts, const char *directory,
               struct message *error)
{
    FILE *file = open_index(directory, "wx", error);
    if (!file)
        return -1;
    fprintf(file, FIRST_LINE "seed %" PRIu64 "\nmpart %" PRId64 "\n", task->seed, task->mpart);
    for (int p = 0; p < task->partition_count; p++) {
        fprintf(file, "partition %" PRId64 "\n", task->partitions[p]);
        for (int i = 0; i < IO_PATTERNS; i++) {
            const struct io_place *place = &layouts[p].place[i];
            if (place->written > 0)
                fprintf(file, PLACE_PRINT, i, place->base, place->rank_step, place->chunk_step,
                        place->written, place->rewritten, place->disk, place->memory);
        }
    }
    int failed = ferror(file);
    return fclose(file) || failed ? message_set(error, "%s/" KEPT_INDEX " can't be written", directory) : 0;
}

static bool is_sound(const struct io_place *place, int64_t mpart)
{
    return place->disk > 0 && place->disk % WORD == 0 && place->memory >= place->disk &&
           place->memory <= content_area(mpart) && place->memory % place->disk == 0 && place->base >= 0 &&
           place->rank_step >= 0 && place->chunk_step > 0 && place->written > 0 && place->rewritten >= 0;
}

static int read_place(const struct io_task *task, struct io_layout *layouts, const char *line)
{
    struct io_place place = {0};
    int number, fields = sscanf(line, PLACE_SCAN, &number, &place.base, &place.rank_step, &place.chunk_step,
                                &place.written, &place.rewritten, &place.disk, &place.memory);
    if (fields != PLACE_FIELDS || number < 0 || number >= IO_PATTERNS || !task->partition_count ||
        !is_sound(&place, task->mpart))
        return -1;
    struct io_layout *layout = &layouts[task->partition_count - 1];
    place.planned = place.written;
    layout->place[number] = place;
    layout->ran[task->patterns[number].type] = true;
    return 0;
}

static int read_partition(struct io_task *task, struct io_layout *layouts, const char *line)
{
    int p = task->partition_count;
    if (p == IO_MOST_PARTITIONS || sscanf(line, "partition %" SCNd64, &task->partitions[p]) != 1 ||
        task->partitions[p] < 1 || task->mpart < io_mpart(1))
        return -1;
    io_patterns(task->mpart, task->patterns);
    io_layout_start(&layouts[p], task->partitions[p], task->patterns);
    task->partition_count++;
    return 0;
}

static int read_line(struct io_task *task, struct io_layout *layouts, const char *line, int number)
{
    switch (number) {
    case 1:
        return strcmp(line, FIRST_LINE) == 0 ? 0 : -1;
    case 2:
        return sscanf(line, "seed %" SCNu64, &task->seed) == 1 ? 0 : -1;
    case 3:
        return sscanf(line, "mpart %" SCNd64, &task->mpart) == 1 && task->mpart <= INT32_MAX ? 0 : -1;
    default:
        return *line == 'p' && line[1] == 'a' ? read_partition(task, layouts, line)
                                              : read_place(task, layouts, line);
    }
}

int kept_read(struct io_task *task, struct io_layout layouts[IO_MOST_PARTITIONS], const char *directory,
              struct message *error)
{
    char line[256];
    int number = 0, failed = 0;
    FILE *file = open_index(directory, "r", error);
    if (!file)
        return -1;
    task->partition_count = 0;
    while (!failed && fgets(line, sizeof line, file))
        failed = read_line(task, layouts, line, ++number);
    fclose(file);
    if (failed || !task->partition_count)
        return message_set(error, "%s/" KEPT_INDEX ":%d: not a line of an index of kept files", directory,
                           number);
    return 0;
}
