#define _GNU_SOURCE
#include "ccurl.h"
#include "libraries.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// One row per function: its type in libcurl's header and its name.
static struct {
    CURLcode (*global_init)(long);
    curl_version_info_data *(*version_info)(CURLversion);
    const char *(*easy_strerror)(CURLcode);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    CURLcode (*easy_pause)(CURL *, int);
    CURLcode (*easy_send)(CURL *, const void *, size_t, size_t *);
    CURLcode (*easy_recv)(CURL *, void *, size_t, size_t *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_socket_action)(CURLM *, curl_socket_t, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    CURLU *(*url)(void);
    void (*url_cleanup)(CURLU *);
    CURLUcode (*url_set)(CURLU *, CURLUPart, const char *, unsigned);
    CURLUcode (*url_get)(const CURLU *, CURLUPart, char **, unsigned);
    void (*free)(void *);
} api;

static struct {
    int (*version)(const void *);
    const void *(*current_cipher)(const void *);
    uint16_t (*protocol_id)(const void *);
    const char *(*standard_name)(const void *);
    int (*has_pending)(const void *);
    void (*chosen_protocol)(const void *, const unsigned char **, unsigned *);
} ssl;

static struct {
    void *(*ctx_new)(void);
    void (*ctx_free)(void *);
    const void *(*sha256)(void);
    const void *(*sha512)(void);
    const void *(*fetch)(void *, const char *, const char *);
    int (*init)(void *, const void *, void *);
    int (*update)(void *, const void *, size_t);
    int (*final)(void *, unsigned char *, unsigned *);
    int (*copy)(void *, const void *);
} digest;

static char load_error[512];
static const char *load_result;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

const char *ccurl_bind(void *library, const struct ccurl_symbol *symbols, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address) return symbols[i].name;
        *(void **)symbols[i].slot = address;
    }
    return NULL;
}

static void load_openssl(void) {
    const struct ccurl_symbol ssl_symbols[] = {
        {&ssl.version, "SSL_version"},
        {&ssl.current_cipher, "SSL_get_current_cipher"},
        {&ssl.protocol_id, "SSL_CIPHER_get_protocol_id"},
        {&ssl.standard_name, "SSL_CIPHER_standard_name"},
        {&ssl.has_pending, "SSL_has_pending"},
        {&ssl.chosen_protocol, "SSL_get0_alpn_selected"},
    };
    const struct ccurl_symbol digest_symbols[] = {
        {&digest.ctx_new, "EVP_MD_CTX_new"},   {&digest.ctx_free, "EVP_MD_CTX_free"},
        {&digest.sha256, "EVP_sha256"},        {&digest.sha512, "EVP_sha512"},
        {&digest.fetch, "EVP_MD_fetch"},
        {&digest.init, "EVP_DigestInit_ex"},   {&digest.update, "EVP_DigestUpdate"},
        {&digest.final, "EVP_DigestFinal_ex"}, {&digest.copy, "EVP_MD_CTX_copy_ex"},
    };
    void *libssl = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!libssl || ccurl_bind(libssl, ssl_symbols, CCURL_COUNT(ssl_symbols))) ssl.version = NULL;
    void *libcrypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!libcrypto || ccurl_bind(libcrypto, digest_symbols, CCURL_COUNT(digest_symbols))) digest.ctx_new = NULL;
    if (libssl && libcrypto) ccurl_channel_load(libssl, libcrypto);
    // Connections of other TLS libraries have another layout.
    const char *tls = api.version_info(CURLVERSION_NOW)->ssl_version;
    if (libssl && libcrypto && tls && !strncmp(tls, "OpenSSL/3", 9)) ccurl_trust_load(libssl, libcrypto);
}

