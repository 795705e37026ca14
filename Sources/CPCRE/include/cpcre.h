// The few functions of PCRE2 that Swift needs.
//
// libpcre2-8 is loaded when the first pattern is compiled: a job without one does not pay for it. It is declared
// here, as OpenSSL is for libcurl, so that building needs no header of it.
#ifndef CPCRE_H
#define CPCRE_H

#include <stddef.h>
#include <stdint.h>

// A compiled pattern.
typedef struct cpcre_pattern cpcre_pattern;

enum cpcre_outcome {
    CPCRE_FOUND,
    CPCRE_NOT_FOUND,
    // One of the limits below, or of memory, was reached.
    CPCRE_GAVE_UP,
};

// What one search may cost.
struct cpcre_limits {
    // Steps back at one place of the subject.
    uint32_t steps;
    // Of the memory for the steps, in KiB.
    uint32_t heap;
    // From the start of the search.
    int64_t nanoseconds;
};

// Loads libpcre2-8 once; NULL on success, otherwise a text that lives as long as the process.
// Thread-safe. Nothing else here may be called before it has succeeded.
const char *cpcre_load(void);

// Writes its version, such as `10.42 2022-12-11`, ended by NUL.
void cpcre_version(char *text, size_t capacity);

// Compiles a pattern of UTF-8; NULL with the number of the fault and its offset in bytes.
cpcre_pattern *cpcre_compile(const uint8_t *text, size_t count, int *fault, size_t *offset);
void cpcre_free(cpcre_pattern *pattern);

// Writes what a fault's number means, ended by NUL.
void cpcre_describe(int fault, uint8_t *text, size_t capacity);

// Searches for the first match; of one that is found, says where its first group stands, or the whole of it when the
// pattern has no group.
enum cpcre_outcome cpcre_search(const cpcre_pattern *pattern, const uint8_t *subject, size_t count,
                                struct cpcre_limits limits, size_t *start, size_t *end);

#endif
