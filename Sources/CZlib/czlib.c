#include "czlib.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

static struct {
    int (*init)(z_streamp, int, int, int, int, int, const char *, int);
    uLong (*bound)(z_streamp, uLong);
    int (*deflate)(z_streamp, int);
    int (*end)(z_streamp);
} api;

static int is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&api.init = dlsym(library, "deflateInit2_");
    *(void **)&api.bound = dlsym(library, "deflateBound");
    *(void **)&api.deflate = dlsym(library, "deflate");
    *(void **)&api.end = dlsym(library, "deflateEnd");
    is_loaded = api.init && api.bound && api.deflate && api.end;
}

int czlib_load(void) {
    pthread_once(&load_once, load);
    return is_loaded;
}

unsigned char *czlib_gzip(const void *bytes, size_t count, size_t *size) {
    // 16 more than the size of the window asks for the gzip format.
    const int window = MAX_WBITS + 16;
    z_stream stream = {0};
    if (!czlib_load() || count > UINT_MAX) return NULL;
    if (api.init(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                 sizeof stream) != Z_OK)
        return NULL;
    uLong bound = api.bound(&stream, count);
    unsigned char *result = bound > UINT_MAX ? NULL : malloc(bound);
    int code = Z_MEM_ERROR;
    if (result) {
        stream.next_in = (unsigned char *)bytes;
        stream.avail_in = count;
        stream.next_out = result;
        stream.avail_out = bound;
        code = api.deflate(&stream, Z_FINISH);
        *size = stream.total_out;
    }
    api.end(&stream);
    if (code == Z_STREAM_END) return result;
    free(result);
    return NULL;
}
