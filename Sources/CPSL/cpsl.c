#include "cpsl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef struct psl_ctx psl_ctx_t;

static int (*is_public_suffix)(const psl_ctx_t *, const char *);
static const psl_ctx_t *list;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    psl_ctx_t *(*latest)(const char *);
    const psl_ctx_t *(*builtin)(void);
    *(void **)&is_public_suffix = dlsym(library, "psl_is_public_suffix");
    *(void **)&latest = dlsym(library, "psl_latest");
    *(void **)&builtin = dlsym(library, "psl_builtin");
    if (!is_public_suffix) return;
    // The distribution's list if it is newer than the library's own; kept for the life of the process.
    if (latest) list = latest(NULL);
    if (!list && builtin) list = builtin();
}

int cpsl_is_public_suffix(const char *name) {
    pthread_once(&load_once, load);
    return list ? is_public_suffix(list, name) != 0 : -1;
}
