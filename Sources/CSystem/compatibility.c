// Functions of newer C libraries that only the runtime libraries in the executable ask for. With these, the executable
// needs glibc 2.34 instead of the version on the machine that links it.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/random.h>

// Swift's and C++'s runtimes refer to these two by name; no header of this module declares them. Hidden, so that the
// libraries that a run loads keep those of the C library.
#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN float hypotf(float x, float y);
HIDDEN uint32_t arc4random(void);

// glibc 2.35 has a new version of hypotf. In double precision, neither the squares nor their sum can overflow.
float hypotf(float x, float y) {
    if (__builtin_isinf(x) || __builtin_isinf(y)) return __builtin_inff();
    return (float)__builtin_sqrt((double)x * x + (double)y * y);
}

// glibc 2.36 adds arc4random; std::random_device, which nothing here uses, prefers it.
uint32_t arc4random(void) {
    uint32_t number;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {}
    return number;
}
