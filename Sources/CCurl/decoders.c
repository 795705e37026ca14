#include "ccurl.h"
#include "libraries.h"

#include <czlib.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The layouts are part of the library's ABI (zstd.h). They are declared here, so that building needs no headers of a
// library that only libcurl brings along.
struct zstd_in {
    const void *bytes;
    size_t size, position;
};
struct zstd_out {
    void *bytes;
    size_t size, position;
};

enum { brotli_error, brotli_done, brotli_more_input, brotli_more_output };
// RFC 9659: decoders of this content coding must support a window of up to 8 MiB.
enum { zstd_window_log_max = 100, zstd_largest_window = 23 };

static struct {
    void *(*new)(void *, void *, void *);
    int (*run)(void *, size_t *, const unsigned char **, size_t *, unsigned char **, size_t *);
    void (*free)(void *);
} brotli;
static struct {
    void *(*new)(void);
    size_t (*set)(void *, int parameter, int value);
    size_t (*run)(void *, struct zstd_out *, struct zstd_in *);
    unsigned (*is_error)(size_t);
    size_t (*free)(void *);
} zstd;

static int has_library[3];
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static int load_library(const char *name, const struct ccurl_symbol *symbols, size_t count) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library && !ccurl_bind(library, symbols, count);
}

static void load(void) {
    const struct ccurl_symbol brotli_symbols[] = {
        {&brotli.new, "BrotliDecoderCreateInstance"},
        {&brotli.run, "BrotliDecoderDecompressStream"},
        {&brotli.free, "BrotliDecoderDestroyInstance"},
    };
    const struct ccurl_symbol zstd_symbols[] = {
        {&zstd.new, "ZSTD_createDStream"},    {&zstd.set, "ZSTD_DCtx_setParameter"},
        {&zstd.run, "ZSTD_decompressStream"}, {&zstd.is_error, "ZSTD_isError"},
        {&zstd.free, "ZSTD_freeDStream"},
    };
    has_library[CCURL_ZLIB] = czlib_load();
    has_library[CCURL_BROTLI] = load_library("libbrotlidec.so.1", brotli_symbols, CCURL_COUNT(brotli_symbols));
    has_library[CCURL_ZSTD] = load_library("libzstd.so.1", zstd_symbols, CCURL_COUNT(zstd_symbols));
}

struct decoder {
    ccurl_coding coding;
    void *state;
    // Brotli has no further stream after the first.
    int has_ended;
};

int ccurl_decoder_exists(ccurl_coding coding) {
    pthread_once(&load_once, load);
    return has_library[coding];
}

void *ccurl_decoder_new(ccurl_coding coding) {
    if (!ccurl_decoder_exists(coding)) return NULL;
    struct decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->coding = coding;
    switch (coding) {
    case CCURL_ZLIB: decoder->state = czlib_inflater_new(); break;
    case CCURL_BROTLI: decoder->state = brotli.new(NULL, NULL, NULL); break;
    case CCURL_ZSTD:
        decoder->state = zstd.new();
        if (decoder->state) zstd.set(decoder->state, zstd_window_log_max, zstd_largest_window);
        break;
    }
    if (decoder->state) return decoder;
    free(decoder);
    return NULL;
}

static ccurl_decoder_state run_zlib(struct decoder *decoder, const unsigned char **in, size_t *in_count,
                                    unsigned char *out, size_t *out_count) {
    switch (czlib_inflate(decoder->state, in, in_count, out, out_count)) {
    case CZLIB_ENDED: return CCURL_DECODER_ENDED;
    case CZLIB_MORE: return CCURL_DECODER_MORE;
    default: return CCURL_DECODER_CORRUPT;
    }
}

static ccurl_decoder_state run_brotli(struct decoder *decoder, const unsigned char **in, size_t *in_count,
                                      unsigned char *out, size_t *out_count) {
    if (decoder->has_ended) return CCURL_DECODER_CORRUPT;
    switch (brotli.run(decoder->state, in_count, in, out_count, &out, NULL)) {
    case brotli_done: decoder->has_ended = 1; return CCURL_DECODER_ENDED;
    case brotli_more_input:
    case brotli_more_output: return CCURL_DECODER_MORE;
    default: return CCURL_DECODER_CORRUPT;
    }
}

static ccurl_decoder_state run_zstd(struct decoder *decoder, const unsigned char **in, size_t *in_count,
                                    unsigned char *out, size_t *out_count) {
    struct zstd_in input = {*in, *in_count, 0};
    struct zstd_out output = {out, *out_count, 0};
    size_t result = zstd.run(decoder->state, &output, &input);
    if (zstd.is_error(result)) return CCURL_DECODER_CORRUPT;
    *in += input.position;
    *in_count -= input.position;
    *out_count -= output.position;
    return result == 0 ? CCURL_DECODER_ENDED : CCURL_DECODER_MORE;
}

ccurl_decoder_state ccurl_decoder_run(void *state, const unsigned char **in, size_t *in_count,
                                      unsigned char *out, size_t *out_count) {
    struct decoder *decoder = state;
    switch (decoder->coding) {
    case CCURL_ZLIB: return run_zlib(decoder, in, in_count, out, out_count);
    case CCURL_BROTLI: return run_brotli(decoder, in, in_count, out, out_count);
    case CCURL_ZSTD: return run_zstd(decoder, in, in_count, out, out_count);
    }
    return CCURL_DECODER_CORRUPT;
}

void ccurl_decoder_free(void *state) {
    struct decoder *decoder = state;
    switch (decoder->coding) {
    case CCURL_ZLIB: czlib_inflater_free(decoder->state); break;
    case CCURL_BROTLI: brotli.free(decoder->state); break;
    case CCURL_ZSTD: zstd.free(decoder->state); break;
    }
    free(decoder);
}
