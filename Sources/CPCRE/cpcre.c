#include "cpcre.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

// From pcre2.h, the same since PCRE2 10.34.
enum {
    auto_callout = 0x00000004,
    utf = 0x00080000,
    never_backslash_c = 0x00100000,
    match_invalid_utf = 0x04000000,
    info_capture_count = 4,
    config_version = 11,
    error_no_match = -1,
    error_callout = -37,
};
static const size_t unset = ~(size_t)0;

static struct {
    int (*config)(uint32_t, void *);
    void *(*compile)(const uint8_t *, size_t, uint32_t, int *, size_t *, void *);
    void (*code_free)(void *);
    int (*pattern_info)(const void *, uint32_t, void *);
    int (*error_message)(int, uint8_t *, size_t);
    void *(*match_context_create)(void *);
    void (*match_context_free)(void *);
    int (*set_callout)(void *, int (*)(void *, void *), void *);
    int (*set_heap_limit)(void *, uint32_t);
    int (*set_match_limit)(void *, uint32_t);
    void *(*match_data_create)(uint32_t, void *);
    void (*match_data_free)(void *);
    int (*match)(const void *, const uint8_t *, size_t, size_t, uint32_t, void *, void *);
    size_t *(*ovector)(void *);
} api;

static char load_error[512];
static const char *load_result;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
    const struct {
        void *slot;
        const char *name;
    } symbols[] = {
        {&api.config, "pcre2_config_8"},
        {&api.compile, "pcre2_compile_8"},
        {&api.code_free, "pcre2_code_free_8"},
        {&api.pattern_info, "pcre2_pattern_info_8"},
        {&api.error_message, "pcre2_get_error_message_8"},
        {&api.match_context_create, "pcre2_match_context_create_8"},
        {&api.match_context_free, "pcre2_match_context_free_8"},
        {&api.set_callout, "pcre2_set_callout_8"},
        {&api.set_heap_limit, "pcre2_set_heap_limit_8"},
        {&api.set_match_limit, "pcre2_set_match_limit_8"},
        {&api.match_data_create, "pcre2_match_data_create_8"},
        {&api.match_data_free, "pcre2_match_data_free_8"},
        {&api.match, "pcre2_match_8"},
        {&api.ovector, "pcre2_get_ovector_pointer_8"},
    };
    load_result = load_error;
    void *library = dlopen("libpcre2-8.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(load_error, sizeof load_error, "%s", dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address) {
            snprintf(load_error, sizeof load_error, "libpcre2-8.so.0 has no %s", symbols[i].name);
            return;
        }
        *(void **)symbols[i].slot = address;
    }
    load_result = NULL;
}

const char *cpcre_load(void) {
    pthread_once(&load_once, load);
    return load_result;
}

void cpcre_version(char *text, size_t capacity) {
    char version[64] = "";
    // Ask for the length first, to omit a version that is too long.
    if (api.config(config_version, NULL) <= (int)sizeof version) api.config(config_version, version);
    snprintf(text, capacity, "%s", version);
}

cpcre_pattern *cpcre_compile(const uint8_t *text, size_t count, int *fault, size_t *offset) {
    // Invalid UTF-8 in a body matches nothing, and the rest is searched. A callout before each item of the pattern
    // checks the time.
    const uint32_t options = utf | match_invalid_utf | never_backslash_c | auto_callout;
    return api.compile(text, count, options, fault, offset, NULL);
}

void cpcre_free(cpcre_pattern *pattern) { api.code_free(pattern); }

void cpcre_describe(int fault, uint8_t *text, size_t capacity) {
    if (api.error_message(fault, text, capacity) < 0 && capacity) text[capacity - 1] = 0;
}

struct watch {
    int64_t end;
    unsigned calls;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// The limit of steps applies anew at each position, and a step may read far: only the clock bounds the whole search.
static int check_time(void *block, void *user) {
    (void)block;
    struct watch *watch = user;
    if (++watch->calls % 64) return 0;
    return now() >= watch->end ? error_callout : 0;
}

enum cpcre_outcome cpcre_search(const cpcre_pattern *pattern, const uint8_t *subject, size_t count,
                                struct cpcre_limits limits, bool wants_whole, size_t *start, size_t *end) {
    enum cpcre_outcome outcome = CPCRE_GAVE_UP;
    struct watch watch = {.end = now() + limits.nanoseconds};
    void *context = api.match_context_create(NULL);
    void *data = api.match_data_create(2, NULL);
    if (!context || !data) goto done;
    api.set_callout(context, check_time, &watch);
    api.set_match_limit(context, limits.steps);
    api.set_heap_limit(context, limits.heap);

    int result = api.match(pattern, subject, count, 0, 0, data, context);
    if (result == error_no_match) outcome = CPCRE_NOT_FOUND;
    if (result < 0) goto done;
    uint32_t groups = 0;
    api.pattern_info(pattern, info_capture_count, &groups);
    const size_t *range = api.ovector(data) + (groups && !wants_whole ? 2 : 0);
    // The group did not take part in the match, or `\K` moved the match's start after its end.
    if (range[0] == unset || range[0] > range[1] || range[1] > count) {
        outcome = CPCRE_NOT_FOUND;
    } else {
        outcome = CPCRE_FOUND;
        *start = range[0];
        *end = range[1];
    }
done:
    if (data) api.match_data_free(data);
    if (context) api.match_context_free(context);
    return outcome;
}
