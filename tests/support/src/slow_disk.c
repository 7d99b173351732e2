/* A slow disk: preloaded into a process, each fsync and fdatasync takes as many milliseconds as the file
 * named by SLOW_DISK says. While it says "stuck", none of them ends; while it says "full", no file can grow. The time
 * applies to looking at and opening the file that SLOW_FILE names as well. The disk of FULL_FILE, and of what is called
 * like it with more at the end, is the only one that is full, if there is one. Each file that is synced is copied to the
 * folder SLOW_SYNCED: what is there is what a power cut would leave. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *says;
static char *slow_file;
static char *full_file;
static char *synced;

/* PostgreSQL moves its environment. */
__attribute__((constructor)) static void remember(void)
{
    const char *path = getenv("SLOW_DISK");
    says = path ? strdup(path) : NULL;
    path = getenv("SLOW_FILE");
    slow_file = path ? strdup(path) : NULL;
    path = getenv("FULL_FILE");
    full_file = path ? strdup(path) : NULL;
    path = getenv("SLOW_SYNCED");
    synced = path ? strdup(path) : NULL;
}

static void wait_milliseconds(long milliseconds)
{
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    /* Signals, which PostgreSQL sends a lot of, do not make a disk faster. */
    while (nanosleep(&left, &left) != 0)
        ;
}

/* Whether anything is said, and what. */
static int listen_to(char text[16])
{
    memset(text, 0, 16);
    int file = says ? open(says, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return 0;
    ssize_t count = read(file, text, 15);
    close(file);
    return count > 0;
}

static void wait_for_disk(void)
{
    for (;;) {
        char text[16];
        if (!listen_to(text))
            return;
        if (strcmp(text, "stuck") != 0) {
            wait_milliseconds(strtol(text, NULL, 10));
            return;
        }
        wait_milliseconds(5);
    }
}

/* Not by `write`, which is one of those below. */
static void copy(int file, const char *to)
{
    struct stat found;
    int copied = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    loff_t from = 0, at = 0;
    if (copied >= 0 && fstat(file, &found) == 0)
        while (at < found.st_size && copy_file_range(file, &from, copied, &at, found.st_size - at, 0) > 0)
            ;
    close(copied);
}

static int keep(int file, int outcome)
{
    char link[64], path[4096], part[4200], kept[4200];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = synced && outcome == 0 ? readlink(link, path, sizeof path - 1) : -1;
    struct stat found;
    if (length < 0 || fstat(file, &found) != 0 || !S_ISREG(found.st_mode))
        return outcome;
    path[length] = 0;
    const char *name = strrchr(path, '/') + 1;
    snprintf(part, sizeof part, "%s/%s.part%d", synced, name, gettid());
    snprintf(kept, sizeof kept, "%s/%s", synced, name);
    copy(file, part);
    rename(part, kept);
    return outcome;
}

int fsync(int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return keep(file, real(file));
}

int fdatasync(int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return keep(file, real(file));
}

/* Rust opens files by this name. */
int open64(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (slow_file && strcmp(path, slow_file) == 0)
        wait_for_disk();
    return real(path, flags, mode);
}

/* By this name Rust looks at files. It first asks with no path, and no directory, whether there is such a call. */
int statx(int directory, const char *path, int flags, unsigned mask, struct statx *found)
{
    int (*real)(int, const char *, int, unsigned, struct statx *) =
        (int (*)(int, const char *, int, unsigned, struct statx *))dlsym(RTLD_NEXT, "statx");
    if (slow_file && directory == AT_FDCWD && strcmp(path, slow_file) == 0)
        wait_for_disk();
    return real(directory, path, flags, mask, found);
}

/* Whether the disk of FULL_FILE, if there is one, has this file. */
static int is_there(int file)
{
    char link[32], path[1024] = {0};
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return !full_file || (readlink(link, path, sizeof path - 1) > 0 && !strncmp(path, full_file, strlen(full_file)));
}

static int has_room(int file, off_t end)
{
    char text[16];
    struct stat found;
    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || end <= found.st_size)
        return 1;
    if (!is_there(file) || !listen_to(text) || strcmp(text, "full") != 0)
        return 1;
    errno = ENOSPC;
    return 0;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return has_room(file, lseek(file, 0, SEEK_CUR) + count) ? real(file, bytes, count) : -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    return has_room(file, at + count) ? real(file, bytes, count, at) : -1;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    return pwrite64(file, bytes, count, at);
}
