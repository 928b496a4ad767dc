#include "beff_io/mpi/cache.h"

#include <unistd.h>

#include "beff_io/storage.h"

void io_cache_start(struct io_cache *cache)
{
    cache->node_memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

void io_cache_opened(const struct io_cache *cache, const struct io_job *job, const struct io_command *c,
                     struct io_measurement *m)
{
    if (job->machine->leads_node)
        m->passed = (cache->node_moved - cache->moved_at[c->partition][c->type]) / cache->node_memory;
}

void io_cache_closing(const struct io_file *file, const struct io_command *c, struct io_measurement *m)
{
    int direct = c->access == ACCESS_READ ? storage_is_direct(file->path) : -1;
    m->direct = direct == 1;
    m->buffered = direct == 0;
}

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
