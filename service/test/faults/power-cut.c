/*
 * Keeps of each file below CUT_FOLDER the bytes it had when it was last synced, in CUT_DURABLE.
 * After a power cut these are what a disk surely holds. A file's name lasts as soon as its bytes do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* The place of a file's durable copy; slashes become `%`. 0 when it is none of the data's files. */
static int durable(const char *path, char *copy) {
  const char *folder = getenv("CUT_FOLDER"), *to = getenv("CUT_DURABLE");
  size_t length = folder ? strlen(folder) : 0;
  if (!to || strncmp(path, folder, length) || path[length] != '/') return 0;
  int at = snprintf(copy, 4096, "%s/", to);
  for (const char *c = path + length + 1; *c; c++) copy[at++] = *c == '/' ? '%' : *c;
  copy[at] = 0;
  return 1;
}

static void keep(int fd) {
  char link[64], path[4096] = {0}, copy[4096], fresh[4200], bytes[65536];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  struct stat status;
  if (readlink(link, path, sizeof path - 1) < 0 || !durable(path, copy)) return;
  if (fstat(fd, &status) || !S_ISREG(status.st_mode)) return;
  snprintf(fresh, sizeof fresh, "%s.new", copy);
  pthread_mutex_lock(&one_at_a_time);
  int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600), from = fd;
  /* A second descriptor of a database would drop SQLite's locks when it closes. */
  if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) from = open(path, O_RDONLY);
  ssize_t count;
  for (off_t at = 0; (count = pread(from, bytes, sizeof bytes, at)) > 0; at += count)
    if (write(to, bytes, count) != count) abort();
  if (from != fd) close(from);
  close(to);
  if (rename(fresh, copy)) abort();
  pthread_mutex_unlock(&one_at_a_time);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) {
  int failed = REAL(fsync)(fd);
  if (!failed) keep(fd);
  return failed;
}

int fdatasync(int fd) {
  int failed = REAL(fdatasync)(fd);
  if (!failed) keep(fd);
  return failed;
}

int rename(const char *from, const char *to) {
  char before[4096], after[4096];
  int failed = REAL(rename)(from, to);
  if (!failed && durable(from, before) && durable(to, after)) REAL(rename)(before, after);
  return failed;
}

int link(const char *from, const char *to) {
  char before[4096], after[4096];
  int failed = REAL(link)(from, to);
  if (!failed && durable(from, before) && durable(to, after)) REAL(link)(before, after);
  return failed;
}

int unlink(const char *path) {
  char copy[4096];
  int failed = REAL(unlink)(path);
  if (!failed && durable(path, copy)) REAL(unlink)(copy);
  return failed;
}
