/* Makes the n-th call by which a program changes files fail, or ends the program there.
 *
 *   LD_PRELOAD=faults.so FAULT_UNDER=/some/folder FAULT_AT=3 FAULT_ERROR=28 program
 *
 * Only calls that concern files below FAULT_UNDER count. FAULT_ERROR is the error number that they give; 0 ends the
 * program there with status 137, as a kill would. FAULT_LASTS=1 lets every later call fail too. How many calls
 * counted is written to FAULT_COUNT in the end, so that whoever tries every n knows when to stop. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS 4096
static atomic_char watched[DESCRIPTORS];
static atomic_int counted;
static const char *under, *count_file;
static int at, error_number, lasts;

__attribute__((constructor)) static void begin(void) {
  under = getenv("FAULT_UNDER");
  count_file = getenv("FAULT_COUNT");
  at = getenv("FAULT_AT") ? atoi(getenv("FAULT_AT")) : 0;
  error_number = getenv("FAULT_ERROR") ? atoi(getenv("FAULT_ERROR")) : EIO;
  lasts = getenv("FAULT_LASTS") != NULL;
  /* What the program starts is not to fail. */
  unsetenv("LD_PRELOAD");
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void tell(void) {
  char text[16];
  if (!count_file) return;
  int file = REAL(open)(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int size = snprintf(text, sizeof text, "%d", atomic_load(&counted));
  if (file >= 0 && REAL(write)(file, text, size) != size) abort();
  REAL(close)(file);
}

__attribute__((destructor)) static void end(void) { tell(); }

static int is_under(const char *path) {
  return under && path && strncmp(path, under, strlen(under)) == 0;
}

static int fails(void) {
  int number = atomic_fetch_add(&counted, 1) + 1;
  tell();
  if (!at || number < at || (number > at && !lasts)) return 0;
  if (!error_number) _exit(137);
  errno = error_number;
  return 1;
}

static int fails_at(int descriptor) {
  return descriptor >= 0 && descriptor < DESCRIPTORS && watched[descriptor] && fails();
}

static int opened(int descriptor, const char *path) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = is_under(path);
  return descriptor;
}

#define OPEN(name)                                   \
  int name(const char *path, int flags, ...) {       \
    va_list list;                                    \
    va_start(list, flags);                           \
    mode_t mode = va_arg(list, mode_t);              \
    va_end(list);                                    \
    if (is_under(path) && fails()) return -1;        \
    return opened(REAL(name)(path, flags, mode), path); \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = 0;
  return REAL(close)(descriptor);
}

/* A write that fails has put half of its bytes down. */
#define BROKEN(call)               \
  do {                             \
    if (fails_at(descriptor)) {    \
      int number = errno;          \
      size /= 2;                   \
      (void)!(call);               \
      errno = number;              \
      return -1;                   \
    }                              \
    return call;                   \
  } while (0)

ssize_t write(int descriptor, const void *bytes, size_t size) {
  BROKEN(REAL(write)(descriptor, bytes, size));
}
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t place) {
  BROKEN(REAL(pwrite)(descriptor, bytes, size, place));
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t place) {
  BROKEN(REAL(pwrite64)(descriptor, bytes, size, place));
}

#define ON_DESCRIPTOR(type, name, parameters, arguments) \
  type name parameters { return fails_at(descriptor) ? -1 : REAL(name) arguments; }
ON_DESCRIPTOR(int, fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR(int, fdatasync, (int descriptor), (descriptor))
ON_DESCRIPTOR(int, ftruncate, (int descriptor, off_t size), (descriptor, size))
ON_DESCRIPTOR(int, ftruncate64, (int descriptor, off64_t size), (descriptor, size))
ON_DESCRIPTOR(int, fchmod, (int descriptor, mode_t mode), (descriptor, mode))

#define ON_PATH(name, parameters, arguments) \
  int name parameters { return is_under(path) && fails() ? -1 : REAL(name) arguments; }
ON_PATH(unlink, (const char *path), (path))
ON_PATH(rename, (const char *path, const char *target), (path, target))
ON_PATH(link, (const char *path, const char *target), (path, target))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