static void load(void) {
    const struct ccurl_symbol symbols[] = {
        {&api.global_init, "curl_global_init"},
        {&api.version_info, "curl_version_info"},
        {&api.easy_strerror, "curl_easy_strerror"},
        {&api.easy_init, "curl_easy_init"},
        {&api.easy_cleanup, "curl_easy_cleanup"},
        {&api.easy_reset, "curl_easy_reset"},
        {&api.easy_pause, "curl_easy_pause"},
        {&api.easy_send, "curl_easy_send"},
        {&api.easy_recv, "curl_easy_recv"},
        {&api.easy_setopt, "curl_easy_setopt"},
        {&api.easy_getinfo, "curl_easy_getinfo"},
        {&api.slist_append, "curl_slist_append"},
        {&api.slist_free_all, "curl_slist_free_all"},
        {&api.multi_init, "curl_multi_init"},
        {&api.multi_cleanup, "curl_multi_cleanup"},
        {&api.multi_setopt, "curl_multi_setopt"},
        {&api.multi_add_handle, "curl_multi_add_handle"},
        {&api.multi_remove_handle, "curl_multi_remove_handle"},
        {&api.multi_socket_action, "curl_multi_socket_action"},
        {&api.multi_info_read, "curl_multi_info_read"},
        {&api.url, "curl_url"},
        {&api.url_cleanup, "curl_url_cleanup"},
        {&api.url_set, "curl_url_set"},
        {&api.url_get, "curl_url_get"},
        {&api.free, "curl_free"},
    };
    load_result = load_error;
    // libcurl allocates and frees a receive buffer of 512 KiB for each transfer: the heap keeps this memory, because
    // new pages from the kernel each time cost a tenth of the time of many small transfers.
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);

    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(load_error, sizeof load_error, "%s", dlerror());
        return;
    }
    const char *missing = ccurl_bind(library, symbols, CCURL_COUNT(symbols));
    if (missing) {
        snprintf(load_error, sizeof load_error, "libcurl.so.4 has no %s", missing);
        return;
    }
    CURLcode code = api.global_init(CURL_GLOBAL_DEFAULT);
    if (code) {
        snprintf(load_error, sizeof load_error, "curl_global_init: %s", api.easy_strerror(code));
        return;
    }
    load_openssl();
    load_result = NULL;
}

const char *ccurl_load(void) {
    pthread_once(&load_once, load);
    return load_result;
}

const char *ccurl_path(void) {
    Dl_info place;
    return dladdr((void *)api.version_info, &place) ? place.dli_fname : NULL;
}

const curl_version_info_data *ccurl_version_info(void) { return api.version_info(CURLVERSION_NOW); }
const char *ccurl_easy_strerror(CURLcode code) { return api.easy_strerror(code); }

CURL *ccurl_easy_init(void) { return api.easy_init(); }
void ccurl_easy_cleanup(CURL *handle) { api.easy_cleanup(handle); }
void ccurl_easy_reset(CURL *handle) { api.easy_reset(handle); }
CURLcode ccurl_easy_pause_all(CURL *handle) { return api.easy_pause(handle, CURLPAUSE_ALL); }
CURLcode ccurl_easy_resume(CURL *handle) { return api.easy_pause(handle, CURLPAUSE_CONT); }
void ccurl_easy_wake(CURL *handle) {
    // No function does only this, but each change of the pause state makes libcurl process the handle.
    if (!api.easy_pause(handle, CURLPAUSE_RECV)) api.easy_pause(handle, CURLPAUSE_CONT);
}

CURLcode ccurl_easy_send(CURL *handle, const void *bytes, size_t count, size_t *sent) {
    return api.easy_send(handle, bytes, count, sent);
}
CURLcode ccurl_easy_recv(CURL *handle, void *bytes, size_t count, size_t *received) {
    return api.easy_recv(handle, bytes, count, received);
}

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return api.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return api.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return api.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_url(CURL *handle, CURLU *parts, const char *url) {
    // libcurl 7.88 copies the parts without the zone of an IPv6 address.
    if (strchr(url, '[')) parts = NULL;
    // libcurl tells in its own words what is wrong with a URL that it does not take apart.
    unsigned flags = CURLU_PATH_AS_IS | CURLU_DISALLOW_USER;
    if (parts && api.url_set(parts, CURLUPART_URL, url, flags)) parts = NULL;
    // libcurl 8 forgets the URL when it gets the parts.
    CURLcode code = api.easy_setopt(handle, CURLOPT_CURLU, parts);
    return code ? code : api.easy_setopt(handle, CURLOPT_URL, url);
}
CURLU *ccurl_url_new(void) { return api.url(); }
void ccurl_url_free(CURLU *parts) { api.url_cleanup(parts); }
char *ccurl_resolve(const char *url, const char *reference) {
    char *target = NULL;
    CURLU *parts = api.url();
    if (parts && !api.url_set(parts, CURLUPART_URL, url, CURLU_PATH_AS_IS) &&
        !api.url_set(parts, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME))
        api.url_get(parts, CURLUPART_URL, &target, 0);
    api.url_cleanup(parts);
    return target;
}
void ccurl_free(void *text) { api.free(text); }
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return api.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return api.easy_setopt(handle, option, value);
}

