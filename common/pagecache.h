/* What a node holds of a file in its page cache (docs/definition.md 2.5). Pure. */
#ifndef COMMON_PAGECACHE_H
#define COMMON_PAGECACHE_H

/* Share of a sample of the file's pages that is in memory, 0 to 1; -1 if unknown. */
double pagecache_resident(const char *path);

/* Writes what is dirty and drops the file's pages on this node; 0, or -1 if the system can't. */
int pagecache_drop(const char *path);

/* Drops the page cache of the whole node, of every user; 0, or -1 if that is not permitted. */
int pagecache_drop_node(void);

#endif
