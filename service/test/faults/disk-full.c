/*
 * While the file FULL_FLAG exists, nothing below FULL_FOLDER can grow: the disk is full.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Whether a file that would end at `end` has no room; an end of -1 is beyond where it ends now. */
static int full(int fd, off_t end) {
  const char *folder = getenv("FULL_FOLDER"), *flag = getenv("FULL_FLAG");
  char link[64], path[4096] = {0};
  struct stat status;
  if (!folder || !flag || access(flag, F_OK)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) < 0 || strncmp(path, folder, strlen(folder))) return 0;
  if (fstat(fd, &status) || (end >= 0 && end <= status.st_size)) return 0;
  errno = ENOSPC;
  return 1;
}

static off_t here(int fd) { return lseek(fd, 0, SEEK_CUR); }

static off_t total(const struct iovec *parts, int count) {
  off_t sum = 0;
  while (count-- > 0) sum += parts[count].iov_len;
  return sum;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  return full(fd, here(fd) + count) ? -1 : REAL(write)(fd, bytes, count);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  return full(fd, here(fd) + total(parts, count)) ? -1 : REAL(writev)(fd, parts, count);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return full(fd, at + count) ? -1 : REAL(pwrite)(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  return full(fd, at + count) ? -1 : REAL(pwrite64)(fd, bytes, count, at);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return full(fd, at + total(parts, count)) ? -1 : REAL(pwritev)(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return full(fd, at + total(parts, count)) ? -1 : REAL(pwritev64)(fd, parts, count, at);
}
int ftruncate(int fd, off_t end) { return full(fd, end) ? -1 : REAL(ftruncate)(fd, end); }
int ftruncate64(int fd, off64_t end) { return full(fd, end) ? -1 : REAL(ftruncate64)(fd, end); }
int fallocate(int fd, int mode, off_t at, off_t count) {
  return full(fd, at + count) ? -1 : REAL(fallocate)(fd, mode, at, count);
}
int fallocate64(int fd, int mode, off64_t at, off64_t count) {
  return full(fd, at + count) ? -1 : REAL(fallocate64)(fd, mode, at, count);
}
int posix_fallocate(int fd, off_t at, off_t count) {
  return full(fd, at + count) ? ENOSPC : REAL(posix_fallocate)(fd, at, count);
}
int posix_fallocate64(int fd, off64_t at, off64_t count) {
  return full(fd, at + count) ? ENOSPC : REAL(posix_fallocate64)(fd, at, count);
}
