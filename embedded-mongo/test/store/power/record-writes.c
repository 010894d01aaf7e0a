/*
 * Preloaded into the database process (LD_PRELOAD). It records every write and flush of data.mdb to the file that
 * EAS_WRITE_JOURNAL names, and fails each write after the first EAS_WRITES_ALLOWED with ENOSPC.
 *
 * A record is: kind (1 byte), number (8 bytes, little endian), length (4 bytes), then the bytes.
 *   W written at offset `number`       D written and durable on return (O_DSYNC)
 *   B flush `number` begins            E flush `number` is complete
 *   T truncated to `number` bytes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FDS 4096
#define HEAD 13

static char is_data[MAX_FDS];
static char is_sync[MAX_FDS];
static int journal = -1;
static long allowed = -1;
static uint64_t flushes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("EAS_WRITE_JOURNAL");
  const char *limit = getenv("EAS_WRITES_ALLOWED");
  if (limit) allowed = atol(limit);
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  if (path) journal = real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void record(char kind, uint64_t number, const struct iovec *parts, int count) {
  if (journal < 0) return;
  uint32_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  char *bytes = malloc(HEAD + length);
  bytes[0] = kind;
  memcpy(bytes + 1, &number, 8);
  memcpy(bytes + 9, &length, 4);
  size_t at = HEAD;
  for (int i = 0; i < count; i++) {
    memcpy(bytes + at, parts[i].iov_base, parts[i].iov_len);
    at += parts[i].iov_len;
  }
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (real(journal, bytes, at) != (ssize_t)at) abort();
  free(bytes);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = (flags & O_CREAT) ? va_arg(list, int) : 0;
  va_end(list);
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  int fd = real(path, flags, mode);
  const char *name = strrchr(path, '/');
  if (fd >= 0 && fd < MAX_FDS) {
    is_data[fd] = name && strcmp(name, "/data.mdb") == 0;
    is_sync[fd] = (flags & O_DSYNC) != 0;
  }
  return fd;
}

static int watched(int fd) { return fd >= 0 && fd < MAX_FDS && is_data[fd]; }

/* The disk is full from the write after the last allowed one. */
static int full(void) { return allowed >= 0 && allowed-- <= 0 ? (allowed = 0, 1) : 0; }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  if (!watched(fd)) return real(fd, bytes, length, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = -1;
  if (full()) errno = ENOSPC;
  else written = real(fd, bytes, length, offset);
  struct iovec part = {(void *)bytes, written > 0 ? (size_t)written : 0};
  if (written > 0) record(is_sync[fd] ? 'D' : 'W', offset, &part, 1);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t (*real)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
  if (!watched(fd)) return real(fd, parts, count);
  pthread_mutex_lock(&lock);
  off64_t offset = lseek64(fd, 0, SEEK_CUR);
  ssize_t written = -1;
  if (full()) errno = ENOSPC;
  else written = real(fd, parts, count);
  if (written > 0) record(is_sync[fd] ? 'D' : 'W', offset, parts, count);
  pthread_mutex_unlock(&lock);
  return written;
}

int ftruncate64(int fd, off64_t length) {
  int (*real)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
  int result = real(fd, length);
  if (watched(fd) && result == 0) {
    pthread_mutex_lock(&lock);
    record('T', length, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return result;
}

static int flush(int fd, const char *name) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  if (!watched(fd)) return real(fd);
  pthread_mutex_lock(&lock);
  uint64_t number = ++flushes;
  record('B', number, NULL, 0);
  pthread_mutex_unlock(&lock);
  int result = real(fd);
  pthread_mutex_lock(&lock);
  if (result == 0) record('E', number, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int fdatasync(int fd) { return flush(fd, "fdatasync"); }
int fsync(int fd) { return flush(fd, "fsync"); }
