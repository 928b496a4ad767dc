#include "beff_io/mpi/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "beff_io/content.h"
#include "beff_io/storage.h"
#include "common/measure.h"

/* ---- evicting ---- */

/* The lag, as a fraction of the limit: half of the cache. */
enum { BLOCK = 1 << 20, TRIAL = 32 << 20, EVICT_LAG = 4 };

struct passing {
    struct content content;
    char *area;
    int file;
    int64_t bytes;  /* size of the file */
    int64_t lag;    /* a block is read after `lag` bytes more were written */
    int64_t passed; /* bytes that were written and read */
    double limit;   /* seconds */
};

static int wait_for_none(void *context)
{
    (void)context;
    return 0;
}

/* Writes block number `i` and reads the block that lags. Returns an error if the file system is full. */
static int pass_block(void *context, long i)
{
    struct passing *p = context;
    int64_t at = (int64_t)i * BLOCK;
    if (at < p->bytes && TEMP_FAILURE_RETRY(pwrite(p->file, content_stamp(&p->content, p->area, i), BLOCK,
                                                   (off_t)at)) != BLOCK)
        return -1;
    if (at >= p->lag && TEMP_FAILURE_RETRY(pread(p->file, p->area, BLOCK, (off_t)(at - p->lag))) == BLOCK)
        p->passed = at - p->lag + BLOCK;
    return 0;
}

static long go_on(void *context, const struct measured *so_far)
{
    const struct passing *p = context;
    return p->passed < p->bytes && so_far->seconds < p->limit && !ending_signal();
}

/* Writes a file of at least `bytes` bytes and reads it, for at most IO_EVICT_SHARE of T. A block is read
 * after `lag` bytes more were written: it is then used for the second time, so that it displaces blocks even
 * if the cache keeps blocks that were used twice. Sets `passed` to the number of bytes that were written and
 * read; less if the file system is full. Returns the seconds. */
static double pass_file(const struct io_job *job, char *area, int64_t bytes, int64_t lag, int64_t *passed)
{
    char path[4096];
    struct io_place place = {.disk = BLOCK, .memory = BLOCK, .chunk_step = BLOCK};
    struct passing p = {.content = content_of(job->task.seed, false, IO_PATTERNS, 1, job->comm->rank, &place),
                        .area = area,
                        .bytes = bytes,
                        .lag = lag,
                        .limit = IO_EVICT_SHARE * job->settings->run.time};
    const struct measure_ops ops = {
        .now = comm_now, .synchronise = wait_for_none, .work = pass_block, .vote = go_on, .context = &p};
    struct measured measured = {0};
    scratch_file(job->shared.path, 0, TYPE_SEPARATED, job->comm->rank, path, sizeof path);
    p.file = (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (p.file < 0) {
        comm_fail(job->comm, "%s cannot be created: %s", path, strerror(errno));
    } else {
        content_fill(&p.content, area);
        measure(&ops, 0, LONG_MAX, &measured);
        close(p.file);
        unlink(path);
    }
    *passed = p.passed;
    return measured.seconds;
}

double io_cache_evict_seconds(const struct io_cache *cache, const struct io_job *job, char *area)
{
    double seconds = 0, longest;
    int64_t passed;
    if (job->machine->leads_node) {
        seconds = pass_file(job, area, TRIAL, 0, &passed);
        seconds = passed ? seconds * cache->limit / (double)passed : INFINITY;
    }
    COMM_CHECK(job->comm, comm_allreduce(job->comm, &seconds, &longest, 1, MPI_DOUBLE, MPI_MAX));
    return longest;
}

void io_cache_evict(struct io_cache *cache, const struct io_job *job, char *area, struct io_measurement *m)
{
    double latest = 0, missing;
    int64_t passed;
    for (int p = 0; p < job->task.partition_count; p++)
        for (int t = 0; t < IO_TYPES; t++)
            latest = fmax(latest, cache->moved_at[p][t]);
    missing = cache->limit - (cache->node_moved - latest);
    if (job->machine->leads_node && missing >= 0) {
        m->record.t_total =
            pass_file(job, area, (int64_t)missing + 1, (int64_t)cache->limit / EVICT_LAG, &passed);
        cache->node_moved += (double)passed;
    }
}

/* ---- files ---- */

static double resident(const char *path)
{
    double share = pagecache_resident(path);
    return share < 0 ? IO_RESIDENT_UNKNOWN : share;
}

/* Drops the file's pages. The process that leads a node does this; for type 2, it is the process that owns
 * the file. */
static void drop(const struct io_file *file, enum io_type type, struct io_measurement *m)
{
    const struct io_settings *s = file->job->settings;
    bool leads = file->job->machine->leads_node;
    if (s->keep_caches || !(leads || type == TYPE_SEPARATED))
        return;
    m->resident_before = resident(file->path);
    if (s->drop_caches && leads)
        pagecache_drop_node();
    pagecache_drop(file->path);
    m->resident_after = resident(file->path);
}

void io_cache_closed(struct io_cache *cache, const struct io_file *file, const struct io_partition *partition,
                     const struct io_command *c, struct io_measurement *m)
{
    double moved = 0; /* bytes that the node transferred since the last close; valid on its rank 0 */
    COMM_CHECK(file->job->comm,
               MPI_Reduce(&cache->moved, &moved, 1, MPI_DOUBLE, MPI_SUM, 0, partition->on_node));
    cache->moved = 0;
    cache->node_moved += moved;
    if (!c->drop)
        return;
    cache->moved_at[c->partition][c->type] = cache->node_moved;
    drop(file, c->type, m);
}
