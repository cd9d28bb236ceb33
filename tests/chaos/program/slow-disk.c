/*
 * Loaded before a server (LD_PRELOAD): what it asks of the disk takes longer, or fails. The file that TUTTI_CHAOS_DISK names
 * says how: four bytes for the milliseconds that each wait for the disk takes longer, four for the number of waits that fail. It counts
 * there, in four bytes each, how many did.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct control {
  volatile uint32_t delay_ms;
  volatile int32_t failures;
  volatile uint32_t delayed;
  volatile uint32_t failed;
};

static struct control calm;
static struct control *control = &calm;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("TUTTI_CHAOS_DISK");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof calm, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) control = memory;
  close(file);
}

static int fails(void) {
  uint32_t delay = control->delay_ms;
  if (delay > 0) {
    struct timespec pause = {delay / 1000, (long)(delay % 1000) * 1000000};
    nanosleep(&pause, NULL);
    __sync_fetch_and_add(&control->delayed, 1);
  }
  if (control->failures <= 0) return 0;
  if (__sync_fetch_and_sub(&control->failures, 1) <= 0) return 0;
  __sync_fetch_and_add(&control->failed, 1);
  errno = EIO;
  return 1;
}

int fsync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return fails() ? -1 : real(file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return fails() ? -1 : real(file);
}
