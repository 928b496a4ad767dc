#include "beff_io/content.h"

#include <string.h>

#include "common/random.h"

/* Returns word `index` of a stream. No two words of a stream are equal, because random_mix() is a bijection
 * and the factor is odd. */
static uint64_t word(uint64_t key, int64_t index)
{
    return random_mix(key + (uint64_t)index * RANDOM_GAMMA);
}

struct content content_of(uint64_t seed, bool rewritten, int pattern, int64_t processes, int64_t rank,
                          const struct io_place *place)
{
    uint64_t key = random_mix(seed + 1);
    key = random_mix(key + (uint64_t)rank * 2 + rewritten);
    key = random_mix(key + (uint64_t)processes);
    key = random_mix(key + (uint64_t)pattern);
    int64_t slots = place->memory ? CONTENT_AREA / place->memory : 1;
    return (struct content){.words = key,
                            .stamps = random_mix(key + 1),
                            .place = place,
                            .rank = rank,
                            .slots = slots ? slots : 1};
}

int64_t content_area(int64_t memory)
{
    return memory > CONTENT_AREA ? memory : CONTENT_AREA;
}

void content_fill(const struct content *content, char *area)
{
    int64_t words = content->slots * content->place->memory / 8;
    for (int64_t i = 0; i < words; i++) {
        uint64_t value = word(content->words, i);
        memcpy(area + 8 * i, &value, sizeof value);
    }
}

static void put_stamp(const struct content *content, char *chunk, int64_t offset, int64_t position)
{
    uint64_t value = word(content->stamps, (offset + position) / 8);
    memcpy(chunk + position, &value, sizeof value);
}

static int64_t chunk_offset(const struct content *content, int64_t call, int64_t chunk)
{
    const struct io_place *place = content->place;
    return io_chunk_offset(place, content->rank, call * (place->memory / place->disk) + chunk);
}

/* Returns the offset in the area at which the data of a call start. */
static int64_t start(const struct content *content, int64_t call)
{
    return call % content->slots * content->place->memory;
}

const char *content_stamp(const struct content *content, char *area, int64_t call)
{
    const struct io_place *place = content->place;
    char *data = area + start(content, call), *chunk = data;
    for (int64_t i = 0; i < place->memory / place->disk; i++, chunk += place->disk) {
        int64_t offset = chunk_offset(content, call, i);
        for (int64_t position = 0; position < place->disk; position += CONTENT_STEP)
            put_stamp(content, chunk, offset, position);
        put_stamp(content, chunk, offset, place->disk - 8);
    }
    return data;
}

int64_t content_kept(const struct content *content, bool all)
{
    const struct io_place *place = content->place;
    return all ? place->memory : place->memory / place->disk * CONTENT_ENDS;
}

void content_keep(const struct content *content, const char *data, char *ends)
{
    const struct io_place *place = content->place;
    for (int64_t i = 0; i < place->memory / place->disk; i++, data += place->disk, ends += CONTENT_ENDS) {
        memcpy(ends, data, CONTENT_ENDS / 2);
        memcpy(ends + CONTENT_ENDS / 2, data + place->disk - 8, CONTENT_ENDS / 2);
    }
}

void content_check(const struct content *content, int64_t call, const char *data, bool all,
                   void (*report)(void *context, const struct content_mismatch *mismatch), void *context)
{
    const struct io_place *place = content->place;
    int64_t last = place->disk - 8, step = all || last == 0 ? 8 : last;
    for (int64_t i = 0; i < place->memory / place->disk; i++) {
        int64_t offset = chunk_offset(content, call, i), base = i * place->disk;
        for (int64_t position = 0; position < place->disk; position += step) {
            bool stamp = position % CONTENT_STEP == 0 || position == last;
            uint64_t found,
                expected = stamp ? word(content->stamps, (offset + position) / 8)
                                 : word(content->words, (start(content, call) + base + position) / 8);
            int64_t kept = all ? base + position : i * CONTENT_ENDS + (position ? CONTENT_ENDS / 2 : 0);
            memcpy(&found, data + kept, sizeof found);
            if (found != expected)
                report(context, &(struct content_mismatch){call, offset + position, expected, found});
        }
    }
}
