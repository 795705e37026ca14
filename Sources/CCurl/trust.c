#include "ccurl.h"
#include "libraries.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// OpenSSL forgets a certificate that it refuses, and libcurl tells its number only. So the verification is watched: the
// callback that OpenSSL calls for each fault writes down what the certificate says of itself.
//
// A watch belongs to an easy handle and to each SSL_CTX of a connection that the handle has opened; the last one frees it.
// All of them live on one thread.
struct ccurl_trust {
    int holders;
    ccurl_certificate_fault fault;
};

// OpenSSL's X509 objects, which nothing else here looks into.
static struct {
    int (*new_index)(int, long, void *, void *, void *, void (*)(void *, void *, void *, int, long, void *));
    int (*set_data)(void *, int, void *);
    void *(*get_data)(const void *, int);
    void (*set_verify)(void *, int, int (*)(int, void *));
    int (*verify_mode)(const void *);
    void *(*context_of)(const void *);
    int (*store_index)(void);
    void *(*store_data)(const void *, int);
    int (*store_error)(const void *);
    int (*store_depth)(const void *);
    void *(*store_certificate)(const void *);
    const void *(*not_before)(const void *);
    const void *(*not_after)(const void *);
    int (*to_tm)(const void *, struct tm *);
    void *(*issuer)(const void *);
    int (*name_text)(void *, int, char *, int);
} api;

// Our place among the data of an SSL_CTX; negative when OpenSSL is not there.
static int data_index = -1;

static const int common_name = 13;    // NID_commonName
static const int class_of_contexts = 1; // CRYPTO_EX_INDEX_SSL_CTX

static void release(struct ccurl_trust *trust) {
    if (trust && --trust->holders == 0) free(trust);
}

static void did_free_context(void *context, void *trust, void *data, int index, long number, void *user) {
    (void)context, (void)data, (void)index, (void)number, (void)user;
    release(trust);
}

void ccurl_trust_load(void *libssl, void *libcrypto) {
    const struct ccurl_symbol ssl_symbols[] = {
        {&api.set_data, "SSL_CTX_set_ex_data"},    {&api.get_data, "SSL_CTX_get_ex_data"},
        {&api.set_verify, "SSL_CTX_set_verify"},   {&api.verify_mode, "SSL_CTX_get_verify_mode"},
        {&api.context_of, "SSL_get_SSL_CTX"},      {&api.store_index, "SSL_get_ex_data_X509_STORE_CTX_idx"},
    };
    const struct ccurl_symbol crypto_symbols[] = {
        {&api.new_index, "CRYPTO_get_ex_new_index"},
        {&api.store_data, "X509_STORE_CTX_get_ex_data"},
        {&api.store_error, "X509_STORE_CTX_get_error"},
        {&api.store_depth, "X509_STORE_CTX_get_error_depth"},
        {&api.store_certificate, "X509_STORE_CTX_get_current_cert"},
        {&api.not_before, "X509_get0_notBefore"},
        {&api.not_after, "X509_get0_notAfter"},
        {&api.to_tm, "ASN1_TIME_to_tm"},
        {&api.issuer, "X509_get_issuer_name"},
        {&api.name_text, "X509_NAME_get_text_by_NID"},
    };
    if (ccurl_bind(libssl, ssl_symbols, CCURL_COUNT(ssl_symbols))) return;
    if (ccurl_bind(libcrypto, crypto_symbols, CCURL_COUNT(crypto_symbols))) return;
    data_index = api.new_index(class_of_contexts, 0, NULL, NULL, NULL, did_free_context);
}

static int64_t seconds(const void *time) {
    struct tm parts;
    if (!time || api.to_tm(time, &parts) != 1) return INT64_MIN;
    return timegm(&parts);
}

static int did_verify(int is_good, void *store) {
    if (is_good) return is_good;
    void *connection = api.store_data(store, api.store_index());
    void *context = connection ? api.context_of(connection) : NULL;
    struct ccurl_trust *trust = context ? api.get_data(context, data_index) : NULL;
    if (!trust) return is_good;

    ccurl_certificate_fault *fault = &trust->fault;
    memset(fault, 0, sizeof *fault);
    fault->error = api.store_error(store);
    fault->depth = api.store_depth(store);
    fault->not_before = fault->not_after = INT64_MIN;
    void *certificate = api.store_certificate(store);
    if (!certificate) return is_good;
    fault->not_before = seconds(api.not_before(certificate));
    fault->not_after = seconds(api.not_after(certificate));
    void *issuer = api.issuer(certificate);
    if (!issuer || api.name_text(issuer, common_name, fault->issuer, sizeof fault->issuer) < 0) fault->issuer[0] = 0;
    return is_good;
}

static CURLcode did_make_context(CURL *handle, void *context, void *user) {
    (void)handle;
    struct ccurl_trust *trust = user;
    if (api.set_data(context, data_index, trust) != 1) return CURLE_OK;
    trust->holders++;
    api.set_verify(context, api.verify_mode(context), did_verify);
    return CURLE_OK;
}

struct ccurl_trust *ccurl_trust_new(void) {
    if (data_index < 0) return NULL;
    struct ccurl_trust *trust = calloc(1, sizeof *trust);
    if (trust) trust->holders = 1;
    return trust;
}

void ccurl_trust_release(struct ccurl_trust *trust) { release(trust); }

CURLcode ccurl_set_trust(CURL *handle, struct ccurl_trust *trust) {
    return ccurl_set_ssl_context(handle, did_make_context, trust);
}

void ccurl_trust_clear(struct ccurl_trust *trust) { memset(&trust->fault, 0, sizeof trust->fault); }

const ccurl_certificate_fault *ccurl_trust_fault(const struct ccurl_trust *trust) {
    return trust->fault.error ? &trust->fault : NULL;
}
