#include "cpac.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char message[512];

// libpacparser reports a failure in several calls; the first one that has words names the reason.
static int keep_message(const char *format, va_list arguments) {
    size_t length = strlen(message);
    if (length + 1 >= sizeof message) return 0;
    return vsnprintf(message + length, sizeof message - length, format, arguments);
}

static int fail(int result, char *answer, size_t size) {
    snprintf(answer, size, "%s", message);
    return result;
}

int cpac_find_proxy(const char *script, const char *url, const char *host, char *answer, size_t size) {
    void *library = dlopen("libpacparser.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return fail(cpac_no_library, answer, size);
    int (*init)(void);
    int (*parse)(const char *);
    char *(*find)(const char *, const char *);
    void (*set_printer)(int (*)(const char *, va_list));
    void (*extend)(void);
    *(void **)&init = dlsym(library, "pacparser_init");
    *(void **)&parse = dlsym(library, "pacparser_parse_pac_string");
    *(void **)&find = dlsym(library, "pacparser_find_proxy");
    *(void **)&set_printer = dlsym(library, "pacparser_set_error_printer");
    *(void **)&extend = dlsym(library, "pacparser_enable_microsoft_extensions");
    if (!init || !parse || !find || !set_printer) return fail(cpac_no_library, answer, size);
    set_printer(keep_message);
    // The functions of Microsoft (…Ex) are as usual in scripts as the first ones.
    if (extend) extend();
    if (!init() || !parse(script)) return fail(cpac_bad_script, answer, size);
    if (!url) return cpac_ok;
    const char *found = find(url, host);
    if (!found) return fail(cpac_failed, answer, size);
    int length = snprintf(answer, size, "%s", found);
    return length >= 0 && (size_t)length < size ? cpac_ok : fail(cpac_failed, answer, size);
}

int cpac_is_available(void) {
    void *library = dlopen("libpacparser.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != NULL;
}
