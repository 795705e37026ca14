// gzip (RFC 1952) by zlib, which is loaded on demand: most commands compress and decode nothing.
#ifndef CZLIB_H
#define CZLIB_H
#include <stddef.h>

// Loads zlib once; returns whether it is available. Thread-safe.
int czlib_load(void);

// Compresses to a gzip member without name and time, so that equal input gives equal output. Returns memory that the
// caller frees, and its size; NULL without memory, beyond 4 GiB, or without zlib.
unsigned char *czlib_gzip(const void *bytes, size_t count, size_t *size);

enum czlib_progress { CZLIB_MORE, CZLIB_ENDED, CZLIB_CORRUPT };

// Compresses a stream to one gzip member without name and time, fast rather than small.
typedef struct czlib_deflater czlib_deflater;

// NULL without zlib or memory.
czlib_deflater *czlib_deflater_new(void);

// Compresses *in_count bytes from *in to *out_count bytes at out and advances both; the counts become what is left.
// With is_last, CZLIB_ENDED means that the member is complete; before that the caller makes room and calls again.
enum czlib_progress czlib_deflate(czlib_deflater *deflater, const unsigned char **in, size_t *in_count, unsigned char *out,
                                  size_t *out_count, int is_last);
void czlib_deflater_free(czlib_deflater *deflater);

// Decodes gzip or zlib's own format (RFC 1950), detected by the first bytes, one stream after another.
typedef struct czlib_inflater czlib_inflater;

// NULL without zlib or memory.
czlib_inflater *czlib_inflater_new(void);

// Decodes *in_count bytes from *in to *out_count bytes at out and advances both; the counts become what is left.
// CZLIB_ENDED means that the last byte read ended a stream, and the next one begins another.
enum czlib_progress czlib_inflate(czlib_inflater *inflater, const unsigned char **in, size_t *in_count, unsigned char *out,
                                  size_t *out_count);
void czlib_inflater_free(czlib_inflater *inflater);

#endif