// A callback and its user pointer are set together.
static CURLcode set_callback(CURL *handle, CURLoption function_option, void (*function)(void),
                             CURLoption user_option, void *user) {
    CURLcode code = api.easy_setopt(handle, function_option, function);
    return code ? code : api.easy_setopt(handle, user_option, user);
}
CURLcode ccurl_set_write(CURL *handle, ccurl_write_fn function, void *user) {
    return set_callback(handle, CURLOPT_WRITEFUNCTION, (void (*)(void))function, CURLOPT_WRITEDATA, user);
}
CURLcode ccurl_set_header(CURL *handle, ccurl_write_fn function, void *user) {
    return set_callback(handle, CURLOPT_HEADERFUNCTION, (void (*)(void))function, CURLOPT_HEADERDATA, user);
}
CURLcode ccurl_set_read(CURL *handle, ccurl_read_fn function, void *user) {
    return set_callback(handle, CURLOPT_READFUNCTION, (void (*)(void))function, CURLOPT_READDATA, user);
}
CURLcode ccurl_set_seek(CURL *handle, ccurl_seek_fn function, void *user) {
    return set_callback(handle, CURLOPT_SEEKFUNCTION, (void (*)(void))function, CURLOPT_SEEKDATA, user);
}
CURLcode ccurl_set_debug(CURL *handle, ccurl_debug_fn function, void *user) {
    return set_callback(handle, CURLOPT_DEBUGFUNCTION, (void (*)(void))function, CURLOPT_DEBUGDATA, user);
}
CURLcode ccurl_set_prereq(CURL *handle, ccurl_prereq_fn function, void *user) {
    return set_callback(handle, CURLOPT_PREREQFUNCTION, (void (*)(void))function, CURLOPT_PREREQDATA, user);
}
CURLcode ccurl_set_resolver(CURL *handle, ccurl_resolver_fn function, void *user) {
    return set_callback(handle, CURLOPT_RESOLVER_START_FUNCTION, (void (*)(void))function,
                        CURLOPT_RESOLVER_START_DATA, user);
}
CURLcode ccurl_set_opensocket(CURL *handle, ccurl_opensocket_fn function, void *user) {
    return set_callback(handle, CURLOPT_OPENSOCKETFUNCTION, (void (*)(void))function, CURLOPT_OPENSOCKETDATA,
                        user);
}
CURLcode ccurl_set_closesocket(CURL *handle, ccurl_closesocket_fn function, void *user) {
    return set_callback(handle, CURLOPT_CLOSESOCKETFUNCTION, (void (*)(void))function, CURLOPT_CLOSESOCKETDATA,
                        user);
}
CURLcode ccurl_set_progress(CURL *handle, ccurl_progress_fn function, void *user) {
    return set_callback(handle, CURLOPT_XFERINFOFUNCTION, (void (*)(void))function, CURLOPT_XFERINFODATA, user);
}
CURLcode ccurl_set_ssl_context(CURL *handle, curl_ssl_ctx_callback function, void *user) {
    return set_callback(handle, CURLOPT_SSL_CTX_FUNCTION, (void (*)(void))function, CURLOPT_SSL_CTX_DATA, user);
}

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) { return api.easy_getinfo(handle, info, value); }
CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return api.easy_getinfo(handle, info, value);
}
CURLcode ccurl_get_string(CURL *handle, CURLINFO info, const char **value) {
    return api.easy_getinfo(handle, info, value);
}

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
    return api.slist_append(list, text);
}
void ccurl_slist_free_all(struct curl_slist *list) { api.slist_free_all(list); }

