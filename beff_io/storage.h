/* Which storage a directory is on: file system, source, mount options, size; and what a node holds of a file
 * in its page cache (docs/definition.md 2.9). */
#ifndef BEFF_IO_STORAGE_H
#define BEFF_IO_STORAGE_H

#include <stdint.h>
#include <stdio.h>

enum { STORAGE_TEXT_SIZE = 512 };

struct storage {
    char path[STORAGE_TEXT_SIZE];   /* absolute; "" where it cannot be resolved */
    char type[STORAGE_TEXT_SIZE];   /* "ext4", "lustre"; "" where it is not known, like all that follow */
    char source[STORAGE_TEXT_SIZE]; /* "/dev/sda1", "server:/export" */
    char mount[STORAGE_TEXT_SIZE];  /* where it is mounted */
    char options[STORAGE_TEXT_SIZE];
    int64_t bytes; /* -1: not known */
};

/* Looks up the directory. */
void storage_read(const char *path, struct storage *storage);

/* Finds the mount of an absolute path in what /proc/self/mounts says (NULL: nothing), in which later
 * mounts hide earlier ones. 0, or -1 if there is none. */
int storage_find(FILE *mounts, const char *path, struct storage *storage);

/* Returns 1 if this process has the file open, and with O_DIRECT in every descriptor (by /proc/self/fdinfo);
 * 0 if a descriptor of it lacks O_DIRECT; -1 if the process has not opened the file. */
int storage_is_direct(const char *path);

/* Share of a sample of the file's pages that is in memory, 0 to 1; -1 if unknown. */
double pagecache_resident(const char *path);

/* Writes what is dirty and drops the file's pages on this node; 0, or -1 if the system cannot. */
int pagecache_drop(const char *path);

/* Drops the page cache of the whole node, of every user, where that is permitted. */
void pagecache_drop_node(void);

#endif
