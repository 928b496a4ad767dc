/* Describes the storage that holds a directory. Inspects and drops a file's pages in the page cache of this
 * node (docs/definition-beff_io-2.md 8). */
#ifndef BEFF_IO_STORAGE_H
#define BEFF_IO_STORAGE_H

#include <stdio.h>

enum { STORAGE_TEXT_SIZE = 512 };

struct storage {
    /* Texts; "" if unknown. */
    char path[4096];                 /* absolute path of the directory */
    char type[STORAGE_TEXT_SIZE];    /* "ext4", "lustre" */
    char source[STORAGE_TEXT_SIZE];  /* "/dev/sda1", "server:/export" */
    char mount[STORAGE_TEXT_SIZE];   /* mount point */
    char options[STORAGE_TEXT_SIZE]; /* mount options */
};

/* Looks up the storage of a directory. */
void storage_read(const char *path, struct storage *storage);

/* Finds the mount of an absolute path in a file such as /proc/self/mounts (NULL: no mounts). Later mounts
 * hide earlier ones. Returns 0 on success, or -1 if there is no such mount. */
int storage_find(FILE *mounts, const char *path, struct storage *storage);

/* Returns 1 if /proc/self/fdinfo shows O_DIRECT for every descriptor that this process has for the file, 0 if
 * a descriptor lacks it, or -1 if this process does not have the file open. */
int storage_is_direct(const char *path);

/* Samples the file's pages and returns the share of them (0 to 1) that is in memory; -1 if unknown. */
double pagecache_resident(const char *path);

/* Writes the file's dirty pages to storage, and drops the file's pages from the memory of this node. Returns
 * 0 on success, or -1 on failure. */
int pagecache_drop(const char *path);

/* Drops the whole page cache of this node, including pages of other users' files, if this is permitted. */
void pagecache_drop_node(void);

#endif
