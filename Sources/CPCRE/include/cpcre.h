// The functions of PCRE2 for Swift.
//
// libpcre2-8 is loaded with the first pattern, so that jobs without patterns do not pay for it. It is declared here,
// like OpenSSL for libcurl, so that building needs no header of it.
#ifndef CPCRE_H
#define CPCRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A compiled pattern.
typedef struct cpcre_pattern cpcre_pattern;

enum cpcre_outcome {
    CPCRE_FOUND,
    CPCRE_NOT_FOUND,
    // One of the limits below was reached, or memory ran out.
    CPCRE_GAVE_UP,
};

// The limits of one search.
struct cpcre_limits {
    // Backtracking steps at one position of the subject.
    uint32_t steps;
    // Memory for the steps, in KiB.
    uint32_t heap;
    // Time from the start of the search.
    int64_t nanoseconds;
};

// Loads libpcre2-8 once; NULL on success, otherwise an error text with static lifetime. Thread-safe. Call no other
// function here before this has succeeded.
const char *cpcre_load(void);

// Writes the version, such as `10.42 2022-12-11`, with a final NUL.
void cpcre_version(char *text, size_t capacity);

// Compiles a UTF-8 pattern; otherwise returns NULL, the error number and its offset in bytes.
cpcre_pattern *cpcre_compile(const uint8_t *text, size_t count, int *fault, size_t *offset);
void cpcre_free(cpcre_pattern *pattern);

// Writes the message of an error number, with a final NUL.
void cpcre_describe(int fault, uint8_t *text, size_t capacity);

// Searches for the first match; returns the range of its first group, or of the whole match if that is wanted or the
// pattern has no group.
enum cpcre_outcome cpcre_search(const cpcre_pattern *pattern, const uint8_t *subject, size_t count,
                                struct cpcre_limits limits, bool wants_whole, size_t *start, size_t *end);

#endif
