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
    int (*inflate_init)(z_streamp, int, const char *, int);
    int (*inflate_reset)(z_streamp);
    int (*inflate)(z_streamp, int);
    int (*inflate_end)(z_streamp);
} api;

static int is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const struct {
        void *slot;
        const char *name;
    } symbols[] = {
        {&api.init, "deflateInit2_"},         {&api.bound, "deflateBound"},
        {&api.deflate, "deflate"},            {&api.end, "deflateEnd"},
        {&api.inflate_init, "inflateInit2_"}, {&api.inflate_reset, "inflateReset"},
        {&api.inflate, "inflate"},            {&api.inflate_end, "inflateEnd"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address) return;
        *(void **)symbols[i].slot = address;
    }
    is_loaded = 1;
}

int czlib_load(void) {
    pthread_once(&load_once, load);
    return is_loaded;
}

unsigned char *czlib_gzip(const void *bytes, size_t count, size_t *size) {
    // Adding 16 to the window size selects the gzip format.
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

struct czlib_deflater {
    z_stream stream;
};

czlib_deflater *czlib_deflater_new(void) {
    // Adding 16 to the window size selects the gzip format.
    const int window = MAX_WBITS + 16;
    if (!czlib_load()) return NULL;
    czlib_deflater *deflater = calloc(1, sizeof *deflater);
    if (!deflater) return NULL;
    if (api.init(&deflater->stream, Z_BEST_SPEED, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                 sizeof deflater->stream) == Z_OK)
        return deflater;
    free(deflater);
    return NULL;
}

// Gives a stream the next bytes and room for its output, and moves the caller's places on.
static enum czlib_progress czlib_step(z_stream *stream, int (*step)(z_streamp, int), int flush, const unsigned char **in,
                                      size_t *in_count, unsigned char *out, size_t *out_count) {
    const unsigned in_chunk = *in_count > UINT_MAX ? UINT_MAX : (unsigned)*in_count;
    const unsigned out_chunk = *out_count > UINT_MAX ? UINT_MAX : (unsigned)*out_count;
    stream->next_in = (unsigned char *)*in;
    stream->avail_in = in_chunk;
    stream->next_out = out;
    stream->avail_out = out_chunk;
    const int result = step(stream, flush);
    *in = stream->next_in;
    *in_count -= in_chunk - stream->avail_in;
    *out_count -= out_chunk - stream->avail_out;
    if (result == Z_STREAM_END) return CZLIB_ENDED;
    return result == Z_OK || result == Z_BUF_ERROR ? CZLIB_MORE : CZLIB_CORRUPT;
}

enum czlib_progress czlib_deflate(czlib_deflater *deflater, const unsigned char **in, size_t *in_count, unsigned char *out,
                                  size_t *out_count, int is_last) {
    const int flush = is_last && *in_count <= UINT_MAX ? Z_FINISH : Z_NO_FLUSH;
    return czlib_step(&deflater->stream, api.deflate, flush, in, in_count, out, out_count);
}

void czlib_deflater_free(czlib_deflater *deflater) {
    api.end(&deflater->stream);
    free(deflater);
}

struct czlib_inflater {
    z_stream stream;
    // The next bytes begin another stream.
    int has_ended;
};

czlib_inflater *czlib_inflater_new(void) {
    // Adding 32 to the window size detects gzip or zlib by the header.
    const int any_window = MAX_WBITS + 32;
    if (!czlib_load()) return NULL;
    czlib_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return NULL;
    if (api.inflate_init(&inflater->stream, any_window, ZLIB_VERSION, sizeof inflater->stream) == Z_OK) return inflater;
    free(inflater);
    return NULL;
}

enum czlib_progress czlib_inflate(czlib_inflater *inflater, const unsigned char **in, size_t *in_count, unsigned char *out,
                                  size_t *out_count) {
    if (inflater->has_ended && api.inflate_reset(&inflater->stream) != Z_OK) return CZLIB_CORRUPT;
    const enum czlib_progress progress =
        czlib_step(&inflater->stream, api.inflate, Z_NO_FLUSH, in, in_count, out, out_count);
    inflater->has_ended = progress == CZLIB_ENDED;
    return progress;
}

void czlib_inflater_free(czlib_inflater *inflater) {
    api.inflate_end(&inflater->stream);
    free(inflater);
}