CURLM *ccurl_multi_init(void) { return api.multi_init(); }
CURLMcode ccurl_multi_cleanup(CURLM *multi) { return api.multi_cleanup(multi); }
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return api.multi_setopt(multi, option, value);
}
CURLMcode ccurl_multi_set_socket(CURLM *multi, ccurl_socket_fn function, void *user) {
    CURLMcode code = api.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code ? code : api.multi_setopt(multi, CURLMOPT_SOCKETDATA, user);
}
CURLMcode ccurl_multi_set_timer(CURLM *multi, ccurl_timer_fn function, void *user) {
    CURLMcode code = api.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    return code ? code : api.multi_setopt(multi, CURLMOPT_TIMERDATA, user);
}
CURLMcode ccurl_multi_add(CURLM *multi, CURL *handle) { return api.multi_add_handle(multi, handle); }
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *handle) { return api.multi_remove_handle(multi, handle); }
CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events) {
    int running = 0;
    return api.multi_socket_action(multi, socket, events, &running);
}
CURLMcode ccurl_multi_timeout_action(CURLM *multi) {
    int running = 0;
    return api.multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
}
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message; (message = api.multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

// The SSL of the handle's connection: the origin's, or that of a forwarding https proxy. NULL without OpenSSL.
static const void *current_ssl(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if (!ssl.version) return NULL;
    if (api.easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

int ccurl_ssl_has_unread(const void *connection) { return ssl.has_pending(connection); }

int ccurl_tls_has_unread(CURL *handle) {
    const void *connection = current_ssl(handle);
    return connection && ssl.has_pending(connection);
}

const void *ccurl_tls_outer(CURL *handle, const struct ccurl_trust *trust) {
    return ccurl_trust_outer(trust, current_ssl(handle));
}

int ccurl_tls_has_streams(CURL *handle) {
    const void *connection = current_ssl(handle);
    if (!connection) return -1;
    const unsigned char *name = NULL;
    unsigned count = 0;
    ssl.chosen_protocol(connection, &name, &count);
    return count >= 2 && name[0] == 'h' && (name[1] == '2' || name[1] == '3');
}

int ccurl_tls_facts(CURL *handle, int *version, unsigned *suite, const char **suite_name, const void **tls_session,
                    int *has_protocol) {
    const void *connection = current_ssl(handle);
    const void *cipher = connection ? ssl.current_cipher(connection) : NULL;
    if (!cipher) return 0;
    *version = ssl.version(connection);
    *suite = ssl.protocol_id(cipher);
    *suite_name = ssl.standard_name(cipher);
    const unsigned char *protocol = NULL;
    unsigned length = 0;
    ssl.chosen_protocol(connection, &protocol, &length);
    *has_protocol = length > 0;
    *tls_session = connection;
    return 1;
}

// Fetched once: with EVP_sha256, OpenSSL 3 searches for the implementation each time, which takes longer than a short
// digest.
static const void *sha256, *sha512, *md5;
static pthread_once_t fetch_once = PTHREAD_ONCE_INIT;

// Making a context costs as much as a short digest: each thread keeps one for these.
static _Thread_local void *words_context;
static pthread_key_t words_key;
static bool has_words_key;

static void free_words_context(void *context) {
    words_context = NULL;
    digest.ctx_free(context);
}

static void fetch(void) {
    sha256 = digest.fetch(NULL, "SHA256", NULL);
    sha512 = digest.fetch(NULL, "SHA512", NULL);
    md5 = digest.fetch(NULL, "MD5", NULL);
    if (!sha256) sha256 = digest.sha256();
    if (!sha512) sha512 = digest.sha512();
    has_words_key = !pthread_key_create(&words_key, free_words_context);
}

int ccurl_sha256(const void *bytes, size_t count, unsigned char *out) {
    if (!digest.ctx_new) return 0;
    pthread_once(&fetch_once, fetch);
    if (!words_context) {
        void *context = digest.ctx_new();
        // The key's destructor frees the context: without a key it would outlive its thread.
        if (context && (!has_words_key || pthread_setspecific(words_key, context))) {
            digest.ctx_free(context);
            context = NULL;
        }
        words_context = context;
    }
    return words_context && digest.init(words_context, sha256, NULL) == 1 &&
           digest.update(words_context, bytes, count) == 1 && digest.final(words_context, out, NULL) == 1;
}

void *ccurl_digest_new(int bits) {
    if (!digest.ctx_new) return NULL;
    pthread_once(&fetch_once, fetch);
    const void *type = bits == 512 ? sha512 : bits == 128 ? md5 : sha256;
    void *context = type ? digest.ctx_new() : NULL;
    if (context && digest.init(context, type, NULL) != 1) {
        digest.ctx_free(context);
        return NULL;
    }
    return context;
}
int ccurl_digest_update(void *context, const void *bytes, size_t count) {
    return digest.update(context, bytes, count);
}
int ccurl_digest_current(void *context, unsigned char *out) {
    void *copy = digest.ctx_new();
    int done = copy && digest.copy(copy, context) == 1 && digest.final(copy, out, NULL) == 1;
    digest.ctx_free(copy);
    return done;
}
int ccurl_digest_final(void *context, unsigned char *out) { return digest.final(context, out, NULL); }
void ccurl_digest_free(void *context) { digest.ctx_free(context); }
