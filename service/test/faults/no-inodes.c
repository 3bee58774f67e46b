/*
 * While the file FULL_FLAG exists, no file can be made below FULL_FOLDER: the disk has no free inodes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int full(const char *path) {
  const char *folder = getenv("FULL_FOLDER"), *flag = getenv("FULL_FLAG");
  return folder && flag && !access(flag, F_OK) && !strncmp(path, folder, strlen(folder));
}

static int refused(const char *path) {
  if (!full(path) || !access(path, F_OK)) return 0;
  errno = ENOSPC;
  return 1;
}

#define OPEN(name)                                     \
  int name(const char *path, int flags, ...) {         \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                      \
    if ((flags & O_CREAT) && refused(path)) return -1; \
    return REAL(name)(path, flags, mode);              \
  }
OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) { return refused(path) ? -1 : REAL(mkdir)(path, mode); }

#define STATFS(name, type)                      \
  int name(const char *path, struct type *into) { \
    int result = REAL(name)(path, into);        \
    if (!result && full(path)) into->f_ffree = 0; \
    return result;                              \
  }
STATFS(statfs, statfs)
STATFS(statfs64, statfs64)
