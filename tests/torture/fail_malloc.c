/* Preloaded: the N-th allocation of the process fails (N from $FAIL_AT), and only that one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static long countdown = -1;

static int fails(void) {
  if (countdown < 0) {
    const char* const at = getenv("FAIL_AT");
    countdown = at != NULL ? atol(at) : 0;
  }
  return countdown > 0 && __sync_sub_and_fetch(&countdown, 1) == 0;
}

void* malloc(size_t size) {
  static void* (*next)(size_t) = NULL;
  if (next == NULL) next = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (!fails()) return next(size);
  errno = ENOMEM;
  return NULL;
}

void* aligned_alloc(size_t alignment, size_t size) {
  static void* (*next)(size_t, size_t) = NULL;
  if (next == NULL) next = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
  if (!fails()) return next(alignment, size);
  errno = ENOMEM;
  return NULL;
}
