// Tells the thread sanitizer of the waiting that it cannot see.
//
// On Linux, Swift's `Mutex` is an atomic number as long as nobody waits, which the sanitizer sees, since that code is
// compiled into the program. Who must wait is in libswiftSynchronization, which is not instrumented: there the kernel hands
// the lock on, and the sanitizer takes what follows for a race. This stands in front of that library (LD_PRELOAD) and
// names each hand-over.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Synchronization._MutexHandle, by its mangled names: _lockSlow(UInt32), _tryLockSlow() -> Bool and _unlockSlow().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock(SELF) __asm__(TRY);
SWIFT void unlock(SELF) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF) {
  SWIFT void (*original)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  original(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock(SELF) {
  SWIFT bool (*original)(SELF) = dlsym(RTLD_NEXT, TRY);
  bool done = original(self);
  if (done && __tsan_acquire) __tsan_acquire(self);
  return done;
}

SWIFT void unlock(SELF) {
  SWIFT void (*original)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  original(self);
}
