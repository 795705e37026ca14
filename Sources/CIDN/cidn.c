#include "cidn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

// From idn2.h, which need not exist when this is compiled. IDN2_USE_STD3_ASCII_RULES is not used: with it the library
// drops forbidden characters, and turns `a`, a fullwidth slash and `b` into `ab`.
enum { nfc_input = 1, nontransitional = 8, ok = 0 };

static int (*lookup)(const uint8_t *, uint8_t **, int);
static void (*release)(void *);
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&release = dlsym(library, "idn2_free");
    if (release) *(void **)&lookup = dlsym(library, "idn2_lookup_u8");
}

int cidn_to_ascii(const char *name, char *ascii, size_t size) {
    pthread_once(&load_once, load);
    if (!lookup) return -1;
    uint8_t *found = NULL;
    int status = lookup((const uint8_t *)name, &found, nfc_input | nontransitional);
    if (status != ok || !found) return 0;
    size_t length = strlen((const char *)found);
    int fits = length > 0 && length < size;
    if (fits) memcpy(ascii, found, length + 1);
    release(found);
    return fits;
}
